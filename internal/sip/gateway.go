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
	"strings"
	"sync"
	"time"

	"github.com/livekit/mediatransportutil/pkg/rtcconfig"
	"github.com/livekit/protocol/livekit"
	"github.com/livekit/protocol/rpc"
	protocol "github.com/livekit/protocol/sip"
	"github.com/livekit/protocol/utils/guid"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/livekit/sip/pkg/config"
	lksip "github.com/livekit/sip/pkg/sip"
	"github.com/livekit/sip/pkg/stats"
	"github.com/livekit/sipgo"
	"github.com/livekit/sipgo/sip"
	"google.golang.org/protobuf/types/known/durationpb"
)

// GatewayOptions configures the SIP gateway.
type GatewayOptions struct {
	Port     int       // of signalling, UDP and TCP; 0 chooses a free port
	RTPPorts PortRange // of the calls' audio

	// LoopbackOnly binds signalling and audio to the loopback interface; NodeIP is then 127.0.0.1.
	LoopbackOnly bool
	// NodeIP is the IPv4 address at which trunks reach this machine. Over IPv6 they reach the address that packets to them come from.
	NodeIP string
	// AllowPrivateNetworks permits private addresses for tenants' trunks and the audio of calls.
	AllowPrivateNetworks bool

	MediaURL    string // of the media server: ws or wss
	Signalling  string // URL by which phones join rooms without losing leave messages; "" for MediaURL
	Key, Secret string // its API key
	Logger      *slog.Logger
	// Inbound handles inbound calls; nil if there are none.
	Inbound InboundHandler
	// Limits limits inbound calls.
	Limits CallLimits

	roots    *x509.CertPool // of TLS trunks; nil for the system's
	resolver *net.Resolver  // for trunks' names; nil for the default

	silence time.Duration // replaces both media timeouts in tests; 0 for the defaults
}

// PortRange is an inclusive range of ports.
type PortRange struct{ From, To int }

// Timeouts that LiveKit sets only when it runs as a separate process.
const (
	mediaTimeout        = 15 * time.Second // an answered phone without packets is gone after this time …
	mediaTimeoutInitial = 30 * time.Second // … and after this one at the start
	ringingInterval     = time.Second
	// rtpDrain is how long a call's port stays bound after the call, so that the next call does not receive its
	// packets.
	rtpDrain = 5 * time.Second
)

// stopTimeout bounds how long Stop waits for the CANCELs of ringing phones.
const stopTimeout = 2 * time.Second

// removeTimeout bounds ending a call that exceeded its duration.
const removeTimeout = 10 * time.Second

// joinAttempts is how often a phone's participant is joined to its room: about one in 200 joins of a burst loses
// its response.
const joinAttempts = 3

// errStopped is the error of a stopped gateway.
var errStopped = errors.New("the SIP gateway has stopped")

// Gateway is LiveKit SIP in this process. It uses no message bus and joins rooms as any participant does. Several
// may run in one process. Each leaves five goroutines of LiveKit behind, which cannot be stopped: they expire the
// caches of its SIP server and measure the machine's load.
type Gateway struct {
	options  GatewayOptions
	port     int
	rooms    *lksdk.RoomServiceClient
	monitor  *stats.Monitor
	agent    *sipgo.UserAgent
	client   *lksip.Client
	server   *lksip.Server
	uac      *uac
	filter   *inboundFilter
	sockets  sockets
	outbound [2]*outboundListener
	served   sync.WaitGroup

	callbacks handler

	stop    sync.Once
	stopped chan struct{} // Stop has begun
	ended   chan struct{}
}

// StartGateway starts the gateway. The error for a port in use names its setting.
func StartGateway(_ context.Context, o GatewayOptions) (*Gateway, error) {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.LoopbackOnly {
		o.NodeIP = "127.0.0.1"
	}
	ip, err := o.address()
	if err != nil {
		return nil, err
	}
	g := &Gateway{options: o, rooms: lksdk.NewRoomServiceClient(httpURL(o.MediaURL), o.Key, o.Secret), stopped: make(chan struct{}), ended: make(chan struct{})}
	if g.sockets, err = listen(o.host(), o.Port); err != nil {
		return nil, err
	}
	g.port = g.sockets.port
	if err := g.start(ip); err != nil {
		g.sockets.close()
		return nil, fmt.Errorf("start SIP gateway: %w", err)
	}
	return g, nil
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
	s, err := listen(o.host(), o.Port)
	if err == nil {
		s.close()
	}
	return err
}

func (o GatewayOptions) host() string {
	if o.LoopbackOnly {
		return "127.0.0.1"
	}
	return ""
}

func httpURL(url string) string {
	if rest, ok := strings.CutPrefix(url, "ws"); ok {
		return "http" + rest
	}
	return url
}

// config returns LiveKit's configuration. LiveKit's own Init is not called, because it replaces the process's
// logger.
func (o GatewayOptions) config(port int) *config.Config {
	c := &config.Config{
		ServiceName: "sip", NodeID: guid.New("NE_"),
		ApiKey: o.Key, ApiSecret: o.Secret, WsUrl: cmp.Or(o.Signalling, o.MediaURL),
		SIPPort: port,
		// LiveKit requires its own sockets; they get random ports of the loopback interface and stay unused.
		ListenIP: "127.0.0.1", SIPPortListen: 0,
		NAT1To1IP: o.NodeIP,
		RTPPort:   rtcconfig.PortRange{Start: o.RTPPorts.From, End: o.RTPPorts.To},
		// Load of the whole machine: workers check it before they claim calls.
		MaxCpuUtilization: 1,
		MediaTimeout:      cmp.Or(o.silence, mediaTimeout), MediaTimeoutInitial: cmp.Or(o.silence, mediaTimeoutInitial), SIPRingingInterval: ringingInterval,
		RTPDrainingIdleTimeout: rtpDrain, RTPDrainingDuration: rtpDrain,
	}
	// No audio is sent before the other side's ACK has verified its address.
	c.Experimental.InboundWaitACK = true
	return c
}

func (g *Gateway) start(ip netip.Addr) (err error) {
	conf, log := g.options.config(g.port), newGatewayLog(g.options.Logger)
	if g.agent, err = sipgo.NewUA(sipgo.WithUserAgent("Parley"), sipgo.WithUserAgentIP(ip.AsSlice()),
		sipgo.WithUserAgentLogger(slog.New(slog.DiscardHandler))); err != nil {
		return err
	}
	if g.monitor, err = stats.NewMonitor(conf); err != nil {
		return err
	}
	if err = g.monitor.Start(conf); err != nil {
		return err
	}
	layer := g.agent.TransportLayer()
	g.outbound = [2]*outboundListener{newOutboundListener(), newOutboundListener()}
	g.serveListener(func() error { return layer.ServeUDP(g.sockets.udp) })
	g.serveListener(func() error { return layer.ServeTCP(limitListener(g.sockets.tcp, g.hasCall)) })
	g.serveListener(func() error { return layer.ServeTCP(g.outbound[0]) })
	g.serveListener(func() error { return layer.ServeTLS(g.outbound[1]) })

	g.uac = &uac{closing: make(chan struct{}), legs: map[string]*leg{}, network: network{
		layer: layer, resolver: g.options.resolver, roots: g.options.roots, allowPrivate: g.options.AllowPrivateNetworks,
		loopbackOnly: g.options.LoopbackOnly, tcp: g.outbound[0], tls: g.outbound[1],
	}}
	g.uac.waitForListener(layer) // before LiveKit's own socket: the stack sends from the first one
	states := func(string, *rpc.SIPCallObservability, *livekit.SIPCallInfo) lksip.StateHandler {
		return lksip.NewRPCStateHandler(nil)
	}
	g.client = lksip.NewClient("", conf, log, g.monitor, states, lksip.WithGetSipClient(
		func(agent *sipgo.UserAgent, options ...sipgo.ClientOption) (lksip.SIPClient, error) {
			stack, err := sipgo.NewClient(agent, options...)
			g.uac.stack = stack
			return g.uac, err
		}))
	handler := newHandler(g)
	g.callbacks = handler
	if g.filter, err = newInboundFilter(g.options, handler.hasDialog); err != nil {
		return err
	}
	g.client.SetHandler(handler)
	g.server = lksip.NewServer("", conf, log, g.monitor, states, lksip.WithClient(g.client))
	g.server.SetHandler(handler)
	services := &lksip.ServiceConfig{SignalingIP: ip, SignalingIPLocal: ip, MediaIP: ip,
		ListenMedia: g.options.listenAudio, OnInvite: g.filter.handleInvite, OnAcknowledged: g.filter.acknowledged, Destination: g.filter.destination}
	if err := g.client.Start(g.agent, services); err != nil {
		return err
	}
	err = g.server.Start(g.agent, services, nil, func(request *sip.Request, tx sip.ServerTransaction) bool {
		return g.uac.handleNotify(request, tx) || g.client.OnRequest(request, tx)
	})
	g.sockets.open() // sipgo must not handle messages while its handlers are being set
	return err
}

// serveListener runs one of the stack's listeners until it closes.
func (g *Gateway) serveListener(listener func() error) {
	g.served.Go(func() {
		if err := listener(); err != nil && !errors.Is(err, net.ErrClosed) {
			g.options.Logger.Error("SIP gateway failed", "component", "sip", "error", err)
		}
	})
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
	g.stop.Do(func() {
		close(g.stopped)
		go g.shutdown()
	})
	select {
	case <-g.ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stop SIP gateway: %w", ctx.Err())
	}
}

func (g *Gateway) shutdown() {
	defer close(g.ended)
	g.uac.stop()
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		g.client.Stop()
		g.server.Stop()
		g.uac.openInvites.Wait()
	}()
	limit := time.NewTimer(stopTimeout)
	defer limit.Stop()
	select {
	case <-finished:
	case <-limit.C:
	}
	close(g.uac.closing)
	// Stop inbound messages first: sipgo must not close a transaction that is starting and has no termination
	// callback yet.
	g.sockets.close()
	for _, l := range g.outbound {
		_ = l.Close()
	}
	g.served.Wait()
	_ = g.agent.Close() // LiveKit stops waiting for responses to its BYEs
	<-finished
	g.uac.running.Wait()
	g.monitor.Stop()
}

// Dial dials a number and returns once the call is answered. The phone's participant is in the room from the start,
// with the attribute sip.callStatus: dialing, ringing, active. When the context ends, ringing is cancelled. The
// error is a *DialError if the call was not answered; after any other error nothing rings.
func (g *Gateway) Dial(ctx context.Context, d DialRequest) error {
	select {
	case <-g.stopped:
		return errStopped
	default:
	}
	var err error
	for range joinAttempts {
		var sent bool
		if sent, err = g.dial(ctx, d); err == nil || sent || ctx.Err() != nil {
			break
		}
	}
	return err
}

// dial makes one attempt. sent: the trunk may have received the call.
func (g *Gateway) dial(ctx context.Context, d DialRequest) (sent bool, err error) {
	id := protocol.NewCallID()
	ringing, cancel := context.WithTimeout(ctx, d.RingTimeout)
	defer cancel()
	l := newLeg(ringing, d)
	g.uac.addLeg(id, l)
	start := time.Now()
	_, err = g.client.CreateSIPParticipant(ctx, d.request(id))
	if err == nil {
		g.limitDuration(id, d)
		return true, nil
	}
	g.uac.removeLeg(id)
	select {
	case <-g.stopped:
		return true, errStopped
	default:
	}
	dialErr := l.dialFailure(d.RingTimeout, time.Since(start) >= d.RingTimeout)
	switch {
	case ctx.Err() != nil:
		return true, fmt.Errorf("dial: %w", context.Cause(ctx))
	case dialErr != nil:
		return true, dialErr
	}
	return l.wasSent(), fmt.Errorf("join the phone to its room: %s", errorText(err))
}

// limitDuration ends a call at its maximum duration by removing the phone's participant.
func (g *Gateway) limitDuration(id string, d DialRequest) {
	if d.MaxDuration <= 0 {
		return
	}
	g.uac.limitDuration(id, d.MaxDuration, func() {
		ctx, cancel := context.WithTimeout(context.Background(), removeTimeout)
		defer cancel()
		if _, err := g.rooms.RemoveParticipant(ctx, &livekit.RoomParticipantIdentity{Room: d.Room, Identity: d.Identity}); err != nil {
			g.options.Logger.Warn("failed to end a phone call at its maximum duration", "component", "sip", "room", d.Room, "error", err)
		}
	})
}

// transports maps the transports to LiveKit's.
var transports = map[Transport]livekit.SIPTransport{
	UDP: livekit.SIPTransport_SIP_TRANSPORT_UDP,
	TCP: livekit.SIPTransport_SIP_TRANSPORT_TCP,
	TLS: livekit.SIPTransport_SIP_TRANSPORT_TLS,
}

// config returns the equivalent LiveKit configuration.
func (e MediaEncryption) config() *livekit.SIPMediaConfig {
	encryption := livekit.SIPMediaEncryption_SIP_MEDIA_ENCRYPT_DISABLE
	switch e {
	case EncryptionAllow:
		encryption = livekit.SIPMediaEncryption_SIP_MEDIA_ENCRYPT_ALLOW
	case EncryptionRequire:
		encryption = livekit.SIPMediaEncryption_SIP_MEDIA_ENCRYPT_REQUIRE
	}
	return &livekit.SIPMediaConfig{Encryption: &encryption}
}

// request returns the equivalent LiveKit request. The room does not learn the number.
func (d DialRequest) request(id string) *rpc.InternalCreateSIPParticipantRequest {
	from, domain := d.Trunk.from()
	return &rpc.InternalCreateSIPParticipantRequest{
		SipCallId: id, RoomName: d.Room, ParticipantIdentity: d.Identity, CallTo: d.Number, Number: from, Hostname: domain,
		Address: d.Trunk.Address, Transport: transports[d.Trunk.Transport], Username: d.Trunk.Username, Password: d.Trunk.Password,
		Headers: d.Trunk.Headers, Media: d.Trunk.Encryption.config(), RingingTimeout: durationpb.New(d.RingTimeout), WaitUntilAnswered: true,
	}
}

// from returns the From header: the caller id, else the account. With an account the domain is the trunk's, as for
// registered clients; otherwise it is this machine's address.
func (r OutboundRoute) from() (user, domain string) {
	if r.Username != "" {
		domain, _ = r.hostPort()
	}
	switch {
	case r.CallerID != "":
		return r.CallerID, domain
	case r.Username != "":
		return r.Username, domain
	}
	return "anonymous", domain
}
