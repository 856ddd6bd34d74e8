package template

import (
	"errors"
	"fmt"
)

// Budget limits the bytes that references may be replaced with, in one or several texts. It is charged while texts
// are rendered, so that rendering stops at the limit.
type Budget struct {
	left int
	of   *Budget // that this one is a part of; nil for none
}

// NewBudget returns a budget of so many bytes.
func NewBudget(bytes int) *Budget { return &Budget{left: bytes} }

// Part returns a budget of at most so many bytes, which are charged to this one, too.
func (b *Budget) Part(bytes int) *Budget { return &Budget{left: min(bytes, b.left), of: b} }

// ErrBudget is the error of a rendering beyond its budget.
var ErrBudget = errors.New("the budget is used up")

// Left returns how many bytes are left.
func (b *Budget) Left() int { return b.left }

// Spend charges n bytes. It returns false, and charges nothing, when fewer are left.
func (b *Budget) Spend(n int) bool {
	if b.left < n {
		b.left = 0
		return false
	}
	if b.of != nil && !b.of.Spend(n) {
		return false
	}
	b.left -= n
	return true
}

// SpendValue charges a value's Size.
func (b *Budget) SpendValue(value any) bool { return b.Spend(Size(value, b.left)) }

// Size returns about how many bytes a value has as JSON, escapes not counted. It stops counting above most.
func Size(value any, most int) (size int) {
	switch v := value.(type) {
	case string:
		return len(v) + len(`""`)
	case fmt.Stringer: // a json.Number, or a source's own kind of value
		return len(v.String())
	case []any:
		size = len("[]")
		for _, element := range v {
			if size += Size(element, most-size) + len(","); size > most {
				break
			}
		}
	case map[string]any:
		size = len("{}")
		for name, element := range v {
			if size += len(name) + len(`"":,`) + Size(element, most-size); size > most {
				break
			}
		}
	default:
		return len("false")
	}
	return size
}
