package template

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // for systems without a database of time zones
)

// Moment is a point in time in a time zone: the source now. As text it is in RFC 3339's format.
type Moment struct{ time.Time }

// momentFields are the fields of a Moment, in the order in which messages list them.
var momentFields = []string{"date", "time", "hour", "weekday", "timezone"}

// String returns the moment in RFC 3339's format, with the offset of its time zone.
func (m Moment) String() string { return m.Format(time.RFC3339) }

// Field returns date (2006-01-02), time (15:04), hour (0 to 23), weekday (in English) or timezone (IANA name).
func (m Moment) Field(name string) (value any, found bool) {
	switch name {
	case "date":
		return m.Format(time.DateOnly), true
	case "time":
		return m.Format("15:04"), true
	case "hour":
		return m.Hour(), true
	case "weekday":
		return m.Weekday().String(), true
	case "timezone":
		return m.Location().String(), true
	}
	return nil, false
}

// SetTime sets the sources now and today to a point in time in a time zone, UTC if it does not exist.
func (s Scope) SetTime(t time.Time, timezone string) {
	location, err := Location(timezone)
	if err != nil {
		location = time.UTC
	}
	now := Moment{t.In(location).Truncate(time.Second)}
	s["now"], s["today"] = now, now.Format(time.DateOnly)
}

// zoneForm is the form of IANA names. Folders of the system's database, such as posix, have lower case.
var zoneForm = regexp.MustCompile(`^[A-Z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$`)

// MaxTimezone is the maximum length of a time zone's name.
const MaxTimezone = 64

// Location returns the time zone with an IANA name; the error is worded for a field.
func Location(name string) (*time.Location, error) {
	if len(name) <= MaxTimezone && zoneForm.MatchString(name) && name != "Local" {
		if location, err := time.LoadLocation(name); err == nil {
			return location, nil
		}
	}
	return nil, fmt.Errorf("must be an IANA time zone such as Europe/Berlin or UTC")
}

// momentWarning returns why a path below now or today has no value; "" if it has one.
func momentWarning(path string) string {
	switch steps := segments(path); {
	case steps[0] == "today" && len(steps) > 1:
		return path + " leads nowhere: today is a date, without fields"
	case steps[0] == "now" && (len(steps) > 2 || len(steps) == 2 && !slices.Contains(momentFields, steps[1])):
		return path + " leads nowhere: now has " + strings.Join(momentFields, ", ")
	}
	return ""
}
