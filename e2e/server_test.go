package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"parley/client"
)

// server is a process of the binary that serves.
type server struct {
	*process
	dir     string // data folder
	url     string
	key     string // API key of the demo tenant
	rtcPort string // signalling of the embedded media server
	api     *client.Client
}

// serve starts a server for one test, which ends with it.
func serve(t *testing.T, dir string, env map[string]string, flags ...string) *server {
	t.Helper()
	s, err := start(dir, env, flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("log of the server:\n%s", s.log.String())
		}
	})
	return s
}

// start starts a server on free ports and waits until it is ready.
func start(dir string, env map[string]string, flags ...string) (*server, error) {
	settings, err := freePorts()
	if err != nil {
		return nil, err
	}
	settings["PARLEY_DATA_DIR"] = dir
	for k, v := range env {
		settings[k] = v
	}
	p, err := launch(settings, append([]string{"serve"}, flags...)...)
	if err != nil {
		return nil, err
	}
	s := &server{process: p, dir: dir, url: "http://" + settings["PARLEY_ADDR"], rtcPort: settings["PARLEY_RTC_PORT"]}
	if err := s.awaitReady(); err != nil {
		p.kill()
		return nil, fmt.Errorf("%w\n%s%s", err, p.out.String(), p.log.String())
	}
	key, err := os.ReadFile(filepath.Join(dir, "demo-api-key"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	s.key = strings.TrimSpace(string(key))
	s.api = client.New(s.url, s.key)
	return s, nil
}

func (s *server) awaitReady() error {
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		answer, err := http.Get(s.url + "/health/ready")
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
			err = fmt.Errorf("/health/ready answers %s", answer.Status)
		}
		select {
		case <-s.ended:
			return fmt.Errorf("the server ended at once: %w", s.err)
		default:
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the server is not ready: %w", err)
		}
	}
}

// freePorts are the settings of a server that is alone on its ports. No two tests of this run get the same.
func freePorts() (map[string]string, error) {
	ports.Lock()
	defer ports.Unlock()
	settings := map[string]string{}
	for _, name := range []string{"PARLEY_ADDR", "PARLEY_RTC_PORT", "PARLEY_RTC_TCP_PORT", "PARLEY_RTC_UDP_PORT"} {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		settings[name] = strconv.Itoa(port)
	}
	settings["PARLEY_ADDR"] = "127.0.0.1:" + settings["PARLEY_ADDR"]
	return settings, nil
}

var ports struct {
	sync.Mutex
	given map[int]bool
}

// freePort is free for TCP and UDP, on every address.
func freePort() (int, error) {
	for {
		l, err := net.Listen("tcp", ":0")
		if err != nil {
			return 0, err
		}
		port := l.Addr().(*net.TCPAddr).Port
		u, udpErr := net.ListenPacket("udp", ":"+strconv.Itoa(port))
		l.Close()
		if udpErr != nil || ports.given[port] {
			continue
		}
		u.Close()
		if ports.given == nil {
			ports.given = map[int]bool{}
		}
		ports.given[port] = true
		return port, nil
	}
}

// process is a run of the binary.
type process struct {
	command  *exec.Cmd
	out, log buffer // standard output and error
	ended    chan struct{}
	err      error // of Wait, once ended
	over     sync.Once
	stopErr  error
}

// launch starts the binary in a process group of its own, with no settings but those given.
func launch(settings map[string]string, args ...string) (*process, error) {
	p := &process{command: exec.Command(binary, args...), ended: make(chan struct{})}
	for _, name := range []string{"PATH", "HOME", "TMPDIR"} {
		if v, ok := os.LookupEnv(name); ok {
			p.command.Env = append(p.command.Env, name+"="+v)
		}
	}
	for k, v := range settings { // of two values, the later counts
		p.command.Env = append(p.command.Env, k+"="+v)
	}
	p.command.Stdout, p.command.Stderr = &p.out, &p.log
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.command.WaitDelay = 5 * time.Second
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.err = p.command.Wait()
		close(p.ended)
	}()
	return p, nil
}

// stop asks the process to end, as an operator does, and says what was wrong with its end: no exit code 0, or processes
// left behind. Stopping twice is stopping once.
func (p *process) stop() error {
	p.over.Do(func() {
		_ = p.command.Process.Signal(syscall.SIGTERM)
		select {
		case <-p.ended:
		case <-time.After(20 * time.Second):
			p.stopErr = errors.New("did not end within 20 s of SIGTERM")
			p.reap()
			return
		}
		if p.err != nil {
			p.stopErr = fmt.Errorf("ended with %w", p.err)
		}
		p.stopErr = errors.Join(p.stopErr, p.orphans())
	})
	return p.stopErr
}

// kill ends the process as a crash does.
func (p *process) kill() { p.over.Do(p.reap) }

func (p *process) reap() {
	_ = p.command.Process.Kill()
	<-p.ended
}

// orphans tells of processes that the ended one has left behind: those of its process group.
func (p *process) orphans() error {
	group := p.command.Process.Pid
	for deadline := time.Now().Add(2 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		err := syscall.Kill(-group, 0)
		if errors.Is(err, syscall.ESRCH) {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("processes of group %d are still there", group)
		}
	}
}

// wait is the exit code of a process that ends by itself.
func (p *process) wait(ctx context.Context) (int, error) {
	select {
	case <-p.ended:
		return p.command.ProcessState.ExitCode(), nil
	case <-ctx.Done():
		p.kill()
		return 0, fmt.Errorf("parley %s: %w", strings.Join(p.command.Args[1:], " "), ctx.Err())
	}
}

// buffer keeps what a process prints.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
