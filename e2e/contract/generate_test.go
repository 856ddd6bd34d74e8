package contract

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"
	"pgregory.net/rapid"
)

// generator draws values that a schema allows.
type generator struct {
	*rapid.T
	// known are names of things that are there, by where they are made.
	known func(collection string) []string
}

// places says, by the names of fields, what they refer to.
var places = map[string]string{
	"agent_name": "/api/v1/agents", "agent_slug": "/api/v1/agents", "target_agent": "/api/v1/agents",
	"workflow_slug": "/api/v1/workflows", "trunk_id": "/api/v1/sip-trunks", "call_id": "/api/v1/calls",
}

// customary are values of fields that the description leaves open and a catalogue or a form decides.
var customary = map[string][]string{
	"provider": {"offline", "deepgram", "assemblyai", "cartesia", "elevenlabs", "openai", "anthropic"},
	"scopes":   {"agents:read", "calls:*", "limits:read"},
	"url":      {"https://example.com/a?b={{params.c}}", "http://127.0.0.1:9/none", "https://example.com"},
	"events":   {"call.started", "call.completed"}, "payload_format": {"event", "envelope"},
	"tools": {"look_up_order", "none"}, "languages": {"en", "pt-BR"},
	"condition": {"flags.a", "{{user.age}} >= 18"}, "skip_condition": {"flags.a"},
	"context_mapping": {"workflow.order"}, "name": {"front", "order"}, "key": {"order"}, "digits": {"1w2#"},
	"phone_number": {"+4930123456"}, "number": {"+4930123457", "+4930123458"}, "caller_id": {"+4930123456"},
	"address": {"localhost", "192.0.2.1:5060"},
}

// keys are customary names within free objects.
var keys = map[string][]string{"content": {"en", "de", "pt-BR"}, "context_mapping": {"order"}, "headers": {"X-Custom", "Authorization"}}

// path is the position of a value: names of fields, outermost first; an item has its array's.
type path []string

func (p path) last() string {
	if len(p) == 0 {
		return ""
	}
	return p[len(p)-1]
}

// uniform draws a number below n, each as likely as the others: rapid's own ranges lean towards the small ones.
func uniform(t *rapid.T, n int, label string) int {
	drawn := 0
	for range 10 {
		drawn <<= 1
		if rapid.Bool().Draw(t, label) {
			drawn++
		}
	}
	return drawn * n >> 10
}

func chance(t *rapid.T, percent int, label string) bool { return uniform(t, 100, label) < percent }

func pick[V any](t *rapid.T, from []V, label string) V { return from[uniform(t, len(from), label)] }

func (g *generator) value(s *openapi3.Schema, at path) any {
	if s.Nullable && chance(g.T, 10, "null") {
		return nil
	}
	if len(s.Enum) > 0 {
		return pick(g.T, s.Enum, "enum")
	}
	switch {
	case s.Type == nil || s.Type.IsEmpty():
		return g.any(3)
	case s.Type.Is("boolean"):
		return rapid.Bool().Draw(g.T, "bool")
	case s.Type.Is("integer"):
		low, high := bounds(s)
		return rapid.Int64Range(int64(math.Ceil(max(low, math.MinInt32))), int64(math.Min(high, math.MaxInt32))).Draw(g.T, "integer")
	case s.Type.Is("number"):
		low, high := bounds(s)
		return rapid.Float64Range(max(low, -1e9), math.Min(high, 1e9)).Draw(g.T, "number")
	case s.Type.Is("string"):
		return g.text(s, at)
	case s.Type.Is("array"):
		return g.array(s, at)
	}
	return g.object(s, at)
}

func bounds(s *openapi3.Schema) (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	if s.Min != nil {
		low = *s.Min
	}
	if s.Max != nil {
		high = *s.Max
	}
	return low, high
}

// plain are characters that every text may hold: all but NUL.
var plain = rapid.Custom(func(t *rapid.T) rune {
	if chance(t, 70, "ascii") {
		return rapid.RuneFrom(nil, unicode.Latin, unicode.Digit).Draw(t, "letter")
	}
	return rapid.Rune().Filter(func(r rune) bool { return r != 0 && r != unicode.ReplacementChar }).Draw(t, "rune")
})

var byPattern sync.Map // expression → *rapid.Generator[string]

func (g *generator) text(s *openapi3.Schema, at path) string {
	var offered []string
	if place := places[at.last()]; place != "" {
		offered = g.known(place)
	} else {
		offered = customary[at.last()]
	}
	if len(offered) > 0 && chance(g.T, 80, "customary") {
		if v := pick(g.T, offered, at.last()); s.VisitJSON(v) == nil {
			return v
		}
	}
	switch s.Format {
	case "uuid":
		return uuid.UUID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(g.T, "uuid")).String()
	case "date-time":
		return time.Unix(rapid.Int64Range(0, 4e9).Draw(g.T, "time"), 0).UTC().Format(time.RFC3339)
	}
	if s.Pattern != "" {
		matching, _ := byPattern.LoadOrStore(s.Pattern, rapid.StringMatching(s.Pattern))
		return matching.(*rapid.Generator[string]).Filter(func(v string) bool { return s.VisitJSON(v) == nil }).Draw(g.T, "matching")
	}
	least, most := int(s.MinLength), 40
	if s.MaxLength != nil {
		most = int(min(*s.MaxLength, 40))
		if *s.MaxLength <= 5000 && chance(g.T, 5, "longest") {
			return strings.Repeat(string(plain.Draw(g.T, "repeated")), int(*s.MaxLength))
		}
	}
	return rapid.StringOfN(plain, least, max(least, most), -1).Draw(g.T, "text")
}

func (g *generator) array(s *openapi3.Schema, at path) any {
	most := 3
	if len(at) > 6 { // schemas may hold themselves
		most = 0
	}
	if s.MaxItems != nil {
		most = min(most, int(*s.MaxItems))
	}
	items := make([]any, rapid.IntRange(int(s.MinItems), max(most, int(s.MinItems))).Draw(g.T, "items"))
	for i := range items {
		items[i] = g.value(s.Items.Value, at)
	}
	return items
}

func (g *generator) object(s *openapi3.Schema, at path) any {
	made := object{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if slices.Contains(s.Required, name) || len(at) < 6 && chance(g.T, 40, name) {
			made[name] = g.value(s.Properties[name].Value, append(slices.Clone(at), name))
		}
	}
	if len(s.Properties) > 0 {
		return made
	}
	for range rapid.IntRange(0, 3).Draw(g.T, "fields") {
		name := rapid.StringOfN(plain, 1, 10, -1).Draw(g.T, "field")
		if offered := keys[at.last()]; offered != nil && chance(g.T, 80, "customary") {
			name = pick(g.T, offered, "key")
		}
		if values := s.AdditionalProperties.Schema; values != nil {
			made[name] = g.value(values.Value, at)
		} else {
			made[name] = g.any(3)
		}
	}
	return made
}

// any draws any JSON value.
func (g *generator) any(depth int) any {
	switch kind := uniform(g.T, 7, "kind"); {
	case kind == 0:
		return nil
	case kind == 1:
		return rapid.Bool().Draw(g.T, "bool")
	case kind == 2:
		return rapid.Int64().Draw(g.T, "int")
	case kind == 3 || depth == 0:
		return rapid.StringOfN(plain, 0, 20, -1).Draw(g.T, "text")
	case kind == 4:
		return rapid.Float64Range(-1e300, 1e300).Draw(g.T, "float")
	case kind == 5:
		items := make([]any, rapid.IntRange(0, 3).Draw(g.T, "items"))
		for i := range items {
			items[i] = g.any(depth - 1)
		}
		return items
	}
	made := object{}
	for range rapid.IntRange(0, 3).Draw(g.T, "fields") {
		made[rapid.StringOfN(plain, 0, 10, -1).Draw(g.T, "field")] = g.any(depth - 1)
	}
	return made
}

// place is a value within a body, with the schema that it should be of, nil if anything is allowed.
type place struct {
	schema *openapi3.Schema
	get    func() any
	set    func(any)
	remove func() // nil for an item
}

// within lists all values of a body.
func within(s *openapi3.Schema, value any, found []place) []place {
	switch value := value.(type) {
	case object:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			var under *openapi3.Schema
			if s != nil && s.Properties[name] != nil {
				under = s.Properties[name].Value
			} else if s != nil && s.AdditionalProperties.Schema != nil {
				under = s.AdditionalProperties.Schema.Value
			}
			found = append(found, place{under, func() any { return value[name] }, func(v any) { value[name] = v }, func() { delete(value, name) }})
			found = within(under, value[name], found)
		}
	case []any:
		var under *openapi3.Schema
		if s != nil && s.Items != nil {
			under = s.Items.Value
		}
		for i := range value {
			found = append(found, place{schema: under, get: func() any { return value[i] }, set: func(v any) { value[i] = v }})
			found = within(under, value[i], found)
		}
	}
	return found
}

// nasty are values that programs trip over.
var nasty = []any{
	nil, true, 0, -1, 1, 0.5, 1e308, -1e308, int64(math.MaxInt64), int64(math.MinInt64), json.Number("1e400"), json.Number("-0"),
	json.Number("9223372036854775808"), json.Number("1.0"), json.Number("0.1e1"), json.Number("123456789012345678901234567890"),
	"", " ", "\x00", "a\x00b", `\u0000`, `\\u0000`, "null", "undefined", "../../etc/passwd", "%00", "%s%n", "{{", "{{user.}}", "{{user.a}}{{", "}}", "' OR 1=1 --", "\\", "\"", "\r\nX-Injected: 1",
	"\u202eabc", "\ufeff", "\ufffe", "e\u0301\u0301\u0301", "👩‍👩‍👧‍👦", "ﷺ", "İ", "ß", "\u2028", "\U0010ffff", strings.Repeat("a", 256), strings.Repeat("é", 101), strings.Repeat("x", 70_000),
	"2026-02-30T00:00:00Z", "0000-00-00T00:00:00Z", "9999-12-31T23:59:60Z", "00000000-0000-0000-0000-000000000000", "+491", "+00000000",
	[]any{}, object{}, []any{nil}, []any{object{}}, object{"": nil}, object{"a": object{"b": []any{1, "x", nil}}}, object{"\x00": 1}, object{`\u0000`: `\u0000`}, object{"__proto__": object{}},
}

// bend changes a body at one place, by its schema or at random.
func (g *generator) bend(s *openapi3.Schema, body any) any {
	found := within(s, body, nil)
	if len(found) == 0 {
		return pick(g.T, nasty, "body")
	}
	at := pick(g.T, found, "place")
	switch how := uniform(g.T, 10, "how"); {
	case how == 0 && at.remove != nil:
		at.remove()
	case how <= 4 && at.schema != nil:
		at.set(g.over(at.schema, at.get()))
	case how == 5:
		if fields, ok := at.get().(object); ok {
			fields[pick(g.T, []string{"unknown", "Name", "config", "", "id", "tenant_id", "a.b", "é\n"}, "field")] = pick(g.T, nasty, "value")
		}
	case how == 6:
		at.set(deep(pick(g.T, []int{50, 99, 100, 5000}, "depth")))
	case how == 7:
		at.set(slices.Repeat([]any{at.get()}, pick(g.T, []int{2, 21, 101, 201, 2001}, "repeated")))
	default:
		at.set(pick(g.T, nasty, "value"))
	}
	return body
}

// over exceeds one of the limits of a schema, by one.
func (g *generator) over(s *openapi3.Schema, value any) any {
	var broken []any
	if s.MaxLength != nil {
		broken = append(broken, strings.Repeat("a", int(*s.MaxLength)+1), strings.Repeat("é", int(*s.MaxLength)+1))
	}
	if s.MinLength > 0 {
		broken = append(broken, strings.Repeat("a", int(s.MinLength)-1))
	}
	if s.Max != nil {
		broken = append(broken, *s.Max+1)
	}
	if s.Min != nil {
		broken = append(broken, *s.Min-1)
	}
	if s.MaxItems != nil {
		broken = append(broken, slices.Repeat([]any{"a"}, int(*s.MaxItems)+1))
	}
	if len(s.Enum) > 0 {
		broken = append(broken, "unknown", strings.ToUpper(s.Enum[0].(string)))
	}
	if s.Pattern != "" {
		broken = append(broken, "no match!", "ünïcödé", "-")
	}
	if s.Type != nil && s.Type.Is("string") {
		broken = append(broken, 1, true, []any{"a"})
	} else {
		broken = append(broken, "1", "true", []any{value})
	}
	return pick(g.T, broken, "over")
}

func deep(levels int) any {
	return json.RawMessage(strings.Repeat(`[`, levels) + strings.Repeat(`]`, levels))
}
