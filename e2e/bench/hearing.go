package main

import (
	"fmt"

	"parley/internal/hearing/trial"
)

// hearing prints the table of docs/turn-taking.md: the detector's results frame by frame, without a server.
func hearing(string, string) error {
	const seconds = 120
	agent, err := trial.Agent(seconds)
	if err != nil {
		return err
	}
	conditions, err := trial.Conditions(seconds)
	if err != nil {
		return err
	}
	fmt.Println(trial.Header)
	for _, c := range conditions {
		fmt.Printf("| %s | %s |\n", c.Name, trial.Run(c, agent, seconds))
	}
	return nil
}
