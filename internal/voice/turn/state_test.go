package turn

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// table is the state table as docs/turn-taking.md has it.
func table() string {
	var b strings.Builder
	b.WriteString("| when | from | to | action |\n|---|---|---|---|\n")
	for _, t := range transitions {
		var from []string
		for _, state := range t.from {
			from = append(from, state.String())
		}
		action := ""
		if t.action != None {
			action = t.action.String() + " "
		}
		fmt.Fprintf(&b, "| %s | %s | %v | %s|\n", t.label, strings.Join(from, ", "), t.to, action)
	}
	return b.String()
}

func TestDocumentHasTheTable(t *testing.T) {
	page, err := os.ReadFile("../../../docs/turn-taking.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := table(); !strings.Contains(string(page), want) {
		t.Errorf("docs/turn-taking.md does not have the table:\n%s", want)
	}
}

// The conversations of TestDetector make every transition of the table, from
// each of the states that it starts from.
func TestEveryTransitionIsTested(t *testing.T) {
	type step struct {
		from State
		row  int
	}
	made := map[step]bool{}
	for i := range transitions {
		row := &transitions[i]
		when := row.when
		row.when = func(d *Detector, now time.Time) bool {
			holds := when == nil || when(d, now)
			if holds {
				made[step{d.state, i}] = true
			}
			return holds
		}
		defer func() { row.when = when }()
	}
	for _, happenings := range conversations {
		d := NewDetector(DefaultOptions)
		for _, h := range happenings {
			h.what(d, start.Add(h.at))
		}
	}
	for i, row := range transitions {
		for _, from := range row.from {
			if !made[step{from, i}] {
				t.Errorf("no conversation goes from %v to %v: %s", from, row.to, row.label)
			}
		}
	}
}
