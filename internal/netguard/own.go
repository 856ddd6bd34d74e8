package netguard

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
)

// RequestHeader marks the requests that tenants cause. None of them is the operator's, whichever address it comes from: another
// process of the installation may be on this machine, or behind a proxy that adds no header.
const RequestHeader = "Parley-Tenant-Request"

// ByTenant reports whether a tenant caused a request.
func ByTenant(r *http.Request) bool { return len(r.Header.Values(RequestHeader)) > 0 }

// own are the TCP ports at which this process listens, a fact about the process like its guard.
var own sync.Map // of int

// Own has an address at which this process listens refused to tenants' requests for as long as the process runs, also where private
// networks are allowed: such a request would come from this machine, as the operator's do and those of trusted proxies.
func Own(listener net.Addr) {
	if address, ok := listener.(*net.TCPAddr); ok {
		own.Store(address.Port, nil)
	}
}

// isOwn reports whether this process listens at a port of an address of this machine.
func isOwn(to netip.AddrPort) bool {
	if _, listens := own.Load(int(to.Port())); !listens {
		return false
	}
	address := to.Addr().Unmap().WithZone("")
	if address.IsLoopback() || address.IsUnspecified() {
		return true
	}
	all, err := net.InterfaceAddrs()
	if err != nil {
		return true
	}
	for _, each := range all {
		if network, ok := each.(*net.IPNet); ok {
			if here, ok := netip.AddrFromSlice(network.IP); ok && here.Unmap() == address {
				return true
			}
		}
	}
	return false
}

// marking is a transport that marks requests with RequestHeader.
type marking struct{ http.RoundTripper }

func (m marking) RoundTrip(r *http.Request) (*http.Response, error) {
	marked := r.Clone(r.Context())
	marked.Header.Set(RequestHeader, "1")
	marked.URL.RawQuery = EncodeQuery(marked.URL.RawQuery)
	return m.RoundTripper.RoundTrip(marked)
}

// EncodeQuery encodes what a query must not have as it is: anything beyond ASCII, spaces, controls and delimiters (RFC 3986). net/url does
// so for the path alone, and servers reject the request.
func EncodeQuery(query string) string {
	var b strings.Builder
	for i := range len(query) {
		if c := query[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// CloseIdleConnections is called by http.Client.
func (m marking) CloseIdleConnections() {
	if closer, ok := m.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}
