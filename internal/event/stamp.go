package event

import "time"

// Stamp is a moment as clients see it: RFC 3339 in UTC with Z and always six
// digits of a second, so that texts sort as their moments do, and older readers
// of ISO 8601 understand them.
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// StampOrNull is nil for a zero time.
func StampOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := Stamp(t)
	return &text
}
