package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"parley/internal/event"
)

// Answer is an operation's output: a JSON body.
type Answer[T any] struct {
	Body T
}

// NewAnswer returns an answer with a body.
func NewAnswer[T any](body T) *Answer[T] { return &Answer[T]{Body: body} }

// Empty is the output of an operation that answers without a body.
type Empty struct{}

// Time is a moment as clients see it, see event.Stamp. A nullable one is a
// *Time with the tag nullable:"true".
type Time time.Time

// MarshalJSON writes the moment.
func (t Time) MarshalJSON() ([]byte, error) {
	return []byte(`"` + event.Stamp(time.Time(t)) + `"`), nil
}

// UnmarshalJSON reads a moment.
func (t *Time) UnmarshalJSON(text []byte) error { return (*time.Time)(t).UnmarshalJSON(text) }

// Schema describes a Time.
func (Time) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time", Examples: []any{"2026-11-01T09:30:00.123456Z"}}
}

// NullableTime returns a moment that may not have come: nil for a zero time.
func NullableTime(t time.Time) *Time {
	if t.IsZero() {
		return nil
	}
	wire := Time(t)
	return &wire
}

// ID is a UUID in a path, query or body, in its canonical form: other
// spellings of the same UUID mean the same row on every database.
type ID struct{ canonical string }

// UnmarshalText reads 36 hexadecimal digits and hyphens in any case.
func (id *ID) UnmarshalText(text []byte) error {
	parsed, err := uuid.ParseBytes(text)
	if err != nil || len(text) != 36 {
		return errors.New("must be a UUID")
	}
	id.canonical = parsed.String()
	return nil
}

// MarshalText writes the canonical form.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.canonical), nil }

func (id ID) String() string { return id.canonical }

// Schema describes an ID.
func (ID) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "uuid"}
}

// Optional distinguishes an absent field, null and a value, for partial updates.
type Optional[T any] struct {
	Set, Null bool
	Value     T
}

// UnmarshalJSON reads a field that is there.
func (o *Optional[T]) UnmarshalJSON(b []byte) error {
	o.Set = true
	if bytes.Equal(b, []byte("null")) {
		o.Null = true
		return nil
	}
	return json.Unmarshal(b, &o.Value)
}

// MarshalJSON writes the value, or null.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if !o.Set || o.Null {
		return []byte("null"), nil
	}
	return json.Marshal(o.Value)
}

// Schema describes an Optional as its value, nullable.
func (o Optional[T]) Schema(r huma.Registry) *huma.Schema { return nullableSchema[T](r) }

// Nullable is a value of an answer that may be null; huma knows of nullable
// scalars only.
type Nullable[T any] struct{ Value *T }

// MarshalJSON writes the value, or null.
func (n Nullable[T]) MarshalJSON() ([]byte, error) { return json.Marshal(n.Value) }

// Schema describes a nullable as its value, nullable.
func (n Nullable[T]) Schema(r huma.Registry) *huma.Schema { return nullableSchema[T](r) }

func nullableSchema[T any](r huma.Registry) *huma.Schema {
	s := *r.Schema(reflect.TypeFor[T](), true, "")
	if s.Ref != "" { // beside a reference, OpenAPI 3.0 reads nothing
		return &huma.Schema{Type: r.SchemaFromRef(s.Ref).Type, Nullable: true, AllOf: []*huma.Schema{{Ref: s.Ref}}}
	}
	s.Nullable = true
	return &s
}
