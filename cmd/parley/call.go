package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/client"
	"parley/internal/app"
	"parley/internal/caller"
)

// target is the server to call.
type target struct {
	Server  string `env:"PARLEY_SERVER" default:"http://127.0.0.1:8080" placeholder:"URL" help:"The server's address."`
	APIKey  string `name:"api-key" env:"PARLEY_API_KEY" secret:"" placeholder:"KEY" help:"An API key. Default: the demo tenant's, from the data folder."`
	DataDir string `name:"data-dir" env:"PARLEY_DATA_DIR" default:"./data" placeholder:"DIR" help:"Where the demo tenant's key is."`
}

type callCommand struct {
	target

	Workflow    string `xor:"target" required:"" placeholder:"SLUG" help:"The workflow to call."`
	Agent       string `xor:"target" required:"" placeholder:"NAME" help:"The agent to call."`
	UserContext string `name:"user-context" placeholder:"JSON" help:"A JSON object for templates, as {{user.*}}."`
	Metadata    string `placeholder:"JSON" help:"A JSON object that is stored with the call, for templates as {{call.metadata.*}}."`

	Say            []string      `sep:"none" placeholder:"TEXT" help:"A line to speak; several are spoken one after the other."`
	WAV            string        `name:"wav" placeholder:"FILE" help:"A recording to speak after the lines."`
	Voice          string        `default:"slt" enum:"slt,rms,awb,kal" help:"The offline voice that speaks: slt, rms, awb or kal."`
	InterruptAfter time.Duration `name:"interrupt-after" placeholder:"DURATION" help:"Speak the next line that long after a reply began."`
	HangUp         bool          `name:"hang-up" help:"Leave after the last reply, rather than wait for the agent to end the call."`
	Record         string        `placeholder:"FILE" help:"Write the agent's voice to a WAV file."`
	JSON           bool          `name:"json" help:"Print one JSON object."`
	Verbose        bool          `short:"v" help:"Log to standard error."`
}

// Run makes the call. It succeeds when the call ended as completed.
func (c *callCommand) Run(s signalled) error {
	key, err := c.key()
	if err != nil {
		return err
	}
	options := caller.Options{Server: c.Server, APIKey: key, Workflow: c.Workflow, Agent: c.Agent, Say: c.Say, WAV: c.WAV, Voice: c.Voice,
		InterruptAfter: c.InterruptAfter, HangUp: c.HangUp, Record: c.Record}
	if options.UserContext, err = userContext(c.UserContext); err != nil {
		return err
	}
	if options.Metadata, err = jsonObject("--metadata", c.Metadata); err != nil {
		return err
	}
	if c.Verbose {
		options.Log = verbose(true)
	}
	options.Dispatched = func(d *client.Dispatch) {
		for _, warning := range d.Warnings {
			fmt.Fprintln(os.Stderr, "warning:", warning)
		}
	}
	result, err := caller.Run(s.ctx, options)
	if result != nil {
		if err := c.print(result); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	if result.Status != "completed" {
		return fmt.Errorf("the call ended as %s (%s)", result.Status, result.StatusReason)
	}
	return nil
}

func (c *callCommand) print(r *caller.Result) error {
	if c.JSON {
		encoder := json.NewEncoder(os.Stdout)
		encoder.SetIndent("", "  ")
		return encoder.Encode(r)
	}
	return r.Print(os.Stdout)
}

// key returns the API key to use.
func (c *target) key() (string, error) {
	if c.APIKey != "" {
		return c.APIKey, nil
	}
	path := filepath.Join(c.DataDir, app.DemoKeyFile)
	content, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("PARLEY_API_KEY: is not set, and there is no demo key in %s; the server's first start leaves one there", path)
	}
	if err != nil {
		return "", fmt.Errorf("PARLEY_API_KEY: is not set, and the demo key cannot be read: %w", err)
	}
	return strings.TrimSpace(string(content)), nil
}
