package api

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// clientAddress returns where a request comes from: its peer, or, if that is a trusted proxy, the last address in
// X-Forwarded-For that is not one. Addresses before it may be forged. Invalid if the peer is unknown.
func clientAddress(r *http.Request, trusted []netip.Prefix) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	client := peer.Addr().Unmap()
	if len(trusted) == 0 {
		return client
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !within(client, trusted) {
			break
		}
		before, ok := hopAddress(hop)
		if !ok {
			break // the proxy did not say: it is as far as we know
		}
		client = before
	}
	return client
}

func within(a netip.Addr, networks []netip.Prefix) bool {
	return slices.ContainsFunc(networks, func(n netip.Prefix) bool { return n.Contains(a.WithZone("")) })
}

// hopAddress reads an entry of X-Forwarded-For; some proxies add a port.
func hopAddress(text string) (netip.Addr, bool) {
	text = strings.TrimSpace(text)
	if a, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
		return a.Unmap(), true
	}
	a, err := netip.ParseAddrPort(text)
	return a.Addr().Unmap(), err == nil
}
