package trial_test

import (
	"testing"
	"time"

	"parley/internal/hearing/corpus"
	"parley/internal/voice/trial"
)

// A single word stops the agent, whatever came before it and in eight languages; voices and recordings are not those of the
// training. It is in the transcript always.
func TestSingleWords(t *testing.T) {
	words, err := trial.Words(corpus.Held, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range trial.Lines(corpus.Held) {
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			r := say(t, l, words, false)
			most := 2
			if l.Name == "babble of 8" {
				most = 8
			}
			if r.Missed > most || r.Lost > 0 {
				t.Errorf("%d of %d words did not stop the agent, %d are in no transcript", r.Missed, r.Said, r.Lost)
			}
			if p95 := trial.Quantile(r.Started, 0.95); len(r.Started) < r.Said-2 || p95 > 260*time.Millisecond {
				t.Errorf("%d of %d words were found to be speech, 95 of 100 within %v", len(r.Started), r.Said, p95)
			}
		})
	}
}

// A listener's word pauses the agent briefly. It does not interrupt it, unless the recogniser has reported it as speech and it is long.
func TestListenersWords(t *testing.T) {
	words, err := trial.Words(corpus.Held, true)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range trial.Lines(corpus.Held) {
		for name, reports := range map[string]bool{"": false, ", reported as speech": true} {
			if reports && i > 0 {
				continue
			}
			t.Run(l.Name+name, func(t *testing.T) {
				t.Parallel()
				r := say(t, l, words, reports)
				interrupted, most := r.Said-r.Missed, 0
				if reports {
					most = r.Said / 5 // words of more than half a second after the report
				}
				if r.Lost > 0 || interrupted > most {
					t.Errorf("%d of %d interrupted the agent, %d are in no transcript", interrupted, r.Said, r.Lost)
				}
				if p50 := trial.Quantile(r.Silenced, 0.5); p50 > 500*time.Millisecond {
					t.Errorf("half of them silence the agent for more than %v", p50)
				}
			})
		}
	}
}

func say(t *testing.T, l trial.Line, words []trial.Word, reports bool) trial.WordRates {
	scene, err := l.MakeScene()
	if err != nil {
		t.Fatal(err)
	}
	r := l.SayAll(scene, words, reports, trial.NewListener)
	t.Log(l.Name, r)
	return r
}
