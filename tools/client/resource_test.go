package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// described is a description with the forms that names and types are derived from.
const described = `{
	"paths": {
		"/api/v1/sip-trunks": {
			"get": {"operationId": "list-sip-trunks", "parameters": [{"in": "query", "name": "offset", "schema": {"type": "integer"}}],
				"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/PageTrunk"}}}}}},
			"post": {"operationId": "create-sip-trunk", "responses": {"201": {}}}
		},
		"/api/v1/sip-trunks/{id}/check": {"post": {"operationId": "check-sip-trunk", "responses": {"204": {}}}},
		"/api/v1/deliveries/{id}": {"get": {"operationId": "get-delivery", "responses": {"200": {"content": {"audio/ogg": {}}}}}},
		"/api/v1/sse/calls/stream": {"get": {"operationId": "stream-calls", "responses": {"200": {"content": {"text/event-stream": {}}}}}},
		"/api/v1/sse/calls/{id}/stream": {
			"get": {"operationId": "stream-call", "parameters": [{"in": "path", "name": "id"}], "responses": {"200": {"content": {"text/event-stream": {}}}}}
		},
		"/api/v1/calls/{id}": {
			"get": {"operationId": "get-call", "responses": {"200": {}}},
			"post": {"operationId": "get-calls", "responses": {"200": {}}}
		},
		"/health": {"get": {"operationId": "health", "responses": {"200": {}}}}
	},
	"components": {"schemas": {
		"PageTrunk": {"type": "object", "properties": {"items": {"type": "array", "items": {"$ref": "#/components/schemas/Trunk"}}, "total": {"type": "integer"}}},
		"Trunk": {"type": "object", "required": ["from", "id"], "properties": {
			"from": {"type": "string", "nullable": true}, "id": {"type": "string", "description": "Its \"id\"."}, "async": {"type": "boolean"},
			"state": {"type": "string", "enum": ["up", "down", null], "nullable": true},
			"labels": {"type": "object", "additionalProperties": {"type": "integer"}}, "any": {},
			"parent": {"allOf": [{"$ref": "#/components/schemas/Trunk"}], "nullable": true},
			"codecs": {"type": "array", "items": {"type": "object", "required": ["rate"], "properties": {"rate": {"type": "number"}}}}
		}}
	}}
}`

func sample(t *testing.T) (d document) {
	t.Helper()
	if err := json.Unmarshal([]byte(described), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestMethodsOfOperations(t *testing.T) {
	d := sample(t)
	var have []string
	for _, r := range d.resources() {
		for _, c := range r.calls {
			k, _ := d.kind(c.operation)
			have = append(have, c.ID+" "+camel(r.words)+"."+camel(c.words)+" "+string(k))
		}
	}
	want := []string{
		"get-call calls.getCall nothing", "get-calls calls.getCalls nothing",
		"stream-calls calls.streamAll stream", "stream-call calls.stream stream",
		"get-delivery deliveries.get content",
		"health health.get nothing",
		"list-sip-trunks sipTrunks.list page", "create-sip-trunk sipTrunks.create nothing", "check-sip-trunk sipTrunks.check nothing",
	}
	if !slices.Equal(have, want) {
		t.Errorf("methods:\n%s\nwant:\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
}

func TestPythonTypes(t *testing.T) {
	p := &pythonTypes{document: sample(t), classes: map[string]string{}}
	if have := p.component("PageTrunk", "types."); have != "types.PageTrunk" {
		t.Errorf("the type of a page is %s", have)
	}
	want := `_TrunkKeywords0 = TypedDict("_TrunkKeywords0", {"from": "Optional[str]"}, total=True)


_TrunkKeywords1 = TypedDict("_TrunkKeywords1", {"async": "bool"}, total=False)


class _TrunkRequired(TypedDict):
    id: str
    """Its 'id'."""


class Trunk(_TrunkKeywords0, _TrunkKeywords1, _TrunkRequired, total=False):
    any: Any
    codecs: List[TrunkCodecsItem]
    labels: Dict[str, int]
    parent: Optional[Trunk]
    state: Optional[Literal["up", "down"]]
`
	if have := p.classes["Trunk"]; have != want {
		t.Errorf("the class of a trunk is\n%s\nwant\n%s", have, want)
	}
	if have := p.classes["TrunkCodecsItem"]; have != "class TrunkCodecsItem(TypedDict):\n    rate: float\n" {
		t.Errorf("the class of a codec is\n%s", have)
	}
}
