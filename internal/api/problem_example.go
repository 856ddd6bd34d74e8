package api

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"parley/internal/fault"
)

// problemTexts are the texts of errors in the description.
type problemTexts struct {
	messages   map[fault.Code]string            // of any operation
	resources  map[string]string                // what a not_found names, by the beginning of an operation's path; the longest that fits counts
	operations map[string]map[fault.Code]string // in place of messages, by operation
	further    map[string][]*fault.Error        // more examples, by operation
}

// example is an error answer of an operation as an example of its code.
func (t *problemTexts) example(op operation, code fault.Code) Envelope {
	message := cmp.Or(t.operations[op.ID][code], t.messages[code])
	switch code {
	case fault.Authorization:
		if op.LiveOnly {
			message = errTestKey.Message
		}
	case fault.ScopeRequired:
		message = scopeRequired(op.needs()).Message
	case fault.NotFound:
		message = fault.Missing(t.resource(op)).Message
	}
	return Envelope{problemBody{Code: code, Message: message}}
}

// resource is what a not_found of an operation names.
func (t *problemTexts) resource(op operation) string {
	longest := ""
	for path := range t.resources {
		if strings.HasPrefix(op.Path, path) && len(path) > len(longest) {
			longest = path
		}
	}
	return t.resources[longest]
}

// byCode are the examples of the errors that an operation answers with
// one status, by their codes; a second one of a code is named code_2.
func (t *problemTexts) byCode(op operation, codes []fault.Code) map[string]*huma.Example {
	made := map[string]*huma.Example{}
	for _, code := range codes {
		made[string(code)] = &huma.Example{Value: t.example(op, code)}
		n := 1
		for _, further := range t.further[op.ID] {
			if further.Code == code {
				n++
				made[fmt.Sprintf("%s_%d", code, n)] = &huma.Example{Value: Envelope{problemBody{Code: code, Message: further.Message}}}
			}
		}
	}
	return made
}

// exemplifyFaults has the example of a validation_error name a parameter or
// field of the operation.
func (rt *router) exemplifyFaults(op operation) {
	described := describedOperation(rt.huma.OpenAPI(), op.Method, op.Path)
	example := rt.texts.problems.example(op, fault.Validation)
	example.Error.Details = []fault.Detail{rt.faultExample(described)}
	status := strconv.Itoa(http.StatusUnprocessableEntity)
	described.Responses[status].Content["application/json"].Examples[string(fault.Validation)].Value = example
}

func (rt *router) faultExample(op *huma.Operation) fault.Detail {
	if op.RequestBody != nil {
		body := op.RequestBody.Content["application/json"].Schema
		for body.Ref != "" {
			body = rt.huma.OpenAPI().Components.Schemas.SchemaFromRef(body.Ref)
		}
		if len(body.Required) > 0 {
			return fault.Detail{Field: body.Required[0], Message: "is required"}
		}
	}
	inQuery := slices.IndexFunc(op.Parameters, func(p *huma.Param) bool { return p.In == "query" })
	field := ""
	if inQuery >= 0 {
		field = op.Parameters[inQuery].Name
	}
	return fault.Detail{Field: cmp.Or(field, queryField), Message: notEscaped}
}
