package mcpserver

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/api/wire"
)

// MaxTools is how many tools a client is offered at most: models choose badly from long lists.
const MaxTools = 40

// exposed are the operations of the API that are tools, with what they do beyond Parley's own records. A tool has the operation's
// name, with underscores.
var exposed = []struct {
	operation string
	effect    effect
}{
	{"list-calls", none}, {"list-active-calls", none}, {"get-call", none}, {"get-call-timeline", none},
	{"get-call-transcript", none}, {"get-call-metrics", none}, {"get-call-prompts", none},
	{"start-call", dials}, {"test-agent", dials}, {"end-call", ends},

	{"list-agents", none}, {"get-agent", none}, {"create-agent", none}, {"update-agent", none}, {"delete-agent", none},
	{"list-workflows", none}, {"get-workflow", none}, {"create-workflow", none}, {"update-workflow", none},
	{"delete-workflow", none},
	{"list-tools", none}, {"get-tool", none}, {"create-tool", none}, {"update-tool", none}, {"try-tool", dials},
	{"delete-tool", none},
	{"list-prompts", none}, {"get-prompt", none}, {"create-prompt", none}, {"update-prompt", none},
	{"preview-prompt", none},

	{"get-summary", none}, {"get-errors", none}, {"get-error-groups", none}, {"get-costs", none}, {"get-provider-latency", none},
	{"list-providers", none}, {"list-phone-numbers", none}, {"list-sip-trunks", none},
	{"list-webhook-deliveries", none},
}

// effect is what an operation does besides reading or writing records.
type effect uint8

const (
	none  effect = iota
	dials        // it calls somebody, or sends requests to others
	ends         // it ends what cannot be resumed
)

// tool is an operation of the API as a tool.
type tool struct {
	operation  wire.Operation
	definition *mcp.Tool
	parameters []parameter
	// sliced reports that the operation answers a whole list, of which the tool returns a page.
	sliced bool
}

// parameter is an argument of a tool that the operation has outside its body.
type parameter struct {
	argument string // the argument's name
	name     string
	in       string // path, query or header
}

// operationText is what the API's description has of an operation.
type operationText struct {
	OperationID string          `json:"operationId"`
	Summary     string          `json:"summary"`
	Description string          `json:"description"`
	Parameters  []parameterText `json:"parameters"`
	RequestBody struct {
		Content map[string]struct{ Schema object }
	} `json:"requestBody"`
	Responses map[string]struct {
		Content map[string]struct{ Schema object }
	} `json:"responses"`
}

type parameterText struct {
	Name, In string
	Required bool
	Schema   object
}

// object is a JSON object.
type object = map[string]any

// newTools returns the tools, by name. description is the API's, as served.
func newTools(description []byte, operations []wire.Operation) (map[string]*tool, error) {
	var document struct {
		Paths      map[string]map[string]operationText
		Components struct{ Schemas object }
	}
	if err := json.Unmarshal(description, &document); err != nil {
		return nil, fmt.Errorf("read the API's description: %w", err)
	}
	tools := map[string]*tool{}
	for _, e := range exposed {
		n := slices.IndexFunc(operations, func(op wire.Operation) bool { return op.ID == e.operation })
		if n < 0 {
			return nil, fmt.Errorf("the API has no operation %s", e.operation)
		}
		op := operations[n]
		text := document.Paths[op.Path][strings.ToLower(op.Method)]
		made, err := newTool(op, text, document.Components.Schemas, e.effect)
		if err != nil {
			return nil, fmt.Errorf("operation %s: %w", op.ID, err)
		}
		tools[made.definition.Name] = made
	}
	return tools, nil
}

func newTool(op wire.Operation, text operationText, schemas object, e effect) (*tool, error) {
	t := &tool{operation: op}
	input := inputSchema{schemas: schemas, properties: object{}, definitions: object{}}
	for _, p := range text.Parameters {
		if strings.ContainsAny(p.Name, "{}") {
			continue // any name takes the place of {key}
		}
		argument := strings.ReplaceAll(strings.ToLower(p.Name), "-", "_")
		if limit := pageSize(p); limit != nil {
			p.Schema = limit
		}
		if err := input.add(argument, p.Schema, p.Required); err != nil {
			return nil, err
		}
		t.parameters = append(t.parameters, parameter{argument, p.Name, p.In})
	}
	if err := input.addBody(text.RequestBody.Content["application/json"].Schema); err != nil {
		return nil, err
	}
	if text.Responses["200"].Content["application/json"].Schema["type"] == "array" {
		t.sliced = true
		maps.Copy(input.properties, slicing())
	}
	t.definition = &mcp.Tool{
		Name:        strings.ReplaceAll(op.ID, "-", "_"),
		Title:       text.Summary,
		Description: strings.TrimSpace(text.Summary + ". " + text.Description),
		InputSchema: input.schema(),
		Annotations: annotations(op, e),
	}
	return t, nil
}

// annotations tell a client what to ask its user about before it calls a tool.
func annotations(op wire.Operation, e effect) *mcp.ToolAnnotations {
	replaces := op.Method == http.MethodPut || op.Method == http.MethodPatch || op.Method == http.MethodDelete
	destructive, open := replaces || e != none, e == dials
	return &mcp.ToolAnnotations{
		ReadOnlyHint:    !destructive && (op.Method == http.MethodGet || strings.HasSuffix(op.Scope, ":read")),
		DestructiveHint: &destructive,
		IdempotentHint:  op.Method == http.MethodGet || replaces || e == ends,
		OpenWorldHint:   &open,
	}
}
