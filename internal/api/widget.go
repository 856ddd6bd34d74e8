package api

import (
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"mime"
	"net/http"
	"path"

	"parley/internal/api/wire"
	"parley/internal/fault"
)

// widgetScript is the pattern of the script's name in web.Widget.
const widgetScript = "parley-agent-*.js"

// serveWidget adds the files of <parley-agent> for pages of every origin: /widget.js leads to the current script, whose name changes with
// its content; /widget.json has its path and its integrity hash, for <script integrity>.
func (s *Server) serveWidget() {
	if s.deps.Widget == nil {
		return
	}
	public := func(serve func(w http.ResponseWriter, r *http.Request, script string)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Access-Control-Allow-Origin", allOrigins)
			w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
			scripts, err := fs.Glob(s.deps.Widget, widgetScript)
			if err != nil || len(scripts) != 1 {
				wire.WriteProblem(w, r, fault.New(fault.ServiceUnavailable, "this binary was built without its widget: run make build"))
				return
			}
			serve(w, r, scripts[0])
		}
	}
	s.mux.HandleFunc("GET /widget.js", public(func(w http.ResponseWriter, r *http.Request, script string) {
		w.Header().Set("Cache-Control", "no-cache")
		http.Redirect(w, r, "widget/"+script, http.StatusFound)
	}))
	s.mux.HandleFunc("GET /widget.json", public(func(w http.ResponseWriter, r *http.Request, script string) {
		content, err := fs.ReadFile(s.deps.Widget, script)
		if err != nil {
			wire.WriteProblem(w, r, err)
			return
		}
		sum := sha512.Sum384(content)
		described, err := json.Marshal(map[string]string{"script": "/widget/" + script, "integrity": "sha384-" + base64.StdEncoding.EncodeToString(sum[:])})
		if err != nil {
			wire.WriteProblem(w, r, err)
			return
		}
		serveFileFor(w, r, "application/json", "no-cache", described)
	}))
	s.mux.HandleFunc("GET /widget/{name}", public(func(w http.ResponseWriter, r *http.Request, _ string) {
		name := r.PathValue("name")
		content, err := fs.ReadFile(s.deps.Widget, name)
		if err != nil {
			wire.WriteProblem(w, r, fault.New(fault.NotFound, "no such route"))
			return
		}
		serveFileFor(w, r, mime.TypeByExtension(path.Ext(name)), assetCache, content)
	}))
}
