package sip

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/netip"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"parley/internal/auth"
	"parley/internal/fault"
)

const (
	// probeTimeout bounds a probe, names included.
	probeTimeout = 10 * time.Second
	// firstResend is when a request over UDP is sent again (RFC 3261, T1); each further wait is twice as long.
	firstResend = 500 * time.Millisecond
)

// The limits on probes, by which tenants cause packets to addresses of their choice.
const (
	// maxProbes is how many a tenant may make per minute, and maxProbesOfTarget how many all tenants may make per minute of one
	// address.
	maxProbes, maxProbesOfTarget = 10, 30
	// maxDatagrams is how often a request over UDP is sent.
	maxDatagrams = 3
)

// ProberOptions configures a Prober.
type ProberOptions struct {
	// AllowPrivate permits trunks at private addresses.
	AllowPrivate bool
	// LoopbackOnly permits trunks on this machine only.
	LoopbackOnly bool

	roots *x509.CertPool // nil for the machine's
}

// Prober checks whether trunks respond. It may be used concurrently.
type Prober struct {
	options ProberOptions
	probes  auth.Limiter
}

// NewProber returns a Prober.
func NewProber(o ProberOptions) (*Prober, error) {
	limiter, err := auth.NewMemoryLimiter()
	if err != nil {
		return nil, err
	}
	return &Prober{options: o, probes: limiter}, nil
}

// ProbeResult is the result of a probe.
type ProbeResult struct {
	Reached  bool
	Status   int    // the trunk's SIP status; 0 without an answer
	Detail   string // one clear sentence, without credentials
	Duration time.Duration
}

// Probe sends OPTIONS to a trunk (RFC 3261, section 11), without credentials. Any final status means that it responds. Over the limit
// of the tenant or of the trunk's address the error is fault.RateLimitExceeded, and nothing is sent.
func (p *Prober) Probe(ctx context.Context, tenantID string, t *Trunk) (ProbeResult, error) {
	start := time.Now()
	if err := p.count(ctx, "tenant "+tenantID, maxProbes, "more than %d checks of trunks a minute"); err != nil {
		return ProbeResult{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	r := OutboundRoute{Address: t.Address, Transport: t.Transport}
	at, dialErr := p.resolve(ctx, r)
	status := 0
	if dialErr == nil {
		if err := p.count(ctx, "address "+limitedAs(at.Addr()), maxProbesOfTarget, "more than %d checks of trunks at this address a minute"); err != nil {
			return ProbeResult{}, err
		}
		status, dialErr = p.sendOptions(ctx, r, at)
	}
	switch {
	case dialErr != nil:
		return ProbeResult{Detail: dialErr.Detail, Duration: time.Since(start)}, nil
	case status == 401 || status == 407:
		return ProbeResult{true, status, "The trunk responds. It requires credentials, which only a call can verify.", time.Since(start)}, nil
	case status >= 200 && status < 300:
		return ProbeResult{true, status, "The trunk responds.", time.Since(start)}, nil
	}
	return ProbeResult{true, status, "The trunk responds, but rejects OPTIONS. It may accept calls all the same.", time.Since(start)}, nil
}

// count counts a probe against a limit per minute.
func (p *Prober) count(ctx context.Context, key string, perMinute int, problem string) error {
	a, err := p.probes.Take(ctx, key, perMinute, 1)
	if err == nil && a.Wait > 0 {
		return fault.Later(fault.RateLimitExceeded, a.Wait, problem, perMinute)
	}
	return err
}

// resolve returns the address of a trunk that may be probed.
func (p *Prober) resolve(ctx context.Context, r OutboundRoute) (at netip.AddrPort, dialErr *DialError) {
	n := network{allowPrivate: p.options.AllowPrivate, loopbackOnly: p.options.LoopbackOnly}
	targets, dialErr := n.targets(ctx, r)
	if dialErr != nil {
		return at, dialErr
	}
	return targets[0].Address, nil
}

// sendOptions returns the final status of an OPTIONS request.
func (p *Prober) sendOptions(ctx context.Context, r OutboundRoute, at netip.AddrPort) (status int, dialErr *DialError) {
	conn, err := p.dial(ctx, r, at)
	if err != nil {
		return 0, connectError(r.Transport, err)
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })
	defer stop()
	request := optionsRequest(r.Transport, conn.LocalAddr().String(), at.String())
	if r.Transport == UDP {
		status, err = sendDatagram(ctx, conn, request)
	} else if _, err = conn.Write(request); err == nil {
		status, err = readStatus(bufio.NewReader(io.LimitReader(conn, 64<<10)))
	}
	if err != nil {
		if ctx.Err() != nil || errors.Is(err, io.EOF) {
			err = context.DeadlineExceeded
		}
		return 0, connectError(r.Transport, err)
	}
	return status, nil
}

func (p *Prober) dial(ctx context.Context, r OutboundRoute, at netip.AddrPort) (net.Conn, error) {
	if r.Transport == UDP {
		return new(net.Dialer).DialContext(ctx, "udp", at.String())
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", at.String())
	if err != nil || r.Transport != TLS {
		return conn, err
	}
	host, _ := r.hostPort()
	secure := tls.Client(conn, &tls.Config{ServerName: host, RootCAs: p.options.roots, MinVersion: tls.VersionTLS12})
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return secure, nil
}

// sendDatagram sends a request up to maxDatagrams times until there is a final response, and returns its status.
func sendDatagram(ctx context.Context, conn net.Conn, request []byte) (status int, err error) {
	packet := make([]byte, 64<<10)
	wait := firstResend
	for sent := 1; ; sent++ {
		if sent <= maxDatagrams {
			if _, err := conn.Write(request); err != nil {
				return 0, err
			}
		}
		_ = conn.SetReadDeadline(time.Now().Add(wait))
		wait *= 2
		for {
			n, err := conn.Read(packet)
			if err != nil {
				var late net.Error
				if errors.As(err, &late) && late.Timeout() && ctx.Err() == nil {
					break
				}
				return 0, err
			}
			if status, err := readStatus(bufio.NewReader(strings.NewReader(string(packet[:n])))); err == nil {
				return status, nil
			}
		}
	}
}

// readStatus reads responses up to the first final one.
func readStatus(from *bufio.Reader) (int, error) {
	lines := textproto.NewReader(from)
	for {
		line, err := lines.ReadLine()
		if err != nil {
			return 0, err
		}
		version, rest, _ := strings.Cut(line, " ")
		code, _, _ := strings.Cut(rest, " ")
		status, err := strconv.Atoi(code)
		if version != "SIP/2.0" || err != nil || status < 100 || status > 699 {
			continue
		}
		if status >= 200 {
			return status, nil
		}
	}
}
