package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"parley/internal/fault"
)

// docsPolicy is what Swagger UI and Redoc need; all they load comes from here.
const docsPolicy = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; worker-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// serveDocuments adds the API's description and the two pages that show it. It
// comes after all operations. The description is made on its first request.
func (s *Server) serveDocuments() {
	describeHeaders(s.huma.OpenAPI())
	document := sync.OnceValues(func() ([]byte, error) { return openAPI30(s.huma.OpenAPI()) })
	s.mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, r *http.Request) {
		content, err := document()
		if err != nil {
			writeProblem(w, r, fmt.Errorf("describe the API: %w", err))
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
				writeProblem(w, r, fault.New(fault.ServiceUnavailable, "this binary was built without its documentation pages: run make build"))
				return
			}
			writeProblem(w, r, fault.New(fault.NotFound, "no such route"))
			return
		}
		if err != nil {
			writeProblem(w, r, fmt.Errorf("read documentation page %s: %w", name, err))
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
	serveContent(w, r, time.Time{}, bytes.NewReader(content))
}

// openAPI30 lowers huma's 3.1 description to 3.0.3. huma's own Downgrade
// leaves some keywords that 3.0 does not know.
func openAPI30(described *huma.OpenAPI) ([]byte, error) {
	lowered, err := described.Downgrade()
	if err != nil {
		return nil, err
	}
	var document map[string]any
	if err := json.Unmarshal(lowered, &document); err != nil {
		return nil, err
	}
	lower(document, false)
	delete(description(document).schemas(), "Problem") // huma's name of what is described as Envelope
	description(document).explain()
	if err := description(document).illustrate(); err != nil {
		return nil, err
	}
	return json.Marshal(document)
}

// lower walks a description; names tells that a map's keys are names that
// somebody chose, not keywords.
func lower(node any, names bool) {
	switch node := node.(type) {
	case map[string]any:
		if !names {
			if value, ok := node["const"]; ok {
				delete(node, "const")
				node["enum"] = []any{value}
			}
			if _, ok := node["contentMediaType"].(string); ok {
				delete(node, "contentMediaType")
			}
			if _, ok := node["patternDescription"].(string); ok {
				delete(node, "patternDescription")
			}
			if node["format"] == momentFormat {
				node["format"] = "date-time"
			}
			if examples, ok := node["examples"].([]any); ok {
				delete(node, "examples")
				if len(examples) > 0 {
					node["example"] = examples[0]
				}
			}
		}
		for key, child := range node {
			if names || key != "example" && key != "default" && key != "enum" {
				lower(child, !names && (key == "properties" || key == "schemas" || key == "patternProperties"))
			}
		}
	case []any:
		for _, child := range node {
			lower(child, false)
		}
	}
}
