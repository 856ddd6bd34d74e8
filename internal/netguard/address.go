// Package netguard restricts requests that tenants cause (webhooks, tools) to public addresses, against server-side
// request forgery. An address is checked twice: in the URL, and in the dialer after resolution, directly before the
// connection.
package netguard

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"code.dny.dev/ssrf"
)

// CheckURL returns what is wrong with a destination, or "". It checks what is visible without resolving names; the
// dialer checks the rest. allowPrivate permits plain http and private hosts.
func CheckURL(raw string, allowPrivate bool) string {
	u, err := url.Parse(raw)
	switch {
	case err != nil, u.Opaque != "", u.Hostname() == "":
		return "must be an absolute URL"
	case u.Scheme != "https" && u.Scheme != "http":
		return "must be an https URL"
	case u.User != nil:
		return "must not hold credentials"
	case !validPort(u.Port()):
		return "must have a port from 1 to 65535, or none"
	case allowPrivate:
		return ""
	case u.Scheme != "https":
		return "must be an https URL"
	case !publicHost(u.Hostname()):
		return "must lead to a public address"
	}
	return ""
}

// Permits reports whether an address may be connected to: a public one, or with allowPrivate a private one too.
func Permits(address netip.Addr, allowPrivate bool) bool {
	return guardian(allowPrivate).SafeAddr(address.Unmap()) == nil
}

func guardian(allowPrivate bool) *ssrf.Guardian {
	if allowPrivate {
		return private
	}
	return public
}

func validPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && n > 0
}

// publicHost returns false for hosts that can only be private: addresses in any
// notation and the names reserved for local use.
func publicHost(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if address, err := netip.ParseAddr(host); err == nil {
		return public.SafeAddr(address) == nil
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	switch last {
	case "", "localhost", "local", "localdomain", "internal", "intranet", "home", "lan", "arpa":
		return false
	}
	// A last label that begins with a digit is an address in a notation that
	// some resolvers accept (2130706433, 0x7f.1, 127.1): no top-level domain
	// does, and RFC 1123 2.1 rules them out.
	if last[0] >= '0' && last[0] <= '9' {
		return false
	}
	return !strings.Contains(host, ":")
}

// public permits public addresses only.
var public = ssrf.New(ssrf.WithAnyPort())

// private permits loopback and private networks too, for development; the link-local range, where clouds serve
// credentials, stays blocked.
var private = ssrf.New(ssrf.WithAnyPort(),
	ssrf.WithAllowedV4Prefixes(
		netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8"),
		netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.168.0.0/16"),
		netip.MustParsePrefix("100.64.0.0/10")),
	ssrf.WithAllowedV6Prefixes(netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("fc00::/7")))
