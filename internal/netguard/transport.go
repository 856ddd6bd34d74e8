package netguard

import (
	"errors"
	"net"
	"net/http"
	"syscall"
	"time"
)

// ErrRefused says that a destination's address may not be reached. The
// tenant is not told the address: it may have come from our own resolver.
var ErrRefused = errors.New("the destination is not a permitted address")

// Options are the choices of a transport.
type Options struct {
	// AllowPrivate permits loopback and private networks, for development.
	AllowPrivate bool
	// Resolver resolves names; the default one when nil.
	Resolver *net.Resolver
	// IdlePerHost is how many idle connections are kept for each host.
	IdlePerHost int
}

// NewTransport makes connections that no proxy and no refused address stands
// at the end of. A refused one fails with ErrRefused before a packet is sent.
// Answers are not decompressed: they must not grow.
func NewTransport(o Options) *http.Transport { return newTransport(o, guard(o.AllowPrivate)) }

// control is a net.Dialer.Control: it sees each address after resolution,
// just before the connection is made.
type control func(network, address string, c syscall.RawConn) error

func newTransport(o Options, c control) *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second, Control: c, Resolver: o.Resolver}
	return &http.Transport{
		Proxy:                  nil,
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxIdleConns:           256,
		MaxIdleConnsPerHost:    o.IdlePerHost,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
		DisableCompression:     true,
	}
}

// NewClient returns a client over a transport that follows no redirect: a 3xx is
// the answer.
func NewClient(transport http.RoundTripper) *http.Client {
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

func guard(allowPrivate bool) control {
	g := guardian(allowPrivate)
	return func(network, address string, c syscall.RawConn) error {
		if g.Safe(network, address, c) != nil {
			return ErrRefused
		}
		return nil
	}
}
