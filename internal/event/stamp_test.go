package event

import (
	"testing"
	"time"
)

// Texts of times sort as the times do.
func TestStampsHaveSixDigits(t *testing.T) {
	for nanoseconds, want := range map[int]string{0: "2026-11-01T09:30:00.000000Z", 579_740_000: "2026-11-01T09:30:00.579740Z", 999_999_999: "2026-11-01T09:30:00.999999Z"} {
		if got := Stamp(time.Date(2026, 11, 1, 10, 30, 0, nanoseconds, time.FixedZone("", 3600))); got != want {
			t.Errorf("%d ns are %s, want %s", nanoseconds, got, want)
		}
	}
	if got := StampOrNull(time.Time{}); got != nil {
		t.Errorf("no time is %s", *got)
	}
}
