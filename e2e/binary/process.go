package binary

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// patience bounds starting and stopping a process, on a busy machine.
const patience = 2 * time.Minute

// Process is a run of the binary.
type Process struct {
	command  *exec.Cmd
	Out, Log Buffer // standard output and error
	ended    chan struct{}
	err      error // of Wait, once ended
	over     sync.Once
	stopErr  error
}

// noData is the data folder of commands that are given none. It can be neither read nor made: the default, ./data, belongs to
// whoever runs a server in the same folder.
const noData = "/dev/null/data"

// Launch starts the binary in its own process group. Of the settings that are not given, the ports of commands that listen are
// free ones, the data folder is noData, and the others have their defaults, whatever this process's environment says.
func Launch(path string, settings map[string]string, args ...string) (*Process, error) {
	p := &Process{command: exec.Command(path, args...), ended: make(chan struct{})}
	for _, name := range []string{"PATH", "HOME", "TMPDIR"} {
		if v, ok := os.LookupEnv(name); ok {
			p.command.Env = append(p.command.Env, name+"="+v)
		}
	}
	p.command.Env = append(p.command.Env, "PARLEY_DATA_DIR="+noData)
	if len(args) > 0 && (args[0] == "serve" || args[0] == "doctor") {
		ports, err := FreePorts()
		if err != nil {
			return nil, err
		}
		for k, v := range ports {
			p.command.Env = append(p.command.Env, k+"="+v)
		}
	}
	for k, v := range settings { // of two values, the later counts
		p.command.Env = append(p.command.Env, k+"="+v)
	}
	p.command.Stdout, p.command.Stderr = &p.Out, &p.Log
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.command.WaitDelay = 30 * time.Second
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.err = p.command.Wait()
		close(p.ended)
	}()
	return p, nil
}

// PID is the process's id.
func (p *Process) PID() int { return p.command.Process.Pid }

// Ended is closed when the process has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Stop asks the process to end, as an operator does, and returns an error for an exit code other than 0 or leftover
// processes. It is idempotent.
func (p *Process) Stop() error {
	p.over.Do(func() {
		select {
		case <-p.ended:
			p.stopErr = fmt.Errorf("ended by itself: %w", cmp.Or(p.err, errors.New("exit code 0")))
			return
		default:
		}
		_ = p.command.Process.Signal(syscall.SIGTERM)
		select {
		case <-p.ended:
		case <-time.After(patience):
			p.stopErr = fmt.Errorf("did not end within %v of SIGTERM", patience)
			p.reap()
			return
		}
		if p.err != nil {
			p.stopErr = fmt.Errorf("ended with %w", p.err)
		}
		p.stopErr = errors.Join(p.stopErr, p.Orphans())
	})
	return p.stopErr
}

// Kill kills the process.
func (p *Process) Kill() { p.over.Do(p.reap) }

func (p *Process) reap() {
	_ = p.command.Process.Kill()
	<-p.ended
}

// Orphans returns the processes that the ended one has left in its process group.
func (p *Process) Orphans() error {
	group := p.command.Process.Pid
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		err := syscall.Kill(-group, 0)
		if errors.Is(err, syscall.ESRCH) {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("processes of group %d are still there", group)
		}
	}
}

// Wait returns the exit code of a process that ends by itself.
func (p *Process) Wait(ctx context.Context) (int, error) {
	select {
	case <-p.ended:
		return p.command.ProcessState.ExitCode(), nil
	case <-ctx.Done():
		p.Kill()
		return 0, fmt.Errorf("parley %s: %w", strings.Join(p.command.Args[1:], " "), ctx.Err())
	}
}

// Buffer collects a process's output.
type Buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
