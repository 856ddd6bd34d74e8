package main

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/e2e/callers"
	"parley/internal/media"
)

// greetingCalls are measured one after the other, with and without the speech cache.
const greetingCalls = 20

// greetingPart measures the time from when media are connected in both directions, so that a caller can hear and be heard, to the first
// packet of the agent's greeting.
func greetingPart(path, dir string) error {
	for _, cache := range []struct{ name, bytes string }{{"cached", "268435456"}, {"synthesised in each call", "0"}} {
		if err := measureGreetings(path, dir+cache.bytes, cache.name, map[string]string{"PARLEY_SPEECH_CACHE_BYTES": cache.bytes}); err != nil {
			return err
		}
	}
	return nil
}

func measureGreetings(path, dir, name string, settings map[string]string) (err error) {
	e, err := startEmulated(path, dir, settings)
	if err != nil {
		return err
	}
	defer func() { err = e.stop(err) }()
	joiner := media.NewJoiner(slog.New(slog.DiscardHandler))
	var took []float64
	if err := awaitCached(e.Server, settings); err != nil {
		return err
	}
	for n := range greetingCalls + 1 {
		t, err := timeToGreeting(e.Server, joiner)
		if err != nil {
			return err
		}
		if n > 0 { // the first call has costs of its own
			took = append(took, t)
		}
	}
	slices.Sort(took)
	fmt.Printf("greeting, %-26s %4.0f ms p50, %.0f ms p95 after the caller can hear; %d calls\n", name, quantile(took, .5), quantile(took, .95), len(took))
	return nil
}

// awaitCached waits until the speech cache has grown no more for three seconds: the fixed texts of the agent are synthesised.
func awaitCached(s *binary.Server, settings map[string]string) error {
	if settings["PARLEY_SPEECH_CACHE_BYTES"] == "0" {
		return nil
	}
	for before := -1.0; ; time.Sleep(3 * time.Second) {
		size, err := gauge(s, "speech_cache_bytes")
		if err != nil || size > 0 && size == before {
			return err
		}
		before = size
	}
}

// timeToGreeting makes a call and returns the milliseconds until the greeting is heard.
func timeToGreeting(s *binary.Server, joiner *media.Joiner) (float64, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	d, err := s.API.Calls.TestAgent(ctx, client.TestAgent{AgentName: emulatedAgent})
	if err != nil {
		return 0, err
	}
	heard := make(chan time.Time, 1)
	p, err := joiner.Join(ctx, media.JoinOptions{URL: d.URL, Token: d.Token, OnPacket: func(_ []byte, at time.Time) {
		select {
		case heard <- at:
		default:
		}
	}})
	if err != nil {
		return 0, err
	}
	defer p.Leave()
	joined := time.Now()
	go callers.StayQuiet(p)
	select {
	case at := <-heard:
		return float64(at.Sub(joined)) / float64(time.Millisecond), nil
	case <-ctx.Done():
		return 0, fmt.Errorf("wait for the greeting of call %s: %w", d.CallID, ctx.Err())
	}
}
