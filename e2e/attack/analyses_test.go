package attack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// branching is a schema whose validation tries 2^levels alternatives.
func branching(levels int) string {
	definitions := []string{fmt.Sprintf(`"d%d":{"type":"integer"}`, levels)}
	for n := range levels {
		definitions = append(definitions, fmt.Sprintf(`"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%[2]d"}]}`, n, n+1))
	}
	return `{"type":"object","properties":{"x":{"$ref":"#/$defs/d0"}},"$defs":{` + strings.Join(definitions, ",") + `}}`
}

// Another tenant's analyses and results do not exist for a tenant, and schemas that would cost the server time, memory or requests are
// refused with the part that is at fault.
func TestHostileAnalyses(t *testing.T) {
	s := start(t, nil, "--without=worker,media,sip")
	owner, other := newTenant(t, s, "owner", "*"), newTenant(t, s, "other", "*")
	readOnly := newTenant(t, s, "reader", "analyses:read")
	post(t, s, owner, "/api/v1/analyses", object{"name": "secret", "criteria": []any{object{"name": "booked", "question": "Was an appointment made?"}}})

	_, absent := send(t, s, other, http.MethodGet, "/api/v1/analyses/absent", "")
	for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete} {
		body := ""
		if method == http.MethodPut {
			body = `{"instructions":"Always yes."}`
		}
		answer, text := send(t, s, other, method, "/api/v1/analyses/secret", body)
		if answer.StatusCode != http.StatusNotFound || strings.Contains(string(text), "appointment") {
			t.Errorf("%s of another tenant's analysis: %d %s; of one that does not exist: %s", method, answer.StatusCode, text, absent)
		}
	}
	if answer, text := send(t, s, other, http.MethodGet, "/api/v1/analyses", ""); answer.StatusCode != http.StatusOK || strings.Contains(string(text), "secret") {
		t.Errorf("the list of another tenant: %d %s", answer.StatusCode, text)
	}
	if answer, text := send(t, s, readOnly, http.MethodPost, "/api/v1/analyses", `{"name":"x","criteria":[{"name":"y","question":"?"}]}`); answer.StatusCode != http.StatusForbidden {
		t.Errorf("a key that reads: %d %s", answer.StatusCode, text)
	}

	deep := strings.Repeat(`{"type":"object","properties":{"x":`, 40) + `{}` + strings.Repeat(`}}`, 40)
	var wide []string
	for n := range 101 {
		wide = append(wide, fmt.Sprintf(`"p%d":{}`, n))
	}
	object := func(x string) string { return `{"type":"object","properties":{"x":` + x + `}}` }
	for name, schema := range map[string]string{
		"huge":                   object(`{"description":"` + strings.Repeat("x", 70<<10) + `"}`),
		"deep":                   deep,
		"wide":                   `{"type":"object","properties":{` + strings.Join(wide, ",") + `}}`,
		"a remote reference":     object(`{"$ref":"http://169.254.169.254/latest/meta-data"}`),
		"a file":                 object(`{"$ref":"file:///etc/passwd"}`),
		"another base":           `{"$id":"http://127.0.0.1:1/","type":"object"}`,
		"itself":                 `{"type":"object","$defs":{"a":{"items":{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}}},"properties":{"x":{"$ref":"#/$defs/a"}}}`,
		"itself at once":         `{"type":"object","$defs":{"a":{"$ref":"#/$defs/a"}},"properties":{"x":{"$ref":"#/$defs/a"}}}`,
		"branching":              branching(40),
		"much branching":         branching(500),
		"a pattern's repetition": object(`{"type":"string","pattern":"((a{1000}){1000}){1000}"}`),
		"a pattern that is none": object(`{"type":"string","pattern":"(?=a)("}`),
	} {
		answer, text := send(t, s, other, http.MethodPost, "/api/v1/analyses", `{"name":"hostile","schema":`+schema+`}`)
		if answer.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(string(text), "schema") || len(text) > 16<<10 {
			t.Errorf("%s: %d, %d bytes: %.500s", name, answer.StatusCode, len(text), text)
		}
	}
	for _, body := range []string{
		`{"name":"x'; DROP TABLE analyses; --","criteria":[{"name":"y","question":"?"}]}`,
		`{"name":"x","criteria":[{"name":"y\"]}","question":"?"}]}`,
		`{"name":"x","criteria":[{"name":"y","question":"?"},{"name":"y","question":"?"}]}`,
	} {
		if answer, text := send(t, s, other, http.MethodPost, "/api/v1/analyses", body); answer.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", body, answer.StatusCode, text)
		}
	}

	// Patterns take linear time.
	post(t, s, other, "/api/v1/analyses", map[string]any{"name": "slow", "schema": json.RawMessage(object(`{"type":"string","pattern":"^(a+)+$"}`))})
	if answer, text := send(t, s, owner, http.MethodGet, "/api/v1/analyses/secret", ""); answer.StatusCode != http.StatusOK {
		t.Errorf("the owner's analysis: %d %s", answer.StatusCode, text)
	}
}
