package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// suite is one invocation of go test.
type suite struct {
	packages []string
	race     bool     // with the race detector
	only     string   // pattern of the tests; empty for all
	dir      string   // of the module; empty for the current folder
	args     []string // after the packages, to the test programs
	short    bool
	realTime bool // its audio must not wait for the compilers and tests of the other queue
}

// Packages that are in none of these lists are tested without the race detector, in the queue of computing tests.
var (
	// concurrent packages start goroutines or share state between those of their callers.
	concurrent = under("parley/internal",
		"app", "auth", "call", "chat", "database", "event", "live", "metrics", "recording", "redis", "retention", "tool",
		"tracing", "voice", "webhook", "worker",
		"provider/assemblyai", "provider/cartesia", "provider/deepgram", "provider/elevenlabs", "provider/llm",
		"provider/recognition", "provider/synthesis")
	// streams are the tests of internal/api in which requests share state: live streams, limits, idempotency keys. The
	// others send one request after the other, which ten times slower proves nothing more.
	streams = "Stream|FanOut|Station|Limit|Idempoten|Concurrent|AtOnce"
	// peers are packages whose tests have WebRTC or SIP peers in real time in their own process.
	peers = under("parley/internal", "media", "sip", "sip/useragent", "sip/mediaport")
	// spoken is the package with most spoken calls. The loads of the others would make gaps in their audio.
	spoken = under("parley/e2e", "")
	// calls are the other packages that run the built binary with calls in real time. The race detector would check only
	// the tests.
	calls = append(under("parley/e2e", "attack", "chaos", "contract", "dashboard", "examples", "sdk"), under("parley/internal", "caller")...)
	api   = under("parley/internal", "api")
	// speech is the packages whose tests run Debian's speech programs.
	speech = under("parley/internal", "provider/offline")
)

// background is before the commands of tests that must not disturb calls in real time, and last before those of programs without
// time limits.
var background, last = []string{"nice", "-n", "10"}, []string{"nice", "-n", "19"}

func under(root string, names ...string) []string {
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = strings.TrimSuffix(root+"/"+name, "/")
	}
	return paths
}

// plan is the suites, in parallel queues; those of one queue run in sequence.
func plan(ctx context.Context, short bool) (lanes [][]suite, err error) {
	listed, err := exec.CommandContext(ctx, "go", "list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}", "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("list packages: %w", err)
	}
	all := strings.Fields(string(listed))
	for _, p := range slices.Concat(concurrent, peers, spoken, calls, speech) {
		if !slices.Contains(all, p) {
			return nil, fmt.Errorf("tools/test/suites.go lists %s, which has no tests", p)
		}
	}
	others := slices.DeleteFunc(slices.Clone(all), func(p string) bool {
		return slices.Contains(slices.Concat(peers, spoken, calls, speech), p) || !short && slices.Contains(concurrent, p)
	})
	if short {
		return [][]suite{{{packages: others, short: true}}}, nil
	}
	return [][]suite{
		{{packages: spoken, realTime: true}, {packages: calls, realTime: true}, {packages: peers, race: true, realTime: true}},
		{{packages: slices.Concat(concurrent, speech), race: true}, {packages: api, race: true, only: streams}, {packages: others}, {packages: api, args: []string{"-shared"}}},
	}, nil
}

// arguments are those of go, without the packages.
func (s suite) arguments() []string {
	a := []string{"test", "-count=1", "-vet=off", "-timeout=30m"}
	if s.race {
		a = append(a, "-race", "-modfile="+raceModules)
	}
	if s.short {
		a = append(a, "-short")
	}
	if s.only != "" {
		a = append(a, "-run="+s.only)
	}
	return a
}

// alone is the command that runs tests of one package again; all of them if none are named.
func (s suite) alone(path string, tests []string) string {
	words := []string{"go", "test", "-count=1"}
	if slices.Contains(slices.Concat(spoken, calls), path) {
		words = append([]string{"PARLEY_BIN=$PWD/bin/parley"}, words...)
	}
	if s.race {
		words = append(words, "-race", "-modfile="+raceModules)
	}
	if len(tests) > 0 {
		words = append(words, "-run", "'^("+strings.Join(tests, "|")+")$'")
	}
	words = append(words, "."+strings.TrimPrefix(path, "parley"))
	return strings.Join(append(words, s.args...), " ")
}

// run runs the suite and adds its outcomes, each once its package is done.
func (s suite) run(ctx context.Context, environment []string, r *results) {
	began := time.Now()
	outcomes, processor := s.follow(s.command(ctx, environment), r.show)
	r.add(outcomes, cost{s.name(), time.Since(began), processor})
}

func (s suite) command(ctx context.Context, environment []string) *exec.Cmd {
	words := slices.Concat([]string{"go"}, s.arguments(), []string{"-json"}, s.packages, s.args)
	if s.realTime {
		words = slices.Concat([]string{"nice", "-n", "-10"}, words) // without the privilege, nice runs it as it is
	} else {
		words = slices.Concat(background, words)
	}
	command := exec.CommandContext(ctx, words[0], words[1:]...)
	command.Dir, command.Env = s.dir, append(os.Environ(), environment...)
	return command
}

// name describes the suite in a line.
func (s suite) name() string {
	names := make([]string, len(s.packages))
	for i, path := range s.packages {
		names[i] = strings.TrimPrefix(strings.TrimPrefix(path, "parley/"), "internal/")
	}
	if len(names) > 4 {
		names = append(names[:3], fmt.Sprintf("and %d more", len(names)-3))
	}
	return strings.Join(names, ", ") + s.variant()
}
