package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/agent"
	"parley/internal/fault"
	"parley/internal/provider/catalogtest"
	"parley/internal/workflow"
)

// newRecords is the service with agents and workflows.
func newRecords(t *testing.T) *service {
	return newService(t, func(d *Deps) {
		d.Agents = agent.Registry{Usage: workflow.Usage{}, Providers: catalogtest.Catalog{"stt/ear": {"ear-1"}, "tts/mouth": {"mouth-1"}, "llm/brain": {"brain-1"}}}
		d.Workflows = workflow.Registry{Agents: agent.Directory{}}
	})
}

const soundConfig = `{"prompt":{"system":"You are kind."},"stt":{"provider":"ear","model":"ear-1"},"tts":{"provider":"mouth","voice_id":"v1"},"llm":{"provider":"brain","model":"brain-1"}}`

func (s *service) agent(credential, name string) {
	s.t.Helper()
	s.want(s.do(credential, http.MethodPost, "/api/v1/agents", `{"name":"`+name+`","config":`+soundConfig+`}`), http.StatusCreated, nil)
}

// same compares an answer's JSON with what is wanted of it, without the fields
// that differ from run to run.
func (s *service) same(body []byte, want string) {
	s.t.Helper()
	var got, expected map[string]any
	if err := json.Unmarshal(body, &got); err != nil {
		s.t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &expected); err != nil {
		s.t.Fatal(err)
	}
	for _, name := range []string{"id", "created_at"} {
		if text, ok := got[name].(string); !ok || text == "" {
			s.t.Errorf("no %s in %s", name, body)
		}
		delete(got, name)
	}
	if d := cmp.Diff(expected, got); d != "" {
		s.t.Errorf("answer (-want +got):\n%s", d)
	}
}

func TestAgentIsCreatedReadAndListed(t *testing.T) {
	s := newRecords(t)
	const full = `{"prompt":{"system":"Sei nett","greeting":"Hallo {{user.name}}"},"stt":{"provider":"ear","model":"ear-1","language":"de"},
		"tts":{"provider":"mouth","voice_id":"v1","speed":1.5},"llm":{"provider":"brain","model":"brain-2","temperature":0.5,"max_tokens":100},
		"tools":["look_up"],"handoffs":[{"target_agent":"later","condition":"{{flags.x}}","context_pass":["k"]}],
		"languages":["de","en"],"default_language":"de","turn":{"delay_ms":300}}`
	w := s.do("full", http.MethodPost, "/api/v1/agents", `{"name":"desk","display_name":"Empfang","config":`+full+`}`)
	s.want(w, http.StatusCreated, nil)
	s.same(w.Body.Bytes(), `{"name":"desk","display_name":"Empfang","is_active":true,"config":`+full+`,"warnings":[
		"config.llm.model: brain-2 is not among the models known of brain",
		"config.tools[0]: there is no tool look_up",
		"config.handoffs[0].target_agent: there is no agent later"]}`)

	w = s.do("full", http.MethodGet, "/api/v1/agents/desk", "")
	s.want(w, http.StatusOK, nil)
	s.same(w.Body.Bytes(), `{"name":"desk","display_name":"Empfang","is_active":true,"config":`+full+`}`)

	// null is the same as leaving an optional field out.
	w = s.do("full", http.MethodPost, "/api/v1/agents", `{"name":"plain","display_name":null,"config":`+strings.Replace(soundConfig, `{"prompt"`, `{"turn":null,"tools":null,"default_language":null,"prompt"`, 1)+`}`)
	s.want(w, http.StatusCreated, nil)
	s.same(w.Body.Bytes(), `{"name":"plain","display_name":null,"is_active":true,"config":`+soundConfig+`}`)
	w = s.do("full", http.MethodGet, "/api/v1/agents", "")
	var list struct {
		Items                []json.RawMessage
		Total, Limit, Offset int
	}
	s.want(w, http.StatusOK, &list)
	if len(list.Items) != 2 || list.Total != 2 || list.Limit != 50 || list.Offset != 0 {
		t.Fatalf("list %s", w.Body)
	}
	s.same(list.Items[0], `{"name":"plain","display_name":null,"is_active":true}`)
	s.same(list.Items[1], `{"name":"desk","display_name":"Empfang","is_active":true}`)
}

func TestAgentLists(t *testing.T) {
	s := newRecords(t)
	if w := s.do("full", http.MethodGet, "/api/v1/agents", ""); !strings.Contains(w.Body.String(), `"items":[]`) {
		t.Errorf("an empty list is %s", w.Body)
	}
	for n := range 3 {
		s.agent("full", fmt.Sprint("a", n))
	}
	s.want(s.do("full", http.MethodPost, "/api/v1/agents/a1/deactivate", ""), http.StatusOK, nil)
	for query, want := range map[string]string{
		"":                        "a2 a1 a0 of 3",
		"?limit=1&offset=1":       "a1 of 3",
		"?offset=3":               " of 3",
		"?is_active=true":         "a2 a0 of 2",
		"?is_active=false":        "a1 of 1",
		"?is_active=true&limit=1": "a2 of 2",
		"?limit=100&is_active=":   "a2 a1 a0 of 3",
		"?unknown=1":              "a2 a1 a0 of 3",
	} {
		var list struct {
			Items []struct{ Name string }
			Total int
		}
		s.want(s.do("full", http.MethodGet, "/api/v1/agents"+query, ""), http.StatusOK, &list)
		var names []string
		for _, item := range list.Items {
			names = append(names, item.Name)
		}
		if got := fmt.Sprintf("%s of %d", strings.Join(names, " "), list.Total); got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
	for query, field := range map[string]string{
		"?limit=0": "limit", "?limit=101": "limit", "?limit=-1": "limit", "?limit=ten": "limit", "?offset=-1": "offset", "?is_active=perhaps": "is_active",
	} {
		if faults := s.refused(s.do("full", http.MethodGet, "/api/v1/agents"+query, ""), http.StatusUnprocessableEntity, fault.Validation); faults[field] == "" {
			t.Errorf("%s: faults %v", query, faults)
		}
	}
}

func TestAgentFaultsAreToldAtOnce(t *testing.T) {
	s := newRecords(t)
	for body, want := range map[string]string{
		`{}`: "config.llm config.prompt.system config.stt config.tts name",
		`{"name":"Not OK","display_name":"` + strings.Repeat("x", 256) + `","config":{"prompt":{"system":""},"stt":{"provider":"nose","model":"M M"},"tts":{"provider":"mouth","voice_id":"","speed":9},
			"llm":{"model":"brain-1","temperature":3,"max_tokens":0},"tools":["a b"],"handoffs":[{"condition":"("}],"languages":["?"]}}`: "config.handoffs[0].condition config.handoffs[0].target_agent config.languages[0] config.llm.max_tokens config.llm.provider config.llm.temperature config.prompt.system config.stt.model config.stt.provider config.tools[0] config.tts.speed config.tts.voice_id display_name name",
		`{"name":1,"config":{"prompt":[],"stt":{"provider":null},"llm":{"max_tokens":1.5},"tools":"x"}}`: "config.llm.max_tokens config.llm.model config.llm.provider config.prompt config.stt.model config.stt.provider config.tools config.tts name",
		`{"name":"a","config":null}`: "config",
		`[]`:                         "body",
		`{`:                          "body",
		``:                           "body",
		`{"name":"a\u0000","config":` + soundConfig + `}`:                                                  "name",
		`{"name":"a","config":` + strings.Replace(soundConfig, "kind", `\u0000`, 1) + `}`:                  "config.prompt.system",
		`{"name":"a","config":` + strings.Replace(soundConfig, `{"prompt"`, `{"turn":7,"prompt"`, 1) + `}`: "config.turn",
	} {
		faults := s.refused(s.do("full", http.MethodPost, "/api/v1/agents", body), http.StatusUnprocessableEntity, fault.Validation)
		var fields []string
		for field := range faults {
			fields = append(fields, field)
		}
		slices.Sort(fields)
		if got := strings.Join(fields, " "); got != want {
			t.Errorf("%s:\n got faults in %s\nwant faults in %s", body, got, want)
		}
	}
	if faults := s.refused(s.do("full", http.MethodPost, "/api/v1/agents", `{"name":"a","config":`+strings.Replace(soundConfig, `"brain"`, `"x"`, 1)+`}`), 422, fault.Validation); faults["config.llm.provider"] != "must be one of brain" {
		t.Errorf("an unknown provider does not name the known ones: %v", faults)
	}
}

func TestAgentNamesAreTaken(t *testing.T) {
	s := newRecords(t)
	s.agent("full", "desk")
	s.refused(s.do("full", http.MethodPost, "/api/v1/agents", `{"name":"desk","config":`+soundConfig+`}`), http.StatusConflict, fault.Conflict)
	s.agent("stranger", "desk")
}

func TestAgentUpdate(t *testing.T) {
	s := newRecords(t)
	s.agent("full", "desk")
	w := s.do("full", http.MethodPut, "/api/v1/agents/desk", `{"name":"other","display_name":"Desk","config":{"prompt":{"greeting":"Hi","tone":"warm"},"llm":{"temperature":1},"tools":["a"]},"is_active":false}`)
	s.want(w, http.StatusOK, nil)
	s.same(w.Body.Bytes(), `{"name":"desk","display_name":"Desk","is_active":true,"warnings":["config.tools[0]: there is no tool a",
		"the field config.prompt.tone is unknown and was ignored","the field is_active is unknown and was ignored","the field name is unknown and was ignored"],
		"config":{"prompt":{"system":"You are kind.","greeting":"Hi"},"stt":{"provider":"ear","model":"ear-1"},"tts":{"provider":"mouth","voice_id":"v1"},"llm":{"provider":"brain","model":"brain-1","temperature":1},"tools":["a"]}}`)
	if got := w.Header().Get("X-Ignored-Fields"); got != "config.prompt.tone, is_active, name" {
		t.Errorf("ignored fields %q", got)
	}
	w = s.do("full", http.MethodPut, "/api/v1/agents/desk", `{"display_name":null,"config":{"prompt":{"greeting":null},"llm":{"temperature":null},"tools":null}}`)
	s.want(w, http.StatusOK, nil)
	s.same(w.Body.Bytes(), `{"name":"desk","display_name":null,"is_active":true,"config":`+soundConfig+`}`)

	for body, field := range map[string]string{
		`{"config":{"prompt":{"system":null}}}`:             "config.prompt.system",
		`{"config":{"stt":null}}`:                           "config.stt",
		`{"config":{"llm":{"temperature":"hot"}}}`:          "config.llm.temperature",
		`{"config":{"tts":{"speed":0}}}`:                    "config.tts.speed",
		`{"config":{"handoffs":[{"condition":"flags.x"}]}}`: "config.handoffs[0].target_agent",
		`{"display_name":7}`:                                "display_name",
		`[1]`:                                               "body",
	} {
		if faults := s.refused(s.do("full", http.MethodPut, "/api/v1/agents/desk", body), http.StatusUnprocessableEntity, fault.Validation); faults[field] == "" {
			t.Errorf("%s: faults %v, want one in %s", body, faults, field)
		}
	}
	w = s.do("full", http.MethodPut, "/api/v1/agents/desk", `{}`)
	s.same(w.Body.Bytes(), `{"name":"desk","display_name":null,"is_active":true,"config":`+soundConfig+`}`)
}

func TestAgentActivity(t *testing.T) {
	s := newRecords(t)
	s.agent("full", "desk")
	for _, step := range []struct {
		action string
		active bool
	}{{"deactivate", false}, {"deactivate", false}, {"activate", true}} {
		w := s.do("full", http.MethodPost, "/api/v1/agents/desk/"+step.action, "")
		s.want(w, http.StatusOK, nil)
		s.same(w.Body.Bytes(), fmt.Sprintf(`{"name":"desk","display_name":null,"is_active":%v,"config":%s}`, step.active, soundConfig))
	}
}

func TestAgentInUseStays(t *testing.T) {
	s := newRecords(t)
	s.agent("full", "desk")
	s.workflow("full", "sales", "desk")
	w := s.do("full", http.MethodDelete, "/api/v1/agents/desk", "")
	s.refused(w, http.StatusConflict, fault.Conflict)
	if !strings.Contains(w.Body.String(), "sales") {
		t.Errorf("the conflict does not name the workflow: %s", w.Body)
	}
	s.want(s.do("full", http.MethodPost, "/api/v1/workflows/sales/deactivate", ""), http.StatusOK, nil)
	w = s.do("full", http.MethodDelete, "/api/v1/agents/desk", "")
	s.want(w, http.StatusNoContent, nil)
	if w.Body.Len() > 0 {
		t.Errorf("a body: %s", w.Body)
	}
	s.refused(s.do("full", http.MethodDelete, "/api/v1/agents/desk", ""), http.StatusNotFound, fault.NotFound)
}

func TestForeignRecordsAreUnknown(t *testing.T) {
	s := newRecords(t)
	s.agent("full", "desk")
	s.workflow("full", "desk", "desk")
	for _, resource := range []string{"agents", "workflows"} {
		for _, route := range []struct{ method, path, body string }{
			{http.MethodGet, "", ""}, {http.MethodPut, "", `{}`}, {http.MethodDelete, "", ""}, {http.MethodPost, "/activate", ""}, {http.MethodPost, "/deactivate", ""},
		} {
			foreign := s.do("stranger", route.method, "/api/v1/"+resource+"/desk"+route.path, route.body)
			unknown := s.do("stranger", route.method, "/api/v1/"+resource+"/nobody"+route.path, route.body)
			s.refused(foreign, http.StatusNotFound, fault.NotFound)
			if foreign.Body.String() != unknown.Body.String() {
				t.Errorf("%s %s: foreign %s, unknown %s", route.method, resource, foreign.Body, unknown.Body)
			}
		}
		if w := s.do("stranger", http.MethodGet, "/api/v1/"+resource, ""); !strings.Contains(w.Body.String(), `"total":0`) {
			t.Errorf("a stranger lists %s", w.Body)
		}
		s.want(s.do("full", http.MethodGet, "/api/v1/"+resource+"/desk", ""), http.StatusOK, nil)
	}
	// Another tenant's agent cannot be used either.
	if faults := s.refused(s.do("stranger", http.MethodPost, "/api/v1/workflows", oneNode("mine", "desk")), http.StatusUnprocessableEntity, fault.Validation); faults["config.nodes[0].agent_name"] == "" {
		t.Errorf("faults %v", faults)
	}
}

func TestRecordsNeedTheirScopes(t *testing.T) {
	s := newRecords(t)
	for _, resource := range []string{"agents", "workflows"} {
		for _, right := range []string{"read", "write", "delete"} {
			s.key(resource+":"+right, acme, resource+":"+right)
		}
		for _, route := range []struct{ method, path, body, right string }{
			{http.MethodGet, "", "", "read"}, {http.MethodGet, "/x", "", "read"},
			{http.MethodPost, "", `{}`, "write"}, {http.MethodPut, "/x", `{}`, "write"},
			{http.MethodPost, "/x/activate", "", "write"}, {http.MethodPost, "/x/deactivate", "", "write"},
			{http.MethodDelete, "/x", "", "delete"},
		} {
			target := "/api/v1/" + resource + route.path
			s.refused(s.do("", route.method, target, route.body), http.StatusUnauthorized, fault.Authentication)
			for _, right := range []string{"read", "write", "delete"} {
				w := s.do(resource+":"+right, route.method, target, route.body)
				if right == route.right {
					if w.Code == http.StatusForbidden {
						t.Errorf("%s %s with its scope: %s", route.method, target, w.Body)
					}
					continue
				}
				s.refused(w, http.StatusForbidden, fault.ScopeRequired)
				if !strings.Contains(w.Body.String(), resource+":"+route.right) {
					t.Errorf("%s %s: %s does not name the scope", route.method, target, w.Body)
				}
			}
		}
	}
}

// A fallback is set, changed and removed by merge patches.
func TestFallbackIsPatched(t *testing.T) {
	s := newRecords(t)
	s.agent("full", "desk")
	for _, step := range []struct{ patch, llm string }{
		{`{"fallback":{"provider":"brain","model":"brain-1","temperature":1}}`, `{"provider":"brain","model":"brain-1","fallback":{"provider":"brain","model":"brain-1","temperature":1}}`},
		{`{"fallback":{"temperature":null,"max_tokens":50}}`, `{"provider":"brain","model":"brain-1","fallback":{"provider":"brain","model":"brain-1","max_tokens":50}}`},
		{`{"fallback":null}`, `{"provider":"brain","model":"brain-1"}`},
	} {
		w := s.do("full", http.MethodPut, "/api/v1/agents/desk", `{"config":{"llm":`+step.patch+`}}`)
		s.want(w, http.StatusOK, nil)
		s.same(w.Body.Bytes(), `{"name":"desk","display_name":null,"is_active":true,"config":`+strings.Replace(soundConfig, `{"provider":"brain","model":"brain-1"}`, step.llm, 1)+`}`)
	}
	got := s.refused(s.do("full", http.MethodPut, "/api/v1/agents/desk", `{"config":{"stt":{"fallback":{"provider":"nobody"}}}}`), http.StatusUnprocessableEntity, fault.Validation)
	if got["config.stt.fallback.provider"] == "" || got["config.stt.fallback.model"] == "" {
		t.Errorf("faults %v", got)
	}
}

// Entries of maps are set, changed and removed by merge patches; those that are not named stay.
func TestEntriesArePatched(t *testing.T) {
	s := newRecords(t)
	s.agent("full", "desk")
	for _, step := range []struct{ patch, want string }{
		{`{"phrases":{"en":{"voicemail":["a"],"menu":["b"]},"de":{"menu":["c"]}},"actions":{"fax":{"do":"end"},"voicemail":{"do":"leave_message","text":"Hi"}}}`,
			`{"phrases":{"en":{"voicemail":["a"],"menu":["b"]},"de":{"menu":["c"]}},"actions":{"fax":{"do":"end"},"voicemail":{"do":"leave_message","text":"Hi"}}}`},
		{`{"phrases":{"en":{"voicemail":null},"de":null},"actions":{"fax":null,"voicemail":{"text":"Hello"}}}`,
			`{"phrases":{"en":{"menu":["b"]}},"actions":{"voicemail":{"do":"leave_message","text":"Hello"}}}`},
		{`{"phrases":null,"actions":{"voicemail":{"do":"end","text":null}}}`, `{"actions":{"voicemail":{"do":"end"}}}`},
	} {
		w := s.do("full", http.MethodPut, "/api/v1/agents/desk", `{"config":{"answer_detection":`+step.patch+`}}`)
		s.want(w, http.StatusOK, nil)
		s.same(w.Body.Bytes(), `{"name":"desk","display_name":null,"is_active":true,"config":`+strings.Replace(soundConfig, `{"prompt"`, `{"answer_detection":`+step.want+`,"prompt"`, 1)+`}`)
	}
	refused := s.refused(s.do("full", http.MethodPut, "/api/v1/agents/desk", `{"config":{"answer_detection":{"actions":{"menu":{"goal":"x"}}}}}`), http.StatusUnprocessableEntity, fault.Validation)
	if refused["config.answer_detection.actions.menu.do"] == "" {
		t.Errorf("faults %v", refused)
	}
	// On creation there is nothing to remove.
	create := `{"name":"other","config":` + strings.Replace(soundConfig, `{"prompt"`, `{"answer_detection":{"actions":{"menu":null}},"prompt"`, 1) + `}`
	refused = s.refused(s.do("full", http.MethodPost, "/api/v1/agents", create), http.StatusUnprocessableEntity, fault.Validation)
	if refused["config.answer_detection.actions.menu"] == "" {
		t.Errorf("faults %v", refused)
	}
}

// References without a target are warnings when an agent or a workflow is saved, and only then.
func TestWarningsOfReferences(t *testing.T) {
	s := newRecords(t)
	warned := func(method, path, body string, status int, want ...string) {
		t.Helper()
		var got struct{ Warnings []string }
		s.want(s.do("full", method, path, body), status, &got)
		if d := cmp.Diff(want, got.Warnings); d != "" {
			t.Errorf("%s %s: warnings (-want +got):\n%s", method, path, d)
		}
	}
	const agents, workflows = "/api/v1/agents", "/api/v1/workflows"
	const nowhere = " leads nowhere: paths start with user, call, workflow, flags, vars, now, today"
	warned(http.MethodPost, agents, `{"name":"desk","config":{"prompt":{"system":"You know {{nosuch.path}}.","greeting":"Hello {{user.name}}, {{worklow.x}}"},
		"stt":{"provider":"ear","model":"ear-1"},"tts":{"provider":"mouth","voice_id":"v"},"llm":{"provider":"brain","model":"brain-1"}}}`, http.StatusCreated,
		"config.prompt.system: nosuch.path"+nowhere+", prompt", "config.prompt.greeting: worklow.x"+nowhere+", prompt; did you mean workflow.x?")
	warned(http.MethodGet, agents+"/desk", "", http.StatusOK)
	warned(http.MethodPut, agents+"/desk", `{"config":{"prompt":{"system":"You are kind.","greeting":"{{params.x}}"}}}`, http.StatusOK,
		"config.prompt.greeting: params.x leads nowhere here: only the actions of a tool have params; paths start with user, call, workflow, flags, vars, now, today, prompt")
	warned(http.MethodPut, agents+"/desk", `{"config":{"prompt":{"greeting":null}}}`, http.StatusOK)

	warned(http.MethodPost, workflows, `{"slug":"w","name":"W","config":{"nodes":[{"id":"n","agent_name":"desk","is_entry":true,"is_exit":true,"skip_condition":"params.x","context_mapping":{"a":"usr.name","b":"workflow"}}],
		"connections":[],"shared_context":["{{user.name}}"]}}`, http.StatusCreated,
		"config.nodes[0].skip_condition: params.x leads nowhere here: only the actions of a tool have params; paths start with user, call, workflow, flags, vars, now, today",
		"config.nodes[0].context_mapping.a: usr.name"+nowhere+"; did you mean user.name?",
		"config.nodes[0].context_mapping.b: workflow is all of workflow, not a path in it: write workflow.<name>",
		"config.shared_context[0]: {{user.name}} can be no key of the workflow's state: write one as set_context sets it, such as order_id or workflow.order_id; every agent sees user, call and flags anyway")
	warned(http.MethodGet, workflows+"/w", "", http.StatusOK)
	warned(http.MethodPut, workflows+"/w", `{"config":{"shared_context":["order","falgs.x"]}}`, http.StatusOK,
		"config.nodes[0].skip_condition: params.x leads nowhere here: only the actions of a tool have params; paths start with user, call, workflow, flags, vars, now, today",
		"config.nodes[0].context_mapping.a: usr.name"+nowhere+"; did you mean user.name?",
		"config.nodes[0].context_mapping.b: workflow is all of workflow, not a path in it: write workflow.<name>",
		"config.shared_context[1]: falgs.x can be no key of the workflow's state: write one as set_context sets it, such as order_id or workflow.order_id")
	warned(http.MethodPost, workflows+"/w/deactivate", "", http.StatusOK)
}
