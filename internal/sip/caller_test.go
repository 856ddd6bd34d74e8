package sip

import (
	"strings"
	"testing"

	"github.com/emiago/sipgo/sip"
	"github.com/google/go-cmp/cmp"
)

func TestCallerOf(t *testing.T) {
	for _, test := range []struct {
		name    string
		headers string
		country string
		in      []string // headers_in
		want    Caller
	}{
		{"number", "From: <sip:+14155551234@a.example>;tag=1", "", nil, Caller{Number: "+14155551234", From: "+14155551234"}},
		{"national number", "From: <sip:4155551234@a.example>;tag=1", "US", nil, Caller{Number: "+14155551234", From: "4155551234"}},
		{"without a country", "From: <sip:4155551234@a.example>;tag=1", "", nil, Caller{From: "4155551234"}},
		{"extension", `From: "Ann" <sip:1001234@a.example>;tag=1`, "US", nil, Caller{From: "1001234", Name: "Ann"}},
		{"user", "From: <sip:alice@a.example>;tag=1", "US", nil, Caller{From: "alice"}},
		{"tel", "From: <tel:4155551234;phone-context=+1>;tag=1", "", nil, Caller{Number: "+14155551234", From: "+14155551234"}},
		{"withheld", `From: "Anonymous" <sip:anonymous@anonymous.invalid>;tag=1`, "US", nil, Caller{}},
		{"withheld, and known to the network", "From: \"Anonymous\" <sip:anonymous@anonymous.invalid>;tag=1\nP-Asserted-Identity: \"Ann\" <sip:+14155551234@a.example>\nPrivacy: id", "US", nil, Caller{}},
		{"asserted name", "From: \"Forged\" <sip:+14155551234@a.example>;tag=1\nP-Asserted-Identity: \"Ann Lee\" <sip:+14155551234@a.example>", "US", nil,
			Caller{Number: "+14155551234", From: "+14155551234", Name: "Ann Lee"}},
		{"name of any length", "From: \"" + strings.Repeat("é", 300) + "\" <sip:1@a.example>;tag=1", "", nil, Caller{From: "1", Name: strings.Repeat("é", maxCallerName)}},
		{"verstat of the asserted identity", "From: <sip:+14155551234@a.example>;tag=1\nP-Asserted-Identity: <sip:+14155551234;verstat=TN-Validation-Passed@a.example;user=phone>\nP-Attestation-Indicator: a", "", nil,
			Caller{Number: "+14155551234", From: "+14155551234", Verstat: "TN-Validation-Passed", Attestation: "A"}},
		{"verstat as a parameter of the URI", "From: <sip:+14155551234@a.example;user=phone;verstat=no-tn-validation>;tag=1", "", nil, Caller{Number: "+14155551234", From: "+14155551234", Verstat: "No-TN-Validation"}},
		{"verstat as a parameter of the header", "From: <sip:+14155551234@a.example>;tag=1\nP-Asserted-Identity: <sip:+14155551234@a.example>;verstat=TN-Validation-Passed-B", "", nil,
			Caller{Number: "+14155551234", From: "+14155551234", Verstat: "TN-Validation-Passed", Attestation: "B"}},
		{"verstat of tel", "From: <tel:+14155551234;verstat=TN-Validation-Failed>;tag=1", "", nil, Caller{Number: "+14155551234", From: "+14155551234", Verstat: "TN-Validation-Failed"}},
		{"verstat in a name", `From: "x;verstat=TN-Validation-Passed;\" <sip:1;verstat=TN-Validation-Passed@a>" <sip:+14155551234@a.example>;tag=1`, "", nil,
			Caller{Number: "+14155551234", From: "+14155551234", Name: `x;verstat=TN-Validation-Passed;\" <sip:1;verstat=TN-Validation-Passed@a>`}},
		{"unknown verstat", "From: <sip:+14155551234;verstat=Trust-Me@a.example>;tag=1", "", nil, Caller{Number: "+14155551234", From: "+14155551234"}},
		{"headers", "From: <sip:1@a.example>;tag=1\nX-Account: 47\t11\nx-account: second\nX-Empty: \nX-Long: " + strings.Repeat("x", 2000), "", []string{"X-Account", "X-Empty", "X-Long", "X-None"},
			Caller{From: "1", Headers: map[string]string{"x_account": "47 11", "x_long": strings.Repeat("x", MaxHeaderValue)}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := "INVITE sip:+4930111111@b.example SIP/2.0\nVia: SIP/2.0/UDP a.example;branch=z9hG4bK1\n" + test.headers +
				"\nTo: <sip:+4930111111@b.example>\nCall-ID: 1\nCSeq: 1 INVITE\nContent-Length: 0\n\n"
			message, err := sip.ParseMessage([]byte(strings.ReplaceAll(text, "\n", "\r\n")))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, callerOf(message.(*sip.Request), InboundRoute{Country: test.country, HeadersIn: test.in})); diff != "" {
				t.Error(diff)
			}
		})
	}
}
