package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// results collects the outcomes of a run and prints them.
type results struct {
	mu       sync.Mutex
	out      io.Writer
	outcomes []outcome
	again    []outcome // first outcomes of what passed when it was run again
	costs    []cost
}

// cost is the time that a suite took, and its processor time, compilers included.
type cost struct {
	name            string
	took, processor time.Duration
}

// show prints a package's outcome once it is done.
func (r *results) show(o outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	verdict := "ok  "
	if o.failed {
		verdict = "FAIL"
	}
	fmt.Fprintf(r.out, "%s  %-45s %7.1f s%s\n", verdict, o.name(), o.seconds, o.suite.variant())
	if o.failed {
		fmt.Fprintln(r.out, o.output)
	}
}

func (r *results) add(outcomes []outcome, c cost) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcomes, r.costs = append(r.outcomes, outcomes...), append(r.costs, c)
}

// addLint runs golangci-lint, formatting included, as if it were one test.
func (r *results) addLint(ctx context.Context, program string) {
	began := time.Now()
	words := append(slices.Clone(last), program, "run", "--allow-parallel-runners", "./...")
	command := exec.CommandContext(ctx, words[0], words[1:]...)
	output, err := command.CombinedOutput()
	o := outcome{path: "lint", seconds: time.Since(began).Seconds()}
	if err != nil {
		o.failed, o.output = true, fmt.Sprintf("%s%v", output, err)
	} else {
		o.passed = 1
	}
	r.show(o)
	c := cost{name: o.path, took: time.Since(began)}
	if command.ProcessState != nil {
		c.processor = processorTime(command)
	}
	r.add([]outcome{o}, c)
}

// report prints the table of times, the failures with the commands that repeat them, and the counts; it reports whether
// everything passed.
func (r *results) report(took time.Duration) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.SortStableFunc(r.outcomes, func(a, b outcome) int { return cmp.Compare(b.seconds, a.seconds) })
	fmt.Fprintln(r.out, "\nslowest packages, in seconds:")
	for _, o := range r.outcomes[:min(len(r.outcomes), 15)] {
		fmt.Fprintf(r.out, "  %7.1f  %s%s\n", o.seconds, o.name(), o.suite.variant())
	}
	fmt.Fprintln(r.out, "\nsuites in the order of their ends: seconds, and those of processor time:")
	for _, c := range r.costs {
		fmt.Fprintf(r.out, "  %7.1f %7.1f  %s\n", c.took.Seconds(), c.processor.Seconds(), c.name)
	}
	r.showAgain()
	passed, failed, skipped := 0, 0, 0
	for _, o := range r.outcomes {
		passed, skipped = passed+o.passed, skipped+o.skipped
		if !o.failed {
			continue
		}
		if failed == 0 {
			fmt.Fprintln(r.out, "\nfailed, with the command that runs it alone:")
		}
		failed += max(1, len(o.tests))
		fmt.Fprintf(r.out, "  %s%s: %s\n      %s\n", o.name(), o.suite.variant(), cmp.Or(strings.Join(o.tests, ", "), "as a whole"), o.again())
	}
	fmt.Fprintf(r.out, "\nin %s\n%d passed, %d failed, %d skipped\n", took.Round(time.Second), passed, failed, skipped)
	return failed == 0
}

// name is the package's folder.
func (o outcome) name() string { return strings.TrimPrefix(o.path, "parley/") }

// again is the command that repeats what failed.
func (o outcome) again() string {
	switch o.path {
	case "lint":
		return "make lint"
	case "go test":
		return "make test"
	default:
		return o.suite.alone(o.path, o.tests)
	}
}

// variant is what sets this run of a package apart.
func (s suite) variant() string {
	var words []string
	if s.race {
		words = append(words, "-race")
	}
	words = append(words, s.args...)
	if len(words) == 0 {
		return ""
	}
	return "  " + strings.Join(words, " ")
}
