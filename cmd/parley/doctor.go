package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"parley/internal/app"
	"parley/internal/config"
)

type doctorCommand struct {
	config.Server
	output
	STUN    string   `name:"stun" placeholder:"HOST:PORT" help:"STUN server to ask for the public address of this machine."`
	Answer  bool     `name:"answer" xor:"reach" help:"Answer --reach on the server's ports, which must be free, until interrupted."`
	Reach   string   `name:"reach" xor:"reach" placeholder:"HOST" help:"Check from another machine which of the server's ports are reachable at HOST, where --answer runs."`
	Without []string `name:"without" enum:"worker,media,sip,delivery" placeholder:"ROLE" help:"Roles that the server leaves out, as for parley serve."`
}

func (c *doctorCommand) Run(s signalled) error {
	options := app.Options{Config: c.Server, Without: c.Without, Version: version}
	switch {
	case c.Answer:
		return app.AnswerReach(s.ctx, options, os.Stdout)
	case c.Reach != "":
		findings, err := app.Reach(s.ctx, options, c.Reach)
		if err != nil {
			return err
		}
		return c.report(findings)
	}
	return c.report(app.Diagnose(s.ctx, options, c.STUN))
}

// report prints the findings. A failed check is an error.
func (c *doctorCommand) report(findings []app.Finding) error {
	var lines []string
	for _, f := range findings {
		line := fmt.Sprintf("%-8s %-14s %s", f.Status, f.Check, f.Found)
		if f.Advice != "" {
			line += "\n" + strings.Repeat(" ", 24) + "→ " + f.Advice
		}
		lines = append(lines, line)
	}
	failed := slices.ContainsFunc(findings, func(f app.Finding) bool { return f.Status == app.Failed })
	if err := c.print(struct {
		OK     bool          `json:"ok"`
		Checks []app.Finding `json:"checks"`
	}{!failed, findings}, strings.Join(lines, "\n")); err != nil {
		return err
	}
	if failed {
		return errors.New("a check has failed, see above")
	}
	return nil
}
