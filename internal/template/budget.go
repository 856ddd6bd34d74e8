package template

import (
	"errors"
	"fmt"
)

// Budget is how many bytes the references of one or several texts may still be
// filled with. It is charged while texts are rendered, so that rendering stops
// where the budget ends.
type Budget struct{ left int }

// NewBudget returns a budget of so many bytes.
func NewBudget(bytes int) *Budget { return &Budget{bytes} }

// ErrBudget is the error of a rendering that its budget does not suffice for.
var ErrBudget = errors.New("the budget is used up")

// Spend charges n bytes. It reports false when fewer are left; then nothing is.
func (b *Budget) Spend(n int) bool {
	if b.left < n {
		b.left = 0
		return false
	}
	b.left -= n
	return true
}

// SpendValue charges a value's Size.
func (b *Budget) SpendValue(value any) bool { return b.Spend(Size(value, b.left)) }

// Size is about how many bytes a value has as JSON, escapes not counted. It
// looks no further once that is more than most.
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
