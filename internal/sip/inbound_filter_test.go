package sip

import (
	"bytes"
	"log/slog"
	"net/netip"
	"strings"
	"testing"

	"github.com/livekit/sipgo/sip"
)

// answers collects what an INVITE is answered with.
type answers struct {
	sip.ServerTransaction
	statuses []sip.StatusCode
}

func (a *answers) Respond(r *sip.Response) error {
	a.statuses = append(a.statuses, r.StatusCode)
	return nil
}

// A call that may be one of two tenants, as rows of older versions have it, reaches neither until it shows a digest or the
// operator assigned the number.
func TestCallsOfTwoTenants(t *testing.T) {
	networks := func(given string) []netip.Prefix { return []netip.Prefix{netip.MustParsePrefix(given)} }
	for name, test := range map[string]struct {
		lines  []InboundRoute
		source string
		status sip.StatusCode // 0: the first line has the call
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
			g, err := newInboundFilter(GatewayOptions{Inbound: d, Logger: slog.New(slog.NewTextHandler(&log, nil))}, func(string) bool { return false })
			if err != nil {
				t.Fatal(err)
			}
			invite := sip.NewRequest(sip.INVITE, sip.Uri{User: "+4930111111", Host: "192.0.2.9"})
			callID := sip.CallIDHeader("call")
			invite.AppendHeader(&callID)
			invite.AppendHeader(&sip.ToHeader{Address: invite.Recipient})
			var tx answers
			line, passes := g.authorizeCall(invite, &tx, netip.MustParseAddr(test.source))
			if passes != (test.status == 0) || passes && line.TenantID != "a" || !passes && (len(tx.statuses) != 1 || tx.statuses[0] != test.status) {
				t.Errorf("passes: %v, %+v, answered with %v", passes, line, tx.statuses)
			}
			if logged := strings.Contains(log.String(), "parley number assign"); logged != test.logged || strings.Contains(log.String(), "4930") {
				t.Errorf("logged: %s", &log)
			}
		})
	}
}
