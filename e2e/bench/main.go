// Command bench prints the figures of docs/performance.md for a parley binary on this machine: the memory of an idle
// server, how soon after a dispatch the agent is in the room, and how soon a caller is answered. Everything runs here:
// the server, its media server and worker, and the callers.
//
//	go run ./e2e/bench -parley bin/parley
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/internal/caller"
	"parley/internal/media"
)

func main() {
	path := flag.String("parley", "bin/parley", "the binary to measure")
	dispatches := flag.Int("dispatches", 30, "calls that are dispatched, one at a time")
	calls := flag.Int("calls", 3, "calls that are spoken, one at a time")
	flag.Parse()
	if err := run(*path, *dispatches, *calls); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(path string, dispatches, calls int) (err error) {
	if path, err = filepath.Abs(path); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "parley-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s, err := binary.Start(path, filepath.Join(dir, "data"), nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	fmt.Printf("%s, %d processors, %s\n", time.Now().UTC().Format("2006-01-02"), runtime.NumCPU(), runtime.GOARCH)

	idle, err := memory(s)
	if err != nil {
		return err
	}
	fmt.Printf("idle memory of serve               %6.1f MB\n", idle)
	tracks, err := dispatchToTrack(s, dispatches)
	if err != nil {
		return err
	}
	fmt.Printf("dispatch answer to agent's track   %6.1f ms p50, %.1f ms p95, over %d calls\n", quantile(tracks, 0.5), quantile(tracks, 0.95), len(tracks))
	if idle, err = memory(s); err != nil {
		return err
	}
	fmt.Printf("idle memory after these calls      %6.1f MB\n", idle)
	replies, cuts, err := spoken(path, s, calls)
	if err != nil {
		return err
	}
	fmt.Printf("voice-to-voice of parley call      %6.0f ms p50, %.0f ms p95, over %d turns\n", quantile(replies, 0.5), quantile(replies, 0.95), len(replies))
	fmt.Printf("caller speaks to agent silent      %6.0f ms p50, over %d interruptions\n", quantile(cuts, 0.5), len(cuts))
	rates, err := dispatchRate(path, 200, 20*time.Second)
	if err != nil {
		return err
	}
	fmt.Printf("POST /api/v1/calls at 200 a second %6.1f ms p50, %.1f ms p99, over %d calls\n", quantile(rates, 0.5), quantile(rates, 0.99), len(rates))
	return nil
}

// settle is how long a server is left alone before it counts as idle.
const settle = 5 * time.Second

// memory is the resident set of the idle server's process, in MB.
func memory(s *binary.Server) (float64, error) {
	time.Sleep(settle)
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.PID()))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			var kilobytes float64
			_, err := fmt.Sscan(rest, &kilobytes)
			return kilobytes / 1024, err
		}
	}
	return 0, errors.New("/proc has no VmRSS of the server")
}

// dispatchToTrack starts calls one at a time and measures, in milliseconds, from the API's answer until the media
// server had the agent's track, as it stamps the track itself (its version is the microsecond at which it was
// published). Server and caller have one clock here. A track that was there before the answer counts as 0.
func dispatchToTrack(s *binary.Server, calls int) ([]float64, error) {
	joiner := media.NewJoiner(slog.New(slog.DiscardHandler))
	var took []float64
	for range calls {
		ms, err := oneDispatch(s, joiner)
		if err != nil {
			return nil, err
		}
		took = append(took, ms)
	}
	return took, nil
}

func oneDispatch(s *binary.Server, joiner *media.Joiner) (ms float64, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	d, err := s.API.Calls.TestAgent(ctx, client.TestAgent{AgentName: "demo"})
	if err != nil {
		return 0, err
	}
	answered := time.Now()
	defer func() {
		_, endErr := s.API.Calls.End(ctx, d.CallID)
		err = errors.Join(err, endErr)
	}()
	p, err := joiner.Join(ctx, media.JoinOptions{URL: d.URL, Token: d.Token})
	if err != nil {
		return 0, err
	}
	defer p.Leave()
	for {
		select {
		case e, ok := <-p.Events():
			if !ok {
				return 0, errors.New("the room closed before the agent's track came")
			}
			if e.Kind == media.PeerAudio {
				return float64(max(0, e.Published.Sub(answered)).Microseconds()) / 1000, nil
			}
		case <-ctx.Done():
			return 0, fmt.Errorf("wait for the agent's track: %w", ctx.Err())
		}
	}
}

// spoken places calls with the command and collects the milliseconds that it prints: of replies and of interruptions.
func spoken(path string, s *binary.Server, calls int) (replies, cuts []float64, err error) {
	quiet := []string{"--say", "what are your opening hours", "--say", "how much is a pizza", "--say", "what is your address", "--say", "thank you very much goodbye"}
	rude := []string{"--hang-up", "--interrupt-after", "800ms", "--say", "what are your opening hours", "--say", "what is your name"}
	for range calls {
		r, err := place(path, s, quiet)
		if err != nil {
			return nil, nil, err
		}
		for _, t := range r.Turns {
			if t.VoiceToVoiceMS == nil {
				return nil, nil, fmt.Errorf("%q was not answered", t.Said)
			}
			replies = append(replies, *t.VoiceToVoiceMS)
		}
		if r, err = place(path, s, rude); err != nil {
			return nil, nil, err
		}
		if r.InterruptionMS != nil {
			cuts = append(cuts, *r.InterruptionMS)
		}
	}
	return replies, cuts, nil
}

func place(path string, s *binary.Server, lines []string) (*caller.Result, error) {
	settings := map[string]string{"PARLEY_SERVER": s.URL, "PARLEY_API_KEY": s.Key}
	p, err := binary.Launch(path, settings, append([]string{"call", "--json", "--agent", "demo"}, lines...)...)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	code, err := p.Wait(ctx)
	if err != nil {
		return nil, err
	}
	if code != 0 {
		return nil, fmt.Errorf("parley call: exit code %d: %s", code, p.Log.String())
	}
	r := new(caller.Result)
	if err := json.Unmarshal([]byte(p.Out.String()), r); err != nil {
		return nil, fmt.Errorf("parley call: %w", err)
	}
	return r, nil
}

// quantile is the value that a part q of the values does not exceed, by nearest rank; 0 of none.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := int(q*float64(len(sorted)) + 0.999999)
	return sorted[min(max(rank, 1), len(sorted))-1]
}
