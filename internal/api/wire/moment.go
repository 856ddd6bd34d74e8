package wire

import (
	"errors"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Moment is a time in a query. Besides RFC 3339, which is what the description
// promises, it takes what else clients make of ISO 8601: no zone means UTC, as
// in all times of the API, a date its first moment, and a space stands where a
// plus or a T should be.
type Moment struct{ time.Time }

// momentForms are tried in turn; each takes fractions of a second as well.
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

// MomentFormat stands for date-time until the description is served: huma
// would refuse all but RFC 3339 before UnmarshalText sees it.
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
