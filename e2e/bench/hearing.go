package main

import (
	"fmt"

	"parley/internal/hearing/corpus"
	"parley/internal/voice/trial"
)

// hearing prints the figures of docs/turn-taking.md, by energy alone and by this program: listener and turn detection in
// virtual time, without a server.
func hearing(string, string) error {
	for _, subject := range []struct {
		name     string
		listener func() trial.Listener
	}{{"by energy alone", trial.NewEnergyListener}, {"now", trial.NewListener}} {
		fmt.Printf("%s:\n\n", subject.name)
		if err := overlaps(subject.listener); err != nil {
			return err
		}
		if err := turns(subject.listener); err != nil {
			return err
		}
		if err := singleWords(subject.listener); err != nil {
			return err
		}
	}
	return nil
}

// overlaps prints what sound over the agent does.
func overlaps(listener func() trial.Listener) error {
	const seconds = 600
	fmt.Println(trial.Header)
	for _, c := range trial.Conditions(corpus.Held) {
		m, err := c.MakeScene(corpus.Held, seconds)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %s |\n", c.Name, m.Run(listener()))
	}
	fmt.Println()
	return nil
}

// turns prints when a caller's turns end, by the pause within their utterances.
func turns(listener func() trial.Listener) error {
	const seconds = 300
	pauses := [...]float64{0.4, 0.5, 0.7, 0.9}
	fmt.Println("| place | turns cut by a pause of 0.4 s | 0.5 s | 0.7 s | 0.9 s | not ended | ended after, p50/p95 |\n|---|---|---|---|---|---|---|")
	for _, p := range trial.Places(corpus.Held) {
		var all trial.Turns
		fmt.Printf("| %s |", p.Name)
		for _, pause := range pauses {
			t, err := p.Run(corpus.Held, listener(), seconds, pause)
			if err != nil {
				return err
			}
			fmt.Printf(" %d of %d |", t.Cut, t.Said)
			all.Open += t.Open
			all.End = append(all.End, t.End...)
		}
		fmt.Printf(" %d | %d/%d ms |\n", all.Open, trial.Quantile(all.End, 0.5).Milliseconds(), trial.Quantile(all.End, 0.95).Milliseconds())
	}
	fmt.Println()
	return nil
}

// singleWords prints what single words over the agent do, and those of listeners.
func singleWords(listener func() trial.Listener) error {
	for _, listens := range []bool{false, true} {
		words, err := trial.Words(corpus.Held, listens)
		if err != nil {
			return err
		}
		fmt.Println(trial.WordHeader)
		for _, l := range trial.Lines(corpus.Held) {
			scene, err := l.MakeScene()
			if err != nil {
				return err
			}
			fmt.Printf("| %s | %s |\n", l.Name, l.SayAll(scene, words, false, listener))
		}
		fmt.Println()
	}
	return nil
}
