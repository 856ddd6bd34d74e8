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
)

const (
	// probeTimeout bounds a probe, names included.
	probeTimeout = 10 * time.Second
	// firstResend is when a request over UDP is sent again (RFC 3261, T1); each further wait is twice as long.
	firstResend = 500 * time.Millisecond
)

// Prober asks trunks whether they are there. It may be used concurrently.
type Prober struct {
	// AllowPrivate lets trunks be at private addresses.
	AllowPrivate bool
	// LoopbackOnly lets trunks be on this machine alone, as the gateway is.
	LoopbackOnly bool
	roots        *x509.CertPool // nil for the machine's
}

// Probed is what came of a probe.
type Probed struct {
	Reached bool
	Status  int    // the trunk's SIP status; 0 without an answer
	Detail  string // one clear sentence, without credentials
	Took    time.Duration
}

// Probe sends OPTIONS to a trunk (RFC 3261, section 11), without credentials. Any final status shows that a SIP server is
// there.
func (p Prober) Probe(ctx context.Context, t *Trunk) Probed {
	begun := time.Now()
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	status, refusal := p.sendOptions(ctx, OutboundRoute{Address: t.Address, Transport: t.Transport})
	switch {
	case refusal != nil:
		return Probed{Detail: refusal.Detail, Took: time.Since(begun)}
	case status == 401 || status == 407:
		return Probed{true, status, "The trunk is there. It asks for credentials, which only a call shows to be right.", time.Since(begun)}
	case status >= 200 && status < 300:
		return Probed{true, status, "The trunk is there.", time.Since(begun)}
	}
	return Probed{true, status, "The trunk is there, and refuses OPTIONS. Calls may still be taken.", time.Since(begun)}
}

// sendOptions returns the final status of an OPTIONS request.
func (p Prober) sendOptions(ctx context.Context, r OutboundRoute) (status int, refusal *Refusal) {
	n := network{allowPrivate: p.AllowPrivate, loopbackOnly: p.LoopbackOnly}
	at, refusal := n.resolve(ctx, r)
	if refusal == nil {
		refusal = n.permits(r, at.Addr())
	}
	if refusal != nil {
		return 0, refusal
	}
	conn, err := p.dial(ctx, r, at)
	if err != nil {
		return 0, connectRefusal(r.Transport, err)
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })
	defer stop()
	request := optionsRequest(r.Transport, conn.LocalAddr().String(), at.String())
	if r.Transport == UDP {
		status, err = askDatagram(ctx, conn, request)
	} else if _, err = conn.Write(request); err == nil {
		status, err = readStatus(bufio.NewReader(io.LimitReader(conn, 64<<10)))
	}
	if err != nil {
		if ctx.Err() != nil || errors.Is(err, io.EOF) {
			err = context.DeadlineExceeded
		}
		return 0, connectRefusal(r.Transport, err)
	}
	return status, nil
}

func (p Prober) dial(ctx context.Context, r OutboundRoute, at netip.AddrPort) (net.Conn, error) {
	if r.Transport == UDP {
		return new(net.Dialer).DialContext(ctx, "udp", at.String())
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", at.String())
	if err != nil || r.Transport != TLS {
		return conn, err
	}
	host, _ := r.hostPort()
	secure := tls.Client(conn, &tls.Config{ServerName: host, RootCAs: p.roots, MinVersion: tls.VersionTLS12})
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return secure, nil
}

// askDatagram sends a request until it is answered.
func askDatagram(ctx context.Context, conn net.Conn, request []byte) (status int, err error) {
	packet := make([]byte, 64<<10)
	for wait := firstResend; ; wait *= 2 {
		if _, err := conn.Write(request); err != nil {
			return 0, err
		}
		_ = conn.SetReadDeadline(time.Now().Add(wait))
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
