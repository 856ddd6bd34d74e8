// Package leaktest fails tests that leave goroutines running. It gives them a
// minute to end, on a busy machine; goleak alone gives them less than a second.
package leaktest

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

const timeout = time.Minute

// None fails the test if goroutines are left that the options do not ignore.
func None(t testing.TB, options ...goleak.Option) {
	t.Helper()
	if err := find(options...); err != nil {
		t.Error(err)
	}
}

// Main runs the tests of a package, fails them if goroutines are left, and
// exits: it is the whole of a TestMain.
func Main(m goleak.TestingM) {
	code := m.Run()
	if code == 0 {
		if err := find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

func find(options ...goleak.Option) error {
	for deadline := time.Now().Add(timeout); ; { // Find sleeps
		if err := goleak.Find(options...); err == nil || time.Now().After(deadline) {
			return err
		}
	}
}
