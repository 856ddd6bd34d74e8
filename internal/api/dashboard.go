package api

import (
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"

	"parley/internal/api/wire"
	"parley/internal/fault"
)

// dashboardPolicy is what the dashboard needs: all it loads comes from here,
// and it talks to this server and, in %s, to the media server. Its components
// set styles inline.
const dashboardPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self'; " +
	"connect-src 'self'%s; media-src 'self' blob:; worker-src 'self' blob:; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"

// assetCache lets browsers keep a file for a year: its name changes with its
// content.
const assetCache = "public, max-age=31536000, immutable"

// serveDashboard adds the files of the dashboard. Its pages are served by
// dashboardPage.
func (s *Server) serveDashboard() {
	if s.deps.Dashboard == nil {
		return
	}
	s.mux.HandleFunc("GET /assets/{name}", func(w http.ResponseWriter, r *http.Request) {
		s.dashboardFile(w, r, "assets/"+r.PathValue("name"), assetCache)
	})
	s.mux.HandleFunc("GET /favicon.svg", func(w http.ResponseWriter, r *http.Request) {
		s.dashboardFile(w, r, "favicon.svg", "no-cache")
	})
}

// notPages begin the paths that are never a page of the dashboard.
var notPages = []string{"/api/", "/rtc/", "/docs/", "/health/", "/assets/", "/widget/", "/transfer/", "/transfer-page/"}

// dashboardPage serves the dashboard to a browser that asks for a page that no
// route has, and to anybody at the root who does not ask for JSON: the dashboard
// shows what belongs to the path. It reports false for any other request.
func (s *Server) dashboardPage(w http.ResponseWriter, r *http.Request) bool {
	if s.deps.Dashboard == nil || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	accepts := r.Header.Get("Accept")
	if atRoot := r.URL.Path == "/" && !strings.Contains(accepts, "json"); !atRoot && !strings.Contains(accepts, "text/html") {
		return false
	}
	for _, prefix := range notPages {
		if strings.HasPrefix(r.URL.Path+"/", prefix) {
			return false
		}
	}
	s.dashboardFile(w, r, "index.html", "no-cache")
	return true
}

// dashboardFile serves a file of the dashboard.
func (s *Server) dashboardFile(w http.ResponseWriter, r *http.Request, name, cache string) {
	content, err := fs.ReadFile(s.deps.Dashboard, name)
	if err != nil {
		if _, built := fs.Stat(s.deps.Dashboard, "index.html"); built != nil {
			wire.WriteProblem(w, r, fault.New(fault.ServiceUnavailable, "this binary was built without its dashboard: run make build"))
			return
		}
		wire.WriteProblem(w, r, fault.New(fault.NotFound, "no such route"))
		return
	}
	w.Header().Set("Content-Security-Policy", s.dashboardPolicy())
	serveFileFor(w, r, mime.TypeByExtension(path.Ext(name)), cache, content)
}

// dashboardPolicy returns the dashboard's content security policy. The media server
// has to be named where it is not this server.
func (s *Server) dashboardPolicy() string {
	media := ""
	if s.deps.Media != nil {
		if url := s.deps.Media.URL(); strings.HasPrefix(url, "ws") {
			media = " " + url + " http" + strings.TrimPrefix(url, "ws")
		}
	}
	return fmt.Sprintf(dashboardPolicy, media)
}
