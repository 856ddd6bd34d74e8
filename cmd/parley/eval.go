package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"parley/internal/app"
	"parley/internal/config"
	"parley/internal/eval"
)

type evalCommand struct {
	File     string        `arg:"" help:"File of the conversations (YAML), see docs/evaluation.md."`
	Tenant   string        `default:"demo" placeholder:"NAME" help:"Tenant of the agents. Default: demo."`
	JUnit    string        `name:"junit" placeholder:"FILE" help:"Write the outcome as JUnit's XML too."`
	JSON     bool          `name:"json" help:"Print one JSON object."`
	Parallel int           `default:"4" placeholder:"N" help:"Number of concurrent conversations. Default: 4."`
	Patience time.Duration `default:"60s" placeholder:"DURATION" help:"Maximum wait for each reply. Default: 60s."`
	Verbose  bool          `short:"v" help:"Log to standard error."`

	config.Server `embed:"" group:"Settings of the server, where it has others than these:"`
}

// Exit codes of parley eval other than 0.
const (
	exitUnexpected = 1 // an expectation failed
	exitUnusable   = 2 // nothing could be run: invalid file or flag, or the database
)

// Run runs the evaluation.
func (c *evalCommand) Run(s signalled) error {
	suite, err := eval.ReadFile(c.File)
	if err != nil {
		return coded{exitUnusable, err}
	}
	if c.Parallel < 1 || c.Patience <= 0 {
		return coded{exitUnusable, errors.New("--parallel and --patience must be above 0")}
	}
	chats, err := app.OpenChats(s.ctx, c.Server, c.Tenant, verbose(c.Verbose))
	if err != nil {
		return coded{exitUnusable, err}
	}
	defer chats.Close()
	redacts, err := chats.Redacts(s.ctx)
	if err != nil {
		return coded{exitUnusable, err}
	}
	begun := time.Now()
	report := eval.Run(s.ctx, suite, chats, eval.Options{Parallel: c.Parallel, Patience: c.Patience, Analyst: chats, Redact: redacts})
	if c.JUnit != "" {
		if err := c.writeJUnit(report, begun); err != nil {
			return coded{exitUnusable, err}
		}
	}
	if err := c.print(report); err != nil {
		return coded{exitUnusable, err}
	}
	if report.Failed > 0 {
		return coded{exitUnexpected, fmt.Errorf("%d of %d conversations failed", report.Failed, len(report.Conversations))}
	}
	return nil
}

func (c *evalCommand) print(r *eval.Report) error {
	if !c.JSON {
		return r.Print(os.Stdout)
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(r)
}

func (c *evalCommand) writeJUnit(r *eval.Report, begun time.Time) error {
	f, err := os.Create(c.JUnit)
	if err != nil {
		return fmt.Errorf("--junit: %w", err)
	}
	if err := errors.Join(r.JUnit(f, begun), f.Close()); err != nil {
		return fmt.Errorf("--junit: %w", err)
	}
	return nil
}
