package api

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"parley/internal/api/wire"
	"parley/internal/fault"
)

// What clients write for one and the same time, and what is none.
func TestMoment(t *testing.T) {
	want := time.Date(2026, 11, 1, 9, 30, 0, 0, time.UTC)
	for _, text := range []string{
		"2026-11-01T09:30:00Z", "2026-11-01T09:30:00.000000Z", "2026-11-01T10:30:00+01:00", "2026-11-01T09:30:00+0000",
		"2026-11-01T09:30:00", "2026-11-01T09:30:00.000", "2026-11-01T09:30", "2026-11-01T09:30Z", "2026-11-01 09:30:00",
		"2026-11-01 09:30:00+00:00", "2026-11-01 10:30:00 01:00", "2026-11-01T10:30:00 01:00", "2026-11-01T10:30:00.000 0100",
		"2026-11-01t09:30:00z", "2026-11-01T11:30:00+02", "2026-11-01T11:30:00.000 02",
	} {
		var m wire.Moment
		if err := m.UnmarshalText([]byte(text)); err != nil || !m.Equal(want) || m.Location() != time.UTC {
			t.Errorf("%s: %v, %v", text, m.Time, err)
		}
	}
	var day wire.Moment
	if err := day.UnmarshalText([]byte("2026-11-01")); err != nil || !day.Equal(want.Truncate(24*time.Hour)) {
		t.Errorf("a date: %v, %v", day.Time, err)
	}
	for _, text := range []string{"", " ", "yesterday", "1793525400", "2026-13-01T00:00:00Z", "2026-02-30", "2026-11-01T", "2026-11-01  09:30:00", "2026-11-01T09:30:00Z ", "09:30"} {
		var m wire.Moment
		if m.UnmarshalText([]byte(text)) == nil {
			t.Errorf("%q is taken for %v", text, m.Time)
		}
	}
}

// Python's isoformat gives no zone, and a plus that nobody escaped comes as a space.
func TestListsTakeTimesAsClientsWriteThem(t *testing.T) {
	calls, _ := newCalls(t, nil)
	figures := newAnalytics(t)
	for path, s := range map[string]*service{"/api/v1/calls": calls, analyticsPath + "summary": figures, analyticsPath + "errors": figures} {
		for _, value := range []string{"2026-11-01", "2026-11-01T09:30:00", "2026-11-01T09:30:00+02:00", url.QueryEscape("2026-11-01T09:30:00.123456+02:00")} {
			s.want(s.do("full", http.MethodGet, path+"?started_after="+value, ""), http.StatusOK, nil)
		}
		faults := s.refused(s.do("full", http.MethodGet, path+"?started_before=soon", ""), http.StatusUnprocessableEntity, fault.Validation)
		if !strings.Contains(faults["started_before"], "must be a time such as 2026-11-01T09:30:00Z") {
			t.Errorf("%s: faults %v", path, faults)
		}
	}
}
