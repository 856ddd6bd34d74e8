package e2e

import (
	"strings"
	"testing"

	"parley/client"
)

// A call is followed and explained in the terminal, without its words.
func TestCallsInTheTerminal(t *testing.T) {
	t.Parallel()
	s := shared(t)
	settings := map[string]string{"PARLEY_SERVER": s.URL, "PARLEY_API_KEY": s.Key}
	tail, err := launch(settings, "calls", "tail")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tail.Kill)
	d := begin(t, s)
	await(t, "the call is printed", func() bool {
		return strings.Contains(tail.Out.String(), d.CallID)
	})
	if _, err := s.API.Calls.End(t.Context(), d.CallID); err != nil {
		t.Fatal(err)
	}
	await(t, "its end is printed", func() bool {
		for line := range strings.Lines(tail.Out.String()) {
			if strings.Contains(line, d.CallID) && strings.Contains(line, client.Failed) {
				return true
			}
		}
		return false
	})
	if err := tail.Stop(); err != nil {
		t.Error(err)
	}
	out := administer(t, settings, "", "calls", "show", d.CallID)
	for _, want := range []string{d.CallID, "pending", "failed ended_by_api"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if out := administer(t, settings, "", "calls", "show", d.CallID, "--json"); !strings.Contains(out, `"timeline": [`) {
		t.Errorf("as JSON: %s", out)
	}
	administer(t, settings, "not_found", "calls", "show", "01a206aa-0000-7000-8000-000000000000")
}
