package wire

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

// ProblemTexts are the texts of errors in the description.
type ProblemTexts struct {
	Messages   map[fault.Code]string            // of any operation
	Resources  map[string]string                // what a not_found names, by the beginning of an operation's path; the longest that fits counts
	Operations map[string]map[fault.Code]string // in place of messages, by operation
	Further    map[string][]*fault.Error        // more examples, by operation
}

// example returns an error answer of an operation as an example of its code.
func (t *ProblemTexts) example(op Operation, code fault.Code) Envelope {
	message := cmp.Or(t.Operations[op.ID][code], t.Messages[code])
	switch code {
	case fault.Authorization:
		if op.LiveOnly {
			message = ErrTestKey.Message
		}
	case fault.ScopeRequired:
		message = ScopeRequired(op.needs()).Message
	case fault.NotFound:
		message = fault.Missing(t.resource(op)).Message
	}
	return Envelope{ProblemBody{Code: code, Message: message}}
}

// resource returns what a not_found of an operation names.
func (t *ProblemTexts) resource(op Operation) string {
	longest := ""
	for path := range t.Resources {
		if strings.HasPrefix(op.Path, path) && len(path) > len(longest) {
			longest = path
		}
	}
	return t.Resources[longest]
}

// byCode returns the examples of the errors that an operation answers with
// one status, by their codes; a second one of a code is named code_2.
func (t *ProblemTexts) byCode(op Operation, codes []fault.Code) map[string]*huma.Example {
	made := map[string]*huma.Example{}
	for _, code := range codes {
		made[string(code)] = &huma.Example{Value: t.example(op, code)}
		n := 1
		for _, further := range t.Further[op.ID] {
			if further.Code == code {
				n++
				made[fmt.Sprintf("%s_%d", code, n)] = &huma.Example{Value: Envelope{ProblemBody{Code: code, Message: further.Message}}}
			}
		}
	}
	return made
}

// exemplifyFaults has the example of a validation_error name a parameter or
// field of the operation.
func (rt *Router) exemplifyFaults(op Operation) {
	described := describedOperation(rt.Huma.OpenAPI(), op.Method, op.Path)
	example := rt.Texts.Problems.example(op, fault.Validation)
	example.Error.Details = []fault.Detail{rt.faultExample(described)}
	status := strconv.Itoa(http.StatusUnprocessableEntity)
	described.Responses[status].Content["application/json"].Examples[string(fault.Validation)].Value = example
}

func (rt *Router) faultExample(op *huma.Operation) fault.Detail {
	if takesFields(op) {
		body := op.RequestBody.Content["application/json"].Schema
		for body.Ref != "" {
			body = rt.Huma.OpenAPI().Components.Schemas.SchemaFromRef(body.Ref)
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
	return fault.Detail{Field: cmp.Or(field, queryField), Message: NotEscaped}
}
