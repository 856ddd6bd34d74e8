package template

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// truthy is documented at Condition.Holds.
func truthy(s *Steps, value any) bool {
	switch v := value.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != "" && v != "0" && v != "false"
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	n, ok := s.number(value)
	return !ok || n.sign() != 0
}

// alike converts two values to one type if one of them is a text of the other's type, because templates store flags
// as texts ("3", "true"). Numbers become decimals.
func (s *Steps) alike(a, b any) (any, any) {
	if n, ok := s.number(a); ok {
		a = n
	}
	if n, ok := s.number(b); ok {
		b = n
	}
	if text, ok := a.(string); ok {
		return s.scalar(text, b), b
	}
	if text, ok := b.(string); ok {
		return a, s.scalar(text, a)
	}
	return a, b
}

func (s *Steps) scalar(text string, like any) any {
	switch like.(type) {
	case decimal:
		if n, ok := s.number(json.Number(text)); ok {
			return n
		}
	case bool:
		if text == "true" || text == "false" {
			return text == "true"
		}
	}
	return text
}

// equal treats a missing path as false.
func (s *Steps) equal(a, b any) bool {
	if a, b = s.alike(a, b); !s.spendPair(a, b) {
		return false
	}
	switch x := a.(type) {
	case nil:
		return b == nil || b == false
	case []any:
		return equalElements(x, b, s.equal)
	case map[string]any:
		for name := range x {
			if !s.spend(len(name)) {
				return false
			}
		}
		return equalElements(x, b, s.equal)
	}
	if b == nil {
		return a == false
	}
	return a == b // numbers are decimals
}

// equalElements compares two lists or two maps element by element with equal.
func equalElements(a, b any, equal func(a, b any) bool) bool {
	switch x := a.(type) {
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, equal)
	case map[string]any:
		y, ok := b.(map[string]any)
		return ok && maps.EqualFunc(x, y, equal)
	}
	return false
}

// order compares numbers or texts; ok is false for everything else.
func (s *Steps) order(a, b any) (sign int, ok bool) {
	if a, b = s.alike(a, b); !s.spendPair(a, b) {
		return 0, false
	}
	switch x := a.(type) {
	case decimal:
		if y, ok := b.(decimal); ok {
			return x.compare(y), true
		}
	case string:
		if y, ok := b.(string); ok {
			return strings.Compare(x, y), true
		}
	}
	return 0, false
}

// operators work on values; a missing path is nil and makes comparisons false and calculations nil.
var operators = map[string]func(s *Steps, a, b any) any{
	"==": func(s *Steps, a, b any) any { return s.equal(a, b) },
	"!=": func(s *Steps, a, b any) any { return !s.equal(a, b) },
	"<":  func(s *Steps, a, b any) any { sign, ok := s.order(a, b); return ok && sign < 0 },
	"<=": func(s *Steps, a, b any) any { sign, ok := s.order(a, b); return ok && sign <= 0 },
	">":  func(s *Steps, a, b any) any { sign, ok := s.order(a, b); return ok && sign > 0 },
	">=": func(s *Steps, a, b any) any { sign, ok := s.order(a, b); return ok && sign >= 0 },
	"+":  func(s *Steps, a, b any) any { return s.calculate("+", a, b) },
	"-":  func(s *Steps, a, b any) any { return s.calculate("-", a, b) },
	"*":  func(s *Steps, a, b any) any { return s.calculate("*", a, b) },
	"/":  func(s *Steps, a, b any) any { return s.calculate("/", a, b) },
	"%":  func(s *Steps, a, b any) any { return s.calculate("%", a, b) },
	"**": func(s *Steps, a, b any) any { return s.calculate("**", a, b) },
	"^":  func(s *Steps, a, b any) any { return s.calculate("**", a, b) },

	"in":         func(s *Steps, a, b any) any { return s.within(a, b) },
	"contains":   func(s *Steps, a, b any) any { return s.contains(a, b) },
	"startsWith": func(s *Steps, a, b any) any { return s.texts(a, b, strings.HasPrefix) },
	"endsWith":   func(s *Steps, a, b any) any { return s.texts(a, b, strings.HasSuffix) },
}

// within reports whether a is an element of an array or a key of an object.
func (s *Steps) within(a, b any) bool {
	switch v := b.(type) {
	case []any:
		if n, ok := s.number(a); ok {
			a = n // read once for all elements
		}
		for _, element := range v {
			if s.equal(a, element) {
				return true
			}
			if s.err != nil {
				return false
			}
		}
	case map[string]any:
		if key, ok := a.(string); ok && s.spend(len(key)) {
			_, found := v[key]
			return found
		}
	}
	return false
}

func (s *Steps) contains(a, b any) bool {
	if list, ok := a.([]any); ok {
		return s.within(b, list)
	}
	return s.texts(a, b, strings.Contains)
}

func (s *Steps) texts(a, b any, f func(a, b string) bool) bool {
	x, ok := a.(string)
	if !ok {
		return false
	}
	y, ok := b.(string)
	return ok && s.spend(len(x)+len(y)) && f(x, y)
}

type function struct {
	least, most int // arguments
	call        func(s *Steps, arguments []any) any
}

// functions are the builtins of expr that a condition may call. Each returns nil for unsupported values.
var functions = map[string]function{
	"len":    {1, 1, length},
	"lower":  {1, 1, onText(strings.ToLower)},
	"upper":  {1, 1, onText(strings.ToUpper)},
	"trim":   {1, 1, onText(strings.TrimSpace)},
	"string": {1, 1, func(s *Steps, a []any) any { return s.text(a[0]) }},
	"int":    {1, 1, onNumber(decimal.truncate)},
	"float":  {1, 1, onNumber(func(n decimal) decimal { return n })},
	"abs":    {1, 1, onNumber(decimal.abs)},
	"ceil":   {1, 1, onNumber(decimal.ceil)},
	"floor":  {1, 1, onNumber(decimal.floor)},
	"round":  {1, 1, onNumber(decimal.round)},
	"min":    {1, 20, extreme(-1)},
	"max":    {1, 20, extreme(1)},
}

// length counts characters, elements or keys; nil for missing values.
func length(s *Steps, a []any) any {
	switch v := a[0].(type) {
	case nil:
		return 0
	case string:
		if s.spend(len(v)) {
			return utf8.RuneCountInString(v)
		}
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	}
	return nil
}

func onText(f func(string) string) func(*Steps, []any) any {
	return func(s *Steps, a []any) any {
		if text, ok := a[0].(string); ok && s.spend(len(text)) {
			return f(text)
		}
		return nil
	}
}

// onNumber accepts a number or a text that contains one.
func onNumber(f func(decimal) decimal) func(*Steps, []any) any {
	return func(s *Steps, a []any) any {
		value, _ := s.alike(a[0], 0)
		if n, ok := value.(decimal); ok {
			return f(n).value()
		}
		return nil
	}
}

// extreme returns the smallest (sign -1) or largest (1) argument.
func extreme(sign int) func(*Steps, []any) any {
	return func(s *Steps, a []any) any {
		best := a[0]
		for _, value := range a[1:] {
			if by, ok := s.order(value, best); !ok {
				return nil
			} else if by == sign {
				best = value
			}
		}
		return best
	}
}

// text is the function Text within the steps.
func (s *Steps) text(value any) string {
	if !s.spendValue(value) {
		return ""
	}
	return Text(value)
}

// render is the function Render within the steps.
func (s *Steps) render(text string, scope Scope) string {
	rendered, _, err := RenderFunc(NewBudget(MaxRendered-len(text)), text, scope, func(_ string, value any) (string, error) {
		return s.text(value), s.err
	})
	if errors.Is(err, ErrBudget) {
		s.err = ErrSteps
	}
	return rendered
}
