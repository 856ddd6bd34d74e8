package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"syscall"

	"github.com/alecthomas/kong"

	"parley/internal/app"
	"parley/internal/config"
)

// profileVariable names the files that serveProfiled writes to. The product has no port that profiles could be had from,
// so this program serves instead of it, from the same packages.
const profileVariable = "PARLEY_BENCH_PROFILE"

// serveProfiled is `parley serve`, and writes profiles when it ends: of the processor, and of the heap as it was when the
// end was asked for, beside it as .heap.
func serveProfiled(args []string) (err error) {
	path := os.Getenv(profileVariable)
	if path == "" {
		return errors.New(profileVariable + " names no file")
	}
	var commands struct {
		Serve config.Server `cmd:""`
	}
	parser, err := kong.New(&commands)
	if err != nil {
		return err
	}
	if _, err := parser.Parse(args); err != nil {
		return err
	}
	cpu, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(cpu); err != nil {
		return err
	}
	defer func() {
		pprof.StopCPUProfile()
		err = errors.Join(err, cpu.Close())
	}()
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	written := make(chan struct{})
	defer func() { <-written }()
	defer cancel()
	go func() {
		defer close(written)
		<-ctx.Done()
		if err := writeHeap(path + ".heap"); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
		}
	}()
	return app.Serve(ctx, context.Background(), app.Options{Config: commands.Serve, Version: "bench", Out: os.Stdout})
}

func writeHeap(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	runtime.GC()
	return errors.Join(pprof.WriteHeapProfile(f), f.Close())
}
