package tool

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// order is a tool with parameters that have schemas within.
const order = `{"parameters":[
	{"name":"lines","type":"array","required":true,"items":{"type":"object","description":"A line.","properties":{
		"sku":{"type":"string"},"count":{"type":"integer","enum":[1,2,3]},"notes":{"type":"array"}},"required":["sku","count"]}},
	{"name":"address","type":"object","properties":{"city":{"type":"string"},"floor":{"type":"number"}},"required_properties":["city"]}]}`

// Language models receive the whole schema, with objects closed whose properties are known and items for every array.
func TestNestedSchema(t *testing.T) {
	got, err := Schema(configOf(t, order))
	want := `{"type":"object","properties":{` +
		`"lines":{"type":"array","items":{"type":"object","description":"A line.","properties":{` +
		`"count":{"type":"integer","enum":[1,2,3]},"notes":{"type":"array","items":{}},"sku":{"type":"string"}},"required":["sku","count"],"additionalProperties":false}},` +
		`"address":{"type":"object","properties":{"city":{"type":"string"},"floor":{"type":"number"}},"required":["city"],"additionalProperties":false}},` +
		`"required":["lines"],"additionalProperties":false}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}

// Arguments are checked at every level, and the model receives the paths of those that do not fit.
func TestNestedArguments(t *testing.T) {
	config := configOf(t, order)
	for given, want := range map[string][]string{
		`{"lines":[{"sku":"a","count":2,"notes":[1,"x"]}],"address":{"city":"Rome","floor":null}}`: nil,
		`{"lines":[]}`:             nil,
		`{"lines":[{"sku":"a"}]}`:  {"lines[0].count is required"},
		`{"lines":[7]}`:            {"lines[0] must be of type object"},
		`{"lines":{},"address":1}`: {"lines must be of type array", "address must be of type object"},
		`{"lines":[{"sku":"a","count":1},{"sku":7,"count":9,"colour":"red"}],"address":{"street":"x"}}`: {
			"lines[1].count must be one of 1, 2, 3", "lines[1].sku must be of type string", "there is no property lines[1].colour",
			"address.city is required", "there is no property address.street"},
	} {
		params, faults := config.arguments(json.RawMessage(given))
		if diff := cmp.Diff(want, faults); diff != "" {
			t.Errorf("%s (-want +got):\n%s", given, diff)
		}
		if want == nil && params["lines"] == nil {
			t.Errorf("%s: params %v", given, params)
		}
	}
}

// What a nested schema gets wrong is refused with its path, and depth and size have limits.
func TestNestedRules(t *testing.T) {
	deep := func(levels int) string {
		return strings.Repeat(`{"type":"array","items":`, levels) + `{"type":"string"}` + strings.Repeat("}", levels)
	}
	wide := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`"p%d":{"type":"string"}`, i))
		}
		return "{" + strings.Join(list, ",") + "}"
	}
	many := func(objects int) string {
		var list []string
		for i := range objects {
			list = append(list, fmt.Sprintf(`{"name":"o%d","type":"object","properties":%s}`, i, wide(MaxProperties)))
		}
		return strings.Join(list, ",")
	}
	parameter := func(rest string) string { return `{"name":"p",` + rest + `}` }
	for config, want := range map[string]string{
		parameter(`"type":"string","items":{"type":"string"}`):                                             "config.parameters[0].items: is only for the type array",
		parameter(`"type":"array","properties":{}`):                                                        "config.parameters[0].properties: is only for the type object",
		parameter(`"type":"array","items":{}`):                                                             "config.parameters[0].items.type: is required",
		parameter(`"type":"array","items":{"type":"date"}`):                                                "config.parameters[0].items.type: must be one of string, number, integer, boolean, object, array",
		parameter(`"type":"array","items":{"type":"integer","enum":[1,"b"]}`):                              "config.parameters[0].items.enum[1]: must be of type integer",
		parameter(`"type":"object","properties":{"a":{"type":"string"}},"required_properties":["a","b"]`):  "config.parameters[0].required_properties[1]: is no property",
		parameter(`"type":"object","properties":{"o":{"type":"object","properties":{},"required":["x"]}}`): "config.parameters[0].properties.o.required[0]: is no property",
		parameter(`"type":"object","properties":{"a b":{"type":"string"}}`):                                "config.parameters[0].properties.a b: must have a name of 1 to 64 letters, digits, underscores and hyphens, the first a letter or underscore",
		parameter(`"type":"array","items":{"type":"string"},"default":[1]`):                                "config.parameters[0].default: the value[0] must be of type string",
		parameter(`"type":"array","items":` + deep(MaxSchemaDepth-1)):                                      "",
		parameter(`"type":"array","items":` + deep(MaxSchemaDepth)): "config.parameters[0].items" + strings.Repeat(".items", MaxSchemaDepth) +
			": schemas are nested deeper than 5 levels",
		parameter(`"type":"object","properties":` + wide(MaxProperties+1)): "config.parameters[0].properties: must have at most 50 properties",
		many(MaxSchemas / MaxProperties):                                   "",
		many(MaxSchemas/MaxProperties + 1):                                 "config.parameters[4].properties.p0: the parameters have more than 200 nested schemas",
	} {
		c := configOf(t, `{"parameters":[`+config+`]}`)
		var i validation
		i.tool("order", nil, &c)
		var got []string
		for _, d := range i.Faults {
			got = append(got, d.Field+": "+d.Message)
		}
		if want == "" && len(got) > 0 || want != "" && !slices.Equal(got, []string{want}) {
			t.Errorf("%.200s\n got %q\nwant %q", config, got, want)
		}
	}
}
