// Package chaos kills and stops what Parley runs on, under load, and looks whether it kept its promises: what was
// acknowledged is there, and every committed event reaches its receiver. `make test` runs it small, `make chaos` at its
// full size.
package chaos

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"parley/e2e/binary"
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

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "4"); err != nil { // most of these tests wait
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "parley-chaos-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if program, err = binary.Path(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}
