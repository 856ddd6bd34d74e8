// Package emulated runs emulated vendors in a process of their own, beside a server that is measured or attacked: their
// processor time is not the server's, and they answer in time whatever else the test's process does.
package emulated

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"time"

	"parley/client"
	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
)

// The delays of the emulated vendors, which bound the latency of a turn.
const (
	Endpointing   = 300 * time.Millisecond
	Recognition   = 50 * time.Millisecond
	FirstToken    = 100 * time.Millisecond
	FirstSentence = 50 * time.Millisecond
	FirstAudio    = 50 * time.Millisecond

	// Analysis is the time until the emulated language model answers what requests JSON, as analyses do.
	Analysis = time.Second

	// Floor is the time between the end of the caller's speech and the agent's first audio if Parley added none and
	// started at the end of the turn. Preemptive generation can be faster: docs/performance.md.
	Floor = Endpointing + Recognition + FirstToken + FirstSentence + FirstAudio
)

// Key is the key of all emulated vendors.
const Key = "emulated-key"

// child is the environment variable of the emulators' process.
const child = "PARLEY_EMULATED_VENDORS"

// AnalysisSchema is the schema of the data with which analyses are answered.
var AnalysisSchema = map[string]any{"type": "object", "properties": map[string]any{"opening_hours": map[string]any{"type": "boolean"}}, "required": []string{"opening_hours"}}

// Agent is an agent that uses the emulated vendors.
func Agent(name string) client.NewAgent {
	return client.NewAgent{Name: name, Config: client.AgentConfig{
		Prompt: client.Prompt{System: "You answer the telephone of a shop.", Greeting: "Hello, how can I help you?"},
		STT:    client.STT{Provider: "deepgram", Model: "nova-3", Language: "en"},
		LLM:    client.LLM{Provider: "openai", Model: "gpt-4.1-mini"},
		TTS:    client.TTS{Provider: "cartesia", VoiceID: "f786b574-daa5-4673-aa0c-cbe3e8534c02"},
	}}
}

// Breaches counts protocol violations by clients of the emulators. The first ten are written to standard error.
type Breaches struct{ n atomic.Int64 }

// Errorf counts a violation.
func (b *Breaches) Errorf(format string, args ...any) {
	if b.n.Add(1) <= 10 {
		fmt.Fprintf(os.Stderr, format+"\n", args...)
	}
}

// Err returns an error if there was a violation.
func (b *Breaches) Err() error {
	if n := b.n.Load(); n > 0 {
		return fmt.Errorf("%d breaches of the vendors' protocols", n)
	}
	return nil
}

// Main runs the emulators if this process was started for them by Start, and ends it. Programs that use Start call it first.
func Main() {
	if os.Getenv(child) == "" {
		return
	}
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serve runs the emulators until standard input ends. It prints the settings of a server that uses them as one line of JSON.
func serve() error {
	wrong := new(Breaches)
	hear := emulator.NewDeepgram(wrong, emulator.Options{Key: Key}, emulator.RecognizerScript{
		Lines: []string{"What are your opening hours?"}, Endpointing: Endpointing, Lag: Recognition})
	think := emulator.NewOpenAI(wrong, emulator.Options{Key: Key, Delay: FirstToken}, emulator.Script{
		Answer: func(p dialogue.Prompt) emulator.Reply {
			if p.JSON {
				time.Sleep(Analysis - FirstToken)
				return emulator.Reply{Text: `{"data":{"opening_hours":true}}`}
			}
			return emulator.Reply{Text: "We open at nine. We close at five in the evening."}
		},
		FirstSentence: FirstSentence})
	speak := emulator.NewCartesia(wrong, emulator.Options{Key: Key, Delay: FirstAudio})
	defer hear.Close()
	defer think.Close()
	defer speak.Close()
	err := json.NewEncoder(os.Stdout).Encode(map[string]string{
		"DEEPGRAM_BASE_URL": hear.URL, "DEEPGRAM_API_KEY": Key,
		"OPENAI_BASE_URL": think.URL, "OPENAI_API_KEY": Key,
		"CARTESIA_BASE_URL": speak.URL, "CARTESIA_API_KEY": Key,
	})
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	return wrong.Err()
}

// Vendors is the process of the emulators.
type Vendors struct {
	// Settings are those of a server that uses the emulators.
	Settings map[string]string

	command *exec.Cmd
	stdin   io.Closer
}

// Start starts the emulators.
func Start() (*Vendors, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	v := &Vendors{command: exec.Command(self)}
	v.command.Env = append(os.Environ(), child+"=1")
	v.command.Stderr = os.Stderr
	if v.stdin, err = v.command.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := v.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := v.command.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &v.Settings)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("emulators: %w", err), v.Stop())
	}
	return v, nil
}

// Stop ends the emulators. It returns an error if a client violated a vendor's protocol.
func (v *Vendors) Stop() error {
	return errors.Join(v.stdin.Close(), v.command.Wait())
}

// PID is the emulators' process id.
func (v *Vendors) PID() int { return v.command.Process.Pid }
