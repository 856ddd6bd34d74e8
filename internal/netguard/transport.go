package netguard

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// ErrRefused is the error for a destination whose address is not permitted. It does not contain the address, which
// may be from an internal resolver.
var ErrRefused = errors.New("the destination is not a permitted address")

// Options configures a transport.
type Options struct {
	// AllowPrivate permits loopback and private networks, for development.
	AllowPrivate bool
	// Resolver resolves names; the default one when nil.
	Resolver *net.Resolver
	// IdlePerHost is how many idle connections are kept for each host.
	IdlePerHost int
}

// NewTransport returns a transport without proxies that refuses addresses which are not permitted, and those of Own, with ErrRefused
// before any packet is sent. Responses are not decompressed, because they must not grow.
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

// NewClient returns a client that marks its requests with RequestHeader and follows no redirect: a 3xx is the response.
func NewClient(transport http.RoundTripper) *http.Client {
	return &http.Client{Transport: marking{transport}, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

func guard(allowPrivate bool) control {
	g := guardian(allowPrivate)
	return func(network, address string, c syscall.RawConn) error {
		if to, err := netip.ParseAddrPort(address); err != nil || isOwn(to) || g.Safe(network, address, c) != nil {
			return ErrRefused
		}
		return nil
	}
}
