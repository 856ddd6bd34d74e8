// Command test runs all tests of this repository with one report: `make test` and `make check`.
//
// One PostgreSQL cluster, one Redis server and one migrated SQLite file serve the whole run. Suites run in two
// parallel queues: calls in real time, which mostly wait and go first, and everything else. A failing package stops no other; a
// few failed tests are run again alone; the report ends with the failures and the commands that repeat them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

func main() {
	short := flag.Bool("short", false, "only what needs neither services nor real time (go test -short)")
	lint := flag.String("lint", "", "path of golangci-lint, which is run too")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ok, err := run(ctx, *short, *lint)
	if err != nil {
		fmt.Fprintln(os.Stderr, "test:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// run runs everything and reports whether all passed.
func run(ctx context.Context, short bool, lint string) (ok bool, err error) {
	lanes, err := plan(ctx, short)
	if err != nil {
		return false, err
	}
	held, err := takePorts()
	if err != nil {
		return false, err
	}
	defer func() {
		for _, port := range held {
			_ = port.Close()
		}
	}()
	temporary, err := newFolder()
	if err != nil {
		return false, err
	}
	defer temporary.close()
	if err := os.Setenv("TMPDIR", temporary.path); err != nil {
		return false, err
	}
	var environment []string
	if !short {
		if err := writeRaceModules(ctx); err != nil {
			return false, err
		}
		s, err := startServices(temporary.path)
		if err != nil {
			return false, err
		}
		defer s.close()
		environment = s.environment()
	}
	results := &results{out: os.Stdout}
	began := time.Now()
	var running sync.WaitGroup
	for _, lane := range lanes {
		running.Go(func() {
			for _, s := range lane {
				s.run(ctx, environment, results)
			}
		})
	}
	if lint != "" {
		running.Go(func() { results.addLint(ctx, lint) })
	}
	running.Wait()
	if ctx.Err() != nil {
		return false, errors.New("interrupted")
	}
	results.runAgain(ctx, environment)
	return results.report(time.Since(began)), nil
}
