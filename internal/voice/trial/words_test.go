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
			if r.Missed > 2 || r.Lost > 0 {
				t.Errorf("%d of %d words did not stop the agent, %d are in no transcript", r.Missed, r.Said, r.Lost)
			}
			if p95 := trial.Quantile(r.Started, 0.95); len(r.Started) < r.Said-2 || p95 > 200*time.Millisecond {
				t.Errorf("%d of %d words were found to be speech, 95 of 100 within %v", len(r.Started), r.Said, p95)
			}
		})
	}
}

// A listener's word does not interrupt the agent, and pauses it briefly, whether or not the recogniser reports it as speech.
func TestListenersWords(t *testing.T) {
	words, err := trial.Words(corpus.Held, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range trial.Lines(corpus.Held) {
		for name, reports := range map[string]bool{"": false, ", reported as speech": true} {
			t.Run(l.Name+name, func(t *testing.T) {
				t.Parallel()
				r := say(t, l, words, reports)
				if r.Lost > 0 || r.Missed < r.Said && !reports {
					t.Errorf("%d of %d interrupted the agent, %d are in no transcript", r.Said-r.Missed, r.Said, r.Lost)
				}
				if p50 := trial.Quantile(r.Silenced, 0.5); p50 > 700*time.Millisecond {
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

// People on a television, 15 dB softer than the caller, do not interrupt the agent once the caller has spoken, though a
// recogniser transcribes them; 3 dB softer they do.
func TestTelevision(t *testing.T) {
	for level, most := range map[float64]int{-41: 0, -29: 1000} {
		b, err := trial.Overhear(corpus.Held, level, 120, trial.NewListener())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%v dBFS: %+v", level, b)
		if b.Interruptions > most || most > 0 && b.Interruptions == 0 {
			t.Errorf("at %v dBFS they interrupted the agent %d times in %v minutes", level, b.Interruptions, b.Minutes)
		}
		if most == 0 && b.Silenced.Minutes() > 0.02*b.Minutes {
			t.Errorf("at %v dBFS they silenced the agent for %v of %v minutes", level, b.Silenced, b.Minutes)
		}
	}
}
