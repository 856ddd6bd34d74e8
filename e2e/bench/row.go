package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/internal/media"
)

// burstWait is the pause between a burst of dispatches and their callers, so that the burst excludes the callers' cost.
const burstWait = 3 * time.Second

// burst dispatches concurrent calls and returns the milliseconds from each answer to the agent's track.
func burst(s *binary.Server, agent string, calls int) ([]float64, error) {
	joiner := media.NewJoiner(slog.New(slog.DiscardHandler))
	took, failures := make([]float64, calls), make([]error, calls)
	var all sync.WaitGroup
	for i := range calls {
		all.Go(func() { took[i], failures[i] = oneDispatch(s, joiner, agent, burstWait) })
	}
	all.Wait()
	return took, errors.Join(failures...)
}

// inARow makes calls, atOnce of them concurrently, and prints the server's memory and goroutines periodically: they
// must not grow.
func inARow(s *binary.Server, agent string, calls, atOnce, every int) error {
	joiner := media.NewJoiner(slog.New(slog.DiscardHandler))
	for done := 0; done <= calls; done += every {
		if done > 0 {
			if err := greetings(s, joiner, agent, every, atOnce); err != nil {
				return err
			}
		}
		mb, err := memory(s)
		if err != nil {
			return err
		}
		goroutines, err := gauge(s, "go_goroutines")
		if err != nil {
			return err
		}
		heap, err := gauge(s, "go_memstats_heap_inuse_bytes")
		if err != nil {
			return err
		}
		fmt.Printf("    after %3d calls                %6.1f MB resident, %.1f MB of heap, %.0f goroutines\n", done, mb, heap/(1<<20), goroutines)
	}
	return nil
}

// greetings makes calls that listen to a second of the agent's greeting and hang up.
func greetings(s *binary.Server, joiner *media.Joiner, agent string, calls, atOnce int) error {
	turns := make(chan struct{}, atOnce)
	failures := make([]error, calls)
	var all sync.WaitGroup
	for i := range calls {
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			failures[i] = greeting(s, joiner, agent)
		})
	}
	all.Wait()
	return errors.Join(failures...)
}

func greeting(s *binary.Server, joiner *media.Joiner, agent string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	d, err := s.API.Calls.TestAgent(ctx, client.TestAgent{AgentName: agent})
	if err != nil {
		return err
	}
	packets := make(chan struct{}, 1000)
	p, err := joiner.Join(ctx, media.JoinOptions{URL: d.URL, Token: d.Token, OnPacket: func([]byte, time.Time) {
		select {
		case packets <- struct{}{}:
		default:
		}
	}})
	if err != nil {
		return err
	}
	defer p.Leave()
	if err := p.PlayPacket(media.Packet{Opus: []byte{0xf8, 0xff, 0xfe}, Level: 127}); err != nil { // a frame of silence: RFC 6716, section 3.1
		return err
	}
	for range 50 {
		select {
		case <-packets:
		case <-ctx.Done():
			return fmt.Errorf("wait for the greeting of call %s: %w", d.CallID, ctx.Err())
		}
	}
	return nil
}

// gauge reads a metric of the server.
func gauge(s *binary.Server, name string) (float64, error) {
	answer, err := http.Get(s.URL + "/metrics")
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			return strconv.ParseFloat(value, 64)
		}
	}
	return 0, fmt.Errorf("/metrics has no %s", name)
}
