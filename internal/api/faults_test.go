package api

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"parley/internal/agent"
	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/database"
	"parley/internal/event"
	"parley/internal/fault"
	"parley/internal/provider/catalogtest"
	"parley/internal/providerkey"
	"parley/internal/sip"
	"parley/internal/tool"
	"parley/internal/webhook"
	"parley/internal/workflow"
)

// newRuled is the service with all resources that have their own rules.
func newRuled(t *testing.T) *service {
	return newService(t, func(d *Deps) {
		catalogue := catalogtest.Catalog{"stt/ear": {"ear-1"}, "tts/mouth": {"mouth-1"}, "llm/brain": {"brain-1"}}
		d.Agents = agent.Registry{Usage: workflow.Usage{}, Tools: tool.Directory{}, Providers: catalogue}
		d.Workflows = workflow.Registry{Agents: agent.Directory{}}
		d.Tools = tool.Registry{Agents: agent.Directory{}, Sealer: testSealer(t)}
		d.ProviderKeys = providerkey.Registry{Sealer: testSealer(t), Providers: catalogue}
		d.SIP = sip.Registry{Sealer: testSealer(t)}
		d.Webhooks = webhook.NewSettings(d.DB, event.NewBus(), testSealer(t), true)
	})
}

// faulty lists the fields of a refusal's details, in order, with repetitions.
func (s *service) faulty(method, path, body string) string {
	s.t.Helper()
	w := s.do("full", method, path, body)
	s.refused(w, http.StatusUnprocessableEntity, fault.Validation)
	var envelope wire.Envelope
	if err := json.Unmarshal(w.Body.Bytes(), &envelope); err != nil {
		s.t.Fatal(err)
	}
	var fields []string
	for _, d := range envelope.Error.Details {
		fields = append(fields, d.Field)
	}
	slices.Sort(fields)
	return strings.Join(fields, " ")
}

// Values of the wrong type hide no other fault, and cause no secondary ones.
func TestWrongTypesHideNoFaults(t *testing.T) {
	s := newRuled(t)
	s.agent("full", "desk")
	s.workflow("full", "sales", "desk")
	s.want(s.do("full", http.MethodPost, "/api/v1/tools", `{"name":"look_up","config":{}}`), http.StatusCreated, nil)
	s.want(s.do("full", http.MethodPost, promptsPath, `{"slug":"hello","name":"Hello","content":{"en":"Hi","de":"Hallo"}}`), http.StatusCreated, nil)
	s.want(s.do("full", http.MethodPost, "/api/v1/webhooks", `{"url":"http://127.0.0.1/hook"}`), http.StatusCreated, nil)
	trunk := s.made("full", trunksPath, `{"name":"One","address":"a"}`)
	const agents, workflows, tools, keys, webhooks = "/api/v1/agents", "/api/v1/workflows", "/api/v1/tools", "/api/v1/provider-keys", "/api/v1/webhooks"
	kept := map[string]string{}
	for _, path := range []string{agents + "/desk", workflows + "/sales", tools + "/look_up", promptsPath + "/hello", webhooks, trunksPath + "/" + trunk,
		agents, workflows, tools, promptsPath, keys, trunksPath, numbersPath} {
		kept[path] = s.do("full", http.MethodGet, path, "").Body.String()
	}
	long := strings.Repeat("x", 256)

	for _, test := range []struct{ method, path, body, want string }{
		{http.MethodPost, agents, `{"name":"Bad Name","config":null}`, "config name"},
		{http.MethodPost, agents, `{"name":"a","config":{"prompt":{"system":"s"},"stt":{"provider":5},"tts":{"fallback":"x"},"llm":{"provider":"brain","model":"brain-1","fallback":{"model":1}}}}`,
			"config.llm.fallback.model config.llm.fallback.provider config.stt.model config.stt.provider config.tts.fallback config.tts.provider config.tts.voice_id"},
		{http.MethodPost, agents, `{"name":"a","config":{"prompt":{"system":null,"greeting":7},"stt":{"provider":"ear","model":"ear-1"},"tts":{"provider":"nope","voice_id":"","speed":"fast"},
			"llm":{"provider":"brain","model":"GPT 4","temperature":5,"max_tokens":0},"tools":["a",1,"a",2,"b c"],
			"handoffs":[{},{"target_agent":"Bad Name"},"x",{"target_agent":"ok","condition":"(((","context_pass":[1,""]}],"languages":"en","recording":"on"}}`,
			"config.handoffs[0].target_agent config.handoffs[1].target_agent config.handoffs[2] config.handoffs[3].condition config.handoffs[3].context_pass[0] config.handoffs[3].context_pass[1] " +
				"config.languages config.llm.max_tokens config.llm.model config.llm.temperature config.prompt.greeting config.prompt.system config.recording " +
				"config.tools[1] config.tools[2] config.tools[3] config.tools[4] config.tts.provider config.tts.speed config.tts.voice_id"},
		{http.MethodPut, agents + "/desk", `{"config":{"llm":{"provider":"zzz"},"tts":{"speed":9},"languages":[1]}}`, "config.languages[0] config.llm.provider config.tts.speed"},
		{http.MethodPut, agents + "/desk", `{"display_name":` + `"` + long + `","config":{"stt":{"provider":null,"model":5}}}`, "config.stt.model config.stt.provider display_name"},
		{http.MethodPut, agents + "/desk", `{"config":{"languages":[1]}}`, "config.languages[0]"},
		{http.MethodPut, agents + "/nobody", `{"config":{"languages":[1]}}`, "config.languages[0]"},

		{http.MethodPost, workflows, `{"slug":"Bad Slug","name":"` + long + `","config":{"nodes":[{"id":"a","agent_name":"nope","is_entry":true,"is_exit":"yes"}],"connections":[]}}`,
			"config.nodes[0].agent_name config.nodes[0].is_exit name slug"},
		{http.MethodPost, workflows, `{"slug":"s","name":"n","config":{"nodes":[{"id":1,"agent_name":"desk","is_entry":"x"},{"id":"b","agent_name":"desk"},7],"connections":[{"source_id":"b","target_id":"c"},{"source_id":2,"target_id":"b"},[]]}}`,
			"config.connections[1].source_id config.connections[2] config.nodes[0].id config.nodes[0].is_entry config.nodes[2]"},
		{http.MethodPost, workflows, `{"slug":"S","name":"n","config":{"nodes":{},"connections":[{"source_id":"b","target_id":"c","condition":"(("}],"shared_context":[""]}}`,
			"config.connections[0].condition config.nodes config.shared_context[0] slug"},
		{http.MethodPost, workflows, `{"slug":"s","name":5,"config":{"nodes":[{"id":"a","agent_name":"desk","is_entry":true,"is_exit":true},{"id":"a","agent_name":5,"is_entry":true},{"id":"c","agent_name":"desk"}],
			"connections":[{"source_id":"a","target_id":"c"},{"source_id":"c","target_id":"a"},{"source_id":"a","target_id":"z"}]}}`,
			"config.connections config.connections[2].target_id config.nodes[1].agent_name config.nodes[1].id config.nodes[1].is_entry name"},
		{http.MethodPut, workflows + "/sales", `{"name":"","config":{"nodes":"x","connections":[{"source_id":"z","target_id":"n","condition":"(("}]}}`, "config.connections[0].condition config.nodes name"},
		{http.MethodPut, workflows + "/sales", `{"description":7}`, "description"},

		{http.MethodPost, tools, `{"name":"bad name!","config":{"parameters":[],"actions":"x"}}`, "config.actions name"},
		{http.MethodPost, tools, `{"name":"a","config":{"parameters":[{"name":1,"type":"x","enum":[]},{"name":"b","type":5,"default":1},"c"],"filler":1,
			"actions":[{"type":"api_call","url":5,"headers":{"Host":"a","A":1},"method":"FLY"},{"type":7,"url":"x"},1,{"type":"set_context","key":"k"}]}}`,
			"config.actions[0].headers.A config.actions[0].headers.Host config.actions[0].method config.actions[0].url config.actions[1].type config.actions[2] config.actions[3].value " +
				"config.filler config.parameters[0].enum config.parameters[0].name config.parameters[0].type config.parameters[1].type config.parameters[2]"},
		{http.MethodPut, tools + "/look_up", `{"description":5,"config":{"actions":[{"type":"respond"}]}}`, "config.actions[0].message description"},
		{http.MethodPut, tools + "/look_up", `{"description":5,"config":null}`, "config description"},

		{http.MethodPost, promptsPath, `{"slug":"Bad Slug","name":5,"category":"zz","content":{}}`, "category content name slug"},
		{http.MethodPost, promptsPath, `{"slug":"a","name":"","content":{"en":5},"variables":[{"name":"a b","type":1,"default":1},{"name":"c","type":"string","required":"x","default":1}]}`,
			"content.en name variables[0].name variables[0].type variables[1].default variables[1].required"},
		{http.MethodPatch, promptsPath + "/hello", `{"name":5,"category":"zz","content":{"en":null,"de":1}}`, "category content.de name"},
		{http.MethodPatch, promptsPath + "/hello", `{"content":{"en":null,"de":1}}`, "content.de"},
		{http.MethodPost, promptsPath + "/import?partial=true", `{"templates":[{"slug":"a","name":"n","content":{"en":"x"}},{"slug":"b","name":"n","content":{"en":"x"},"description":7},{"slug":"C","name":"n","content":{"en":1}}]}`,
			"templates[1].description templates[2].content.en templates[2].slug"},
		{http.MethodPost, promptsPath + "/import", `{"templates":5}`, "templates"},

		{http.MethodPost, webhooks, `{"url":"ftp://x","timeout":"30"}`, "timeout url"},
		{http.MethodPost, webhooks, `{"url":5,"headers":{"Host":"a","B":1},"filter":[],"max_retries":99,"payload_format":"xml"}`, "filter headers.B headers.Host max_retries payload_format url"},
		{http.MethodPatch, webhooks, `{"filter":{"events":["call.nope",1]}}`, "filter.events[0] filter.events[1]"},
		{http.MethodPatch, webhooks, `{"enabled":"no"}`, "enabled"},

		{http.MethodPost, trunksPath, `{"name":"","address":"","transport":"x","is_default":"yes"}`, "address is_default name transport"},
		{http.MethodPatch, trunksPath + "/" + trunk, `{"address":"a b","caller_id":5,"headers":{"Via":"x","A":1}}`, "address caller_id headers.A headers.Via"},
		{http.MethodPatch, trunksPath + "/" + trunk, `{"is_default":"yes"}`, "is_default"},
		{http.MethodPost, numbersPath, `{"number":"030","agent_name":5,"trunk_id":"x"}`, "agent_name number trunk_id"},
		{http.MethodPost, numbersPath, `{"number":5,"workflow_slug":7,"agent_name":"nobody"}`, "agent_name number workflow_slug"},

		{http.MethodPost, keys, `{"provider_type":"zzz","provider_name":"nope","api_key":"","is_default":"x"}`, "api_key is_default provider_name provider_type"},
		{http.MethodPost, keys, `{"provider_type":1,"provider_name":"ear","api_key":"a b"}`, "api_key provider_type"},
		{http.MethodPost, keys, `{"provider_type":"stt","provider_name":"ear","api_key":"k","is_default":"x"}`, "is_default"},
	} {
		if got := s.faulty(test.method, test.path, test.body); got != test.want {
			t.Errorf("%s %s %s:\n got faults in %s\nwant faults in %s", test.method, test.path, test.body, got, test.want)
		}
	}
	for path, before := range kept {
		if after := s.do("full", http.MethodGet, path, "").Body.String(); after != before {
			t.Errorf("a faulty request changed %s from %s to %s", path, before, after)
		}
	}
}

// The number of faults in an answer is bounded; when the body's types reach the bound, the operation's rules do not run.
func TestWrongTypesBeyondTheBound(t *testing.T) {
	s := newRuled(t)
	for items, want := range map[int]int{fault.MaxDetails - 1: fault.MaxDetails, fault.MaxDetails: fault.MaxDetails, 2 * fault.MaxDetails: fault.MaxDetails} {
		body := `{"name":"Bad Name","config":{"tools":[1` + strings.Repeat(`,1`, items-1) + `]}}`
		if got := strings.Fields(s.faulty(http.MethodPost, "/api/v1/agents", body)); len(got) != want {
			t.Errorf("%d wrong types: %d faults reported, want %d", items, len(got), want)
		}
	}
}

// An operation without rules writes nothing either.
func TestFaultyRequestIsNotWritten(t *testing.T) {
	s := newService(t)
	wire.Register(s.router, wire.Operation{ID: "careless", Method: http.MethodPost, Path: "/careless", Tag: "Things", OwnRules: true},
		func(ctx context.Context, who auth.Principal, in *struct{ Body thing }) (*wire.Empty, error) {
			return nil, s.db.Tenant(who.TenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
				_, err := tx.ExecContext(ctx, "UPDATE tenants SET name = ? WHERE id = ?", in.Body.Name, who.TenantID)
				return err
			})
		})
	name := func() (name string) {
		err := s.db.System().Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
			return tx.NewRaw("SELECT name FROM tenants WHERE id = ?", acme).Scan(ctx, &name)
		})
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	if got := s.faulty(http.MethodPost, "/careless", `{"name":"new","size":"big"}`); got != "size" || name() == "new" {
		t.Errorf("faults in %s, name %s", got, name())
	}
	if s.want(s.do("full", http.MethodPost, "/careless", `{"name":"new"}`), http.StatusNoContent, nil); name() != "new" {
		t.Errorf("name %s", name())
	}
}
