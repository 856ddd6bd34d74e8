package template

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// truthy is documented at Condition.Holds.
func truthy(value any) bool {
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
	n, ok := number(value)
	return !ok || n != 0
}

// number is a value as a number, if it is one.
func number(value any) (float64, bool) {
	switch v := value.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case json.Number:
		n, err := v.Float64()
		return n, err == nil
	}
	return 0, false
}

// alike brings two values to one type where one of them is a text that holds
// the other's type: what a template once wrote into a flag ("3", "true")
// compares as what it was.
func alike(a, b any) (any, any) {
	if n, ok := number(a); ok {
		a = n
	}
	if n, ok := number(b); ok {
		b = n
	}
	if text, ok := a.(string); ok {
		return scalar(text, b), b
	}
	if text, ok := b.(string); ok {
		return a, scalar(text, a)
	}
	return a, b
}

func scalar(text string, like any) any {
	switch like.(type) {
	case float64:
		if n, err := strconv.ParseFloat(text, 64); err == nil {
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
func equal(a, b any) bool {
	a, b = alike(a, b)
	switch x := a.(type) {
	case nil:
		return b == nil || b == false
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !equal(x[i], y[i]) {
				return false
			}
		}
		return true
	}
	if b == nil {
		return a == false
	}
	return reflect.DeepEqual(a, b)
}

// order compares numbers or texts; ok is false for everything else.
func order(a, b any) (sign int, ok bool) {
	a, b = alike(a, b)
	switch x := a.(type) {
	case float64:
		if y, ok := b.(float64); ok {
			switch {
			case x < y:
				return -1, true
			case x > y:
				return 1, true
			}
			return 0, x == y // not for NaN
		}
	case string:
		if y, ok := b.(string); ok {
			return strings.Compare(x, y), true
		}
	}
	return 0, false
}

// operators work on values; a missing path is nil and makes a comparison false
// and a calculation nil.
var operators = map[string]func(a, b any) any{
	"==": func(a, b any) any { return equal(a, b) },
	"!=": func(a, b any) any { return !equal(a, b) },
	"<":  func(a, b any) any { sign, ok := order(a, b); return ok && sign < 0 },
	"<=": func(a, b any) any { sign, ok := order(a, b); return ok && sign <= 0 },
	">":  func(a, b any) any { sign, ok := order(a, b); return ok && sign > 0 },
	">=": func(a, b any) any { sign, ok := order(a, b); return ok && sign >= 0 },
	"+":  func(a, b any) any { return calculate("+", a, b) },
	"-":  func(a, b any) any { return calculate("-", a, b) },
	"*":  func(a, b any) any { return calculate("*", a, b) },
	"/":  func(a, b any) any { return calculate("/", a, b) },
	"%":  func(a, b any) any { return calculate("%", a, b) },
	"**": func(a, b any) any { return calculate("**", a, b) },
	"^":  func(a, b any) any { return calculate("**", a, b) },

	"in":         func(a, b any) any { return within(a, b) },
	"contains":   func(a, b any) any { return contains(a, b) },
	"startsWith": func(a, b any) any { return texts(a, b, strings.HasPrefix) },
	"endsWith":   func(a, b any) any { return texts(a, b, strings.HasSuffix) },
}

// within reports whether a is an element of an array or a key of an object.
func within(a, b any) bool {
	switch v := b.(type) {
	case []any:
		for _, element := range v {
			if equal(a, element) {
				return true
			}
		}
	case map[string]any:
		if key, ok := a.(string); ok {
			_, found := v[key]
			return found
		}
	}
	return false
}

func contains(a, b any) bool {
	if list, ok := a.([]any); ok {
		return within(b, list)
	}
	return texts(a, b, strings.Contains)
}

func texts(a, b any, f func(a, b string) bool) bool {
	x, ok := a.(string)
	if !ok {
		return false
	}
	y, ok := b.(string)
	return ok && f(x, y)
}

// calculate returns a number, a text for the sum of two texts, or nil where
// there is no result.
func calculate(operator string, a, b any) any {
	if x, ok := a.(string); ok && operator == "+" {
		if y, ok := b.(string); ok && len(x)+len(y) <= MaxRendered {
			return x + y
		}
	}
	x, ok := number(a)
	if !ok {
		return nil
	}
	y, ok := number(b)
	if !ok {
		return nil
	}
	var result float64
	switch operator {
	case "+":
		result = x + y
	case "-":
		result = x - y
	case "*":
		result = x * y
	case "/":
		result = x / y
	case "%":
		result = math.Mod(x, y)
	default: // "**"
		result = math.Pow(x, y)
	}
	if math.IsNaN(result) || math.IsInf(result, 0) {
		return nil
	}
	return result
}

type function struct {
	least, most int // arguments
	call        func(arguments []any) any
}

// functions are those of expr's builtins that a condition may call. Each
// returns nil for what it cannot work on.
var functions = map[string]function{
	"len":    {1, 1, length},
	"lower":  {1, 1, onText(strings.ToLower)},
	"upper":  {1, 1, onText(strings.ToUpper)},
	"trim":   {1, 1, onText(strings.TrimSpace)},
	"string": {1, 1, func(a []any) any { return Text(a[0]) }},
	"int":    {1, 1, onNumber(math.Trunc)},
	"float":  {1, 1, onNumber(func(n float64) float64 { return n })},
	"abs":    {1, 1, onNumber(math.Abs)},
	"ceil":   {1, 1, onNumber(math.Ceil)},
	"floor":  {1, 1, onNumber(math.Floor)},
	"round":  {1, 1, onNumber(math.Round)},
	"min":    {1, 20, extreme(-1)},
	"max":    {1, 20, extreme(1)},
}

// length counts characters, elements or keys; what is missing has none.
func length(a []any) any {
	switch v := a[0].(type) {
	case nil:
		return 0.0
	case string:
		return float64(utf8.RuneCountInString(v))
	case []any:
		return float64(len(v))
	case map[string]any:
		return float64(len(v))
	}
	return nil
}

func onText(f func(string) string) func([]any) any {
	return func(a []any) any {
		if text, ok := a[0].(string); ok {
			return f(text)
		}
		return nil
	}
}

// onNumber takes a number or a text that holds one.
func onNumber(f func(float64) float64) func([]any) any {
	return func(a []any) any {
		value, _ := alike(a[0], 0.0)
		if n, ok := value.(float64); ok {
			return f(n)
		}
		return nil
	}
}

// extreme is the smallest (sign -1) or largest (1) argument.
func extreme(sign int) func([]any) any {
	return func(a []any) any {
		best := a[0]
		for _, value := range a[1:] {
			if by, ok := order(value, best); !ok {
				return nil
			} else if by == sign {
				best = value
			}
		}
		return best
	}
}
