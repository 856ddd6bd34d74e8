package api

import (
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"parley/internal/api/wire"
	"parley/internal/fault"
)

// ConnectionLimits bounds the concurrent connections of clients. 0 means no limit.
type ConnectionLimits struct {
	Total      int
	PerAddress int            // an IPv4 address, or a /64 of IPv6
	Proxies    []netip.Prefix // exempt from PerAddress
}

const (
	connectionRetry   = 5 * time.Second // when a refused client may come again
	connectionWarning = time.Minute     // between warnings of the same kind
)

// connections counts open connections.
type connections struct {
	limits ConnectionLimits
	log    *slog.Logger

	mu     sync.Mutex
	total  int
	from   map[netip.Prefix]int
	warned map[string]time.Time // by kind of warning
}

func newConnections(limits ConnectionLimits, log *slog.Logger) *connections {
	return &connections{limits: limits, log: log, from: map[netip.Prefix]int{}, warned: map[string]time.Time{}}
}

// open counts a connection of a client until closed is called, which may happen
// several times. The error is rate_limit_exceeded or service_unavailable.
func (c *connections) open(client netip.Addr) (closed func(), err error) {
	network := clientNetwork(client)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.limits.Total > 0 && c.total >= c.limits.Total {
		if c.warns("total") {
			c.log.Warn("connections rejected: too many open", "limit", c.limits.Total, "variable", "PARLEY_MAX_CONNECTIONS")
		}
		return nil, fault.Later(fault.ServiceUnavailable, connectionRetry, "too many connections, try again later")
	}
	if bounded := c.limits.PerAddress > 0 && network.IsValid() && !within(client, c.limits.Proxies); bounded {
		if c.from[network] >= c.limits.PerAddress {
			if c.warns("address") {
				c.log.Warn("connections of an address rejected: too many open; if it is a proxy, name it in PARLEY_TRUSTED_PROXIES",
					"limit", c.limits.PerAddress, "variable", "PARLEY_MAX_CONNECTIONS_PER_ADDRESS")
			}
			return nil, fault.Later(fault.RateLimitExceeded, connectionRetry, "more than %d connections from this address", c.limits.PerAddress)
		}
	} else {
		network = netip.Prefix{}
	}
	c.total++
	if network.IsValid() {
		c.from[network]++
	}
	return sync.OnceFunc(func() { c.close(network) }), nil
}

func (c *connections) close(network netip.Prefix) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total--
	if !network.IsValid() {
		return
	}
	if c.from[network]--; c.from[network] == 0 {
		delete(c.from, network)
	}
}

// warns reports whether a warning of a kind is due, at most once per
// connectionWarning.
func (c *connections) warns(kind string) bool {
	now := time.Now()
	due := now.Sub(c.warned[kind]) >= connectionWarning
	if due {
		c.warned[kind] = now
	}
	return due
}

// bound refuses requests over the limits, which are counted by the client's
// address behind trusted proxies. For handlers that hold a connection for long.
func (c *connections) bound(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		closed, err := c.open(wire.ExchangeOf(r.Context()).Client)
		if err != nil {
			wire.WriteProblem(w, r, err)
			return
		}
		defer closed()
		next.ServeHTTP(w, r)
	})
}

// clientNetwork returns the network that counts as one client; not valid when the address is not
// known.
func clientNetwork(client netip.Addr) netip.Prefix {
	bits := 64
	if client = client.Unmap(); client.Is4() {
		bits = 32
	}
	network, _ := client.WithZone("").Prefix(bits)
	return network
}

// peerAddress returns the address at the other end of a connection; not valid when
// that is not known.
func peerAddress(conn net.Conn) netip.Addr {
	peer, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return netip.Addr{}
	}
	return peer.Addr().Unmap()
}
