package sip

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"parley/internal/netguard"
	"parley/internal/sip/useragent"
)

// connectTimeout bounds connecting to a trunk, TLS handshake included.
const connectTimeout = 10 * time.Second

// network connects the gateway to trunks.
type network struct {
	ip           netip.Addr     // of this machine, towards peers with IPv4 addresses
	resolver     *net.Resolver  // nil for the default
	roots        *x509.CertPool // of TLS trunks; nil for the system's
	allowPrivate bool
	loopbackOnly bool
}

// loopback is the address of a gateway that is bound to the loopback interface.
var loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// checkAddress returns why a trunk, or the other side of its call, may not be at an address; nil if it may.
func (n network) checkAddress(r OutboundRoute, address netip.Addr) *DialError {
	address = address.Unmap()
	switch {
	case n.loopbackOnly && address != loopback:
		return unreachable("The SIP gateway is bound to the loopback interface, as the server is (PARLEY_ADDR), and reaches trunks on its own machine only.")
	}
	return n.checkPermitted(r, address)
}

// checkPermitted is like checkAddress, for the rule about private addresses only.
func (n network) checkPermitted(r OutboundRoute, address netip.Addr) *DialError {
	if r.Platform || netguard.Permits(address, n.allowPrivate) {
		return nil
	}
	return unreachable("The trunk's address is not a permitted one: it is private (PARLEY_ALLOW_PRIVATE_NETWORKS).")
}

// permitsWithin returns which addresses requests within an inbound call may be sent to: permitted ones, and that of its INVITE.
func (n network) permitsWithin(source netip.AddrPort) func(netip.AddrPort) bool {
	return func(a netip.AddrPort) bool {
		return a.Addr().Unmap() == source.Addr().Unmap() || netguard.Permits(a.Addr(), n.allowPrivate)
	}
}

// ownAddress returns the address at which a peer reaches this machine.
func (n network) ownAddress(peer netip.Addr) (netip.Addr, error) {
	if peer.Unmap().Is4() {
		return n.ip, nil
	}
	return localAddress(peer)
}

// maxTargets limits the addresses of a trunk that a call is tried at.
const maxTargets = 4

// targets returns the permitted addresses of a trunk, the preferred one first. Names are resolved to IPv4 addresses if they have any. A
// name without a port is looked up in SRV records first (RFC 3263 4.2).
func (n network) targets(ctx context.Context, r OutboundRoute) (targets []useragent.Target, dialErr *DialError) {
	host, _ := r.hostPort()
	addresses, dialErr := n.resolve(ctx, r)
	if dialErr != nil {
		return nil, dialErr
	}
	for _, at := range addresses[:min(len(addresses), maxTargets)] {
		if refused := n.checkAddress(r, at.Addr()); refused != nil {
			dialErr = refused
			continue
		}
		targets = append(targets, useragent.Target{Address: at, Transport: strings.ToUpper(string(r.Transport)), Host: host})
	}
	if len(targets) > 0 {
		return targets, nil
	}
	return nil, dialErr
}

// resolve returns the addresses of a trunk, one at least.
func (n network) resolve(ctx context.Context, r OutboundRoute) (found []netip.AddrPort, dialErr *DialError) {
	host, port := r.hostPort()
	if address, err := netip.ParseAddr(host); err == nil {
		return []netip.AddrPort{netip.AddrPortFrom(address, portOf(port, r.Transport))}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	resolver := n.resolver
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	servers := []*net.SRV{{Target: host, Port: port}}
	if port == 0 {
		service, proto := "sip", "udp"
		switch r.Transport {
		case TCP:
			proto = "tcp"
		case TLS:
			service, proto = "sips", "tcp"
		}
		if _, records, err := resolver.LookupSRV(ctx, service, proto, host); err == nil && len(records) > 0 {
			servers = records
		}
	}
	for _, server := range servers[:min(len(servers), maxTargets)] {
		name := strings.TrimSuffix(server.Target, ".")
		addresses, err := resolver.LookupNetIP(ctx, "ip4", name)
		if err != nil || len(addresses) == 0 {
			addresses, _ = resolver.LookupNetIP(ctx, "ip6", name)
		}
		for _, a := range addresses {
			found = append(found, netip.AddrPortFrom(a.Unmap(), portOf(server.Port, r.Transport)))
		}
	}
	if len(found) == 0 {
		return nil, unreachable("The trunk's address cannot be found: its name has none.")
	}
	return found, nil
}

// hostPort returns the trunk's host and port; 0 for no port.
func (r OutboundRoute) hostPort() (host string, port uint16) {
	host = r.Address
	if h, p, err := net.SplitHostPort(host); err == nil {
		if number, err := strconv.ParseUint(p, 10, 16); err == nil {
			return h, uint16(number)
		}
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"), 0
}

// portOf returns the port, or else the default of the transport (RFC 3261 19.1.2).
func portOf(port uint16, t Transport) uint16 {
	switch {
	case port != 0:
		return port
	case t == TLS:
		return 5061
	}
	return 5060
}

// connect connects to a trunk. Over TLS it verifies the trunk's name.
func (n network) connect(ctx context.Context, transport string, peer netip.AddrPort, host string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", peer.String())
	if err != nil || transport != useragent.TLS {
		return conn, err
	}
	secure := tls.Client(conn, &tls.Config{ServerName: host, RootCAs: n.roots, MinVersion: tls.VersionTLS12})
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return secure, nil
}

// connectError returns the dial error for a trunk that cannot be connected to.
func connectError(t Transport, err error) *DialError {
	var unknown x509.UnknownAuthorityError
	var hostname x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &unknown), errors.As(err, &hostname), errors.As(err, &invalid):
		return unreachable("The trunk's certificate is not valid for its name.")
	case errors.Is(err, context.DeadlineExceeded):
		return unreachable("The trunk cannot be reached over %s: it does not answer.", strings.ToUpper(string(t)))
	}
	return unreachable("The trunk cannot be reached over %s.", strings.ToUpper(string(t)))
}
