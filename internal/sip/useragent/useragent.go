// Package useragent is a SIP user agent (RFC 3261) for phone calls in both directions: dialogs, provisional responses that are
// acknowledged, session timers, hold and other renegotiation, transfers. It stands on sipgo's messages and transactions, and
// on sockets that are given to it. It decides nothing about who may call: an Invitation costs no more than its transaction until
// it is accepted.
package useragent

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/netip"
	"sync"

	"github.com/emiago/sipgo/sip"
)

// Options are those of a user agent.
type Options struct {
	Name string // in the User-Agent and Server headers; "" for none
	// Address returns the address that messages to a peer name as this side's. nil names the one of the route to the peer.
	Address func(peer netip.Addr) (netip.Addr, error)
	// Connect opens a connection to a peer, for "TCP" or "TLS" with a certificate for host. nil connects with the system's roots.
	Connect func(ctx context.Context, transport string, peer netip.AddrPort, host string) (net.Conn, error)
	// OnInvite handles an invitation to a new call, in a goroutine of its own. It ends with Accept or Reject; an invitation that
	// was neither is rejected when OnInvite returns. nil rejects every one.
	OnInvite func(*Invitation)
	// OnTrace receives every message; nil if messages are not traced. It must not block.
	OnTrace func(TraceEntry)
}

// ErrClosed is the error of what a closed user agent is asked for.
var ErrClosed = errors.New("the user agent is closed")

// Limits on what peers can make a user agent keep.
const (
	maxTransactions = 20_000
	maxQueued       = 256 // messages that wait in a call
	maxOpen         = 256 // transactions of a call's peer
)

// UserAgent makes and receives calls.
type UserAgent struct {
	options Options
	parser  *sip.Parser

	mu          sync.Mutex
	closed      bool
	packets     net.PacketConn // nil without UDP
	ports       map[string]int // of the sockets, by transport
	flows       map[flowKey]*flow
	servers     map[string]*serverTx
	clients     map[string]*clientTx
	calls       map[callID]*Call
	invitations map[mergeKey]string // keys of the open transactions
	closers     map[io.Closer]bool
	running     sync.WaitGroup
	calling     sync.WaitGroup // calls that have not ended, or whose last requests are not answered
}

// callID identifies a call by what requests within it name.
type callID struct{ id, localTag string }

// New returns a user agent without sockets.
func New(o Options) *UserAgent {
	if o.Address == nil {
		o.Address = routedAddress
	}
	if o.Connect == nil {
		o.Connect = connect
	}
	if o.OnInvite == nil {
		o.OnInvite = func(*Invitation) {}
	}
	return &UserAgent{options: o, parser: newParser(), ports: map[string]int{}, flows: map[flowKey]*flow{}, servers: map[string]*serverTx{},
		clients: map[string]*clientTx{}, calls: map[callID]*Call{}, invitations: map[mergeKey]string{}, closers: map[io.Closer]bool{}}
}

// Close ends all calls without a message to their peers, closes connections and sockets, and waits until nothing runs any
// more. Calls that should end with a BYE are hung up before.
func (u *UserAgent) Close() {
	u.mu.Lock()
	u.closed = true
	calls, flows, listeners := values(u.calls), values(u.flows), keys(u.closers)
	clients, servers := values(u.clients), values(u.servers)
	packets := u.packets
	u.mu.Unlock()
	for _, c := range calls {
		c.post(func() { c.end(End{Cause: Closed}) })
	}
	for _, t := range clients {
		t.Terminate()
	}
	for _, t := range servers {
		t.Terminate()
	}
	for _, l := range listeners {
		_ = l.Close()
	}
	for _, f := range flows {
		f.close()
	}
	if packets != nil {
		_ = packets.Close()
	}
	u.running.Wait()
}

func values[K comparable, V any](m map[K]V) (all []V) {
	for _, v := range m {
		all = append(all, v)
	}
	return all
}

func keys[K comparable, V any](m map[K]V) (all []K) {
	for k := range m {
		all = append(all, k)
	}
	return all
}

// start runs f, which Close waits for. It reports false, without running it, if the user agent is closed.
func (u *UserAgent) start(f func()) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return false
	}
	u.running.Add(1)
	go func() {
		defer u.running.Done()
		f()
	}()
	return true
}

// startCall runs a call until it has ended. It reports false if the user agent is closed.
func (u *UserAgent) startCall(c *Call) bool {
	u.calling.Add(1)
	started := u.start(func() {
		defer u.calling.Done()
		c.run()
	})
	if !started {
		u.calling.Done()
	}
	return started
}

// Drain waits until all calls have ended, and their last requests are answered or given up. New ones must not begin meanwhile.
func (u *UserAgent) Drain() { u.calling.Wait() }

// routedAddress returns this machine's address on the route to a peer.
func routedAddress(peer netip.Addr) (netip.Addr, error) {
	c, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(peer, 9))) // sends nothing
	if err != nil {
		return netip.Addr{}, err
	}
	defer func() { _ = c.Close() }()
	return c.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap(), nil
}

func connect(ctx context.Context, transport string, peer netip.AddrPort, host string) (net.Conn, error) {
	if transport == TLS {
		d := tls.Dialer{Config: &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12}}
		return d.DialContext(ctx, "tcp", peer.String())
	}
	return new(net.Dialer).DialContext(ctx, "tcp", peer.String())
}

// register makes a call known to the requests within it.
func (u *UserAgent) register(c *Call) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed {
		return false
	}
	u.calls[callID{c.dialog.callID, c.dialog.localTag}] = c
	return true
}

func (u *UserAgent) unregister(c *Call) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.calls, callID{c.dialog.callID, c.dialog.localTag})
}

// call returns the call with an id; nil if there is none.
func (u *UserAgent) call(id, localTag string) *Call {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.calls[callID{id, localTag}]
}

// Calls returns how many calls there are.
func (u *UserAgent) Calls() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.calls)
}
