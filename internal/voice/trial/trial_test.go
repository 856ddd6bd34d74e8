package trial_test

import (
	"fmt"
	"testing"
	"time"

	"parley/internal/hearing/corpus"
	"parley/internal/voice/trial"
)

// The worst of the table in virtual time, two minutes each: what is no caller does not interrupt the agent, pauses it
// twice a minute at most and lowers it three times, and a caller is not missed.
func TestConditions(t *testing.T) {
	const seconds = 120
	const ms = time.Millisecond
	worst := map[string]time.Duration{ // within which the agent reacts to 95 of 100 barge-ins; 0 without a caller
		"echo -6 dB, 80 ms": 0, "echo -10 dB, 150 ms, room 0.3 s": 0, "echo -30 dB, 480 ms": 0, "echo -20 dB, 300 ms, telephone": 0,
		"echo -10 dB, 150 ms, every second sentence 250 ms": 0, "music -26 dBFS": 0, "other music -30 dBFS": 0,
		"music -30 dBFS, telephone": 0, "babble of 8, -30 dBFS": 0, "traffic -26 dBFS": 0, "typing -26 dBFS": 0,
		"coughs -20 dBFS": 0, "sneezes -20 dBFS": 0, "DTMF -20 dBFS": 0, "caller in quiet": 350 * ms, "caller, telephone": 400 * ms,
		"caller at 10 dB over traffic": 500 * ms, "caller at 10 dB over babble": 500 * ms, "caller at 10 dB over music": 500 * ms, "caller over echo -20 dB, room 0.3 s": 500 * ms,
	}
	for _, c := range trial.Conditions(corpus.Held) {
		most, tested := worst[c.Name]
		if !tested {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			m, err := c.MakeScene(corpus.Held, seconds)
			if err != nil {
				t.Fatal(err)
			}
			r := m.Run(trial.NewListener())
			t.Log(c.Name, r)
			if r.Interruptions > 0 || float64(r.Pauses) > 2*r.Minutes || float64(r.Ducks) > 3*r.Minutes {
				t.Errorf("lowered %d times, paused %d times, interrupted %d times, in %v minutes", r.Ducks, r.Pauses, r.Interruptions, r.Minutes)
			}
			if c.Caller && (r.Missed > 0 || len(r.Reaction) < 20) {
				t.Errorf("%d callers were missed, %d not", r.Missed, len(r.Reaction))
			}
			if p95 := trial.Quantile(r.Reaction, 0.95); p95 > most {
				t.Errorf("the agent reacts to 95 of 100 barge-ins within %v, want %v at most", p95, most)
			}
		})
	}
}

// Turns end under music, hum and traffic and among other voices, soon after the time that a transcript is waited for. Pauses
// of 500 and 700 ms end few, of which the first teaches the detector to wait.
func TestTurnsEnd(t *testing.T) {
	for _, p := range trial.Places(corpus.Held) {
		for _, pause := range []float64{0.5, 0.7} {
			t.Run(fmt.Sprint(p.Name, " ", pause), func(t *testing.T) {
				t.Parallel()
				r, err := p.Run(corpus.Held, trial.NewListener(), 120, pause)
				if err != nil {
					t.Fatal(err)
				}
				t.Log(p.Name, r)
				if r.Said < 10 || r.Open > 0 {
					t.Errorf("%d of %d turns did not end", r.Open, r.Said)
				}
				if r.Cut > r.Said/4 {
					t.Errorf("%d of %d turns were cut by a pause of %v s", r.Cut, r.Said, pause)
				}
				if p95 := trial.Quantile(r.End, 0.95); p95 > 4*time.Second {
					t.Errorf("95 of 100 turns end after %v", p95)
				}
			})
		}
	}
}
