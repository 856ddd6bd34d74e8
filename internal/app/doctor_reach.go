package app

import (
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"time"

	"parley/internal/config"
	"parley/internal/media"
)

// reachPort is a port of a server that others must reach.
type reachPort struct {
	network string // tcp or udp
	port    int
	use     string
}

func (p reachPort) String() string { return p.network + " " + strconv.Itoa(p.port) }

// reachSamples is how many of the RTP ports are tried.
const reachSamples = 5

// reachPorts returns the ports of a server with these options that callers and trunks must reach.
func reachPorts(o Options) (ports []reachPort, err error) {
	c := o.Config
	_, http, _ := net.SplitHostPort(c.Addr) // validated by Check
	number, err := strconv.Atoi(http)
	if err != nil {
		return nil, &config.Error{Variable: "PARLEY_ADDR", Problem: "must have a port number"}
	}
	ports = append(ports, reachPort{"tcp", number, "API, dashboard and signalling"})
	if c.LiveKitURL == "" && o.with("media") {
		ports = append(ports, reachPort{"udp", c.RTCUDPPort, "media"}, reachPort{"tcp", c.RTCTCPPort, "media"})
	}
	if !o.hasGateway() {
		return ports, nil
	}
	signalling := standardPort
	if c.SIPPort != nil {
		signalling = *c.SIPPort
	}
	from, to, err := c.RTPPorts()
	if err != nil {
		return nil, err
	}
	ports = append(ports, reachPort{"udp", signalling, "SIP"}, reachPort{"tcp", signalling, "SIP"})
	if c.SIPTLSCert != "" {
		ports = append(ports, reachPort{"tcp", c.SIPTLSPort, "SIP over TLS"})
	}
	for i := range reachSamples {
		ports = append(ports, reachPort{"udp", from + (to-from)*i/(reachSamples-1), "audio of phone calls"})
	}
	return ports, nil
}

// AnswerReach answers Reach on the ports of a server with these options, which must be free, until ctx ends.
func AnswerReach(ctx context.Context, o Options, out io.Writer) error {
	ports, err := reachPorts(o)
	if err != nil {
		return err
	}
	var answering sync.WaitGroup
	defer answering.Wait()
	var open []io.Closer
	defer func() {
		for _, c := range open {
			_ = c.Close()
		}
	}()
	for _, p := range ports {
		address := net.JoinHostPort("", strconv.Itoa(p.port))
		if p.network == "udp" {
			conn, err := net.ListenPacket("udp", address)
			if err != nil {
				return fmt.Errorf("%s is in use, end the server and what else has its ports: %w", p, err)
			}
			open = append(open, conn)
			answering.Go(func() { media.AnswerSTUN(conn) })
			continue
		}
		l, err := net.Listen("tcp", address)
		if err != nil {
			return fmt.Errorf("%s is in use, end the server and what else has its ports: %w", p, err)
		}
		open = append(open, l)
		answering.Go(func() { acceptAndClose(l) })
	}
	fmt.Fprintf(out, "Answers on %d ports until it is interrupted. On a machine outside of the firewall, with the same settings of ports: parley doctor --reach ADDRESS\n", len(ports))
	<-ctx.Done()
	return nil
}

// acceptAndClose accepts connections, and closes each, until the listener is closed.
func acceptAndClose(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		_ = c.Close()
	}
}

// reachTimeout bounds a connection.
const reachTimeout = 5 * time.Second

// Reach checks from another machine which ports of a server with these options are reachable at host. Over UDP, only AnswerReach
// answers; over TCP, a running server does as well.
func Reach(ctx context.Context, o Options, host string) ([]Finding, error) {
	ports, err := reachPorts(o)
	if err != nil {
		return nil, err
	}
	findings := make([]Finding, len(ports))
	var asking sync.WaitGroup
	for i, p := range ports {
		asking.Go(func() { findings[i] = p.reach(ctx, host) })
	}
	asking.Wait()
	return findings, nil
}

func (p reachPort) reach(ctx context.Context, host string) Finding {
	address := net.JoinHostPort(host, strconv.Itoa(p.port))
	if p.network == "udp" {
		_, seen, err := askSTUN(ctx, address, 0)
		if err != nil {
			return Finding{p.String(), Failed, "no answer (" + p.use + "): " + err.Error(),
				fmt.Sprintf("let the firewall pass UDP %d, a NAT forward it, and parley doctor --answer run there", p.port)}
		}
		return Finding{p.String(), OK, fmt.Sprintf("reachable (%s); it sees this machine at %s", p.use, net.JoinHostPort(seen.IP.String(), strconv.Itoa(seen.Port))), ""}
	}
	conn, err := (&net.Dialer{Timeout: reachTimeout}).DialContext(ctx, "tcp", address)
	if err != nil {
		return Finding{p.String(), Failed, "no connection (" + p.use + "): " + err.Error(),
			fmt.Sprintf("let the firewall pass TCP %d, a NAT forward it, and parley doctor --answer or the server run there", p.port)}
	}
	_ = conn.Close()
	return Finding{p.String(), OK, "reachable (" + p.use + ")", ""}
}
