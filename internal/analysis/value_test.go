package analysis_test

import (
	"testing"

	"parley/internal/analysis"
)

// Conditions name a criterion, of one analysis or of any, or a property of an analysis's data.
func TestParseMatch(t *testing.T) {
	for _, test := range []struct {
		key, value     string
		analysis, name string
		ranged         bool
		fails          bool
	}{
		{"booked", "yes", "", "booked", false, false},
		{"outcome.booked", "unknown", "outcome", "booked", false, false},
		{"outcome.polite", "7", "outcome", "polite", true, false},
		{"outcome.polite", "7..9.5", "outcome", "polite", true, false},
		{"outcome.polite", "..3", "outcome", "polite", true, false},
		{"outcome.data.service", "cleaning", "outcome", "data.service", false, false},
		{"outcome.data.the.price", "10..20", "outcome", "data.the.price", true, false},
		{"data.booked", "yes", "data", "booked", false, false},
		{"outcome.data.note", "a..b", "outcome", "data.note", false, false},
		{"outcome.data.", "x", "", "", false, true},
		{"Outcome.booked", "yes", "", "", false, true},
		{"outcome.Booked", "yes", "", "", false, true},
		{".booked", "yes", "", "", false, true},
		{"outcome.", "yes", "", "", false, true},
		{"booked", "maybe", "", "", false, true},
		{"booked", "", "", "", false, true},
		{"booked", "11", "", "", false, true},
		{"booked", "..", "", "", false, true},
		{"booked", "a..b", "", "", false, true},
		{"booked", "NaN", "", "", false, true},
		{"booked", "inf..", "", "", false, true},
	} {
		m, err := analysis.ParseMatch(test.key, test.value)
		if (err != nil) != test.fails {
			t.Errorf("%s=%s: %v", test.key, test.value, err)
		}
		if err == nil && (m.Analysis != test.analysis || m.Name != test.name || (m.Least != nil || m.Top != nil) != test.ranged) {
			t.Errorf("%s=%s: %+v", test.key, test.value, m)
		}
	}
}
