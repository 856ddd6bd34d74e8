package analysis

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"parley/internal/fault"
)

// within returns a schema with as many schemas within each other.
func within(levels int) string {
	return strings.Repeat(`{"type":"object","properties":{"a":`, levels-1) + `{"type":"object"}` + strings.Repeat("}}", levels-1)
}

func properties(n int) string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf(`"p%d":{"type":"string"}`, i))
	}
	return `{"type":"object","properties":{` + strings.Join(names, ",") + `}}`
}

func TestSchemas(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"object"}`: "",
		`{"type":"object","properties":{"a":{"type":"array","items":{"anyOf":[{"type":"string","format":"date"},{"const":null}]}}},"required":["a"],"additionalProperties":false}`: "",
		`{"type":"object","$defs":{"place":{"type":"object","properties":{"within":{"$ref":"#/$defs/place"}}}},"properties":{"at":{"$ref":"#/$defs/place"}}}`:                      "schema.$defs.place: refers to itself",
		within(8):       "",
		within(9):       "schema" + strings.Repeat(".properties.a", 8) + ": schemas are nested deeper",
		properties(100): "",
		properties(101): "schema.properties: the schema has more than 100",
		`{"type":"object","properties":{"a":{"$ref":"https://example.com/schema.json"}}}`: "schema.properties.a.$ref: must refer to a schema of the same document",
		`{"type":"object","properties":{"a":{"$ref":"#"}}}`:                               "schema.properties.a.$ref:",
		`{"type":"object","properties":{"a":{"oneOf":[{"type":"string"}]}}}`:              "schema.properties.a.oneOf: is not among",
		`{"type":"object","$id":"https://example.com/"}`:                                  "schema.$id: is not among",
		`{"type":"object","properties":{"a":1}}`:                                          "schema.properties.a: must be a schema",
		`{"type":"object","properties":[]}`:                                               "schema.properties: must be an object",
		`{"type":"object","properties":{"a":{"type":"text"}}}`:                            "schema: is no JSON Schema",
		`{"type":"object","properties":{"a":{"pattern":"("}}}`:                            "schema: is no JSON Schema",
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/none"}}}`:                    "schema: is no JSON Schema",
		`{"type":"array"}`: "schema.type: must be object",
		`[]`:               "schema: must be a JSON Schema",
		`{"type":"object","description":"` + strings.Repeat("x", MaxSchema) + `"}`: "schema: has 65",
	} {
		var found fault.Findings
		checkSchema(&found, "schema", json.RawMessage(schema))
		got := ""
		if len(found.Faults) > 0 {
			got = found.Faults[0].Field + ": " + found.Faults[0].Message
		}
		if (got == "") != (want == "") || !strings.HasPrefix(got, want) {
			t.Errorf("%.200s: %q, want %q", schema, got, want)
		}
	}
}
