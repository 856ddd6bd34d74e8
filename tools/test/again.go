package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// maxAgain is how many failed tests are run again. More have a cause that another try does not change.
const maxAgain = 5

// runAgain runs failed tests once more, each package alone on the machine: calls in real time can fail because other tests had the
// processors. A test that passes then is reported with its first failure, and does not fail the run. Packages that failed without the
// name of a test (builds, crashes, lint) and data races are not run again.
func (r *results) runAgain(ctx context.Context, environment []string) {
	failed := 0
	for _, o := range r.outcomes {
		if o.failed {
			failed += max(1, len(o.tests))
		}
	}
	if failed > maxAgain {
		return
	}
	for i, o := range r.outcomes {
		if !o.failed || len(o.tests) == 0 || strings.Contains(o.output, "WARNING: DATA RACE") || ctx.Err() != nil {
			continue
		}
		fmt.Fprintf(r.out, "\nagain, alone: %s\n", strings.Join(o.tests, ", "))
		second := o.suite
		second.packages, second.only = []string{o.path}, "^("+strings.Join(o.tests, "|")+")$"
		began := time.Now()
		outcomes, processor := second.follow(second.command(ctx, environment), r.show)
		r.costs = append(r.costs, cost{o.name() + ", again", time.Since(began), processor})
		if len(outcomes) == 1 && !outcomes[0].failed && outcomes[0].passed == len(o.tests) {
			r.outcomes[i].failed, r.outcomes[i].tests, r.outcomes[i].passed = false, nil, o.passed+len(o.tests)
			r.again = append(r.again, o)
		}
	}
}

// showAgain prints what passed only when it was run again.
func (r *results) showAgain() {
	if len(r.again) == 0 {
		return
	}
	fmt.Fprintln(r.out, "\nfailed beside other tests, and passed alone; the output of the failure is above:")
	slices.SortFunc(r.again, func(a, b outcome) int { return strings.Compare(a.path, b.path) })
	for _, o := range r.again {
		fmt.Fprintf(r.out, "  %s%s: %s\n", o.name(), o.suite.variant(), strings.Join(o.tests, ", "))
	}
}
