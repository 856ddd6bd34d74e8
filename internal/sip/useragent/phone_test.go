package useragent

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/emiago/sipgo/sip"

	"parley/e2e/binary"
	"parley/internal/leaktest"
	"parley/internal/sip/negotiation"
)

// limit is how long tests wait for what should come.
const limit = time.Minute

func TestMain(m *testing.M) { leaktest.Main(m) }

// agentAt is a user agent on sockets of the loopback interface.
type agentAt struct {
	*UserAgent
	address netip.AddrPort
}

// kept is how many transactions, invitations and calls the user agent keeps.
func (a *agentAt) kept() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.UserAgent.clients) + len(a.UserAgent.servers) + len(a.UserAgent.invitations) + len(a.UserAgent.calls)
}

// listening starts a user agent on one port for UDP and TCP.
func listening(t testing.TB, o Options) *agentAt {
	t.Helper()
	for range 20 {
		packets, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("tcp", packets.LocalAddr().String())
		if err != nil {
			_ = packets.Close()
			continue
		}
		u := New(o)
		go func() { _ = u.ServeUDP(packets) }()
		go func() { _ = u.ServeTCP(l) }()
		t.Cleanup(u.Close)
		a := &agentAt{u, packets.LocalAddr().(*net.UDPAddr).AddrPort()}
		for u.port(TCP) == 0 || u.port(UDP) == 0 {
			time.Sleep(time.Millisecond)
		}
		return a
	}
	t.Fatal("no port is free for UDP and TCP")
	return nil
}

// session is one without media behind it.
func session(codecs ...negotiation.Codec) *negotiation.Session {
	return negotiation.New(negotiation.Options{Local: netip.MustParseAddrPort("127.0.0.1:40000"), Codecs: codecs})
}

// observer records what a call reports.
type observer struct {
	streams chan negotiation.Stream
	digits  chan Digit
	ended   chan End
	refers  chan *Referral
}

func observe() *observer {
	return &observer{make(chan negotiation.Stream, 64), make(chan Digit, 64), make(chan End, 16), make(chan *Referral, 8)}
}

func (o *observer) handler() Handler {
	return Handler{
		Stream: func(s negotiation.Stream, _ bool) error { o.streams <- s; return nil },
		Digits: func(d Digit) { o.digits <- d },
		Ended:  func(e End) { o.ended <- e },
		Refer:  func(r *Referral) { o.refers <- r },
	}
}

// within waits for a value.
func within[T any](t testing.TB, c <-chan T, what string) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(limit):
		t.Fatalf("%s did not come", what)
	}
	return v
}

// script is a running sipp.
type script struct {
	command *exec.Cmd
	port    int
	dir     string
	output  bytes.Buffer
	ended   chan error
}

// play runs a scenario of testdata. Options are those of sipp.
func play(t *testing.T, scenario string, options ...string) *script {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", scenario+".xml"))
	if err != nil {
		t.Fatal(err)
	}
	port, err := binary.FreePortRow(5)
	if err != nil {
		t.Fatal(err)
	}
	port += port % 2
	s := &script{port: port, dir: t.TempDir(), ended: make(chan error, 1)}
	s.command = exec.Command("sipp", append([]string{"-sf", path, "-i", "127.0.0.1", "-p", strconv.Itoa(port), "-m", "1", "-nostdin",
		"-trace_err", "-timeout", "30s", "-timeout_error"}, options...)...)
	s.command.Dir, s.command.Stderr, s.command.Stdout = s.dir, &s.output, nil
	s.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := s.command.Start(); err != nil {
		t.Fatalf("sipp (Debian's sip-tester): %v", err)
	}
	go func() { s.ended <- s.command.Wait() }()
	t.Cleanup(func() { _ = s.command.Process.Kill() })
	return s
}

// calls has sipp call the user agent.
func (a *agentAt) calls(t *testing.T, scenario string, options ...string) *script {
	t.Helper()
	return play(t, scenario, append([]string{"-t", "u1", "-s", "100", a.address.String()}, options...)...)
}

// answers has sipp wait for a call.
func answers(t *testing.T, scenario string, options ...string) *script {
	t.Helper()
	var s *script
	for range 4 { // another process may take the port first
		s = play(t, scenario, append([]string{"-t", "u1"}, options...)...)
		if s.listens() {
			return s
		}
	}
	t.Fatalf("sipp does not start: %s", s.output.String())
	return nil
}

// listens waits until the script has its port; false when it ended before.
func (s *script) listens() bool {
	for {
		select {
		case <-s.ended:
			return false
		case <-time.After(5 * time.Millisecond):
		}
		if s.hasPort() {
			return true
		}
	}
}

// hasPort reports whether the script, and not another process that chose the same port, listens at it.
func (s *script) hasPort() bool {
	sockets, err := os.ReadFile("/proc/net/udp")
	if err != nil {
		return false
	}
	port := fmt.Sprintf(":%04X", s.port)
	for line := range strings.Lines(string(sockets)) {
		if fields := strings.Fields(line); len(fields) > 9 && strings.HasSuffix(fields[1], port) && s.hasSocket(fields[9]) {
			return true
		}
	}
	return false
}

func (s *script) hasSocket(inode string) bool {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", s.command.Process.Pid))
	return slices.ContainsFunc(files, func(file string) bool {
		target, err := os.Readlink(file)
		return err == nil && target == "socket:["+inode+"]"
	})
}

// target is where the script waits.
func (s *script) target() Target {
	return Target{Address: netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(s.port)), Transport: UDP}
}

// content fails unless the user agent kept to the script.
func (s *script) content(t *testing.T) {
	t.Helper()
	if err := within(t, s.ended, "the end of the script"); err != nil {
		logs, _ := filepath.Glob(filepath.Join(s.dir, "*"))
		var found strings.Builder
		for _, name := range logs {
			text, _ := os.ReadFile(name)
			found.Write(text)
		}
		files, _ := filepath.Glob(filepath.Join("testdata", "*_errors.log"))
		for _, name := range files {
			text, _ := os.ReadFile(name)
			found.Write(text)
			_ = os.Remove(name)
		}
		t.Fatalf("the script is not content: %v\n%s\n%s", err, s.output.String(), found.String())
	}
}

// answering is a user agent that answers calls as told, after ringing.
func answering(t *testing.T, o *observer, ring int, early bool, options ...func(*CallOptions)) (*agentAt, chan *Call) {
	t.Helper()
	calls := make(chan *Call, 16)
	a := listening(t, Options{Name: "Parley", OnInvite: func(i *Invitation) {
		c := CallOptions{Session: session(), Handler: o.handler(), Contact: "100"}
		for _, change := range options {
			change(&c)
		}
		call, err := i.Accept(c)
		if err != nil {
			return
		}
		if ring != 0 {
			_ = call.Ring(ring, early)
		}
		if _, err := call.Answer(context.Background()); err == nil {
			calls <- call
		}
	}})
	return a, calls
}

func dialling(s *script, o *observer, options ...func(*DialOptions)) DialOptions {
	d := DialOptions{
		CallOptions: CallOptions{Session: session(), Handler: o.handler(), Contact: "agent"},
		To:          sip.Uri{Scheme: "sip", User: "200", Host: "127.0.0.1", Port: s.port},
		From:        sip.Uri{Scheme: "sip", User: "100", Host: "127.0.0.1"},
		Targets:     []Target{s.target()},
	}
	for _, change := range options {
		change(&d)
	}
	return d
}
