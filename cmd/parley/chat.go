package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"

	"parley/internal/app"
	"parley/internal/chat"
	"parley/internal/config"
	"parley/internal/template"
)

type chatCommand struct {
	Agent       string   `xor:"target" required:"" placeholder:"NAME" help:"The agent to talk to."`
	Workflow    string   `xor:"target" required:"" placeholder:"SLUG" help:"The workflow to talk to."`
	Tenant      string   `default:"demo" placeholder:"NAME" help:"Tenant of the agents. Default: demo."`
	UserContext string   `name:"user-context" placeholder:"JSON" help:"A JSON object for templates, as {{user.*}}."`
	Say         []string `sep:"none" placeholder:"TEXT" help:"Line to send; repeat it for several lines in order. Default: lines from standard input."`
	JSON        bool     `name:"json" help:"Print one JSON object at the end."`
	Verbose     bool     `short:"v" help:"Log to standard error."`

	config.Server `embed:"" group:"Settings of the server, where it has others than these:"`
}

// Run runs the conversation. It succeeds when every line was answered, or the agent ended it after the last line.
func (c *chatCommand) Run(s signalled) (err error) {
	user, err := userContext(c.UserContext)
	if err != nil {
		return err
	}
	chats, err := app.OpenChats(s.ctx, c.Server, c.Tenant, verbose(c.Verbose))
	if err != nil {
		return err
	}
	defer chats.Close()
	talk, warnings, err := chats.Open(s.stop, c.Workflow, c.Agent, user)
	for _, warning := range warnings {
		fmt.Fprintln(os.Stderr, "warning:", warning)
	}
	if err != nil {
		return err
	}
	defer talk.Close()

	result, err := chat.Converse(s.ctx, talk, c.lines(), c.show)
	switch {
	case s.ctx.Err() != nil:
		err = nil // Ctrl-C is the way to leave
	case err == nil:
		err = result.Failed()
	}
	if c.JSON {
		encoder := json.NewEncoder(os.Stdout)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(result); err != nil {
			return err
		}
	}
	return err
}

// lines returns the lines of --say, or else those of standard input.
func (c *chatCommand) lines() chat.Lines {
	if len(c.Say) > 0 {
		return chat.NewScript(c.Say)
	}
	info, err := os.Stdin.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 || c.JSON {
		return chat.NewTyped(os.Stdin, nil)
	}
	return chat.NewTyped(os.Stdin, func() { fmt.Print("  caller  ") })
}

// show prints a turn when it is answered. Typed lines are on the terminal already.
func (c *chatCommand) show(t chat.Turn) {
	if c.JSON {
		return
	}
	if t.Said != "" && len(c.Say) > 0 {
		fmt.Printf("  caller  %s\n", t.Said)
	}
	_ = t.Print(os.Stdout) // a closed pipe is reported at the end
}

// userContext parses the JSON object of a flag; nil for none.
func userContext(text string) (map[string]any, error) { return jsonObject("--user-context", text) }

// jsonObject returns the object of a flag; nil without one.
func jsonObject(flag, text string) (object map[string]any, err error) {
	if text == "" {
		return nil, nil
	}
	if object, err = template.DecodeObject([]byte(text)); err != nil {
		return nil, fmt.Errorf("%s: not a JSON object: %w", flag, err)
	}
	return object, nil
}

// verbose returns a logger on standard error, or a silent one.
func verbose(on bool) *slog.Logger {
	if !on {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
}
