package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// Names that are unknown, and no misspelled ones, are ignored, and warnings of the answer.
func TestUnknownNamesAreWarnings(t *testing.T) {
	s := newRecords(t)
	for _, tc := range []struct {
		method, path, body string
		want               []string
	}{
		{http.MethodGet, "/api/v1/agents?utm_source=docs", "", []string{"the query parameter utm_source is unknown and was ignored"}},
		{http.MethodPost, "/api/v1/agents?utm_source=docs", `{"name":"clinic","config":{"nonsense":1,"tools":["a"],"prompt":{"system":"x"},
			"stt":{"provider":"ear","model":"ear-1"},"llm":{"provider":"brain","model":"brain-1"},"tts":{"provider":"mouth","voice_id":"v1"}}}`, []string{
			"config.tools[0]: there is no tool a",
			"the query parameter utm_source is unknown and was ignored", "the field config.nonsense is unknown and was ignored",
		}},
		{http.MethodPost, "/api/v1/prompts", `{"slug":"clinic","name":"Clinic","content":{"en":"<Hello>"},"nonsense":1}`, []string{"the field nonsense is unknown and was ignored"}},
		{http.MethodGet, "/api/v1/agents", "", nil},
	} {
		w := s.do("full", tc.method, tc.path, tc.body)
		var got struct{ Warnings []string }
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code >= 300 {
			t.Fatalf("%s %s: %d %s", tc.method, tc.path, w.Code, w.Body)
		}
		if d := cmp.Diff(tc.want, got.Warnings); d != "" {
			t.Errorf("%s %s: warnings (-want +got):\n%s", tc.method, tc.path, d)
		}
	}
	many := url.Values{}
	for i := range 30 {
		many.Set(fmt.Sprintf("unlisted%d", i), "")
	}
	var got struct{ Warnings []string }
	w := s.do("full", http.MethodGet, "/api/v1/agents?"+many.Encode(), "")
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || len(got.Warnings) != 21 || got.Warnings[20] != "10 more unknown names were ignored" {
		t.Errorf("of 30 unknown parameters: %s", w.Body)
	}
}
