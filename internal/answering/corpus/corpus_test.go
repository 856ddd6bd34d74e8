package corpus

import (
	"testing"

	"parley/internal/answering/trial"
)

// The corpus is large enough, a third of it was held back, and on that third no person is taken for a machine. docs/answers.md has the
// figures of the whole.
func TestHeldRecordings(t *testing.T) {
	if testing.Short() {
		return // it takes half a minute, and Debian's speech programs
	}
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	var held trial.Report
	for _, r := range all {
		if r.Held {
			held.Results = append(held.Results, trial.Run(r, true))
		}
	}
	if len(all) < 300 || 3*len(held.Results)+3 < len(all) {
		t.Errorf("%d recordings, %d of them held back", len(all), len(held.Results))
	}
	for name, f := range map[string]struct {
		figure trial.Figure
		most   float64
	}{
		"people taken for a machine": {held.WrongMachine(), 0.005}, "machines taken for a person": {held.WrongHuman(), 0.03},
		"messages that began too early": {held.CutOff(), 0.01},
	} {
		if f.figure.Of == 0 || f.figure.Share() > f.most {
			t.Errorf("%s: %v, want at most %.1f %%", name, f.figure, 100*f.most)
		}
	}
	if f := held.ScreeningFound(); f.Of == 0 || f.Share() < 0.95 {
		t.Errorf("assistants found: %v", f)
	}
}
