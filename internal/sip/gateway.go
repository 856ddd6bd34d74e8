package sip

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/media"
	"parley/internal/sip/useragent"
)

// GatewayOptions configures the SIP gateway.
type GatewayOptions struct {
	Port     int // of signalling, UDP and TCP; 0 chooses a free port
	TLS      TLSOptions
	RTPPorts PortRange // of the calls' audio

	// LoopbackOnly binds signalling and audio to the loopback interface; NodeIP is then 127.0.0.1.
	LoopbackOnly bool
	// NodeIP is the IPv4 address at which trunks reach this machine. Over IPv6 they reach the address that packets to them come from.
	NodeIP string
	// AllowPrivateNetworks permits private addresses for tenants' trunks and the audio of calls.
	AllowPrivateNetworks bool

	MediaURL string        // of the media server: ws or wss
	Joiner   *media.Joiner // joins phones to its rooms
	Tokens   media.Tokens  // of its API key
	Logger   *slog.Logger
	// Inbound handles inbound calls; nil if there are none.
	Inbound InboundHandler
	// Transfers decides on transfers that trunks ask for; nil declines all.
	Transfers TransferHandler
	// Messages stores the SIP messages of calls; nil if they are not traced.
	Messages MessageLog
	// Limits limits inbound calls.
	Limits CallLimits

	roots    *x509.CertPool // of TLS trunks; nil for the system's
	resolver *net.Resolver  // for trunks' names; nil for the default

	silence time.Duration // replaces both media timeouts in tests; 0 for the defaults
}

// PortRange is an inclusive range of ports.
type PortRange struct{ From, To int }

// stopTimeout bounds how long Stop waits for ringing phones to be cancelled and answered ones to be hung up.
const stopTimeout = 2 * time.Second

// idleCheck is the time between two checks of AwaitIdle.
const idleCheck = 100 * time.Millisecond

// joinTimeout bounds joining a phone to its room after it has called.
const joinTimeout = 10 * time.Second

// errStopped is the error of a stopped gateway.
var errStopped = errors.New("the SIP gateway has stopped")

// Gateway makes and answers phone calls. The phone of a call is a participant of the call's room, as any other is.
type Gateway struct {
	options GatewayOptions
	port    int
	agent   *useragent.UserAgent
	network network
	filter  *inboundFilter
	trace   *tracer
	sockets sockets
	served  sync.WaitGroup

	ctx     context.Context // ends when Stop begins, with errStopped
	stop    context.CancelCauseFunc
	ended   chan struct{}
	running sync.WaitGroup // dials, and phones that are answered
	active  atomic.Int64   // the number of them
	drains  atomic.Bool    // inbound calls are rejected

	mu     sync.Mutex
	phones map[member]*phone // answered ones
}

// member identifies a participant of a room.
type member struct{ room, identity string }

// StartGateway starts the gateway. The error for a port in use names its setting.
func StartGateway(_ context.Context, o GatewayOptions) (*Gateway, error) {
	o.Logger = cmp.Or(o.Logger, slog.Default())
	if o.LoopbackOnly {
		o.NodeIP = loopback.String()
	}
	ip, err := o.address()
	if err != nil {
		return nil, err
	}
	g := &Gateway{options: o, ended: make(chan struct{}), phones: map[member]*phone{},
		network: network{resolver: o.resolver, roots: o.roots, allowPrivate: o.AllowPrivateNetworks, loopbackOnly: o.LoopbackOnly, ip: ip}}
	g.ctx, g.stop = context.WithCancelCause(context.Background())
	if g.filter, err = newInboundFilter(o, g.answer, g.replaceLeg); err != nil {
		return nil, fmt.Errorf("start SIP gateway: %w", err)
	}
	if g.sockets, err = o.listen(); err != nil {
		return nil, err
	}
	g.port = g.sockets.port
	g.trace = newTracer(o.Messages, o.Logger)
	g.filter.trace = g.trace
	g.agent = useragent.New(useragent.Options{Name: "Parley", Address: g.network.ownAddress, Connect: g.network.connect, OnInvite: g.filter.handleInvite,
		OnTrace: g.trace.observe()})
	g.serve(func() error { return g.agent.ServeUDP(g.sockets.udp) })
	g.serve(func() error { return g.agent.ServeTCP(limitListener(g.sockets.tcp, g.hasCall)) })
	if g.sockets.tls != nil {
		g.serve(func() error { return g.agent.ServeTLS(limitListener(g.sockets.tls, g.hasCall)) })
	}
	return g, nil
}

// serve runs one of the user agent's listeners until it closes.
func (g *Gateway) serve(listener func() error) {
	g.served.Go(func() {
		if err := listener(); err != nil && !errors.Is(err, net.ErrClosed) && !errors.Is(err, useragent.ErrClosed) {
			g.options.Logger.Error("SIP gateway failed", "component", "sip", "error", err)
		}
	})
}

// address returns the address at which trunks reach this machine.
func (o GatewayOptions) address() (netip.Addr, error) {
	ip, err := netip.ParseAddr(o.NodeIP)
	if err != nil || !ip.Is4() {
		return ip, fmt.Errorf("PARLEY_RTC_NODE_IP: %q is no IPv4 address, which the SIP gateway needs; --without=sip leaves it out", o.NodeIP)
	}
	return ip, nil
}

// Check returns the error that StartGateway would return for the address and the port, without starting.
func (o GatewayOptions) Check() error {
	if !o.LoopbackOnly {
		if _, err := o.address(); err != nil {
			return err
		}
	}
	s, err := o.listen()
	if err == nil {
		s.close()
	}
	return err
}

func (o GatewayOptions) host() string {
	if o.LoopbackOnly {
		return loopback.String()
	}
	return ""
}

// hasCall reports whether an address has an inbound call that was admitted.
func (g *Gateway) hasCall(address string) bool {
	return g.filter.capacity.full(quota{admittedKey(address), 1})
}

// Port returns the port of signalling.
func (g *Gateway) Port() int { return g.port }

// Wait blocks until the gateway has stopped.
func (g *Gateway) Wait() { <-g.ended }

// Stop cancels ringing calls, hangs up answered ones, and closes the gateway. It is idempotent. It returns the
// context's error if the context ends first.
func (g *Gateway) Stop(ctx context.Context) error {
	g.mu.Lock()
	first := g.ctx.Err() == nil
	g.stop(errStopped)
	g.mu.Unlock()
	if first {
		go g.shutdown()
	}
	select {
	case <-g.ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stop SIP gateway: %w", ctx.Err())
	}
}

func (g *Gateway) shutdown() {
	defer close(g.ended)
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		g.running.Wait() // dials and calls end with the gateway's context
		g.agent.Drain()
	}()
	limit := time.NewTimer(stopTimeout)
	defer limit.Stop()
	select {
	case <-finished:
	case <-limit.C:
	}
	g.agent.Close()
	g.sockets.close()
	g.served.Wait()
	<-finished
	g.trace.stop()
}

// begin counts work that Stop waits for. It returns false when the gateway is stopping.
func (g *Gateway) begin() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ctx.Err() != nil {
		return false
	}
	g.running.Add(1)
	g.active.Add(1)
	return true
}

// end is the counterpart of begin.
func (g *Gateway) end() {
	g.active.Add(-1)
	g.running.Done()
}

// RejectCalls has the gateway answer further inbound calls with 503, so that a trunk tries the next one. Calls that go on are not
// affected.
func (g *Gateway) RejectCalls() { g.drains.Store(true) }

// AwaitIdle waits until no phone rings or is on the line, or ctx ends.
func (g *Gateway) AwaitIdle(ctx context.Context) {
	check := time.NewTicker(idleCheck)
	defer check.Stop()
	for g.active.Load() > 0 {
		select {
		case <-ctx.Done():
			return
		case <-check.C:
		}
	}
}

func (g *Gateway) setPhone(p *phone) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.phones[p.member] = p
}

func (g *Gateway) removePhone(p *phone) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.phones[p.member] == p {
		delete(g.phones, p.member)
	}
}

// Has reports whether the gateway has the answered phone of a participant.
func (g *Gateway) Has(room, identity string) bool { return g.phone(room, identity) != nil }

// phone returns the answered phone of a participant; nil if there is none.
func (g *Gateway) phone(room, identity string) *phone {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.phones[member{room, identity}]
}
