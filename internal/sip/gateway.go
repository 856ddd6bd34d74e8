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

// GatewayOptions configure the SIP gateway in this process.
type GatewayOptions struct {
	Port     int       // of signalling, over UDP and TCP; 0 takes a free one
	RTPPorts PortRange // of the calls' audio

	// LoopbackOnly binds signalling and audio to the loopback interface; NodeIP is then 127.0.0.1.
	LoopbackOnly bool
	// NodeIP is the IPv4 address at which trunks reach this machine.
	NodeIP string
	// AllowPrivateNetworks lets tenants' trunks, and the audio of calls, be at private addresses.
	AllowPrivateNetworks bool

	MediaURL    string // of the media server: ws or wss
	Signalling  string // where phones enter rooms: a way to the media server on which no goodbye is lost; "" for MediaURL
	Key, Secret string // its API key
	Logger      *slog.Logger
	// Reception takes calls that come in; nil for none.
	Reception Reception
	// Limits bound the calls that come in.
	Limits CallLimits

	roots    *x509.CertPool // that TLS trunks are known by; nil for the machine's
	resolver *net.Resolver  // of trunks' names; nil for the default one

	silence time.Duration // instead of both media timeouts, in tests; 0 for those
}

// PortRange is the ports from one to another, both included.
type PortRange struct{ From, To int }

// Times of LiveKit's that it would set by itself for a process of its own.
const (
	mediaTimeout        = 15 * time.Second // an answered phone that sends nothing is gone …
	mediaTimeoutInitial = 30 * time.Second // … at first after this long
	ringingInterval     = time.Second
	// rtpDrain keeps a call's port bound after it, lest the next one hears what a peer still sends.
	rtpDrain = 5 * time.Second
)

// goodbye bounds how long Stop waits until the phones that were ringing have been told.
const goodbye = 2 * time.Second

// removeTimeout bounds the end of a call that has lasted too long.
const removeTimeout = 10 * time.Second

// joinAttempts is how often a phone's participant is brought into its room: about one join in 200 of a burst loses its
// answer.
const joinAttempts = 3

// errStopped says that a gateway was stopped.
var errStopped = errors.New("the SIP gateway has stopped")

// Gateway is LiveKit SIP in this process: the telephone network's side of calls. It needs no bus: it reaches the media
// server as any participant does. Several may run at once, as tests do. Each leaves five goroutines of LiveKit's behind
// that nothing can end: they time the caches of its SIP server out and look at the machine's load.
type Gateway struct {
	options GatewayOptions
	port    int
	rooms   *lksdk.RoomServiceClient
	monitor *stats.Monitor
	agent   *sipgo.UserAgent
	client  *lksip.Client
	server  *lksip.Server
	uac     *uac
	gate    *gate
	sockets sockets
	lent    [2]*lent
	served  sync.WaitGroup

	stop    sync.Once
	stopped chan struct{} // Stop has begun
	ended   chan struct{}
}

// StartGateway starts the gateway. A port in use is an error that names its variable.
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

// address is where trunks reach this machine.
func (o GatewayOptions) address() (netip.Addr, error) {
	ip, err := netip.ParseAddr(o.NodeIP)
	if err != nil || !ip.Is4() {
		return ip, fmt.Errorf("PARLEY_RTC_NODE_IP: %q is no IPv4 address, and the SIP gateway uses no other; --without=sip leaves it out", o.NodeIP)
	}
	return ip, nil
}

// Check tells whether the address and the port will do, in the words that StartGateway would use, without starting anything.
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

// config is LiveKit's configuration. Its own Init is not called: it takes the process's logger.
func (o GatewayOptions) config(port int) *config.Config {
	c := &config.Config{
		ServiceName: "sip", NodeID: guid.New("NE_"),
		ApiKey: o.Key, ApiSecret: o.Secret, WsUrl: cmp.Or(o.Signalling, o.MediaURL),
		SIPPort: port,
		// LiveKit insists on sockets of its own; they are at random ports of the loopback interface, and nobody is told.
		ListenIP: "127.0.0.1", SIPPortListen: 0,
		NAT1To1IP: o.NodeIP,
		RTPPort:   rtcconfig.PortRange{Start: o.RTPPorts.From, End: o.RTPPorts.To},
		// Of the whole machine: workers look at it before they take a call on.
		MaxCpuUtilization: 1,
		MediaTimeout:      cmp.Or(o.silence, mediaTimeout), MediaTimeoutInitial: cmp.Or(o.silence, mediaTimeoutInitial), SIPRingingInterval: ringingInterval,
		RTPDrainingIdleTimeout: rtpDrain, RTPDrainingDuration: rtpDrain,
	}
	// No audio leaves before the other side has shown, by its ACK, that it is where it says.
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
	g.lent = [2]*lent{newLent(), newLent()}
	g.serve(func() error { return layer.ServeUDP(g.sockets.udp) })
	g.serve(func() error { return layer.ServeTCP(guard(g.sockets.tcp)) })
	g.serve(func() error { return layer.ServeTCP(g.lent[0]) })
	g.serve(func() error { return layer.ServeTLS(g.lent[1]) })

	g.uac = &uac{closing: make(chan struct{}), legs: map[string]*leg{}, network: network{
		layer: layer, resolver: g.options.resolver, roots: g.options.roots, allowPrivate: g.options.AllowPrivateNetworks,
		loopbackOnly: g.options.LoopbackOnly, tcp: g.lent[0], tls: g.lent[1],
	}}
	g.uac.listening(layer) // before LiveKit's own socket is there: the stack sends from the first
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
	if g.gate, err = newGate(g.options, handler.hasDialog); err != nil {
		return err
	}
	g.client.SetHandler(handler)
	g.server = lksip.NewServer("", conf, log, g.monitor, states, lksip.WithClient(g.client))
	g.server.SetHandler(handler)
	services := &lksip.ServiceConfig{SignalingIP: ip, SignalingIPLocal: ip, MediaIP: ip,
		ListenMedia: g.options.listenAudio, OnInvite: g.gate.invite, Destination: g.gate.destination}
	if err := g.client.Start(g.agent, services); err != nil {
		return err
	}
	err = g.server.Start(g.agent, services, nil, func(request *sip.Request, tx sip.ServerTransaction) bool {
		return g.uac.notified(request, tx) || g.client.OnRequest(request, tx)
	})
	g.sockets.open() // sipgo must not handle a message while its handlers are being set
	return err
}

// serve runs one of the stack's listeners until it is closed.
func (g *Gateway) serve(listener func() error) {
	g.served.Go(func() {
		if err := listener(); err != nil && !errors.Is(err, net.ErrClosed) {
			g.options.Logger.Error("SIP gateway", "component", "sip", "error", err)
		}
	})
}

// Port is the port of signalling.
func (g *Gateway) Port() int { return g.port }

// Wait returns when the gateway has stopped.
func (g *Gateway) Wait() { <-g.ended }

// Stop cancels what rings, hangs up what was answered, and closes the gateway; calling it again is harmless. It returns
// early, with the context's error, when the context ends.
func (g *Gateway) Stop(ctx context.Context) error {
	g.stop.Do(func() {
		close(g.stopped)
		go g.shut()
	})
	select {
	case <-g.ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stop SIP gateway: %w", ctx.Err())
	}
}

func (g *Gateway) shut() {
	defer close(g.ended)
	g.uac.stop()
	told := make(chan struct{})
	go func() {
		defer close(told)
		g.client.Stop()
		g.server.Stop()
		g.uac.open.Wait()
	}()
	limit := time.NewTimer(goodbye)
	defer limit.Stop()
	select {
	case <-told:
	case <-limit.C:
	}
	close(g.uac.closing)
	// First nothing more comes in: sipgo must not close a transaction that it is about to begin, which has no function to
	// call at its end yet.
	g.sockets.close()
	for _, l := range g.lent {
		_ = l.Close()
	}
	g.served.Wait()
	_ = g.agent.Close() // LiveKit waits no more for those who do not answer its goodbyes
	<-told
	g.uac.running.Wait()
	g.monitor.Stop()
}

// Dial rings, and returns once the call is answered and the phone's participant is in the room, where it is from the
// beginning, with the attribute sip.callStatus: dialing, ringing, active. A context that ends cancels the ringing. A
// *Refusal says why a call was not answered; any other error is of this side, and nothing rings any more.
func (g *Gateway) Dial(ctx context.Context, d Dial) error {
	select {
	case <-g.stopped:
		return errStopped
	default:
	}
	var err error
	for range joinAttempts {
		var asked bool
		if asked, err = g.dial(ctx, d); err == nil || asked || ctx.Err() != nil {
			break
		}
	}
	return err
}

// dial also tells whether the trunk may have been asked for the call.
func (g *Gateway) dial(ctx context.Context, d Dial) (asked bool, err error) {
	id := protocol.NewCallID()
	waited, cancel := context.WithTimeout(ctx, d.RingTimeout)
	defer cancel()
	l := newLeg(waited, d)
	g.uac.begin(id, l)
	start := time.Now()
	_, err = g.client.CreateSIPParticipant(ctx, d.request(id))
	if err == nil {
		g.limit(id, d)
		return true, nil
	}
	g.uac.end(id)
	select {
	case <-g.stopped:
		return true, errStopped
	default:
	}
	refusal := l.outcome(d.RingTimeout, time.Since(start) >= d.RingTimeout)
	switch {
	case ctx.Err() != nil:
		return true, fmt.Errorf("dial: %w", context.Cause(ctx))
	case refusal != nil:
		return true, refusal
	}
	return l.sent(), fmt.Errorf("the phone in its room: %s", personal.ReplaceAllString(err.Error(), "…"))
}

// limit ends a call that lasts too long: the gateway hangs up when the phone's participant is removed.
func (g *Gateway) limit(id string, d Dial) {
	if d.MaxDuration <= 0 {
		return
	}
	g.uac.limit(id, d.MaxDuration, func() {
		ctx, cancel := context.WithTimeout(context.Background(), removeTimeout)
		defer cancel()
		if _, err := g.rooms.RemoveParticipant(ctx, &livekit.RoomParticipantIdentity{Room: d.Room, Identity: d.Identity}); err != nil {
			g.options.Logger.Warn("end a phone call that lasts too long", "component", "sip", "room", d.Room, "error", err)
		}
	})
}

// transports are LiveKit's names of ours.
var transports = map[Transport]livekit.SIPTransport{
	UDP: livekit.SIPTransport_SIP_TRANSPORT_UDP,
	TCP: livekit.SIPTransport_SIP_TRANSPORT_TCP,
	TLS: livekit.SIPTransport_SIP_TRANSPORT_TLS,
}

// config is LiveKit's word for it.
func (e MediaEncryption) config() *livekit.SIPMediaConfig {
	wanted := livekit.SIPMediaEncryption_SIP_MEDIA_ENCRYPT_DISABLE
	switch e {
	case EncryptionAllow:
		wanted = livekit.SIPMediaEncryption_SIP_MEDIA_ENCRYPT_ALLOW
	case EncryptionRequire:
		wanted = livekit.SIPMediaEncryption_SIP_MEDIA_ENCRYPT_REQUIRE
	}
	return &livekit.SIPMediaConfig{Encryption: &wanted}
}

// request is the dial in LiveKit's words. The room is not told the number.
func (d Dial) request(id string) *rpc.InternalCreateSIPParticipantRequest {
	from, domain := d.Trunk.from()
	return &rpc.InternalCreateSIPParticipantRequest{
		SipCallId: id, RoomName: d.Room, ParticipantIdentity: d.Identity, CallTo: d.Number, Number: from, Hostname: domain,
		Address: d.Trunk.Address, Transport: transports[d.Trunk.Transport], Username: d.Trunk.Username, Password: d.Trunk.Password,
		Headers: d.Trunk.Headers, Media: d.Trunk.Encryption.config(), RingingTimeout: durationpb.New(d.RingTimeout), WaitUntilAnswered: true,
	}
}

// from is who calls: the caller id, else the account. One with an account calls from the trunk's domain, as those who
// register there do; others, known by their address, from this machine.
func (r Route) from() (user, domain string) {
	if r.Username != "" {
		domain, _ = r.place()
	}
	switch {
	case r.CallerID != "":
		return r.CallerID, domain
	case r.Username != "":
		return r.Username, domain
	}
	return "anonymous", domain
}
