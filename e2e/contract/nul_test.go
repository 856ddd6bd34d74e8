package contract

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// nul sends the character NUL, which PostgreSQL does not store, in every text and name of every body: it is refused, and the fault
// names the field. What only looks like its escape in JSON, a backslash and five letters, is a text like any other.
func (p *platform) nul(t *testing.T) {
	asked := 0
	for _, id := range slices.Sorted(maps.Keys(fixtures)) {
		op := p.document.operations[id]
		if op == nil || op.schema() == nil {
			continue
		}
		m := matrix{p, op, fixtures[id]}
		once := m.input(t, p.acme)
		ask := func(in input, place []string, value any) *answer {
			asked++
			body, _ := decoded(t, in.body).(object)
			if body == nil {
				body = object{}
			}
			path := m.at(in.id)
			if in.query != "" {
				path += "?" + in.query
			}
			return p.send(t, request{method: m.method, path: path, header: bearer(p.acme.session("*")), body: encoded(t, put(body, place, value))})
		}
		for _, place := range texts(op.schema(), nil) {
			if a := ask(once, place, "a\x00b"); a.status != http.StatusUnprocessableEntity || !reportsNUL(a, place) {
				t.Errorf("%s: NUL at %q is answered %v", id, place, a)
			}
			if a := ask(m.input(t, p.acme), place, `a\u0000b`); a.status >= 500 {
				t.Errorf("%s: a backslash and u0000 at %q is answered %v", id, place, a)
			}
		}
	}
	if asked < 300 {
		t.Errorf("%d requests were made", asked)
	}
	name := p.acme.fresh("agent")
	body := agentBody(p.acme, name)
	body["config"].(object)["prompt"].(object)["system"] = `Never say "\u0000" or \\u0000.`
	p.acme.create(t, "/api/v1/agents", body, "name")
	var got struct {
		Config struct{ Prompt struct{ System string } }
	}
	p.must(t, apiKey(p.acme.key), http.MethodGet, "/api/v1/agents/"+name, nil, &got)
	if got.Config.Prompt.System != `Never say "\u0000" or \\u0000.` {
		t.Errorf("the prompt is kept as %q", got.Config.Prompt.System)
	}
}

// reportsNUL reports whether a fault of an answer is about NUL, at a place.
func reportsNUL(a *answer, place []string) bool {
	for _, detail := range a.problem().Details {
		field := strings.NewReplacer("[0]", "").Replace(detail.Field)
		if strings.Contains(detail.Message, "NUL") && field == strings.Join(slices.DeleteFunc(slices.Clone(place), func(step string) bool { return step == "[0]" }), ".") {
			return true
		}
	}
	return false
}

// texts are the positions of texts within a schema: names of fields, and [0] for an item.
func texts(s *openapi3.Schema, at []string) (found [][]string) {
	if len(at) > 7 { // schemas may hold themselves
		return nil
	}
	under := func(step string, ref *openapi3.SchemaRef) {
		found = append(found, texts(ref.Value, append(slices.Clone(at), step))...)
	}
	switch {
	case s.Type == nil || s.Type.IsEmpty(), s.Type.Is("string"):
		return [][]string{at}
	case s.Type.Is("array"):
		under("[0]", s.Items)
	case s.Type.Is("object"):
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			under(name, s.Properties[name])
		}
		if values := s.AdditionalProperties.Schema; values != nil {
			under("key", values)
		} else if len(s.Properties) == 0 {
			return [][]string{append(slices.Clone(at), "key")}
		}
	}
	return found
}

// put sets a value within a body, with all that leads to it.
func put(within any, place []string, value any) any {
	if len(place) == 0 {
		return value
	}
	if place[0] == "[0]" {
		items, _ := within.([]any)
		if len(items) == 0 {
			items = []any{nil}
		}
		items[0] = put(items[0], place[1:], value)
		return items
	}
	fields, _ := within.(object)
	if fields == nil {
		fields = object{}
	}
	fields[place[0]] = put(fields[place[0]], place[1:], value)
	return fields
}

// decoded is a body as JSON has it.
func decoded(t *testing.T, body any) (tree any) {
	t.Helper()
	if body == nil {
		return nil
	}
	if err := json.Unmarshal(encoded(t, body), &tree); err != nil {
		t.Fatal(err)
	}
	return tree
}
