package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// outcome is how a package's tests ended.
type outcome struct {
	suite   suite
	path    string // import path
	failed  bool
	seconds float64
	passed  int
	skipped int
	tests   []string // failed top-level tests
	output  string   // of what failed
}

// line is an event of go test -json: see go doc test2json.
type line struct {
	Action     string
	Package    string
	ImportPath string // of build-output
	Test       string
	Elapsed    float64
	Output     string
	// FailedBuild is the import path whose build failed, in the fail event of a package.
	FailedBuild string
}

// follow reads a run of go test -json to its end. Output without an event is a separate outcome. processor is the processor time of
// compilers, tests and the programs that these started and waited for.
func (s suite) follow(command *exec.Cmd, show func(outcome)) (outcomes []outcome, processor time.Duration) {
	var complaints strings.Builder
	command.Stderr = &complaints
	// An interrupt ends the test programs too.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGTERM) }
	command.WaitDelay = 10 * time.Second
	events, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		return []outcome{{suite: s, path: "go test", failed: true, output: err.Error()}}, 0
	}
	outcomes, readErr := s.read(events, show)
	err = command.Wait()
	explained := slices.ContainsFunc(outcomes, func(o outcome) bool { return o.failed })
	if err != nil && !explained || readErr != nil {
		o := outcome{suite: s, path: "go test", failed: true, output: fmt.Sprintf("%v, %v\n%s", err, readErr, complaints.String())}
		show(o)
		outcomes = append(outcomes, o)
	}
	return outcomes, processorTime(command)
}

// processorTime is that of a command that has ended.
func processorTime(command *exec.Cmd) time.Duration {
	return command.ProcessState.UserTime() + command.ProcessState.SystemTime()
}

// read turns events into outcomes, in the order in which packages end.
func (s suite) read(events io.Reader, show func(outcome)) (outcomes []outcome, err error) {
	open := map[string]*packageRun{}
	builds := map[string]*strings.Builder{}
	for decoder := json.NewDecoder(events); ; {
		var l line
		if err := decoder.Decode(&l); err == io.EOF {
			return outcomes, nil
		} else if err != nil {
			return outcomes, fmt.Errorf("read the events of go test: %w", err)
		}
		if l.Action == "build-output" {
			if builds[l.ImportPath] == nil {
				builds[l.ImportPath] = &strings.Builder{}
			}
			builds[l.ImportPath].WriteString(l.Output)
			continue
		}
		if l.Package == "" {
			continue
		}
		p := open[l.Package]
		if p == nil {
			p = &packageRun{outcome: outcome{suite: s, path: l.Package}, output: map[string]*strings.Builder{}}
			open[l.Package] = p
		}
		if !p.handle(l) {
			continue
		}
		if failed := builds[l.FailedBuild]; failed != nil {
			p.outcome.output = failed.String() + p.outcome.output
		}
		outcomes = append(outcomes, p.outcome)
		show(p.outcome)
	}
}

// packageRun is a package whose tests run.
type packageRun struct {
	outcome outcome
	output  map[string]*strings.Builder // by top-level test; "" is the package's own
}

// handle records an event and reports whether the package is done.
func (p *packageRun) handle(l line) (done bool) {
	top, _, sub := strings.Cut(l.Test, "/")
	switch l.Action {
	case "output":
		if p.output[top] == nil {
			p.output[top] = &strings.Builder{}
		}
		p.output[top].WriteString(l.Output)
	case "pass", "fail", "skip":
		if l.Test == "" {
			p.finish(l)
			return true
		}
		if sub {
			break
		}
		switch l.Action {
		case "pass":
			p.outcome.passed++
			// A race fails the tests that run when it is noticed, and is printed into the output of any.
			if out := p.output[top]; out != nil && !strings.Contains(out.String(), "WARNING: DATA RACE") {
				delete(p.output, top)
			}
		case "skip":
			p.outcome.skipped++
		case "fail":
			p.outcome.tests = append(p.outcome.tests, top)
		}
	}
	return false
}

func (p *packageRun) finish(l line) {
	o := &p.outcome
	o.seconds, o.failed = l.Elapsed, l.Action == "fail"
	if !o.failed {
		return
	}
	var b strings.Builder
	for _, test := range o.tests {
		b.WriteString(p.output[test].String())
		delete(p.output, test)
	}
	// A crash or a time-out leaves tests without an end, and says why in the output of one of them.
	for _, rest := range p.output {
		b.WriteString(rest.String())
	}
	o.output = b.String()
}
