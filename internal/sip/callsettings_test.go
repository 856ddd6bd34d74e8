package sip

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"parley/internal/fault"
)

func fields(faults []fault.Detail) (names []string) {
	for _, f := range faults {
		names = append(names, f.Field)
	}
	return names
}

func TestCallSettings(t *testing.T) {
	many := make([]string, MaxCallHeaders+1)
	for i := range many {
		many[i] = fmt.Sprintf("X-H%d", i)
	}
	for _, test := range []struct {
		draft CallSettings
		want  []string
	}{
		{CallSettings{}, nil},
		{CallSettings{FromDomain: new("acme.example"), Identity: IdentityAsserted, Privacy: PrivacyID, DefaultCountry: new("us"), HeadersIn: []string{"X-Account", "diversion"}, HeadersOut: []string{"User-to-User"}}, nil},
		{CallSettings{FromDomain: new("acme.example:5060"), Identity: "x", Privacy: "x", DefaultCountry: new("XX")}, []string{"from_domain", "identity", "privacy", "default_country"}},
		{CallSettings{FromDomain: new("a\r\nVia: x"), DefaultCountry: new("")}, []string{"from_domain", "default_country"}},
		{CallSettings{HeadersIn: many, HeadersOut: many}, []string{"headers_in", "headers_out"}},
		{CallSettings{HeadersIn: []string{"Proxy-authorization", "X-A", "x_a", "X.A", "", strings.Repeat("x", 65), "X: y\r\n"}},
			[]string{"headers_in[0]", "headers_in[2]", "headers_in[3]", "headers_in[4]", "headers_in[5]", "headers_in[6]"}},
		{CallSettings{HeadersOut: []string{"via", "From", "to", "CONTACT", "Route", "Content-Type", "content-encoding", "Authorization", "P-Asserted-Identity", "Privacy", "t", "Replaces", "X-Ok"}},
			[]string{"headers_out[0]", "headers_out[1]", "headers_out[2]", "headers_out[3]", "headers_out[4]", "headers_out[5]", "headers_out[6]", "headers_out[7]", "headers_out[8]", "headers_out[9]", "headers_out[10]", "headers_out[11]"}},
	} {
		if got := fields(test.draft.validate()); !slices.Equal(got, test.want) {
			t.Errorf("%+v: faults in %v, want %v", test.draft, got, test.want)
		}
	}
	d := TrunkDraft{Name: "x", Address: "a", CallerID: new("(415) 555-0100"), CallSettings: CallSettings{DefaultCountry: new("us")}}
	if err := d.Check(); err != nil || *d.CallerID != "+14155550100" || *d.DefaultCountry != "US" {
		t.Errorf("%v, %s in %s", err, *d.CallerID, *d.DefaultCountry)
	}
	lost := TrunkDraft{Name: "x", Address: "a", CallerID: new("+4930123456"), CallSettings: CallSettings{Privacy: PrivacyID}}
	if got := fields(lost.validate()); !slices.Equal(got, []string{"privacy"}) {
		t.Errorf("a caller id that no header has: faults in %v", got)
	}
}

// The headers of a dispatch are those that its trunk allows, and can neither end the header nor replace one of the protocol.
func TestHeadersOfADispatch(t *testing.T) {
	s := CallSettings{HeadersOut: []string{"X-Order", "User-To-User", "Via"}} // Via as if it had been stored
	many := map[string]string{}
	for i := range MaxCallHeaders + 1 {
		many[fmt.Sprintf("X-H%d", i)] = "x"
	}
	for _, test := range []struct {
		headers map[string]string
		want    []string
	}{
		{nil, nil},
		{map[string]string{"x-order": "4711", "User-to-User": "7261;encoding=hex"}, nil},
		{map[string]string{"X-Other": "x"}, []string{"sip_headers.X-Other"}},
		{map[string]string{"Via": "x", "f": "x"}, []string{"sip_headers.Via", "sip_headers.f"}},
		{map[string]string{"X-Order": "1\r\nVia: x"}, []string{"sip_headers.X-Order"}},
		{map[string]string{"X-Order": "1\x00"}, []string{"sip_headers.X-Order"}},
		{map[string]string{"X-Order": strings.Repeat("x", MaxHeaderValue+1)}, []string{"sip_headers.X-Order"}},
		{map[string]string{"X-Order": "1", "x-order": "2"}, []string{"sip_headers.x-order"}},
		{many, []string{"sip_headers"}},
	} {
		if got := fields(s.CheckHeaders(test.headers)); !slices.Equal(got, test.want) {
			t.Errorf("%q: faults in %v, want %v", test.headers, got, test.want)
		}
	}
}

// Extensions and URIs are dialled where the trunk allows them, and never in place of a number, whose rules would not hold then.
func TestDestination(t *testing.T) {
	closed := OutboundRoute{Address: "pbx.example"}
	pbx := OutboundRoute{Address: "pbx.example:5080", Transport: UDP, CallSettings: CallSettings{AllowURIs: true, FromDomain: new("acme.example")}}
	american := OutboundRoute{Address: "192.0.2.1", CallSettings: CallSettings{AllowURIs: true, DefaultCountry: new("US")}}
	for _, test := range []struct {
		route      OutboundRoute
		text, want string // "" for a refusal
	}{
		{closed, "+4930123456", "+4930123456"},
		{closed, "1001", ""},
		{closed, "sip:alice@pbx.example", ""},
		{pbx, "1001", "1001"},
		{pbx, " 10-01 ", "1001"},
		{pbx, "12345678", ""}, // may be a number
		{pbx, "0900123", ""},
		{pbx, "*21*1234#", ""},
		{pbx, "112", ""},
		{pbx, "9111", ""},
		{pbx, "alice", ""},
		{pbx, "sip:alice@pbx.example", "sip:alice@pbx.example"},
		{pbx, "SIP:alice@PBX.example", "sip:alice@PBX.example"},
		{pbx, "sip:alice@pbx.example:5080", "sip:alice@pbx.example:5080"},
		{pbx, "sip:alice@acme.example", "sip:alice@acme.example"},
		{pbx, "sip:1001@pbx.example", "sip:1001@pbx.example"},
		{pbx, "sip:112@pbx.example", ""},
		{pbx, "sip:+4930123456@pbx.example", "+4930123456"},
		{pbx, "sip:4930123456@pbx.example", ""}, // ambiguous
		{pbx, "sip:alice@pbx.example:5060", ""},
		{pbx, "sip:alice@other.example", ""},
		{pbx, "sip:alice@pbx.example;transport=tcp", ""},
		{pbx, "sip:alice@pbx.example?Route=x", ""},
		{pbx, "sip:alice:secret@pbx.example", ""},
		{pbx, "sip:a%40b@pbx.example", ""},
		{pbx, "sip:pbx.example", ""},
		{pbx, "sips:alice@pbx.example", ""},
		{pbx, "sip:alice@pbx.example\r\nVia: x", ""},
		{american, "4155550100", "+14155550100"},
		{american, "sip:4155550100@192.0.2.1", "+14155550100"},
		{american, "1001234", "1001234"},
		{american, "911", ""},
	} {
		got, problem := test.route.Destination(test.text)
		if got != test.want || (problem == "") != (test.want != "") {
			t.Errorf("%q at %s: got %q, %q, want %q", test.text, test.route.Address, got, problem, test.want)
		}
	}
}

// From, identity headers and Privacy are what the trunk says.
func TestCallerIdentity(t *testing.T) {
	own := netip.MustParseAddr("192.0.2.9")
	for _, test := range []struct {
		route   OutboundRoute
		from    string
		headers string
	}{
		{OutboundRoute{Address: "a.example"}, "sip:anonymous@192.0.2.9", ""},
		{OutboundRoute{Address: "a.example", CallerID: "+4930"}, "sip:+4930@192.0.2.9", ""},
		{OutboundRoute{Address: "a.example", CallerID: "+4930", CallSettings: CallSettings{FromDomain: new("acme.example")}}, "sip:+4930@acme.example", ""},
		{OutboundRoute{Address: "a.example", CallerID: "+4930", Username: "acme", CallSettings: CallSettings{Identity: IdentityAsserted}},
			"sip:acme@a.example", "P-Asserted-Identity: <sip:+4930@a.example>"},
		{OutboundRoute{Address: "a.example", CallerID: "+4930", CallSettings: CallSettings{Identity: IdentityPreferred, FromDomain: new("acme.example")}},
			"sip:+4930@acme.example", "P-Preferred-Identity: <sip:+4930@acme.example>"},
		{OutboundRoute{Address: "a.example", CallerID: "+4930", CallSettings: CallSettings{Identity: IdentityAsserted, Privacy: PrivacyID}},
			"sip:anonymous@anonymous.invalid", "P-Asserted-Identity: <sip:+4930@192.0.2.9>\nPrivacy: id"},
		{OutboundRoute{Address: "a.example", Username: "acme", CallSettings: CallSettings{Identity: IdentityFrom, Privacy: PrivacyID}},
			"sip:anonymous@anonymous.invalid", "Privacy: id"},
	} {
		c := test.route.callerIdentity(own)
		var headers []string
		for _, h := range c.headers {
			headers = append(headers, h.Name()+": "+h.Value())
		}
		if got := strings.Join(headers, "\n"); c.from.String() != test.from || got != test.headers || (c.name == "Anonymous") != (test.route.Privacy == PrivacyID) {
			t.Errorf("%+v: from %q %s with %q", test.route, c.name, c.from.String(), got)
		}
	}
}
