package call

import (
	"slices"
	"testing"
)

// The rules of the state table that no row may break.
func TestStateTable(t *testing.T) {
	for _, row := range transitions {
		if row.from.Terminal() {
			t.Errorf("a terminal state changes: %s → %s", row.from, row.to)
		}
		if slices.Index(Statuses, row.from) >= slices.Index(Statuses, row.to) {
			t.Errorf("a call goes back: %s → %s", row.from, row.to)
		}
		if row.from != Active && row.to == Completed {
			t.Errorf("%s → completed", row.from)
		}
		for _, reason := range row.reasons {
			if to, ok := terminalState(row.from, reason); reason != NoReason && (!ok || to != row.to) {
				t.Errorf("%s with %s ends as %s, the table says %s", row.from, reason, to, row.to)
			}
			if err := checkTransition(row.from, row.to, reason); err != nil {
				t.Error(err)
			}
		}
	}
	for _, wrong := range []struct {
		from, to Status
		reason   Reason
	}{
		{Pending, Completed, CallerHangup}, {Completed, Failed, WorkerLost}, {Active, Failed, ProviderError}, {Pending, Active, NoReason}, {Active, Completed, Silence},
	} {
		if checkTransition(wrong.from, wrong.to, wrong.reason) == nil {
			t.Errorf("%s → %s with %q is allowed", wrong.from, wrong.to, wrong.reason)
		}
	}
}
