package main

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

	"parley/e2e/binary"
	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
)

// The delays of the emulated vendors, which bound the latency of a turn: the time between the end of the caller's
// speech and the agent's first audio if Parley added none and started at the end of the turn. Preemptive
// generation can be faster: docs/performance.md.
const (
	endpointing   = 300 * time.Millisecond
	recognition   = 50 * time.Millisecond
	firstToken    = 100 * time.Millisecond
	firstSentence = 50 * time.Millisecond
	firstAudio    = 50 * time.Millisecond

	floor = endpointing + recognition + firstToken + firstSentence + firstAudio
)

// emulatedKey is the key of all emulated vendors.
const emulatedKey = "bench-key"

// breaches are protocol violations by clients of the emulators.
type breaches struct{ n atomic.Int64 }

func (b *breaches) Errorf(format string, args ...any) {
	if b.n.Add(1) <= 10 {
		fmt.Fprintf(os.Stderr, format+"\n", args...)
	}
}

// emulate runs the emulators until standard input ends, in their own process, so that their processor time is
// not counted for the server. It prints their addresses as one line of JSON.
func emulate() error {
	wrong := new(breaches)
	hear := emulator.NewDeepgram(wrong, emulator.Options{Key: emulatedKey}, emulator.RecognizerScript{
		Lines: []string{"What are your opening hours?"}, Endpointing: endpointing, Lag: recognition})
	think := emulator.NewOpenAI(wrong, emulator.Options{Key: emulatedKey, Delay: firstToken}, emulator.Script{
		Answer: func(dialogue.Prompt) emulator.Reply {
			return emulator.Reply{Text: "We open at nine. We close at five in the evening."}
		},
		FirstSentence: firstSentence})
	speak := emulator.NewCartesia(wrong, emulator.Options{Key: emulatedKey, Delay: firstAudio})
	defer hear.Close()
	defer think.Close()
	defer speak.Close()
	err := json.NewEncoder(os.Stdout).Encode(map[string]string{
		"DEEPGRAM_BASE_URL": hear.URL, "DEEPGRAM_API_KEY": emulatedKey,
		"OPENAI_BASE_URL": think.URL, "OPENAI_API_KEY": emulatedKey,
		"CARTESIA_BASE_URL": speak.URL, "CARTESIA_API_KEY": emulatedKey,
	})
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	if n := wrong.n.Load(); n > 0 {
		return fmt.Errorf("%d breaches of the vendors' protocols", n)
	}
	return nil
}

// vendors is the process of the emulators.
type vendors struct {
	command  *exec.Cmd
	stdin    io.Closer
	settings map[string]string // of a server that uses them
}

func startVendors() (*vendors, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	v := &vendors{command: exec.Command(self, "-emulate")}
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
		err = json.Unmarshal(line, &v.settings)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("emulators: %w", err), v.stop())
	}
	return v, nil
}

func (v *vendors) stop() error {
	return errors.Join(v.stdin.Close(), v.command.Wait())
}

// emulated is a server whose providers are the emulators, with an agent that uses them.
type emulated struct {
	*binary.Server
	vendors *vendors
}

const emulatedAgent = "bench"
