package fault

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhatWasFoundIsToldOnce(t *testing.T) {
	ctx := WithFound(context.Background(), Found{{"config.nodes[1]", "must be of type object"}, {"name", "must not be null"}})
	rules := []Detail{
		{"name", "is required"}, {"names", "is required"}, {"config", "is required"}, {"config.nodes[1].id", "is required"},
		{"config.nodes[10].id", "is required"}, {"config.nodes[1]", "is required"}, {"config.nodes", "are too many"},
	}
	var got *Error
	if err := FoundIn(ctx).With(rules); !errors.As(err, &got) || got.Code != Validation {
		t.Fatalf("got %v", err)
	}
	var fields []string
	for _, d := range got.Details {
		fields = append(fields, d.Field)
	}
	if d := cmp.Diff([]string{"config.nodes[1]", "name", "names", "config", "config.nodes[10].id", "config.nodes"}, fields); d != "" {
		t.Errorf("fields (-want +got):\n%s", d)
	}
	if !errors.As(FoundIn(ctx).With(nil), &got) || len(got.Details) != 2 {
		t.Errorf("without faults of rules: %v", got)
	}
	if err := FoundIn(context.Background()).With(nil); err != nil {
		t.Errorf("without any: %v", err)
	}
}

func TestPartsOfWhatWasFound(t *testing.T) {
	found := Found{{"config.stt.provider", ""}, {"config.nodes[1].id", ""}}
	for path, want := range map[string][2]bool{ // covered, inside
		"config.stt": {false, true}, "config.stt.provider": {true, false}, "config.stt.provider.x": {true, false}, "config.st": {false, false},
		"config.nodes": {false, true}, "config.nodes[1]": {false, true}, "config.nodes[1].id": {true, false}, "config.nodes[1].is": {false, false}, "config.nodes[10]": {false, false},
	} {
		if got := [2]bool{found.Covers(path), found.Inside(path)}; got != want {
			t.Errorf("%s: covered, inside %v, want %v", path, got, want)
		}
	}
}
