package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

// maxWarnings bounds the unknown names that the body of an answer lists.
const maxWarnings = 20

// warningsField is the field of an answer that lists possible mistakes in its request.
const warningsField = "warnings"

// WarnOfIgnored is a huma.Transformer that adds the unknown parameters and fields of a request to the warnings of its
// answer, if that is an object and no error.
func WarnOfIgnored(ctx huma.Context, status string, body any) (any, error) {
	x := ExchangeOf(ctx.Context())
	if len(status) == 0 || status[0] != '2' || len(x.ignoredParameters)+len(x.ignoredFields) == 0 {
		return body, nil
	}
	return withWarnings(body, x.IgnoredWarnings())
}

// IgnoredWarnings returns a sentence for each unknown name, at most maxWarnings of them.
func (x *Exchange) IgnoredWarnings() []string {
	var warnings []string
	for _, name := range x.ignoredParameters {
		warnings = append(warnings, fmt.Sprintf("the query parameter %s is unknown and was ignored", name))
	}
	for _, name := range x.ignoredFields {
		warnings = append(warnings, fmt.Sprintf("the field %s is unknown and was ignored", name))
	}
	if more := len(warnings) - maxWarnings; more > 0 {
		warnings = append(warnings[:maxWarnings], fmt.Sprintf("%d more unknown names were ignored", more))
	}
	return warnings
}

// withWarnings adds warnings to those that a body has. A body that is no struct is returned as it is.
func withWarnings(body any, warnings []string) (any, error) {
	of := reflect.TypeOf(body)
	if of == nil || of.Kind() != reflect.Struct {
		return body, nil
	}
	if f, ok := of.FieldByName("Warnings"); ok && f.Type == reflect.TypeFor[[]string]() {
		warned := reflect.New(of).Elem()
		warned.Set(reflect.ValueOf(body))
		field := warned.FieldByIndex(f.Index)
		field.Set(reflect.ValueOf(slices.Concat(field.Interface().([]string), warnings)))
		return warned.Interface(), nil
	}
	return appendField(body, warningsField, warnings)
}

// appendField returns the JSON of an object with one more field.
func appendField(object any, name string, value any) (json.RawMessage, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(object); err != nil {
		return nil, err
	}
	content := bytes.TrimSpace(text.Bytes())
	inner, isObject := bytes.CutSuffix(content, []byte("}"))
	if !isObject {
		return content, nil
	}
	field, err := json.Marshal(map[string]any{name: value})
	if err != nil {
		return nil, err
	}
	separator := ","
	if len(inner) == len("{") {
		separator = ""
	}
	return slices.Concat(inner, []byte(separator), field[1:]), nil
}
