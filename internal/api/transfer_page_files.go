package api

import (
	"io/fs"
	"mime"
	"net/http"
	"path"

	"parley/internal/api/wire"
	"parley/internal/fault"
)

// transferPagePolicy is what the page of a transfer needs: it shows words of callers, as text alone.
const transferPagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; " +
	"base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// serveTransferPageFiles adds the page, which is the same for every link, and what it loads.
func (s *Server) serveTransferPageFiles(page string) {
	if s.deps.TransferPage == nil {
		return
	}
	s.mux.HandleFunc("GET "+page, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Robots-Tag", "noindex, nofollow")
		s.transferPageFile(w, r, "index.html", "no-store")
	})
	s.mux.HandleFunc("GET /transfer-page/{name}", func(w http.ResponseWriter, r *http.Request) {
		s.transferPageFile(w, r, r.PathValue("name"), assetCache)
	})
}

func (s *Server) transferPageFile(w http.ResponseWriter, r *http.Request, name, cache string) {
	content, err := fs.ReadFile(s.deps.TransferPage, name)
	if err != nil {
		if _, built := fs.Stat(s.deps.TransferPage, "index.html"); built != nil {
			wire.WriteProblem(w, r, fault.New(fault.ServiceUnavailable, "this binary was built without the page: run make build"))
			return
		}
		wire.WriteProblem(w, r, fault.New(fault.NotFound, "no such route"))
		return
	}
	w.Header().Set("Content-Security-Policy", transferPagePolicy)
	serveFileFor(w, r, mime.TypeByExtension(path.Ext(name)), cache, content)
}
