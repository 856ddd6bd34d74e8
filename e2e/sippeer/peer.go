// Package sippeer runs SIP programs of Debian's packages as the other sides of calls: linphonec, kamailio with rtpengine, and sipsak.
// scripts/setup.sh test installs them.
package sippeer

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/e2e/binary"
)

// limit is how long a program may take to do what a test waits for, on a busy machine.
const limit = 2 * time.Minute

// Peer is a running SIP program.
type Peer struct {
	Output binary.Buffer // standard output and error
	name   string
	dir    string // its home folder
	input  io.Writer
	ended  chan struct{}
}

// launch starts a program in a home folder with files by name. It is killed, with its children, at the end of the test, and ended by
// the system if the test's process is killed.
func launch(t *testing.T, dir string, files map[string]string, program string, args ...string) *Peer {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := &Peer{name: program, dir: dir, ended: make(chan struct{})}
	command := exec.Command(program, args...)
	command.Dir, command.Stdout, command.Stderr = dir, &p.Output, &p.Output
	command.Env = []string{"PATH=/usr/bin:/bin:/usr/sbin:/sbin", "HOME=" + dir, "XDG_RUNTIME_DIR=" + dir}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	var err error
	if p.input, err = command.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // the program would be ended with the thread that started it
		defer runtime.UnlockOSThread()
		defer close(p.ended)
		err := command.Start()
		started <- err
		if err == nil {
			_ = command.Wait()
		}
	}()
	if err := <-started; err != nil {
		t.Fatalf("%s, which scripts/setup.sh test installs: %v", program, err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
		<-p.ended
		if t.Failed() {
			t.Logf("%s:\n%s", program, p.Output.String())
		}
	})
	return p
}

// Await waits until the program has printed something.
func (p *Peer) Await(t *testing.T, text string) {
	t.Helper()
	p.await(t, text, func() bool { return strings.Contains(p.Output.String(), text) })
}

// await waits until something holds. It fails the test if the program ends before.
func (p *Peer) await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(limit); !holds(); {
		select {
		case <-p.ended:
			t.Fatalf("%s has ended before: %s\n%s", p.name, what, p.Output.String())
		case <-time.After(10 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: never: %s\n%s", p.name, what, p.Output.String())
		}
	}
}

// awaitListening waits until the program accepts TCP connections at an address.
func (p *Peer) awaitListening(t *testing.T, address string) {
	t.Helper()
	p.await(t, "it listens", func() bool {
		c, err := net.Dial("tcp", address)
		if err != nil {
			return false
		}
		return c.Close() == nil
	})
}
