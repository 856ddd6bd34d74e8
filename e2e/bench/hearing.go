package main

import (
	"fmt"

	"parley/internal/hearing/corpus"
	"parley/internal/hearing/trial"
)

// hearing prints the tables of docs/turn-taking.md, by energy alone and by this program: listener and turn detection in
// virtual time, without a server.
func hearing(string, string) error {
	const seconds = 600
	for _, subject := range []struct {
		name     string
		listener func() trial.Listener
	}{{"by energy alone", trial.NewEnergy}, {"now", trial.New}} {
		fmt.Printf("%s:\n\n%s\n", subject.name, trial.Header)
		for _, c := range trial.Conditions(corpus.Held) {
			m, err := c.Make(corpus.Held, seconds)
			if err != nil {
				return err
			}
			fmt.Printf("| %s | %s |\n", c.Name, m.Run(subject.listener()))
		}
		fmt.Println()
	}
	return nil
}
