package api

import (
	"net/http"
	"strings"
	"testing"
)

// A name that is probably a misspelled one is an error, rather than ignored; any other unknown name is ignored.
func TestMisspelledNames(t *testing.T) {
	s := newRecords(t)
	for _, tc := range []struct{ method, path, body, field, meant string }{
		{http.MethodGet, "/api/v1/calls?statsu=failed", "", "statsu", "status"},
		{http.MethodGet, "/api/v1/agents?limt=3", "", "limt", "limit"},
		{http.MethodPost, "/api/v1/agents", `{"name": "clinic", "config": {"prompt": {"greting": "Hello"}}}`, "config.prompt.greting", "greeting"},
		{http.MethodPost, "/api/v1/agents", `{"name": "clinic", "config": {"llm": {"temprature": 0.3}}}`, "config.llm.temprature", "temperature"},
	} {
		w := s.do("full", tc.method, tc.path, tc.body)
		if got := w.Body.String(); w.Code != http.StatusUnprocessableEntity || !strings.Contains(got, `"field":"`+tc.field+`"`) || !strings.Contains(got, "did you mean") {
			t.Errorf("%s %s %s: %d %s", tc.method, tc.path, tc.body, w.Code, got)
		}
	}
	for _, path := range []string{"/api/v1/agents?utm_source=docs", "/api/v1/agents?id=3", "/api/v1/agents?bucket=hour"} {
		if w := s.do("full", http.MethodGet, path, ""); w.Code != http.StatusOK || w.Header().Get("X-Ignored-Parameters") == "" {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}
