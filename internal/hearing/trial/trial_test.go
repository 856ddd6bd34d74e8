package trial_test

import (
	"testing"
	"time"

	"parley/internal/hearing/trial"
)

// The worst of the table, a minute each: what must not interrupt does not, and a caller is heard in quiet and over echo.
func TestHearing(t *testing.T) {
	const seconds = 60
	agent, err := trial.Agent(seconds)
	if err != nil {
		t.Fatal(err)
	}
	conditions, err := trial.Conditions(seconds)
	if err != nil {
		t.Fatal(err)
	}
	silent := map[string]bool{
		"quiet": true, "echo -6 dB, 80 ms": true, "echo -10 dB, 150 ms, room 0.3 s": true, "echo -30 dB, 480 ms": true,
		"echo -20 dB, 300 ms, telephone": true, "echo -20 dB, 200 ms, every second sentence 240 ms": true, "echo -10 dB, 150 ms, every second sentence 250 ms": true,
		"music -40 dBFS": true, "babble of 8, -40 dBFS": true,
		"typing -26 dBFS": true, "coughs -20 dBFS": true, "sneezes -20 dBFS": true,
	}
	heard := map[string]bool{"caller in quiet": true, "caller at 10 dB over traffic": true, "caller over echo -20 dB, room 0.3 s": true}
	for _, c := range conditions {
		if !silent[c.Name] && !heard[c.Name] {
			continue
		}
		r := trial.Run(c, agent, seconds)
		t.Logf("%-36s %s", c.Name, r)
		if silent[c.Name] && (r.Interruptions > 0 || float64(r.Pauses) > 2*r.Minutes) {
			t.Errorf("%s: %d interruptions, %d pauses", c.Name, r.Interruptions, r.Pauses)
		}
		if heard[c.Name] && r.Missed > 0 {
			t.Errorf("%s: %d of %d beginnings of the caller missed", c.Name, r.Missed, len(c.Onset))
		}
		for _, y := range r.Yield {
			if heard[c.Name] && y > time.Second {
				t.Errorf("%s: the agent yields after %v", c.Name, y)
			}
		}
	}
}
