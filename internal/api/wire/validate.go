package wire

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"parley/internal/fault"
)

// validation checks a body against its schema in the API's description. Unlike huma's validation it reports a missing field by
// its own path, stops beyond fault.MaxDetails, and drops unknown fields instead of rejecting or keeping them, but for misspelled ones.
type validation struct {
	registry huma.Registry
	path     []string // from the body to the value at hand: names, [indices]
	faults   []fault.Detail
	ignored  []string
	// typesOnly leaves what a value may be to the operation, which gets the
	// body without the values that cannot be read: see operation.OwnRules.
	typesOnly bool
}

// maxIgnored bounds the names of unknown fields; the header has room for fewer.
const maxIgnored = MaxIgnoredSize

// maxPath bounds a path in an answer, in bytes: hostile names are long.
const maxPath = 512

// at returns the path at hand, and a name under it if one is given. It is put
// together only when asked for: most values have no fault.
func (v *validation) at(name string) string {
	var b strings.Builder
	add := func(step string) {
		if b.Len() > 0 && !strings.HasPrefix(step, "[") {
			b.WriteByte('.')
		}
		b.WriteString(step[:min(len(step), maxPath)])
	}
	for _, step := range v.path {
		if add(step); b.Len() > maxPath {
			return strings.ToValidUTF8(b.String()[:maxPath], "")
		}
	}
	if name != "" {
		add(name)
	}
	if b.Len() == 0 {
		return "body"
	}
	return strings.ToValidUTF8(b.String()[:min(b.Len(), maxPath)], "")
}

// full reports whether there are more errors than are returned.
func (v *validation) full() bool { return len(v.faults) > fault.MaxDetails }

func (v *validation) fault(format string, args ...any) { v.faultAt("", format, args...) }

// refuse adds an error for a value of the right type that its schema does not permit.
func (v *validation) refuse(format string, args ...any) { v.refuseAt("", format, args...) }

func (v *validation) refuseAt(name, format string, args ...any) {
	if !v.typesOnly {
		v.faultAt(name, format, args...)
	}
}

func (v *validation) faultAt(name, format string, args ...any) {
	if v.full() {
		return
	}
	v.faults = append(v.faults, fault.Detail{Field: v.at(name), Message: fmt.Sprintf(format, args...)})
}

// under checks a value one step deeper.
func (v *validation) under(step string, s *huma.Schema, value any) (kept any, fit bool) {
	v.path = append(v.path, step)
	kept, fit = v.check(s, value)
	v.path = v.path[:len(v.path)-1]
	return kept, fit
}

// check returns a value without what its schema does not know, and whether an
// operation with its own rules can read it.
func (v *validation) check(s *huma.Schema, value any) (kept any, fit bool) {
	if v.full() {
		return value, false
	}
	s = v.resolve(s)
	if value == nil {
		if !s.Nullable && s.Type != "" {
			v.fault("must not be null")
			return nil, false
		}
		return nil, true
	}
	if !v.ofType(s, value) {
		return value, false
	}
	for _, part := range s.AllOf {
		if value, fit = v.check(part, value); !fit {
			return value, false
		}
	}
	before := len(v.faults)
	switch typed := value.(type) {
	case string:
		v.text(s, typed)
	case json.Number:
		value = v.number(s, typed)
	case []any:
		v.items(s, typed)
		return value, true
	case map[string]any:
		v.fields(s, typed)
		return value, true
	}
	return value, len(v.faults) == before
}

func (v *validation) resolve(s *huma.Schema) *huma.Schema {
	for s.Ref != "" {
		s = v.registry.SchemaFromRef(s.Ref)
	}
	return s
}

// blank returns the empty value of a schema's type. It keeps the place of an item
// that cannot be read, so that those after it keep theirs.
func (v *validation) blank(s *huma.Schema) any {
	switch v.resolve(s).Type {
	case huma.TypeBoolean:
		return false
	case huma.TypeString:
		return ""
	case huma.TypeNumber, huma.TypeInteger:
		return json.Number("0")
	case huma.TypeArray:
		return []any{}
	case huma.TypeObject:
		return map[string]any{}
	}
	return nil
}

func (v *validation) ofType(s *huma.Schema, value any) bool {
	var ok bool
	switch s.Type {
	case "":
		return true
	case huma.TypeBoolean:
		_, ok = value.(bool)
	case huma.TypeString:
		_, ok = value.(string)
	case huma.TypeNumber, huma.TypeInteger:
		_, ok = value.(json.Number)
	case huma.TypeArray:
		_, ok = value.([]any)
	case huma.TypeObject:
		_, ok = value.(map[string]any)
	}
	if !ok {
		v.fault("must be of type %s", s.Type)
	}
	return ok
}

func (v *validation) text(s *huma.Schema, text string) {
	if strings.ContainsRune(text, 0) {
		v.fault("must not hold the character NUL") // PostgreSQL stores none
	}
	if s.MinLength != nil && utf8.RuneCountInString(text) < *s.MinLength {
		if text == "" {
			v.refuse("must not be empty")
		} else {
			v.refuse("must have at least %d characters", *s.MinLength)
		}
	}
	if s.MaxLength != nil && utf8.RuneCountInString(text) > *s.MaxLength {
		v.refuse("must have at most %d characters", *s.MaxLength)
		return
	}
	if s.Pattern != "" && !pattern(s.Pattern).MatchString(text) {
		if s.PatternDescription != "" {
			v.refuse("must be %s", s.PatternDescription)
		} else {
			v.refuse("must match %s", s.Pattern)
		}
	}
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, any(text)) {
		names := make([]string, len(s.Enum))
		for i, allowed := range s.Enum {
			names[i] = fmt.Sprint(allowed)
		}
		v.refuse("must be one of %s", strings.Join(names, ", "))
	}
	var err error
	switch s.Format {
	case "uuid":
		var id ID
		err = id.UnmarshalText([]byte(text))
	case "date-time":
		if _, err = time.Parse(time.RFC3339, text); err != nil {
			err = fmt.Errorf("want an RFC 3339 time")
		}
	case "email":
		if _, err = mail.ParseAddress(text); err != nil {
			err = fmt.Errorf("want an e-mail address")
		}
	case "uri":
		var u *url.URL
		if u, err = url.Parse(text); err != nil || !u.IsAbs() {
			err = fmt.Errorf("want an absolute URL")
		}
	}
	if err != nil {
		v.refuse("%s", err)
	}
}

// maxFractionDigits is how many digits behind the point PostgreSQL keeps of a
// number in JSON; it refuses one with more.
const maxFractionDigits = 16383

// fractionDigits returns how many digits a number has behind the point when it is
// written without an exponent; negative for trailing zeros in front of it.
func fractionDigits(number json.Number) int64 {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number.String()), "e")
	_, fraction, _ := strings.Cut(mantissa, ".")
	power, _ := strconv.ParseInt(exponent, 10, 32) // the nearest one, beyond 32 bits
	return int64(len(fraction)) - power
}

// number returns an integer without a fraction of zero, which Go's decoder
// would refuse.
func (v *validation) number(s *huma.Schema, text json.Number) any {
	n, err := text.Float64()
	if err != nil || fractionDigits(text) > maxFractionDigits {
		v.fault("is out of range")
		return text
	}
	if s.Type == huma.TypeInteger {
		if _, err := text.Int64(); err != nil {
			if n != math.Trunc(n) || math.Abs(n) > 1<<53 {
				v.fault("must be an integer")
				return text
			}
			text = json.Number(strconv.FormatInt(int64(n), 10))
		}
	}
	switch {
	case s.Minimum != nil && n < *s.Minimum:
		v.refuse("must be at least %v", *s.Minimum)
	case s.ExclusiveMinimum != nil && n <= *s.ExclusiveMinimum:
		v.refuse("must be more than %v", *s.ExclusiveMinimum)
	case s.Maximum != nil && n > *s.Maximum:
		v.refuse("must be at most %v", *s.Maximum)
	case s.ExclusiveMaximum != nil && n >= *s.ExclusiveMaximum:
		v.refuse("must be less than %v", *s.ExclusiveMaximum)
	}
	return text
}

func (v *validation) items(s *huma.Schema, items []any) {
	if s.MinItems != nil && len(items) < *s.MinItems {
		v.refuse("must have at least %d items", *s.MinItems)
	}
	if s.MaxItems != nil && len(items) > *s.MaxItems {
		if v.refuse("must have at most %d items", *s.MaxItems); !v.typesOnly {
			return
		}
	}
	each := s.Items
	if each == nil {
		each = &huma.Schema{}
	}
	for i, item := range items {
		if v.full() {
			return
		}
		kept, fit := v.under("["+strconv.Itoa(i)+"]", each, item)
		if items[i] = kept; v.typesOnly && !fit {
			items[i] = v.blank(each)
		}
	}
}

func (v *validation) fields(s *huma.Schema, object map[string]any) {
	for _, name := range s.Required {
		if _, given := object[name]; !given {
			v.refuseAt(name, "is required")
		}
	}
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	sort.Strings(names) // the same request always gets the same answer
	free, _ := s.AdditionalProperties.(*huma.Schema)
	for _, name := range names {
		if v.full() {
			return
		}
		property, known := s.Properties[name]
		switch {
		case known && object[name] == nil && !slices.Contains(s.Required, name):
			// null for an optional field: the same as leaving it out, or, for
			// a partial update, its removal.
		case known:
			v.field(object, name, property)
		case len(s.Properties) > 0 && free == nil:
			v.unknown(name, s)
			delete(object, name)
		default: // a free-form object
			if strings.ContainsRune(name, 0) {
				v.fault("a name in it must not hold the character NUL")
			}
			each := free
			if each == nil {
				each = &huma.Schema{}
			}
			v.field(object, name, each)
		}
	}
}

// unknown handles a name that an object does not have: it is ignored, or the misspelling of one that it has.
func (v *validation) unknown(name string, s *huma.Schema) {
	if meant := misspelled(name, slices.Sorted(maps.Keys(s.Properties))); meant != "" && !isFieldElsewhere(v.registry, name) {
		v.faultAt(name, "%s", didYouMean(meant))
		return
	}
	if len(v.ignored) < maxIgnored {
		v.ignored = append(v.ignored, v.at(name))
	}
}

func (v *validation) field(object map[string]any, name string, s *huma.Schema) {
	kept, fit := v.under(name, s, object[name])
	if object[name] = kept; v.typesOnly && !fit {
		delete(object, name)
	}
}

var patterns sync.Map // expression → *regexp.Regexp

func pattern(expression string) *regexp.Regexp {
	if re, ok := patterns.Load(expression); ok {
		return re.(*regexp.Regexp)
	}
	re := regexp.MustCompile(expression)
	patterns.Store(expression, re)
	return re
}

// fieldNameDepth is how deep names of fields go in the audit log: config.prompt.
const fieldNameDepth = 2

// names returns the dotted fields of a body, in order, without names that the client chose, which may be personal
// data.
func (v *validation) names(s *huma.Schema, body any, depth int) (names []string) {
	object, _ := body.(map[string]any)
	properties := v.resolve(s).Properties
	for name, value := range object {
		property, known := properties[name]
		if !known {
			continue
		}
		var within []string
		if depth > 1 {
			within = v.names(property, value, depth-1)
		}
		if len(within) == 0 {
			names = append(names, name)
		}
		for _, inner := range within {
			names = append(names, name+"."+inner)
		}
	}
	slices.Sort(names)
	return names
}
