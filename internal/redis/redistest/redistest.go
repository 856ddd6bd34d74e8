// Package redistest starts private redis-servers from Debian's package, for
// tests.
package redistest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// Server is a redis-server on its own loopback port, with nothing kept on
// disk. It ends with the test, or with this process, however that ends.
type Server struct {
	URL string

	t         testing.TB // nil for a server that outlives a test
	dir       string
	databases int
	port      int
	alive     io.WriteCloser
	cmd       *exec.Cmd
	log       bytes.Buffer
}

// starts is how often another port is tried: between finding a free one and
// listening on it somebody else may take it.
const starts = 5

// Start starts a server that ends with the test, for tests that stop it, pause it
// or use its channels. Others share one: DatabaseURL.
func Start(t testing.TB) *Server {
	t.Helper()
	needServer(t)
	s, err := New(t.TempDir(), 1)
	if err != nil {
		t.Fatalf("private redis-server: %v", err)
	}
	s.t = t
	t.Cleanup(s.Stop)
	return s
}

// New starts a server of so many databases with its files in dir. It ends with
// Stop, or with this process, however that ends.
func New(dir string, databases int) (*Server, error) {
	s := &Server{dir: dir, databases: databases}
	var err error
	for range starts {
		if s.port, err = freePort(); err != nil {
			return nil, err
		}
		s.URL = fmt.Sprintf("redis://127.0.0.1:%d", s.port)
		if err = s.start(); err == nil {
			return s, nil
		}
	}
	return nil, err
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// Restart starts a stopped server again, on its port, empty.
func (s *Server) Restart() {
	s.t.Helper()
	if err := s.start(); err != nil {
		s.t.Fatalf("restart redis-server: %v", err)
	}
}

// Stop ends the server; a second time it does nothing.
func (s *Server) Stop() {
	if s.cmd == nil {
		return
	}
	s.Resume()
	s.alive.Close()
	_ = s.cmd.Wait() // the shell's status is of no interest
	s.cmd = nil
}

// Pause stops the server's process: connections stay and nothing answers.
func (s *Server) Pause() { s.signal(syscall.SIGSTOP) }

// Resume lets a paused server continue.
func (s *Server) Resume() { s.signal(syscall.SIGCONT) }

// signal reaches the shell and its server, their own process group.
func (s *Server) signal(signal syscall.Signal) { _ = syscall.Kill(-s.cmd.Process.Pid, signal) }

// start runs the server under a shell that ends it when the standard input
// closes, as it does when this process ends.
func (s *Server) start() error {
	if _, err := exec.LookPath("redis-server"); err != nil {
		return fmt.Errorf("%w: apt-get install redis-server", err)
	}
	s.log.Reset()
	cmd := exec.Command("/bin/sh", "-c", `redis-server --bind 127.0.0.1 --port "$0" --dir "$1" --save '' --appendonly no --databases "$2" & pid=$!; cat >/dev/null; kill -TERM $pid; wait $pid`,
		fmt.Sprint(s.port), s.dir, fmt.Sprint(s.databases))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stdout = &s.log
	var err error
	if s.alive, err = cmd.StdinPipe(); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	s.cmd = cmd
	client := redis.NewClient(&redis.Options{Addr: fmt.Sprintf("127.0.0.1:%d", s.port), MaxRetries: -1})
	defer client.Close()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if client.Ping(context.Background()).Err() == nil {
			return nil
		}
		if time.Now().After(deadline) {
			s.Stop()
			return fmt.Errorf("no answer on port %d: %s", s.port, s.log.Bytes())
		}
	}
}
