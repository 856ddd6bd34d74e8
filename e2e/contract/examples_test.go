package contract

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// examples checks that every field is described, that every body of a request and of a success has an example, and that what the
// examples of requests ask is done.
func (p *platform) examples(t *testing.T) {
	for _, op := range p.document.operations {
		for place, content := range op.bodies() {
			for kind, media := range content {
				if media.Schema.Value.Format != "binary" && media.Example == nil && media.Schema.Value.Example == nil {
					t.Errorf("%s: no example of %s as %s", op.OperationID, place, kind)
				}
				undocumented(t, op.OperationID+" "+place, media.Schema, map[*openapi3.Schema]bool{})
			}
		}
	}
	p.acme.create(t, "/api/v1/agents", agentBody(p.acme, "demo"), "name")
	p.acme.create(t, "/api/v1/workflows", workflowBody(p.acme, "demo", "demo"), "slug")
	p.command(t, new(any), "number", "assign", "--tenant", p.acme.name, "+4930123456")
	for _, id := range slices.Sorted(maps.Keys(p.document.operations)) {
		op := p.document.operations[id]
		if op.RequestBody == nil || op.takesFile() {
			continue
		}
		var in input
		if fixture := fixtures[id]; fixture.make != nil {
			in = fixture.make(t, p.acme)
		}
		header := apiKey(p.acme.key)
		if fixtures[id].session {
			header = bearer(p.acme.session("*"))
		}
		maps.Copy(header, in.header)
		for kind, media := range op.RequestBody.Value.Content {
			if kind != "application/json" && strings.HasPrefix(id, "create-") {
				t.Errorf("%s is described to take %s", id, kind)
			}
			body, err := json.Marshal(media.Example)
			if err != nil {
				t.Fatal(err)
			}
			header.Set("Content-Type", kind)
			want := cmp.Or(fixtures[id].answers, op.success())
			if id == "login" || id == "refresh" || id == "create-session" { // nobody is the user of the example
				want = http.StatusUnauthorized
			}
			a := p.send(t, request{method: op.method, path: op.at(in.id), header: header, body: body})
			if a.status != want || a.header.Get("X-Ignored-Fields") != "" {
				t.Errorf("%s with its example %s as %s: %v, ignored %q", id, body, kind, a, a.header.Get("X-Ignored-Fields"))
			}
		}
	}
}

// bodies are the operation's request and its answers of success, by what they are.
func (o *operation) bodies() map[string]openapi3.Content {
	bodies := map[string]openapi3.Content{}
	if o.RequestBody != nil {
		bodies["request"] = o.RequestBody.Value.Content
	}
	for status, answer := range o.Responses.Map() {
		if status[0] == '2' {
			bodies[status] = answer.Value.Content
		}
	}
	return bodies
}

// undocumented fails for fields without a description.
func undocumented(t *testing.T, where string, ref *openapi3.SchemaRef, seen map[*openapi3.Schema]bool) {
	if ref == nil || seen[ref.Value] {
		return
	}
	s := ref.Value
	seen[s] = true
	for name, property := range s.Properties {
		if property.Ref != "" || property.Value.Description == "" {
			t.Errorf("%s: the field %s is not described", where, name)
		}
		undocumented(t, where+"."+name, property, seen)
	}
	undocumented(t, where, s.Items, seen)
	undocumented(t, where, s.AdditionalProperties.Schema, seen)
	for _, part := range slices.Concat(s.AllOf, s.OneOf) {
		undocumented(t, where, part, seen)
	}
}
