package event

import "time"

// Stamp formats a time for clients: RFC 3339 in UTC with Z and always six fractional digits, so that texts sort as
// their times do, and older ISO 8601 parsers accept it.
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// StampOrNull returns nil for a zero time.
func StampOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := Stamp(t)
	return &text
}
