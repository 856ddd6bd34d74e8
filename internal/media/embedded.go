// Package media connects to LiveKit: the server embedded in this process, the proxy for its signalling, join
// tokens, rooms, and the participant with which an agent or a synthetic caller sends and receives audio.
package media

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/livekit/livekit-server/pkg/config"
	"github.com/livekit/livekit-server/pkg/routing"
	"github.com/livekit/livekit-server/pkg/service"
	"github.com/livekit/livekit-server/pkg/telemetry/prometheus"

	"parley/internal/netguard"
)

// EmbeddedOptions configures the media server in this process. A port of 0 chooses a free one.
type EmbeddedOptions struct {
	Port    int // signalling, always on 127.0.0.1, reached through Proxy
	TCPPort int // media over TCP, for networks that block UDP; not opened when LoopbackOnly
	UDPPort int // media over UDP

	// LoopbackOnly binds media to the loopback interface; NodeIP is then 127.0.0.1. The TCP port stays closed,
	// because LiveKit binds it on every interface, and loopback UDP is never blocked.
	LoopbackOnly bool
	// NodeIP is the address at which callers reach this machine's media ports.
	NodeIP string

	Key, Secret string // the API key that signs join tokens; the secret has at least 32 characters
	Logger      *slog.Logger

	forceTCP bool // in tests: no media over UDP
}

// Embedded is a LiveKit server in this process. Several may run, concurrently or in sequence, as tests do; but
// LiveKit keeps its logger and its metrics in package variables, so all of them log to the first one's logger and
// count as its node.
type Embedded struct {
	server *service.LivekitServer
	stun   *stunResponder
	relay  TCPRelay
	url    string
	ended  chan struct{}
	err    error // set before ended closes
}

// startTimeout bounds the wait for the server's first response; it normally takes 60 ms.
const startTimeout = 10 * time.Second

// StartEmbedded starts the server and returns once it responds. The error for a port in use names its setting.
func StartEmbedded(ctx context.Context, o EmbeddedOptions) (*Embedded, error) {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.LoopbackOnly {
		o.NodeIP = "127.0.0.1"
	}
	if err := o.reservePorts(); err != nil {
		return nil, err
	}
	netguard.Own(&net.TCPAddr{Port: o.Port})
	e := &Embedded{url: "ws://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(o.Port)), relay: o.relay(), ended: make(chan struct{})}
	if err := e.start(ctx, o); err != nil {
		if e.stun != nil {
			e.stun.Close()
		}
		return nil, fmt.Errorf("start media server: %w", err)
	}
	return e, nil
}

func (e *Embedded) start(ctx context.Context, o EmbeddedOptions) error {
	var err error
	if e.stun, err = startSTUNResponder(); err != nil {
		return err
	}
	conf, err := o.config()
	if err != nil {
		return err
	}
	conf.RTC.STUNServers = []string{e.stun.Addr()}
	setLogger(o.Logger)
	node, err := routing.NewLocalNode(conf)
	if err != nil {
		return err
	}
	if err := prometheus.Init(string(node.NodeID()), node.NodeType()); err != nil {
		return err
	}
	if e.server, err = service.InitializeServer(conf, node); err != nil {
		return err
	}
	if err := errors.Join(limitTCPPort(e.server), limitPackets(e.server), limitRequests(e.server)); err != nil {
		return err
	}
	go func() {
		e.err = e.server.Start()
		e.stun.Close()
		close(e.ended)
	}()
	return e.awaitReady(ctx)
}

func (e *Embedded) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http"+e.url[len("ws"):], nil)
		if err != nil {
			return err
		}
		if answer, err := http.DefaultClient.Do(request); err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-e.ended:
			return errors.Join(errors.New("it ended at once"), e.err)
		case <-ctx.Done():
			go func() { _ = e.Stop(context.Background()) }()
			return fmt.Errorf("no answer on %s: %w", e.url, ctx.Err())
		case <-tick.C:
		}
	}
}

// packetBuffer is how many packets of a voice LiveKit keeps, 1.5 kB each, to send them again to who has missed them: 1.4 s.
const packetBuffer = 70

// config returns LiveKit's configuration. LiveKit's own parser sets the other defaults.
func (o EmbeddedOptions) config() (*config.Config, error) {
	if net.ParseIP(o.NodeIP) == nil {
		return nil, fmt.Errorf("PARLEY_RTC_NODE_IP: %q is no IP address", o.NodeIP)
	}
	conf, err := config.NewConfig("rtc: "+o.rtc(), true, nil, nil)
	if err != nil {
		return nil, err
	}
	conf.Port = uint32(o.Port)
	conf.BindAddresses = []string{"127.0.0.1"}
	conf.Keys = map[string]string{o.Key: o.Secret}
	conf.Room.AutoCreate = false
	conf.RTC.ForceTCP = o.forceTCP
	conf.RTC.PacketBufferSizeAudio = packetBuffer
	if o.LoopbackOnly {
		conf.RTC.TCPPort = 0
	}
	return conf, conf.ValidateKeys()
}

// rtc returns the media section. The server listens on one IPv4 address only: it advertises NodeIP in place of each
// address that it listens on, and accepts a caller's packets on one of them only.
func (o EmbeddedOptions) rtc() string {
	if o.LoopbackOnly {
		return fmt.Sprintf("{node_ip: 127.0.0.1, udp_port: %d, use_external_ip: false, enable_loopback_candidate: true, "+
			"interfaces: {includes: [lo]}, ips: {includes: [127.0.0.1/32]}}", o.UDPPort)
	}
	ports := fmt.Sprintf("node_ip: %q, udp_port: %d, tcp_port: %d, use_external_ip: false", o.NodeIP, o.UDPPort, o.TCPPort)
	from := sourceOf(o.NodeIP)
	if from == nil {
		return "{" + ports + ", enable_loopback_candidate: true}"
	}
	return fmt.Sprintf("{%s, enable_loopback_candidate: %t, ips: {includes: [%s/32, \"::/0\"]}}", ports, from.IsLoopback(), from)
}

// sourceOf returns this machine's IPv4 address towards another, which is that address itself if it is local; nil
// without a route.
func sourceOf(address string) net.IP {
	conn, err := net.Dial("udp4", net.JoinHostPort(address, "9")) // sends nothing
	if err != nil {
		return nil
	}
	defer conn.Close()
	return conn.LocalAddr().(*net.UDPAddr).IP
}

// URL returns the server's URL for participants and the room service on this machine: ws://127.0.0.1:port.
func (e *Embedded) URL() string { return e.url }

// Wait blocks until the server has ended: nil after Stop, else the error that ended it.
func (e *Embedded) Wait() error {
	<-e.ended
	return e.err
}

// Stop closes every room and the server immediately. It is idempotent. It returns the context's error if the
// context ends first.
func (e *Embedded) Stop(ctx context.Context) error {
	// LiveKit ignores a stop in its first 100 ms, before it is marked as running.
	for !e.server.IsRunning() {
		select {
		case <-e.ended:
			return nil
		case <-ctx.Done():
			return fmt.Errorf("stop media server: %w", ctx.Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
	go e.server.Stop(true)
	select {
	case <-e.ended:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("stop media server: %w", ctx.Err())
	}
}

// Check returns the error that StartEmbedded would return for the ports, without starting.
func (o EmbeddedOptions) Check() error { return o.reservePorts() }
