package main

import (
	"errors"
	"fmt"
	"os"

	"parley/internal/answering/trial"
)

type answersEval struct {
	Folder string `arg:"" name:"dir" help:"Folder of the recordings: <class>/<language>/<name>.wav, and <name>.txt with what is said."`
}

// Run measures the detection of who answered on an operator's recordings.
func (c *answersEval) Run(signalled) error {
	recordings, err := trial.ReadFolder(c.Folder)
	if err != nil {
		return coded{exitUnusable, err}
	}
	report := trial.Report{}
	for _, r := range recordings {
		report.Results = append(report.Results, trial.Run(r, true))
	}
	if err := errors.Join(report.WriteTable(os.Stdout), writeLine(), report.WriteWrong(os.Stdout)); err != nil {
		return fmt.Errorf("print the table: %w", err)
	}
	return nil
}

func writeLine() error {
	_, err := fmt.Println()
	return err
}
