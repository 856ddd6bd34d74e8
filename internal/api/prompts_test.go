package api

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/api/wire"
	"parley/internal/fault"
)

const (
	promptsPath = "/api/v1/prompts"
	welcome     = `{"slug":"welcome","name":"Welcome","description":"First words","category":"greeting","content":{"en":"Hello {{customer_name}}, {{plan}}!","de":"Hallo {{customer_name}}!"},
		"variables":[{"name":"customer_name","type":"string","required":true},{"name":"plan","type":"string","required":false,"default":"basic"}],"metadata":{"interruptible":true,"voice_speed":1.25}}`
)

// prompt reads an answer's template without what differs from run to run.
func (s *service) prompt(body []byte) map[string]any {
	s.t.Helper()
	var got map[string]any
	if err := json.Unmarshal(body, &got); err != nil {
		s.t.Fatal(err)
	}
	for _, name := range []string{"id", "created_at", "updated_at"} {
		if text, ok := got[name].(string); !ok || text == "" {
			s.t.Errorf("no %s in %s", name, body)
		}
		delete(got, name)
	}
	return got
}

func TestPromptLife(t *testing.T) {
	s := newService(t)
	w := s.do("full", http.MethodPost, promptsPath, welcome)
	s.want(w, http.StatusCreated, nil)
	var want map[string]any
	if err := json.Unmarshal([]byte(welcome), &want); err != nil {
		t.Fatal(err)
	}
	want["tenant_id"], want["is_system"], want["version"] = acme, false, 1.0
	if d := cmp.Diff(want, s.prompt(w.Body.Bytes())); d != "" {
		t.Errorf("created (-want +got):\n%s", d)
	}
	w = s.do("full", http.MethodGet, promptsPath+"/welcome", "")
	s.want(w, http.StatusOK, nil)
	if d := cmp.Diff(want, s.prompt(w.Body.Bytes())); d != "" {
		t.Errorf("read (-want +got):\n%s", d)
	}
	s.refused(s.do("full", http.MethodPost, promptsPath, welcome), http.StatusConflict, fault.Conflict)

	w = s.do("full", http.MethodPatch, promptsPath+"/welcome", `{"slug":"x","is_system":true,"description":null,"content":{"de":null,"es":"Hola"},"metadata":{"voice_speed":null},"variables":[]}`)
	s.want(w, http.StatusOK, nil)
	want["description"], want["version"], want["variables"] = nil, 2.0, []any{}
	want["content"], want["metadata"] = map[string]any{"en": "Hello {{customer_name}}, {{plan}}!", "es": "Hola"}, map[string]any{"interruptible": true}
	want["warnings"] = []any{"the field is_system is unknown and was ignored", "the field slug is unknown and was ignored"}
	if d := cmp.Diff(want, s.prompt(w.Body.Bytes())); d != "" {
		t.Errorf("updated (-want +got):\n%s", d)
	}
	if got := w.Header().Get("X-Ignored-Fields"); got != "is_system, slug" {
		t.Errorf("ignored %q", got)
	}
	for _, body := range []string{`{"colour":"x","version":7}`, `{}`, `{"content":{}}`, `{"metadata":{"interruptible":true,"voice_speed":null},"description":null,"content":{"es":"Hola"}}`} {
		w = s.do("full", http.MethodPatch, promptsPath+"/welcome", body)
		s.want(w, http.StatusOK, nil)
		if delete(want, "warnings"); strings.Contains(body, "colour") {
			want["warnings"] = []any{"the field colour is unknown and was ignored", "the field version is unknown and was ignored"}
		}
		if d := cmp.Diff(want, s.prompt(w.Body.Bytes())); d != "" {
			t.Errorf("%s, which changes nothing (-want +got):\n%s", body, d)
		}
	}
	for body, field := range map[string]string{`{"content":{"en":null,"es":null}}`: "content", `{"category":"poem"}`: "category", `{"name":null}`: "name", `{"content":{"fr":7}}`: "content.fr"} {
		if faults := s.refused(s.do("full", http.MethodPatch, promptsPath+"/welcome", body), http.StatusUnprocessableEntity, fault.Validation); faults[field] == "" {
			t.Errorf("%s: faults %v", body, faults)
		}
	}

	w = s.do("full", http.MethodGet, promptsPath+"/welcome/versions", "")
	var versions wire.Page[struct {
		Version int64
		Name    string
	}]
	s.want(w, http.StatusOK, &versions)
	if versions.Total != 2 || versions.Items[0].Version != 2 || versions.Items[1].Version != 1 {
		t.Errorf("versions %s", w.Body)
	}
	w = s.do("full", http.MethodPost, promptsPath+"/welcome/rollback", `{"version":1}`)
	s.want(w, http.StatusOK, nil)
	if got := s.prompt(w.Body.Bytes()); got["version"] != 3.0 || got["description"] != "First words" {
		t.Errorf("rolled back to %v", got)
	}
	for _, body := range []string{`{"version":99}`, `{}`, `{"version":0}`, `{"version":"1"}`} {
		if faults := s.refused(s.do("full", http.MethodPost, promptsPath+"/welcome/rollback", body), http.StatusUnprocessableEntity, fault.Validation); faults["version"] == "" {
			t.Errorf("%s: faults %v", body, faults)
		}
	}
	s.want(s.do("full", http.MethodDelete, promptsPath+"/welcome", ""), http.StatusNoContent, nil)
	s.refused(s.do("full", http.MethodGet, promptsPath+"/welcome", ""), http.StatusNotFound, fault.NotFound)
}

func TestPromptFaultsAreToldAtOnce(t *testing.T) {
	s := newService(t)
	for body, want := range map[string]string{
		`{}`: "content name slug",
		`{"slug":"import","name":"` + strings.Repeat("x", 256) + `","category":"poem","content":{"en":"","??":"x"},"variables":[{"name":"a b"}]}`: "category content.?? content.en name slug variables[0].name variables[0].type",
		`{"slug":"a","name":"n","content":"Hello"}`:                              "content",
		`{"slug":"a","name":"n","content":{"en":["Hello"]},"metadata":[]}`:       "content.en metadata",
		`{"slug":"a","name":"n","content":{"en":"x"},"metadata":{"a":"\u0000"}}`: "metadata.a",
	} {
		faults := s.refused(s.do("full", http.MethodPost, promptsPath, body), http.StatusUnprocessableEntity, fault.Validation)
		var fields []string
		for field := range faults {
			fields = append(fields, field)
		}
		slices.Sort(fields)
		if got := strings.Join(fields, " "); got != want {
			t.Errorf("%.100s:\n got faults in %s\nwant faults in %s", body, got, want)
		}
	}
}

func TestPromptDefaultsOfThePlatform(t *testing.T) {
	s := newService(t)
	w := s.do("full", http.MethodGet, promptsPath+"/greeting", "")
	s.want(w, http.StatusOK, nil)
	if got := s.prompt(w.Body.Bytes()); got["tenant_id"] != nil || got["is_system"] != true {
		t.Errorf("default %v", got)
	}
	for _, c := range []struct{ method, path, body string }{
		{http.MethodPatch, "", `{"name":"Ours"}`}, {http.MethodDelete, "", ""}, {http.MethodPost, "/rollback", `{"version":1}`},
	} {
		w := s.do("full", c.method, promptsPath+"/greeting"+c.path, c.body)
		s.refused(w, http.StatusConflict, fault.Conflict)
		if !strings.Contains(w.Body.String(), "a template of the platform") || !strings.Contains(w.Body.String(), "create a template with the slug greeting") {
			t.Errorf("a change of a default: %s", w.Body)
		}
		s.refused(s.do("full", c.method, promptsPath+"/nothing"+c.path, c.body), http.StatusNotFound, fault.NotFound)
	}
	s.want(s.do("full", http.MethodPost, promptsPath, `{"slug":"greeting","name":"Ours","category":"greeting","content":{"en":"Hi"}}`), http.StatusCreated, nil)
	for query, want := range map[string]string{
		"": "greeting error closing of 3", "?limit=1&offset=1": "error of 3", "?category=greeting": "greeting of 1", "?category=instruction": " of 0",
	} {
		var list wire.Page[struct {
			Slug string
		}]
		w := s.do("full", http.MethodGet, promptsPath+query, "")
		s.want(w, http.StatusOK, &list)
		var slugs []string
		for _, item := range list.Items {
			slugs = append(slugs, item.Slug)
		}
		if got := strings.Join(slugs, " "); got+" of "+string(rune('0'+list.Total)) != want {
			t.Errorf("%s: %s", query, w.Body)
		}
	}
	s.refused(s.do("full", http.MethodGet, promptsPath+"?category=poem", ""), http.StatusUnprocessableEntity, fault.Validation)
}

func TestPromptPreview(t *testing.T) {
	s := newService(t)
	s.want(s.do("full", http.MethodPost, promptsPath, welcome), http.StatusCreated, nil)
	for body, want := range map[string]string{
		`{"context":{"customer_name":"Ann"}}`:                                                    `{"language":"en","text":"Hello Ann, basic!","missing":[]}`,
		`{"context":{"user":{"customer_name":"Ann","language":"de"}}}`:                           `{"language":"de","text":"Hallo Ann!","missing":[]}`,
		`{"language":"de-AT","context":{"user":{"language":"en"},"plan":"x"}}`:                   `{"language":"de","text":"Hallo !","missing":["customer_name"]}`,
		`{"context":{"customer_name":9007199254740993,"plan":1E5}}`:                              `{"language":"en","text":"Hello 9007199254740993, 1E5!","missing":[]}`,
		`{"context":{"user":{"customer_name":1234567890123456789},"plan":[1e-400,0.1,-0,0.10]}}`: `{"language":"en","text":"Hello 1234567890123456789, [1e-400,0.1,-0,0.10]!","missing":[]}`,
		`{"language":"fr"}`:                `{"language":"en","text":"Hello , basic!","missing":["customer_name"]}`,
		`{"language":null,"context":null}`: `{"language":"en","text":"Hello , basic!","missing":["customer_name"]}`,
	} {
		w := s.do("full", http.MethodPost, promptsPath+"/welcome/preview", body)
		s.want(w, http.StatusOK, nil)
		if got := strings.TrimSpace(w.Body.String()); got != want {
			t.Errorf("%s:\n got %s\nwant %s", body, got, want)
		}
	}
	for body, field := range map[string]string{`{"language":"?"}`: "language", `{"context":[]}`: "context", ``: "body"} {
		if faults := s.refused(s.do("full", http.MethodPost, promptsPath+"/welcome/preview", body), http.StatusUnprocessableEntity, fault.Validation); faults[field] == "" {
			t.Errorf("%s: faults %v", body, faults)
		}
	}
	s.refused(s.do("full", http.MethodPost, promptsPath+"/nothing/preview", `{}`), http.StatusNotFound, fault.NotFound)
}

func TestPromptImportAndExport(t *testing.T) {
	s := newService(t)
	s.want(s.do("full", http.MethodPost, promptsPath, welcome), http.StatusCreated, nil)
	exported := s.do("full", http.MethodGet, promptsPath+"/export", "")
	s.want(exported, http.StatusOK, nil)
	var got, want any
	if err := json.Unmarshal(exported.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(`{"templates":[`+welcome+`]}`), &want); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("export (-want +got):\n%s", d)
	}
	imported := func(query, body, want string) {
		t.Helper()
		w := s.do("stranger", http.MethodPost, promptsPath+"/import"+query, body)
		s.want(w, http.StatusOK, nil)
		if got := strings.TrimSpace(w.Body.String()); got != want {
			t.Errorf("import: %s, want %s", got, want)
		}
	}
	imported("", exported.Body.String(), `{"created":1,"updated":0,"errors":[]}`)
	imported("", exported.Body.String(), `{"created":0,"updated":1,"errors":[]}`)
	const mixed = `{"templates":[{"slug":"new","name":"N","content":{"en":"x"}},{"slug":"Bad","name":"N","content":{}}]}`
	faults := s.refused(s.do("stranger", http.MethodPost, promptsPath+"/import", mixed), http.StatusUnprocessableEntity, fault.Validation)
	if len(faults) != 2 || faults["templates[1].slug"] == "" || faults["templates[1].content"] == "" {
		t.Errorf("faults %v", faults)
	}
	s.refused(s.do("stranger", http.MethodGet, promptsPath+"/new", ""), http.StatusNotFound, fault.NotFound)
	imported("?partial=true", mixed, `{"created":1,"updated":0,"errors":[{"field":"templates[1].slug","message":"must be 1 to 100 lowercase letters, digits, hyphens and underscores, the first a letter or digit"},{"field":"templates[1].content","message":"needs a text in at least one language"}]}`)
	s.want(s.do("stranger", http.MethodGet, promptsPath+"/new", ""), http.StatusOK, nil)
	if faults := s.refused(s.do("stranger", http.MethodPost, promptsPath+"/import", `{}`), http.StatusUnprocessableEntity, fault.Validation); faults["templates"] == "" {
		t.Errorf("faults %v", faults)
	}
}

func TestPromptsNeedTheirScopesAndTenant(t *testing.T) {
	s := newService(t)
	s.want(s.do("full", http.MethodPost, promptsPath, welcome), http.StatusCreated, nil)
	s.key("read", acme, "prompts:read")
	s.key("write", acme, "prompts:write")
	for _, route := range []struct{ method, path, body, right, wrong string }{
		{http.MethodGet, "", "", "read", "write"}, {http.MethodPost, "", `{}`, "write", "read"}, {http.MethodGet, "/export", "", "read", "write"},
		{http.MethodPost, "/import", `{}`, "write", "read"}, {http.MethodGet, "/welcome", "", "read", "write"}, {http.MethodPatch, "/welcome", `{}`, "write", "read"},
		{http.MethodPost, "/welcome/preview", `{}`, "read", "write"}, {http.MethodGet, "/welcome/versions", "", "read", "write"},
		{http.MethodPost, "/welcome/rollback", `{"version":1}`, "write", "read"}, {http.MethodDelete, "/welcome", "", "write", "read"},
	} {
		target := promptsPath + route.path
		s.refused(s.do("", route.method, target, route.body), http.StatusUnauthorized, fault.Authentication)
		s.refused(s.do(route.wrong, route.method, target, route.body), http.StatusForbidden, fault.ScopeRequired)
		if strings.HasPrefix(route.path, "/welcome") {
			foreign := s.do("stranger", route.method, target, route.body)
			unknown := s.do("stranger", route.method, strings.Replace(target, "welcome", "nothing", 1), route.body)
			s.refused(foreign, http.StatusNotFound, fault.NotFound)
			if foreign.Body.String() != unknown.Body.String() {
				t.Errorf("%s %s: foreign %s, unknown %s", route.method, target, foreign.Body, unknown.Body)
			}
		}
		if w := s.do(route.right, route.method, target, route.body); w.Code == http.StatusForbidden {
			t.Errorf("%s %s with its scope: %s", route.method, target, w.Body)
		}
	}
}
