package trial_test

import (
	"testing"

	"parley/internal/hearing/corpus"
	"parley/internal/voice/trial"
)

func TestExplore(t *testing.T) {
	for _, set := range []corpus.Set{corpus.Training, corpus.Held} {
		for _, listener := range []bool{false, true} {
			words, err := trial.Words(set, listener)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range trial.Lines {
				var all []trial.WordResult
				for _, w := range words {
					r, err := l.Say(w, trial.NewListener())
					if err != nil {
						t.Fatal(err)
					}
					all = append(all, r)
				}
				t.Log(set, listener, l.Name, trial.Summary(all))
			}
		}
	}
}
