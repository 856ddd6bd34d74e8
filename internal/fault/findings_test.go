package fault

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFindings(t *testing.T) {
	f := Findings{At: "templates[2]."}
	f.Text("name", "größe", 5)
	f.Text("name", "größer", 5)
	f.Text("note", "a\x00", 5)
	if !f.Count("list", 3, 3) || f.Count("list", 4, 3) {
		t.Error("three items of three at most, or four")
	}
	f.Warn("model", "%s is not known", "x")
	want := []Detail{
		{"templates[2].name", "must have at most 5 characters"}, {"templates[2].note", "must not hold the character NUL"},
		{"templates[2].list", "must have at most 3 items"},
	}
	if d := cmp.Diff(want, f.Faults); d != "" {
		t.Errorf("faults (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"templates[2].model: x is not known"}, f.Warnings); d != "" {
		t.Errorf("warnings (-want +got):\n%s", d)
	}
}

// Errors and warnings beyond MaxDetails are not collected, and the message says that there are more.
func TestFindingsAreBounded(t *testing.T) {
	var f Findings
	for n := range 3 * MaxDetails {
		f.Fault("a", "%d", n)
		f.Warn("b", "%d", n)
	}
	if !f.Full() || len(f.Faults) != MaxDetails+1 || len(f.Warnings) != MaxDetails+1 || !strings.Contains(f.Warnings[MaxDetails], "first 100") {
		t.Errorf("%d errors, %d warnings", len(f.Faults), len(f.Warnings))
	}
	var got *Error
	if err := Invalid(f.Faults); !errors.As(err, &got) || len(got.Details) != MaxDetails || !strings.Contains(got.Message, "first 100") {
		t.Errorf("%v", err)
	}
	if err := Invalid(f.Faults[:MaxDetails]); !errors.As(err, &got) || len(got.Details) != MaxDetails || strings.Contains(got.Message, "first") {
		t.Errorf("%v", err)
	}
}
