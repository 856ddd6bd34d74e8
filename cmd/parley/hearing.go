package main

import (
	"fmt"
	"os"

	"parley/internal/voice/recordings"
)

type hearingEval struct {
	Folder   string `arg:"" name:"dir" help:"Folder of the recordings: speech/<name>.wav, noise/<name>.wav, and <name>.txt with what a recogniser makes of one."`
	Language string `help:"Language of the callers, such as pt-BR; by default the words of listeners and unfinished sentences are those of English."`
}

// Run plays an operator's recordings over an agent.
func (c *hearingEval) Run(signalled) error {
	all, err := recordings.Read(c.Folder)
	if err != nil {
		return coded{exitUnusable, err}
	}
	results := make([]recordings.Result, len(all))
	for i, r := range all {
		results[i] = recordings.Play(r, c.Language)
	}
	if err := recordings.Write(os.Stdout, results); err != nil {
		return fmt.Errorf("print the table: %w", err)
	}
	return nil
}
