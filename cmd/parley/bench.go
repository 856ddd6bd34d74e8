package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"parley/internal/caller"
)

type benchCommand struct {
	target

	Agent    string        `required:"" placeholder:"NAME" help:"The agent to call."`
	Calls    int           `default:"10" placeholder:"N" help:"Number of concurrent callers. Default: 10."`
	Ramp     time.Duration `default:"2s" placeholder:"DURATION" help:"Time over which they come, evenly. Default: 2s."`
	Duration time.Duration `default:"60s" placeholder:"DURATION" help:"How long they talk when all have come; each hangs up after the reply at hand. Default: 60s."`
	Turns    int           `placeholder:"N" help:"Number of lines that each caller speaks before it hangs up, in place of --duration."`

	Say            []string      `sep:"none" placeholder:"TEXT" help:"A line to speak; several are spoken over and over. Default: questions to the demo agent."`
	Voice          string        `default:"slt" enum:"slt,rms,awb,kal" help:"The offline voice that speaks: slt, rms, awb or kal."`
	InterruptEvery int           `name:"interrupt-every" default:"4" placeholder:"N" help:"Every Nth line interrupts the reply before it; 0 for none. Default: 4."`
	InterruptAfter time.Duration `name:"interrupt-after" default:"800ms" placeholder:"DURATION" help:"How long after that reply began. Default: 800ms."`

	JSON    bool `name:"json" help:"Print one JSON object."`
	Verbose bool `short:"v" help:"Log to standard error."`
}

// benchLines have answers of the demo agent that are long enough for interruptions.
var benchLines = []string{"what are your opening hours", "where are you located", "what is your name", "how much is a pizza"}

// complaintsShown limits the errors of failed calls that are printed.
const complaintsShown = 10

// Run runs the load test. It succeeds when no call failed.
func (c *benchCommand) Run(s signalled) error {
	key, err := c.key()
	if err != nil {
		return err
	}
	options := caller.BenchOptions{Server: c.Server, APIKey: key, Agent: c.Agent, Calls: c.Calls, Ramp: c.Ramp, Duration: c.Duration,
		Turns: c.Turns, Say: c.Say, Voice: c.Voice, InterruptEvery: c.InterruptEvery, InterruptAfter: c.InterruptAfter, Log: verbose(c.Verbose)}
	if len(options.Say) == 0 {
		options.Say = benchLines
	}
	var mu sync.Mutex
	failed := 0
	options.Failed = func(callID string, err error) {
		mu.Lock()
		defer mu.Unlock()
		if failed++; failed <= complaintsShown {
			fmt.Fprintf(os.Stderr, "call %s failed: %v\n", callID, err)
		}
	}
	figures, err := caller.Bench(s.ctx, options)
	if err != nil {
		return err
	}
	if err := c.print(figures); err != nil {
		return err
	}
	if figures.Failed > 0 {
		return fmt.Errorf("%d of %d calls failed", figures.Failed, figures.Calls)
	}
	return s.ctx.Err()
}

func (c *benchCommand) print(f *caller.Figures) error {
	if !c.JSON {
		return f.Print(os.Stdout)
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(f)
}
