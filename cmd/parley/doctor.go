package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/internal/app"
	"parley/internal/config"
)

type doctorCommand struct {
	config.Server
	output
	STUN    string   `name:"stun" placeholder:"HOST:PORT" help:"STUN server to ask for the public address of this machine."`
	Without []string `name:"without" enum:"worker,media,sip,delivery" placeholder:"ROLE" help:"Roles that the server leaves out, as for parley serve."`
}

func (c *doctorCommand) Run(s signalled) error {
	findings := app.Diagnose(s.ctx, app.Options{Config: c.Server, Without: c.Without, Version: version}, c.STUN)
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
