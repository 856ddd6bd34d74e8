// Command dev builds and starts the server, and again whenever a source file changes: `make dev`.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// watched are the folders to watch, recursively.
var watched = []string{"cmd", "client", "internal", "web/dist"}

// settle is how long files must stay unchanged, because editors and git write several in a row.
const settle = 300 * time.Millisecond

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "dev:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer watcher.Close()
	for _, dir := range watched {
		if err := watch(watcher, dir); err != nil {
			return err
		}
	}
	var s server
	defer s.stop()
	for {
		if build(ctx) {
			s.stop()
			if err := s.start(); err != nil {
				return err
			}
		}
		if err := awaitChange(ctx, watcher); err != nil || ctx.Err() != nil {
			return err
		}
	}
}

// watch adds a folder recursively.
func watch(watcher *fsnotify.Watcher, dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		return watcher.Add(path)
	})
}

// awaitChange returns after a source file has changed and all have settled, or ctx has ended.
func awaitChange(ctx context.Context, watcher *fsnotify.Watcher) error {
	var settled <-chan time.Time // nil until something changed
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-settled:
			return nil
		case err := <-watcher.Errors:
			return err
		case change := <-watcher.Events:
			if change.Has(fsnotify.Create) {
				if info, err := os.Stat(change.Name); err == nil && info.IsDir() {
					if err := watch(watcher, change.Name); err != nil {
						return err
					}
				}
			}
			if source(change.Name) && !change.Has(fsnotify.Chmod) {
				settled = time.After(settle)
			}
		}
	}
}

// source reports whether a file is part of the binary.
func source(path string) bool {
	name := filepath.Base(path)
	return !strings.HasPrefix(name, ".") && !strings.HasSuffix(name, "~") && !strings.HasSuffix(name, "_test.go")
}

// build reports whether a new binary was built; the compiler's messages go to standard error.
func build(ctx context.Context) bool {
	command := exec.CommandContext(ctx, "make", "--no-print-directory", "binary")
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	return command.Run() == nil
}

// server is the running server process, if any.
type server struct {
	command *exec.Cmd
	ended   chan struct{}
}

func (s *server) start() error {
	s.command = exec.Command("bin/parley", "serve")
	s.command.Stdout, s.command.Stderr = os.Stdout, os.Stderr
	// An interrupt at the terminal is handled by this process, which then stops the server.
	s.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := s.command.Start(); err != nil {
		s.command = nil
		return err
	}
	s.ended = make(chan struct{})
	go func() {
		_ = s.command.Wait() // the server logs why it ended
		close(s.ended)
	}()
	return nil
}

// drainTimeout is how long the server that is replaced may drain.
const drainTimeout = 2 * time.Second

// stop ends the server: the first signal drains it, a second one ends its calls.
func (s *server) stop() {
	if s.command == nil {
		return
	}
	for {
		if err := s.command.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
			fmt.Fprintln(os.Stderr, "dev: stop the server:", err)
		}
		select {
		case <-s.ended:
			s.command = nil
			return
		case <-time.After(drainTimeout):
		}
	}
}
