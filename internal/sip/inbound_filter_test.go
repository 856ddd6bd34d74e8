package sip

import (
	"bytes"
	"log/slog"
	"net/netip"
	"strings"
	"testing"

	"github.com/emiago/sipgo/sip"
)

// rejections collects the statuses that an INVITE is rejected with.
type rejections []int

func (r *rejections) Reject(status int, _ string, _ ...sip.Header) { *r = append(*r, status) }

// A call that may be one of two tenants, as rows of older versions have it, reaches neither until it shows a digest or the
// operator assigned the number.
func TestCallsOfTwoTenants(t *testing.T) {
	networks := func(given string) []netip.Prefix { return []netip.Prefix{netip.MustParsePrefix(given)} }
	for name, test := range map[string]struct {
		lines  []InboundRoute
		source string
		status int // 0: the first line has the call
		logged bool
	}{
		"both by address":          {[]InboundRoute{{TenantID: "a", Addresses: networks("192.0.2.0/24")}, {TenantID: "b", Addresses: networks("192.0.2.1/32")}}, "192.0.2.1", 404, true},
		"elsewhere by address":     {[]InboundRoute{{TenantID: "a", Addresses: networks("192.0.2.0/24")}, {TenantID: "b", Addresses: networks("192.0.2.1/32")}}, "192.0.2.2", 0, false},
		"one by address":           {[]InboundRoute{{TenantID: "a", Addresses: networks("192.0.2.0/24")}, {TenantID: "b", Username: "u", Password: "p"}}, "192.0.2.1", 407, true},
		"one by both":              {[]InboundRoute{{TenantID: "a", Addresses: networks("192.0.2.0/24")}, {TenantID: "b", Username: "u", Password: "p", Addresses: networks("203.0.113.1/32")}}, "192.0.2.1", 0, false},
		"assigned":                 {[]InboundRoute{{TenantID: "a", Assigned: true, Addresses: networks("192.0.2.0/24")}, {TenantID: "b", Username: "u", Password: "p"}}, "192.0.2.1", 0, false},
		"two trunks of one tenant": {[]InboundRoute{{TenantID: "a", Addresses: networks("192.0.2.0/24")}, {TenantID: "a", Addresses: networks("192.0.2.1/32")}}, "192.0.2.1", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			d := &desk{line: test.lines[0], more: test.lines[1:]}
			g, err := newInboundFilter(GatewayOptions{Inbound: d, Logger: slog.New(slog.NewTextHandler(&log, nil))}, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			invite := sip.NewRequest(sip.INVITE, sip.Uri{User: "+4930111111", Host: "192.0.2.9"})
			callID := sip.CallIDHeader("call")
			invite.AppendHeader(&callID)
			invite.AppendHeader(&sip.ToHeader{Address: invite.Recipient})
			var given rejections
			line, passes := g.authorizeCall(invite, &given, netip.MustParseAddr(test.source))
			if passes != (test.status == 0) || passes && line.TenantID != "a" || !passes && (len(given) != 1 || given[0] != test.status) {
				t.Errorf("passes: %v, %+v, answered with %v", passes, line, given)
			}
			if logged := strings.Contains(log.String(), "parley number assign"); logged != test.logged || strings.Contains(log.String(), "4930") {
				t.Errorf("logged: %s", &log)
			}
		})
	}
}
