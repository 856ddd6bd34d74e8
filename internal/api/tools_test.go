package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"parley/internal/agent"
	"parley/internal/fault"
	"parley/internal/prompt"
	"parley/internal/provider/catalogtest"
	"parley/internal/tool"
	"parley/internal/variable"
)

// newTools is the service with agents and tools.
func newTools(t *testing.T) *service {
	return newService(t, func(d *Deps) {
		d.Tools = tool.Registry{Agents: agent.Directory{}, Usage: agent.Directory{}, Sealer: testSealer(t)}
		d.Prompts = prompt.Registry{Agents: agent.Directory{}, Tools: tool.Directory{}}
		runner := tool.NewRunner(true)
		t.Cleanup(runner.Close)
		d.Trials = runner
		d.Sealer = testSealer(t)
		d.Secrets = variable.SecretRegistry{Sealer: d.Sealer, Tools: tool.Directory{}}
		d.ToolTenant = func(id string) tool.Tenant {
			return tool.Tenant{ID: id, Sealer: d.Sealer, Secrets: variable.NewReader(d.DB.Tenant(id), d.Sealer)}
		}
		d.Agents = agent.Registry{Tools: tool.Directory{}, Providers: catalogtest.Catalog{"stt/ear": {"ear-1"}, "tts/mouth": {"mouth-1"}, "llm/brain": {"brain-1"}}}
	})
}

const lookUp = `{"parameters":[{"name":"order_id","type":"string","required":true}],"actions":[{"type":"api_call","url":"https://api.example.com/orders/{{params.order_id}}",
	"method":"POST","headers":{"Authorization":"Bearer {{user.auth_token}}"},"body":{"id":"{{params.order_id}}","n":[1,null]},"timeout":15,"retry_count":2,
	"on_success":[{"type":"set_flag","name":"found","value":true}],"on_failure":[{"type":"respond","message":"No such order"}]}]}`

// sameTool is same without what only tools have.
func (s *service) sameTool(body []byte, want string) {
	s.t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		s.t.Fatal(err)
	}
	if len(fields["updated_at"]) < 20 {
		s.t.Errorf("no updated_at in %s", body)
	}
	delete(fields, "updated_at")
	rest, err := json.Marshal(fields)
	if err != nil {
		s.t.Fatal(err)
	}
	s.same(rest, want)
}

// What active agents and tools use cannot be deleted, and the answer names who uses it.
func TestDeletionOfWhatIsUsed(t *testing.T) {
	s := newTools(t)
	w := s.do("full", http.MethodPost, promptsPath, `{"slug":"tone","name":"Tone","content":{"en":"kind"}}`)
	s.want(w, http.StatusCreated, nil)
	w = s.do("full", http.MethodPost, "/api/v1/tools", `{"name":"say","config":{"actions":[{"type":"respond","message":"{{prompt.tone}}"}]}}`)
	s.want(w, http.StatusCreated, nil)
	s.agent("full", "desk")
	s.want(s.do("full", http.MethodPut, "/api/v1/agents/desk", `{"config":{"tools":["say"],"prompt":{"system":"{{prompt.tone}}"}}}`), http.StatusOK, nil)
	remove := func(path, users string) {
		t.Helper()
		w := s.do("full", http.MethodDelete, path, "")
		if users == "" {
			s.want(w, http.StatusNoContent, nil)
			return
		}
		if s.refused(w, http.StatusConflict, fault.Conflict); !strings.Contains(w.Body.String(), users) {
			t.Errorf("%s: %s does not name %s", path, w.Body, users)
		}
	}
	remove("/api/v1/tools/say", "active agents desk")
	remove(promptsPath+"/tone", "active agents desk")
	s.want(s.do("full", http.MethodPut, "/api/v1/agents/desk", `{"config":{"tools":null,"prompt":{"system":"x"}}}`), http.StatusOK, nil)
	remove(promptsPath+"/tone", "tools say")
	remove("/api/v1/tools/say", "")
	remove(promptsPath+"/tone", "")
}

func TestToolLife(t *testing.T) {
	s := newTools(t)
	w := s.do("full", http.MethodPost, "/api/v1/tools", `{"name":"look_up","description":"Finds","config":`+lookUp+`}`)
	s.want(w, http.StatusCreated, nil)
	s.sameTool(w.Body.Bytes(), `{"name":"look_up","description":"Finds","config":`+lookUp+`}`)
	w = s.do("full", http.MethodGet, "/api/v1/tools/look_up", "")
	s.want(w, http.StatusOK, nil)
	s.sameTool(w.Body.Bytes(), `{"name":"look_up","description":"Finds","config":`+lookUp+`}`)
	s.refused(s.do("full", http.MethodPost, "/api/v1/tools", `{"name":"look_up","config":{}}`), http.StatusConflict, fault.Conflict)

	w = s.do("full", http.MethodPost, "/api/v1/tools", `{"name":"bare","description":null,"config":{"actions":null,"other":1}}`)
	s.want(w, http.StatusCreated, nil)
	s.sameTool(w.Body.Bytes(), `{"name":"bare","description":null,"config":{"parameters":[],"actions":[]},"warnings":["the field config.other is unknown and was ignored"]}`)
	if got := w.Header().Get("X-Ignored-Fields"); got != "config.other" {
		t.Errorf("ignored %q", got)
	}
	w = s.do("full", http.MethodPut, "/api/v1/tools/bare", `{"name":"x","description":"Ends","config":{"actions":[{"type":"end_call"},{"type":"handoff","target_agent":"nobody"}]}}`)
	s.want(w, http.StatusOK, nil)
	s.sameTool(w.Body.Bytes(), `{"name":"bare","description":"Ends","config":{"parameters":[],"actions":[{"type":"end_call"},{"type":"handoff","target_agent":"nobody"}]},
		"warnings":["config.actions[1].target_agent: there is no agent nobody","the field name is unknown and was ignored"]}`)

	w = s.do("full", http.MethodGet, "/api/v1/tools?limit=1", "")
	s.want(w, http.StatusOK, nil)
	if body := w.Body.String(); !strings.Contains(body, `"total":2,"limit":1,"offset":0`) || !strings.Contains(body, `"name":"bare"`) {
		t.Errorf("list %s", body)
	}
	s.want(s.do("full", http.MethodDelete, "/api/v1/tools/bare", ""), http.StatusNoContent, nil)
	s.refused(s.do("full", http.MethodGet, "/api/v1/tools/bare", ""), http.StatusNotFound, fault.NotFound)
}

func TestToolFaultsAreToldAtOnce(t *testing.T) {
	s := newTools(t)
	for body, want := range map[string]string{
		`{}`: "config name",
		`{"name":"not ok","config":{"parameters":[{"name":"a","type":"x"},{"type":"string"}],"actions":[{"type":"api_call","url":"ftp://x","timeout":99},{"type":"no"}]}}`: "config.actions[0].timeout config.actions[0].url config.actions[1].type config.parameters[0].type config.parameters[1].name name",
		`{"name":"a","config":{"parameters":{},"actions":[1]}}`:                                                       "config.actions[0] config.parameters",
		`{"name":"a","config":{"actions":[{"type":"api_call","url":"https://a.example","headers":{"A":1}}]}}`:         "config.actions[0].headers.A",
		`{"name":"a","config":{"actions":[{"type":"api_call","url":"https://a.example","on_success":[{"type":7}]}]}}`: "config.actions[0].on_success[0].type",
		`{"name":"a","config":{"actions":[{"type":"set_flag","name":"x","value":{"a":"\u0000"}}]}}`:                   "config.actions[0].value.a",
		`[]`: "body",
	} {
		faults := s.refused(s.do("full", http.MethodPost, "/api/v1/tools", body), http.StatusUnprocessableEntity, fault.Validation)
		var fields []string
		for field := range faults {
			fields = append(fields, field)
		}
		slices.Sort(fields)
		if got := strings.Join(fields, " "); got != want {
			t.Errorf("%s:\n got faults in %s\nwant faults in %s", body, got, want)
		}
	}
}

func TestForeignToolsAreUnknown(t *testing.T) {
	s := newTools(t)
	s.want(s.do("full", http.MethodPost, "/api/v1/tools", `{"name":"look_up","config":{}}`), http.StatusCreated, nil)
	for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete} {
		body := ""
		if method == http.MethodPut {
			body = `{}`
		}
		foreign, unknown := s.do("stranger", method, "/api/v1/tools/look_up", body), s.do("stranger", method, "/api/v1/tools/nothing", body)
		s.refused(foreign, http.StatusNotFound, fault.NotFound)
		if foreign.Body.String() != unknown.Body.String() {
			t.Errorf("%s: foreign %s, unknown %s", method, foreign.Body, unknown.Body)
		}
	}
	if w := s.do("stranger", http.MethodGet, "/api/v1/tools", ""); !strings.Contains(w.Body.String(), `"items":[],"total":0`) {
		t.Errorf("a stranger lists %s", w.Body)
	}
	s.want(s.do("full", http.MethodGet, "/api/v1/tools/look_up", ""), http.StatusOK, nil)
}

func TestToolScopes(t *testing.T) {
	s := newTools(t)
	for _, right := range []string{"read", "write", "delete"} {
		s.key(right, acme, "tools:"+right)
	}
	for _, route := range []struct{ method, path, body, rights string }{
		{http.MethodGet, "", "", "read"}, {http.MethodGet, "/x", "", "read"}, {http.MethodPost, "", `{}`, "write"},
		{http.MethodPut, "/x", `{}`, "write"}, {http.MethodDelete, "/x", "", "write or tools:delete"},
	} {
		target := "/api/v1/tools" + route.path
		s.refused(s.do("", route.method, target, route.body), http.StatusUnauthorized, fault.Authentication)
		for _, right := range []string{"read", "write", "delete"} {
			w := s.do(right, route.method, target, route.body)
			if strings.Contains(route.rights, right) {
				if w.Code == http.StatusForbidden {
					t.Errorf("%s %s with tools:%s: %s", route.method, target, right, w.Body)
				}
				continue
			}
			s.refused(w, http.StatusForbidden, fault.ScopeRequired)
			if !strings.Contains(w.Body.String(), "tools:"+route.rights) {
				t.Errorf("%s %s: %s does not name the scope", route.method, target, w.Body)
			}
		}
	}
}

// An agent that names a tool is warned until the tool exists.
func TestAgentsKnowTheTools(t *testing.T) {
	s := newTools(t)
	warned := func() bool {
		w := s.do("full", http.MethodPut, "/api/v1/agents/desk", `{"config":{"tools":["look_up"]}}`)
		s.want(w, http.StatusOK, nil)
		return strings.Contains(w.Body.String(), "there is no tool look_up")
	}
	s.agent("full", "desk")
	s.want(s.do("stranger", http.MethodPost, "/api/v1/tools", `{"name":"look_up","config":{}}`), http.StatusCreated, nil)
	if !warned() {
		t.Error("no warning of a tool that only another tenant has")
	}
	s.want(s.do("full", http.MethodPost, "/api/v1/tools", `{"name":"look_up","config":{}}`), http.StatusCreated, nil)
	if warned() {
		t.Error("a warning of a tool that exists")
	}
}

func TestTryTool(t *testing.T) {
	s := newTools(t)
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, `{"path":%q}`, r.URL.Path) }))
	t.Cleanup(backend.Close)
	config := `{"parameters":[{"name":"order","type":"string","required":true}],"actions":[{"type":"api_call","url":"` + backend.URL + `/{{params.order}}",
		"headers":{"Authorization":"Bearer {{user.token}}"},"on_success":[{"type":"set_flag","name":"found"},{"type":"handoff","target_agent":"desk"}]}]}`
	s.want(s.do("full", http.MethodPost, "/api/v1/tools", `{"name":"look_up","config":`+config+`}`), http.StatusCreated, nil)
	w := s.do("full", http.MethodPost, "/api/v1/tools/look_up/try", `{"arguments":{"order":"4711"},"context":{"user":{"token":"secret-token"},"params":{"order":"x"}}}`)
	var got toolTrialBody
	s.want(w, http.StatusOK, &got)
	if strings.Contains(w.Body.String(), "secret-token") {
		t.Errorf("the answer has a value of the user context: %s", w.Body)
	}
	if len(got.Requests) != 1 || got.Requests[0].URL != backend.URL+"/4711" || got.Requests[0].Status == nil || *got.Requests[0].Status != http.StatusOK || got.Requests[0].Answer != `{"path":"/4711"}` {
		t.Errorf("got %s", w.Body)
	}
	if len(got.Changes) != 1 || got.Changes[0].Path != "flags.found" || got.Next == nil || got.Next.Agent != "desk" || len(got.Problems) != 0 {
		t.Errorf("got %s", w.Body)
	}
	w = s.do("full", http.MethodPost, "/api/v1/tools/look_up/try", `{}`)
	got = toolTrialBody{}
	s.want(w, http.StatusOK, &got)
	if len(got.Requests) != 0 || len(got.Problems) != 1 || !strings.Contains(got.Answer, "order is required") {
		t.Errorf("got %s", w.Body)
	}
	s.refused(s.do("full", http.MethodPost, "/api/v1/tools/look_up/try", `{"context":{"user":{"x":"`+strings.Repeat("x", maxContext)+`"}}}`), http.StatusUnprocessableEntity, fault.Validation)
	s.refused(s.do("stranger", http.MethodPost, "/api/v1/tools/look_up/try", `{}`), http.StatusNotFound, fault.NotFound)
}
