package api

import (
	"bytes"
	"context"
	"net/http"
	"testing"
	"time"

	"parley/internal/fault"
	"parley/internal/recording"
)

// tapes keeps the same sound for every call.
type tapes struct{}

type tape struct{ *bytes.Reader }

func (tape) Close() error { return nil }

func (tapes) Open(context.Context, string) (recording.Content, error) {
	return tape{bytes.NewReader([]byte("0123456789"))}, nil
}

// Ranges of recordings and of the documentation's files; errors have the error envelope.
func TestRanges(t *testing.T) {
	s, _ := newCalls(t, nil)
	s.deps.Recordings = tapes{}
	id := s.start("full", `{"workflow_slug":"support"}`)
	ended := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s.set(id, "status = 'completed', recordings = 1, ended_at = ?", ended)
	for _, path := range []string{"/api/v1/calls/" + id + "/recording", "/openapi.json", "/docs"} {
		w := s.do("full", http.MethodGet, path, "", "Range", "bytes=2-4")
		if s.want(w, http.StatusPartialContent, nil); w.Body.Len() != 3 || w.Header().Get("Content-Range") == "" {
			t.Errorf("%s: %v %s", path, w.Header(), w.Body)
		}
		for _, asked := range []string{"bytes=99999999-", "bytes=4-2", "bytes=x", "words=1-2"} {
			w := s.do("full", http.MethodGet, path, "", "Range", asked)
			s.refused(w, http.StatusRequestedRangeNotSatisfiable, fault.RangeNotSatisfiable)
			for _, name := range []string{"Etag", "Last-Modified", "Content-Disposition", "Accept-Ranges"} {
				if w.Header().Get(name) != "" {
					t.Errorf("%s with %s: an error with %s", path, asked, name)
				}
			}
			if outside := asked == "bytes=99999999-"; outside != (w.Header().Get("Content-Range") != "") || w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("%s with %s: %v", path, asked, w.Header())
			}
		}
	}
	for path, header := range map[string][2]string{
		"/api/v1/calls/" + id + "/recording": {"If-Unmodified-Since", ended.Add(-time.Hour).Format(http.TimeFormat)},
		"/openapi.json":                      {"If-Match", `"another"`},
	} {
		s.refused(s.do("full", http.MethodGet, path, "", header[:]...), http.StatusPreconditionFailed, fault.PreconditionFailed)
	}
	w := s.do("full", http.MethodGet, "/api/v1/calls/"+id+"/recording", "", "If-Modified-Since", ended.Format(http.TimeFormat))
	s.want(w, http.StatusNotModified, nil)
}
