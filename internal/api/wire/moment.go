package wire

import (
	"errors"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Moment is a time in a query: RFC 3339, as described, and other forms of ISO 8601 that clients send. Without a zone it is UTC,
// a date is its first moment, and a space is read as the T or the plus that it replaces.
type Moment struct{ time.Time }

// momentForms are tried in order; each also parses fractions of a second.
var momentForms = []string{
	time.RFC3339, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07", "2006-01-02T15:04:05",
	"2006-01-02T15:04Z07:00", "2006-01-02T15:04", time.DateOnly,
}

// UnmarshalText reads one of the forms.
func (m *Moment) UnmarshalText(text []byte) error {
	value := strings.ToUpper(string(text)) // RFC 3339, section 5.6: t and z are T and Z
	if len(value) > len(time.DateOnly) && value[len(time.DateOnly)] == ' ' {
		value = strings.Replace(value, " ", "T", 1)
	}
	value = strings.Replace(value, " ", "+", 1)
	for _, form := range momentForms {
		if at, err := time.Parse(form, value); err == nil {
			m.Time = at.UTC()
			return nil
		}
	}
	return errors.New("must be a time such as 2026-11-01T09:30:00Z")
}

// MomentFormat replaces date-time until the description is served: huma would reject everything but RFC 3339 before
// UnmarshalText runs.
const MomentFormat = "moment"

// Schema describes a Moment.
func (Moment) Schema(r huma.Registry) *huma.Schema {
	described := Time{}.Schema(r)
	described.Format = MomentFormat
	return described
}

// RangeFaults refuses a range of started_after and started_before that ends
// before it begins. One that ends where it begins is empty.
func RangeFaults(after, before OptionalParam[Moment]) []error {
	if after.Given && before.Given && after.Value.After(before.Value.Time) {
		return []error{&huma.ErrorDetail{Location: "query.started_after", Message: "must not be after started_before"}}
	}
	return nil
}
