package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"parley/internal/fault"
)

// oneNode is the body of a workflow of one agent.
func oneNode(slug, agent string) string {
	return fmt.Sprintf(`{"slug":%q,"name":"A name","config":{"nodes":[{"id":"n","agent_name":%q,"is_entry":true,"is_exit":true}],"connections":[]}}`, slug, agent)
}

func (s *service) workflow(credential, slug, agent string) {
	s.t.Helper()
	s.want(s.do(credential, http.MethodPost, "/api/v1/workflows", oneNode(slug, agent)), http.StatusCreated, nil)
}

func TestWorkflowIsCreatedReadAndListed(t *testing.T) {
	s := newRecords(t)
	s.agent("full", "desk")
	s.agent("full", "care")
	const config = `{"nodes":[
		{"id":"a","agent_name":"desk","is_entry":true,"is_exit":false,"context_mapping":{"customer":"workflow.customer_id"},"position":{"x":10,"y":-2.5}},
		{"id":"b","agent_name":"care","is_entry":false,"is_exit":true,"skip_condition":"{{flags.solved}}"}],
		"connections":[{"source_id":"a","target_id":"b","condition":"user.age >= 18"}],"shared_context":["customer_id"]}`
	w := s.do("full", http.MethodPost, "/api/v1/workflows", `{"slug":"sales","name":"Sales","description":"Sells","config":`+config+`}`)
	s.want(w, http.StatusCreated, nil)
	want := `{"slug":"sales","name":"Sales","description":"Sells","is_active":true,"config":` + config + `}`
	s.same(w.Body.Bytes(), want)
	w = s.do("full", http.MethodGet, "/api/v1/workflows/sales", "")
	s.want(w, http.StatusOK, nil)
	s.same(w.Body.Bytes(), want)

	s.workflow("full", "plain", "desk")
	s.want(s.do("full", http.MethodPost, "/api/v1/workflows/plain/deactivate", ""), http.StatusOK, nil)
	var list struct {
		Items                []json.RawMessage
		Total, Limit, Offset int
	}
	s.want(s.do("full", http.MethodGet, "/api/v1/workflows?limit=2", ""), http.StatusOK, &list)
	if len(list.Items) != 2 || list.Total != 2 || list.Limit != 2 || list.Offset != 0 {
		t.Fatalf("list %+v", list)
	}
	s.same(list.Items[0], `{"slug":"plain","name":"A name","is_active":false}`)
	s.same(list.Items[1], `{"slug":"sales","name":"Sales","is_active":true}`)
	s.want(s.do("full", http.MethodGet, "/api/v1/workflows?is_active=false", ""), http.StatusOK, &list)
	if len(list.Items) != 1 || list.Total != 1 {
		t.Errorf("inactive ones: %+v", list)
	}
	if faults := s.refused(s.do("full", http.MethodGet, "/api/v1/workflows?limit=101&offset=-1&is_active=2", ""), http.StatusUnprocessableEntity, fault.Validation); len(faults) != 3 {
		t.Errorf("faults %v", faults)
	}
}

func TestWorkflowFaultsAreToldAtOnce(t *testing.T) {
	s := newRecords(t)
	s.agent("full", "desk")
	for body, want := range map[string]string{
		`{}`: "config.connections config.nodes name slug",
		`{"slug":"A B","name":"","config":{"nodes":[{"id":"a","agent_name":"desk","is_entry":true},{"id":"a","agent_name":"nobody","is_entry":true,"skip_condition":"flags."},{"id":"b","agent_name":"desk"}],
			"connections":[{"source_id":"a","target_id":"b"},{"source_id":"b","target_id":"a"},{"source_id":"a","target_id":"z"}]}}`: "config.connections config.connections[2].target_id config.nodes config.nodes[1].agent_name config.nodes[1].id config.nodes[1].is_entry config.nodes[1].skip_condition name slug",
		`{"slug":"s","name":"n","config":{"nodes":{},"connections":[null],"shared_context":[1]}}`:                                                                                                                   "config.connections[0] config.nodes config.shared_context[0]",
		`{"slug":"s","name":"n","config":{"nodes":[{"id":"a","agent_name":"desk","is_entry":"yes","position":{"x":"left"}}],"connections":[]}}`:                                                                     "config.nodes config.nodes[0].is_entry config.nodes[0].position.x config.nodes[0].position.y",
		`{"slug":"s","name":"n","config":{"nodes":[{"id":"a","agent_name":"desk","is_entry":true,"is_exit":true,"position":{"x":1}},{"id":"b","agent_name":"desk","position":{"x":null,"y":0}}],"connections":[]}}`: "config.nodes[0].position.y config.nodes[1].position.x",
		`7`: "body",
	} {
		faults := s.refused(s.do("full", http.MethodPost, "/api/v1/workflows", body), http.StatusUnprocessableEntity, fault.Validation)
		var fields []string
		for field := range faults {
			fields = append(fields, field)
		}
		slices.Sort(fields)
		if got := strings.Join(fields, " "); got != want {
			t.Errorf("%s:\n got faults in %s\nwant faults in %s", body, got, want)
		}
	}
	w := s.do("full", http.MethodPost, "/api/v1/workflows", `{"slug":"s","name":"n","config":{"nodes":[{"id":"a","agent_name":"desk","is_entry":true},{"id":"b","agent_name":"desk","is_exit":true}],"connections":[{"source_id":"a","target_id":"b"},{"source_id":"b","target_id":"a"}]}}`)
	if faults := s.refused(w, http.StatusUnprocessableEntity, fault.Validation); !strings.Contains(faults["config.connections"], "a → b → a") {
		t.Errorf("the cycle is not named: %v", faults)
	}
}

func TestWorkflowUpdate(t *testing.T) {
	s := newRecords(t)
	s.agent("full", "desk")
	s.workflow("full", "sales", "desk")
	s.refused(s.do("full", http.MethodPost, "/api/v1/workflows", oneNode("sales", "desk")), http.StatusConflict, fault.Conflict)

	w := s.do("full", http.MethodPut, "/api/v1/workflows/sales", `{"slug":"x","name":"New","description":"D","config":{"shared_context":["k"],"zoom":2}}`)
	s.want(w, http.StatusOK, nil)
	nodes := `"nodes":[{"id":"n","agent_name":"desk","is_entry":true,"is_exit":true}],"connections":[]`
	s.same(w.Body.Bytes(), `{"slug":"sales","name":"New","description":"D","is_active":true,"config":{`+nodes+`,"shared_context":["k"]},
		"warnings":["the field config.zoom is unknown and was ignored","the field slug is unknown and was ignored"]}`)
	if got := w.Header().Get("X-Ignored-Fields"); got != "config.zoom, slug" {
		t.Errorf("ignored fields %q", got)
	}
	w = s.do("full", http.MethodPut, "/api/v1/workflows/sales", `{"description":null,"config":{"shared_context":null,"nodes":[{"id":"n","agent_name":"desk","is_entry":true,"is_exit":true,"color":"red"}]}}`)
	s.want(w, http.StatusOK, nil)
	s.same(w.Body.Bytes(), `{"slug":"sales","name":"New","description":null,"is_active":true,"config":{`+nodes+`},"warnings":["the field config.nodes[0].color is unknown and was ignored"]}`)
	if got := w.Header().Get("X-Ignored-Fields"); got != "config.nodes[0].color" {
		t.Errorf("ignored fields %q", got)
	}
	for body, field := range map[string]string{
		`{"name":null}`:             "name",
		`{"config":{"nodes":[]}}`:   "config.nodes",
		`{"config":{"nodes":null}}`: "config.nodes",
		`{"config":{"nodes":[{"id":"n","agent_name":"nobody","is_entry":true,"is_exit":true}]}}`: "config.nodes[0].agent_name",
		`{"config":{"connections":[{"source_id":"n"}]}}`:                                         "config.connections[0].target_id",
		`{"config":7}`: "config",
	} {
		if faults := s.refused(s.do("full", http.MethodPut, "/api/v1/workflows/sales", body), http.StatusUnprocessableEntity, fault.Validation); faults[field] == "" {
			t.Errorf("%s: faults %v, want one in %s", body, faults, field)
		}
	}
	w = s.do("full", http.MethodPost, "/api/v1/workflows/sales/deactivate", "")
	s.want(w, http.StatusOK, nil)
	s.same(w.Body.Bytes(), `{"slug":"sales","name":"New","description":null,"is_active":false,"config":{`+nodes+`}}`)
	s.want(s.do("full", http.MethodPost, "/api/v1/workflows/sales/activate", ""), http.StatusOK, nil)
	s.want(s.do("full", http.MethodDelete, "/api/v1/workflows/sales", ""), http.StatusNoContent, nil)
	s.refused(s.do("full", http.MethodGet, "/api/v1/workflows/sales", ""), http.StatusNotFound, fault.NotFound)
}

// The description says of the records what clients need, and of updates that
// nothing is required.
func TestRecordsAreDescribed(t *testing.T) {
	s := newRecords(t)
	type schema struct {
		Ref        string `json:"$ref"`
		AllOf      []schema
		Type       string
		Nullable   bool
		Required   []string
		Properties map[string]schema
		Items      *schema
	}
	var document struct {
		Paths map[string]map[string]struct {
			RequestBody struct {
				Content map[string]struct{ Schema schema }
			}
		}
		Components struct{ Schemas map[string]schema }
	}
	s.want(s.do("", http.MethodGet, "/openapi.json", ""), http.StatusOK, &document)
	resolve := func(found schema) schema {
		for found.Ref != "" || len(found.AllOf) == 1 {
			if found.Ref == "" {
				found = found.AllOf[0]
				continue
			}
			found = document.Components.Schemas[strings.TrimPrefix(found.Ref, "#/components/schemas/")]
		}
		return found
	}
	body := func(path, method string) schema {
		return resolve(document.Paths[path][method].RequestBody.Content["application/json"].Schema)
	}
	create := body("/api/v1/agents", "post")
	config := resolve(create.Properties["config"])
	if !slices.Equal(create.Required, []string{"name", "config"}) || !slices.Equal(config.Required, []string{"prompt"}) {
		t.Errorf("creation requires %v and %v", create.Required, config.Required)
	}
	update := body("/api/v1/agents/{name}", "put")
	config = resolve(update.Properties["config"])
	llm := resolve(config.Properties["llm"])
	if _, renames := update.Properties["name"]; renames || update.Required != nil || config.Required != nil || llm.Required != nil {
		t.Errorf("an update is described as %+v", update)
	}
	if temperature := llm.Properties["temperature"]; !temperature.Nullable || temperature.Type != "number" || llm.Properties["model"].Nullable {
		t.Errorf("the language model of an update is described as %+v", llm)
	}
	update = body("/api/v1/workflows/{slug}", "put")
	config = resolve(update.Properties["config"])
	if node := resolve(*config.Properties["nodes"].Items); config.Required != nil || !slices.Equal(node.Required, []string{"id", "agent_name"}) {
		t.Errorf("nodes of an update are described as %+v", node)
	}
}

func TestConditionIsEvaluated(t *testing.T) {
	s := newRecords(t)
	for _, c := range []struct{ body, want string }{
		{`{"condition":"user.age >= 18","context":{"user":{"age":30}}}`, `{"holds":true,"warnings":[]}`},
		{`{"condition":"user.age >= 18","context":{"user":{"age":"17"}}}`, `{"holds":false,"warnings":[]}`},
		{`{"condition":"{{flags.booked}}"}`, `{"holds":false,"warnings":[]}`},
		{`{"condition":"workflow.total == 9007199254740993","context":{"workflow":{"total":9007199254740992}}}`, `{"holds":false,"warnings":[]}`},
	} {
		w := s.do("full", http.MethodPost, "/api/v1/workflows/evaluate-condition", c.body)
		if body := strings.TrimSpace(w.Body.String()); w.Code != http.StatusOK || body != c.want {
			t.Errorf("%s: %d %s, want %s", c.body, w.Code, body, c.want)
		}
	}
	w := s.do("full", http.MethodPost, "/api/v1/workflows/evaluate-condition", `{"condition":"params.people","context":{"params":{"people":4}}}`)
	s.want(w, http.StatusOK, nil)
	if body := w.Body.String(); !strings.Contains(body, `"holds":false`) || strings.Contains(body, `"warnings":[]`) {
		t.Errorf("params in a condition: %s", body)
	}
	w = s.do("full", http.MethodPost, "/api/v1/workflows/evaluate-condition", `{"condition":"user.plan == gold"}`)
	if body := w.Body.String(); w.Code != http.StatusUnprocessableEntity || !strings.Contains(body, "names gold") {
		t.Errorf("%d %s", w.Code, body)
	}
}
