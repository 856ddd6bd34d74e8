package api

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"sync"
	"time"

	"parley/internal/api/wire"
	"parley/internal/fault"
)

// docsPolicy is what Swagger UI and Redoc need; all they load comes from here.
const docsPolicy = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; worker-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// serveDocuments adds the API's description and the two pages that show it. It
// comes after all operations. The description is made on its first request.
func (s *Server) serveDocuments() {
	wire.DescribeHeaders(s.huma.OpenAPI(), metricsPath)
	s.description = sync.OnceValues(func() ([]byte, error) { return wire.OpenAPI30(s.huma.OpenAPI(), &texts) })
	s.mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, r *http.Request) {
		content, err := s.description()
		if err != nil {
			wire.WriteProblem(w, r, fmt.Errorf("describe the API: %w", err))
			return
		}
		serveFile(w, r, "application/json", content)
	})
	s.mux.HandleFunc("GET /docs", s.page("swagger.html"))
	s.mux.HandleFunc("GET /redoc", s.page("redoc.html"))
	s.mux.HandleFunc("GET /docs/{name}", func(w http.ResponseWriter, r *http.Request) {
		s.page(r.PathValue("name"))(w, r)
	})
}

// page serves one file of the documentation pages.
func (s *Server) page(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		content, err := fs.ReadFile(s.deps.Docs, name)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
			if _, built := fs.Stat(s.deps.Docs, "swagger.html"); built != nil {
				wire.WriteProblem(w, r, fault.New(fault.ServiceUnavailable, "this binary was built without its documentation pages: run make build"))
				return
			}
			wire.WriteProblem(w, r, fault.New(fault.NotFound, "no such route"))
			return
		}
		if err != nil {
			wire.WriteProblem(w, r, fmt.Errorf("read documentation page %s: %w", name, err))
			return
		}
		w.Header().Set("Content-Security-Policy", docsPolicy)
		serveFile(w, r, mime.TypeByExtension(path.Ext(name)), content)
	}
}

// serveFile lets browsers keep a file and ask whether it is still the same.
func serveFile(w http.ResponseWriter, r *http.Request, kind string, content []byte) {
	serveFileFor(w, r, kind, "no-cache", content)
}

// serveFileFor serves a file with a Cache-Control.
func serveFileFor(w http.ResponseWriter, r *http.Request, kind, cache string, content []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", cache)
	w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(content)))
	wire.ServeContent(w, r, time.Time{}, bytes.NewReader(content))
}
