package useragent

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emiago/sipgo/sip"

	"parley/internal/sip/negotiation"
)

// network carries datagrams between its sockets in virtual time.
type network struct {
	mu      sync.Mutex
	sockets map[netip.AddrPort]*socket
	loses   func(data string) bool // nil loses nothing
}

type socket struct {
	network *network
	at      netip.AddrPort
	in      chan datagram
	closed  chan struct{}
	once    sync.Once
}

type datagram struct {
	data []byte
	from netip.AddrPort
}

func (n *network) listen(address string) *socket {
	s := &socket{network: n, at: netip.MustParseAddrPort(address), in: make(chan datagram, 256), closed: make(chan struct{})}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.sockets[s.at] = s
	return s
}

func (s *socket) ReadFrom(p []byte) (int, net.Addr, error) {
	select {
	case d := <-s.in:
		return copy(p, d.data), net.UDPAddrFromAddrPort(d.from), nil
	case <-s.closed:
		return 0, nil, net.ErrClosed
	}
}

func (s *socket) WriteTo(p []byte, to net.Addr) (int, error) {
	s.network.mu.Lock()
	defer s.network.mu.Unlock()
	at, _ := addrPort(to)
	if other := s.network.sockets[at]; other != nil && (s.network.loses == nil || !s.network.loses(string(p))) {
		select {
		case other.in <- datagram{append([]byte{}, p...), s.at}:
		default:
		}
	}
	return len(p), nil
}

func (s *socket) Close() error                     { s.once.Do(func() { close(s.closed) }); return nil }
func (s *socket) LocalAddr() net.Addr              { return net.UDPAddrFromAddrPort(s.at) }
func (s *socket) SetDeadline(time.Time) error      { return os.ErrNoDeadline }
func (s *socket) SetReadDeadline(time.Time) error  { return os.ErrNoDeadline }
func (s *socket) SetWriteDeadline(time.Time) error { return os.ErrNoDeadline }

// agent starts a user agent at an address of the network.
func (n *network) agent(t *testing.T, address string, o Options) *agentAt {
	s := n.listen(address)
	o.Address = func(netip.Addr) (netip.Addr, error) { return s.at.Addr(), nil }
	u := New(o)
	go func() { _ = u.ServeUDP(s) }()
	synctest.Wait()
	t.Cleanup(u.Close)
	return &agentAt{u, s.at}
}

const (
	here  = "192.0.2.1:5060"
	there = "198.51.100.7:5060"
)

// answers every call.
func answerer(o *observer, calls chan *Call, options CallOptions) Options {
	return Options{OnInvite: func(i *Invitation) {
		options := options
		options.Session, options.Handler = session(), o.handler()
		c, err := i.Accept(options)
		if err != nil {
			return
		}
		_ = c.Ring(180, false)
		if _, err := c.Answer(context.Background()); err == nil {
			calls <- c
		}
	}}
}

func dialTo(address string, o *observer) DialOptions {
	return DialOptions{CallOptions: CallOptions{Session: session(), Handler: o.handler()}, To: sip.Uri{Scheme: "sip", User: "200", Host: "example.com"},
		From: sip.Uri{Scheme: "sip", User: "100", Host: "example.com"}, Targets: []Target{{Address: netip.MustParseAddrPort(address), Transport: UDP}}}
}

// TestLongCall holds and resumes a call of 40 minutes a hundred times, with a session timer of 90 seconds, over a network that loses
// every tenth message.
func TestLongCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		var refreshes atomic.Int32
		n := &network{sockets: map[netip.AddrPort]*socket{}, loses: func(data string) bool {
			if strings.HasPrefix(data, "UPDATE ") {
				refreshes.Add(1)
			}
			return random.IntN(10) == 0
		}}
		o, calls := observe(), make(chan *Call, 1)
		n.agent(t, there, answerer(o, calls, CallOptions{Interval: 90 * time.Second}))
		a := n.agent(t, here, Options{})
		mine := observe()
		d := dialTo(there, mine)
		d.Interval = 90 * time.Second
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		c, err := a.Dial(ctx, d)
		if err != nil {
			t.Fatal(err)
		}
		other := <-calls
		begun := time.Now()
		for i := range 100 {
			side := []*Call{c, other}[i%4/2]
			if s, err := side.Hold(ctx, i%2 == 0); err != nil || s.Receives != (i%2 == 1) {
				t.Fatalf("hold %d after %s: %+v, %v", i, time.Since(begun), s, err)
			}
			for _, w := range []*observer{mine, o} {
				for len(w.streams) > 0 {
					<-w.streams
				}
			}
			time.Sleep(20 * time.Second)
		}
		time.Sleep(time.Until(begun.Add(40 * time.Minute)))
		if c.End() != (End{}) || other.End() != (End{}) || refreshes.Load() < 3 {
			t.Fatalf("after 40 minutes: %+v, %+v, %d refreshes", c.End(), other.End(), refreshes.Load())
		}
		c.Hangup(Reason{})
		if e := <-o.ended; e.Cause != HungUp {
			t.Errorf("the call ended as %+v", e)
		}
		time.Sleep(time.Minute)
		if n := a.kept(); n > 0 {
			t.Errorf("%d requests, responses and calls are left", n)
		}
	})
}

// TestThousandCalls makes 20 calls a second, 100 at once, over a network that loses every twentieth message.
func TestThousandCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		n := &network{sockets: map[netip.AddrPort]*socket{}, loses: func(string) bool { return random.IntN(20) == 0 }}
		b := n.agent(t, there, Options{OnInvite: func(i *Invitation) {
			if c, err := i.Accept(CallOptions{Session: session()}); err == nil {
				_ = c.Ring(183, true)
				_, _ = c.Answer(context.Background())
			}
		}})
		a := n.agent(t, here, Options{})
		var calls sync.WaitGroup
		for range 1000 {
			calls.Go(func() {
				d := dialTo(there, observe())
				d.Handler = Handler{}
				c, err := a.Dial(context.Background(), d)
				if err != nil {
					t.Errorf("not answered: %v", err)
					return
				}
				time.Sleep(5 * time.Second)
				c.Hangup(Reason{})
			})
			time.Sleep(50 * time.Millisecond)
		}
		calls.Wait()
		time.Sleep(2 * time.Minute)
		if n := a.kept() + b.kept(); n > 0 {
			t.Errorf("%d calls and transactions are left", n)
		}
	})
}

// TestGlare has both sides put the other on hold at the same moment.
func TestGlare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{sockets: map[netip.AddrPort]*socket{}}
		o, calls := observe(), make(chan *Call, 1)
		n.agent(t, there, answerer(o, calls, CallOptions{}))
		a := n.agent(t, here, Options{})
		c, err := a.Dial(context.Background(), dialTo(there, observe()))
		if err != nil {
			t.Fatal(err)
		}
		other := <-calls
		var held sync.WaitGroup
		for _, side := range []*Call{c, other} {
			held.Go(func() {
				if _, err := side.Hold(context.Background(), true); err != nil {
					t.Errorf("hold: %v", err)
				}
			})
		}
		held.Wait()
		synctest.Wait()
		if s := c.session.Stream(); s.Sends || s.Receives {
			t.Errorf("both hold, but the stream is %+v", s)
		}
	})
}

// TestPeerVanishes loses everything after the answer: each side finds out by the session timer.
func TestPeerVanishes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{sockets: map[netip.AddrPort]*socket{}}
		o, calls, mine := observe(), make(chan *Call, 1), observe()
		n.agent(t, there, answerer(o, calls, CallOptions{}))
		a := n.agent(t, here, Options{})
		d := dialTo(there, mine)
		d.Interval = 3 * time.Minute
		if _, err := a.Dial(context.Background(), d); err != nil {
			t.Fatal(err)
		}
		<-calls
		n.mu.Lock()
		n.loses = func(string) bool { return true }
		n.mu.Unlock()
		begun := time.Now()
		for range 2 {
			select {
			case e := <-mine.ended:
				if e.Cause != Expired || time.Since(begun) > 3*time.Minute {
					t.Errorf("the refresher ended as %+v after %s", e, time.Since(begun))
				}
			case e := <-o.ended:
				if e.Cause != Expired || time.Since(begun) > 3*time.Minute {
					t.Errorf("the other side ended as %+v after %s", e, time.Since(begun))
				}
			}
		}
	})
}

func TestSilentTargetIsFollowedByTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{sockets: map[netip.AddrPort]*socket{}}
		calls := make(chan *Call, 1)
		n.agent(t, there, answerer(observe(), calls, CallOptions{}))
		a := n.agent(t, here, Options{})
		begun := time.Now()
		d := dialTo("198.51.100.99:5060", observe())
		d.Targets = append(d.Targets, dialTo(there, observe()).Targets...)
		c, err := a.Dial(context.Background(), d)
		if err != nil || time.Since(begun) > 2*nextTarget {
			t.Fatalf("after %s: %v", time.Since(begun), err)
		}
		c.Hangup(Reason{})
		_, err = a.Dial(context.Background(), dialTo("198.51.100.99:5060", observe()))
		var e *DialError
		if !errors.As(err, &e) || e.Status != 408 {
			t.Errorf("a silent target: %v", err)
		}
	})
}

func TestRingTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{sockets: map[netip.AddrPort]*socket{}}
		ended := make(chan struct{})
		n.agent(t, there, Options{OnInvite: func(i *Invitation) {
			c, err := i.Accept(CallOptions{Session: session()})
			if err == nil && c.Ring(180, false) == nil {
				<-c.Done()
			}
			close(ended)
		}})
		a := n.agent(t, here, Options{})
		d := dialTo(there, observe())
		d.RingTimeout = 20 * time.Second
		begun := time.Now()
		if _, err := a.Dial(context.Background(), d); !errors.Is(err, ErrNoAnswer) || time.Since(begun) != d.RingTimeout {
			t.Errorf("after %s: %v", time.Since(begun), err)
		}
		<-ended
	})
}

// TestReplaces finds the call that an INVITE is to replace, within the rules of RFC 3891 3.
func TestReplaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{sockets: map[netip.AddrPort]*socket{}}
		type found struct {
			call   *Call
			status int
		}
		o, calls, replaced := observe(), make(chan *Call, 2), make(chan found, 8)
		options := answerer(o, calls, CallOptions{})
		accept := options.OnInvite
		options.OnInvite = func(i *Invitation) {
			if !i.HasReplaces() {
				accept(i)
				return
			}
			c, status := i.Replaced()
			replaced <- found{c, status}
			i.Reject(max(status, 480), "")
		}
		n.agent(t, there, options)
		a := n.agent(t, here, Options{})
		c, err := a.Dial(context.Background(), dialTo(there, observe()))
		if err != nil {
			t.Fatal(err)
		}
		old := <-calls
		named := fmt.Sprintf("%s;to-tag=%s;from-tag=%s", c.ID(), c.RemoteTag(), c.LocalTag())
		for _, test := range []struct {
			header string
			want   found
		}{
			{named, found{old, 0}},
			{named + ";early-only", found{old, 486}},
			{"none;to-tag=1;from-tag=2", found{nil, 481}},
			{fmt.Sprintf("%s;to-tag=%s;from-tag=other", c.ID(), c.RemoteTag()), found{nil, 481}},
			{fmt.Sprintf("%s;to-tag=%s", c.ID(), c.RemoteTag()), found{nil, 481}},
		} {
			d := dialTo(there, observe())
			d.Headers = []sip.Header{sip.NewHeader("Replaces", test.header)}
			if _, err := a.Dial(context.Background(), d); err == nil {
				t.Errorf("%s: answered", test.header)
			}
			if got := <-replaced; got != test.want {
				t.Errorf("%s: got %v, want %v", test.header, got, test.want)
			}
		}
		d := dialTo(there, observe())
		d.Headers = []sip.Header{sip.NewHeader("Replaces", named), sip.NewHeader("Replaces", named)}
		var e *DialError
		if _, err := a.Dial(context.Background(), d); !errors.As(err, &e) || e.Status != 400 {
			t.Errorf("two calls at once: %v", err)
		}
	})
}

// TestCallThatCannotBeUsed ends a call whose media side refuses its stream.
func TestCallThatCannotBeUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{sockets: map[netip.AddrPort]*socket{}}
		o, calls := observe(), make(chan *Call, 1)
		n.agent(t, there, answerer(o, calls, CallOptions{}))
		a := n.agent(t, here, Options{})
		d := dialTo(there, observe())
		d.Handler.Stream = func(negotiation.Stream, bool) error { return errors.New("no port") }
		c, err := a.Dial(context.Background(), d)
		if err == nil {
			<-c.Done()
		}
		if e := <-o.ended; e.Cause != HungUp || e.Reason.Cause != 488 {
			t.Errorf("the other side ended as %+v", e)
		}
	})
}
