// Command bench prints the figures of docs/performance.md for a parley binary on this machine. Everything runs here: the
// server, its media server and worker, the callers, and the emulators of the vendors.
//
//	go run ./e2e/bench -parley bin/parley [-only offline,talk,greeting,row,rate,wires,hearing,phone,analyses]
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
	"strconv"
	"strings"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/e2e/emulated"
	"parley/internal/caller"
	"parley/internal/media"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "serve" { // as the server under measurement is started
		fail(serveProfiled(os.Args[1:]))
		return
	}
	emulated.Main()
	path := flag.String("parley", "bin/parley", "the binary to measure")
	only := flag.String("only", "", "parts to measure, of "+strings.Join(names(), ","))
	flag.Func("calls", "callers at once in parts talk (default 1,5,60) and phone (default 1,30)", func(list string) error {
		loads, phoneCalls = nil, nil
		for text := range strings.SplitSeq(list, ",") {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 {
				return fmt.Errorf("%q is no number of callers", text)
			}
			loads, phoneCalls = append(loads, n), append(phoneCalls, n)
		}
		return nil
	})
	flag.IntVar(&rowCalls, "row", 500, "calls one after the other in part row")
	flag.StringVar(&profile, "profile", "", "in parts talk and row, write profiles of the server to this file, and to it with .heap")
	flag.Parse()
	wanted := names()
	if *only != "" {
		wanted = strings.Split(*only, ",")
	}
	fail(run(*path, wanted))
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// parts are what is measured, each with its own servers in an empty folder.
var parts = []struct {
	name    string
	measure func(path, dir string) error
}{
	{"offline", offline},
	{"talk", talk},
	{"greeting", greetingPart},
	{"row", row},
	{"rate", rate},
	{"wires", wiresPart},
	{"hearing", hearing},
	{"phone", phone},
	{"analyses", analyses},
}

// rowCalls are how many calls part row makes one after the other.
var rowCalls int

// profile is where profiles go; "" for none.
var profile string

// loads are the numbers of concurrent callers in part talk.
var loads = []int{1, 5, 60}

func names() (names []string) {
	for _, p := range parts {
		names = append(names, p.name)
	}
	return names
}

func run(path string, wanted []string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	fmt.Printf("%s, %d processors, %s\n", time.Now().UTC().Format("2006-01-02"), runtime.NumCPU(), runtime.GOARCH)
	for _, p := range parts {
		if !slices.Contains(wanted, p.name) {
			continue
		}
		if err := inFolder(path, p.measure); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

func inFolder(path string, measure func(path, dir string) error) error {
	dir, err := os.MkdirTemp("", "parley-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return measure(path, dir)
}

// offline measures an idle server, and calls to the demo agent, one at a time.
func offline(path, dir string) (err error) {
	s, err := binary.Start(path, filepath.Join(dir, "data"), nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	idle, err := memory(s)
	if err != nil {
		return err
	}
	fmt.Printf("idle memory of serve               %6.1f MB\n", idle)
	tracks, err := dispatchToTrack(s, "demo", 30)
	if err != nil {
		return err
	}
	fmt.Printf("dispatch answer to agent's track   %6.1f ms p50, %.1f ms p95, over %d calls\n", quantile(tracks, 0.5), quantile(tracks, 0.95), len(tracks))
	if idle, err = memory(s); err != nil {
		return err
	}
	fmt.Printf("idle memory after these calls      %6.1f MB\n", idle)
	replies, cuts, err := spoken(path, s, 3)
	if err != nil {
		return err
	}
	fmt.Printf("voice-to-voice of parley call      %6.0f ms p50, %.0f ms p95, over %d turns\n", quantile(replies, 0.5), quantile(replies, 0.95), len(replies))
	fmt.Printf("caller speaks to agent silent      %6.0f ms p50, over %d interruptions\n", quantile(cuts, 0.5), len(cuts))
	return nil
}

// row measures calls that come in a burst, and hundreds one after the other.
func row(path, dir string) (err error) {
	e, err := startEmulated(path, dir, nil)
	if err != nil {
		return err
	}
	defer func() { err = e.stop(err) }()
	if _, err := dispatchToTrack(e.Server, emulatedAgent, 3); err != nil { // what only the first calls cost
		return err
	}
	tracks, err := dispatchToTrack(e.Server, emulatedAgent, 30)
	if err != nil {
		return err
	}
	fmt.Printf("dispatch to track, one at a time   %6.1f ms p50, %.1f ms p95, over %d calls\n", quantile(tracks, 0.5), quantile(tracks, 0.95), len(tracks))
	tracks = nil
	for range 5 {
		more, err := burst(e.Server, emulatedAgent, 20)
		if err != nil {
			return err
		}
		tracks = append(tracks, more...)
		time.Sleep(settle)
	}
	fmt.Printf("dispatch to track, bursts of 20    %6.1f ms p50, %.1f ms p95, over %d calls\n", quantile(tracks, 0.5), quantile(tracks, 0.95), len(tracks))
	return inARow(e.Server, emulatedAgent, rowCalls, 4, 100)
}

// rate measures the latency of dispatches.
func rate(path, _ string) error {
	rates, err := dispatchRate(path, 200, 20*time.Second)
	if err != nil {
		return err
	}
	fmt.Printf("POST /api/v1/calls at 200 a second %6.1f ms p50, %.1f ms p99, over %d calls\n", quantile(rates, 0.5), quantile(rates, 0.99), len(rates))
	return nil
}

// settle is the pause after which a server counts as idle.
const settle = 5 * time.Second

// memory is the resident set of the idle server's process, in MB.
func memory(s *binary.Server) (float64, error) {
	time.Sleep(settle)
	return resident(s)
}

// resident is the resident set of the server's process now, in MB.
func resident(s *binary.Server) (float64, error) {
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
func dispatchToTrack(s *binary.Server, agent string, calls int) ([]float64, error) {
	joiner := media.NewJoiner(slog.New(slog.DiscardHandler))
	var took []float64
	for range calls {
		ms, err := oneDispatch(s, joiner, agent, 0)
		if err != nil {
			return nil, err
		}
		took = append(took, ms)
	}
	return took, nil
}

func oneDispatch(s *binary.Server, joiner *media.Joiner, agent string, wait time.Duration) (ms float64, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	d, err := s.API.Calls.TestAgent(ctx, client.TestAgent{AgentName: agent})
	if err != nil {
		return 0, err
	}
	answered := time.Now()
	defer func() {
		_, endErr := s.API.Calls.End(ctx, d.CallID)
		err = errors.Join(err, endErr)
	}()
	time.Sleep(wait)
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
