// Package chaos kills and stops Parley and its dependencies under load, and checks its guarantees: what was
// acknowledged is stored, and every committed event reaches its receiver. `make test` runs it small, `make chaos`
// at full size.
package chaos

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"parley/e2e/binary"
	"parley/e2e/emulated"
)

// program is the binary under test.
var program string

// full is whether to run at full size.
var full = os.Getenv("PARLEY_CHAOS") == "full"

// size is a number of this run.
func size(small, large int) int {
	if full {
		return large
	}
	return small
}

// patience bounds waiting for an event, on a busy machine. Times are checked at full size only.
const patience = 3 * time.Minute

// await waits until a condition holds, which is looked at at an interval.
func await(t *testing.T, interval time.Duration, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(interval) {
		if time.Now().After(end) {
			t.Fatalf("within %v not: %s", patience, what)
		}
	}
}

func TestMain(m *testing.M) {
	emulated.Main()
	flag.Parse()
	if err := flag.Set("test.parallel", "6"); err != nil { // most of these tests wait
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(binary.RunTests(m, &program))
}
