package sip

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/internal/database"
	"parley/internal/fault"
)

// The INVITE of a call has the identity, privacy and headers of its trunk and dispatch, and nothing that the trunk does not allow.
func TestInviteOfATrunk(t *testing.T) {
	t.Parallel()
	g := start(t, options())
	for _, test := range []struct {
		name     string
		trunk    OutboundRoute
		number   string
		headers  map[string]string
		contains []string
		without  []string
	}{
		{"asserted", OutboundRoute{CallerID: "+4930987654", Username: "acme", CallSettings: CallSettings{Identity: IdentityAsserted, FromDomain: new("acme.example")}}, "+4930123456", nil,
			[]string{"INVITE sip:+4930123456@127.0.0.1:", "\r\nFrom: <sip:acme@acme.example>;tag=", "\r\nP-Asserted-Identity: <sip:+4930987654@acme.example>\r\n"}, []string{"Privacy:"}},
		{"withheld", OutboundRoute{CallerID: "+4930987654", CallSettings: CallSettings{Identity: IdentityPreferred, Privacy: PrivacyID}}, "+4930123456", nil,
			[]string{"\r\nFrom: \"Anonymous\" <sip:anonymous@anonymous.invalid>;tag=", "\r\nP-Preferred-Identity: <sip:+4930987654@", "\r\nPrivacy: id\r\n", "\r\nContact: <sip:anonymous@"}, nil},
		{"headers", OutboundRoute{Headers: map[string]string{"X-Account": "7", "x-order": "0"}, CallSettings: CallSettings{HeadersOut: []string{"X-Order"}}}, "+4930123456",
			map[string]string{"X-ORDER": "4711", "X-Other": "1"}, []string{"\r\nX-Order: 4711\r\n", "\r\nX-Account: 7\r\n"}, []string{"X-Other", "X-Order: 0", "x-order"}},
		{"extension", OutboundRoute{CallSettings: CallSettings{AllowURIs: true}}, "1001", nil, []string{"INVITE sip:1001@127.0.0.1:"}, nil},
		{"URI", OutboundRoute{CallSettings: CallSettings{AllowURIs: true, FromDomain: new("pbx.example")}}, "sip:alice@pbx.example", nil,
			[]string{"INVITE sip:alice@pbx.example SIP/2.0\r\n", "\r\nTo: <sip:alice@pbx.example>\r\n"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newRawPhone(t)
			test.trunk.Address, test.trunk.Transport = p.LocalAddr().String(), UDP
			d := number(t, test.trunk)
			d.Number, d.Headers = test.number, test.headers
			dialled := make(chan error, 1)
			go func() { dialled <- g.Dial(t.Context(), d) }()
			invite := p.await(t, "INVITE")
			var answer []string
			for _, line := range strings.Split(invite, "\r\n") {
				if name, _, _ := strings.Cut(line, ":"); slices.Contains([]string{"Via", "From", "Call-ID", "CSeq"}, name) {
					answer = append(answer, line)
				} else if name == "To" {
					answer = append(answer, line+";tag=1")
				}
			}
			p.send(t, "SIP/2.0 486 Busy Here\r\n"+strings.Join(answer, "\r\n")+"\r\nContent-Length: 0\r\n\r\n")
			if got := dialErr(t, <-dialled); got.Cause != Busy {
				t.Errorf("got %+v", got)
			}
			for _, part := range test.contains {
				if !strings.Contains(invite, part) {
					t.Errorf("%q is missing in\n%s", part, invite)
				}
			}
			for _, part := range test.without {
				if strings.Contains(invite, part) {
					t.Errorf("%q is in\n%s", part, invite)
				}
			}
		})
	}
}

// A trunk that has changed since the dispatch does not dial what it no longer allows.
func TestDestinationThatIsNoLongerAllowed(t *testing.T) {
	t.Parallel()
	g := start(t, options())
	p := newRawPhone(t)
	for _, destination := range []string{"1001", "sip:alice@pbx.example", "sip:alice@127.0.0.1"} {
		d := number(t, OutboundRoute{Address: p.LocalAddr().String(), Transport: UDP})
		d.Number = destination
		if got := dialErr(t, g.Dial(t.Context(), d)); got.Cause != InvalidNumber || strings.Contains(got.Detail, destination) {
			t.Errorf("%s: %+v", destination, got)
		}
	}
}

// Callers of a trunk in the USA, as carriers and exchanges write them.
func TestCallersOfACountry(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, dialled, from string
		more                []string // headers
		want                Caller
	}{
		{"national", "+4930111111", "<sip:4155551234@[local_ip]>", nil, Caller{Number: "+14155551234", From: "4155551234"}},
		{"extension", "4930111111", "\"Ann\" <sip:1001234@[local_ip]>", nil, Caller{From: "1001234", Name: "Ann"}},
		{"tel", "0114930111111", "<tel:+1-415-555-1234;verstat=TN-Validation-Passed>", nil, Caller{Number: "+14155551234", From: "+1-415-555-1234", Verstat: "TN-Validation-Passed"}},
		{"headers", "+4930111111", "<sip:anonymous@anonymous.invalid>", []string{"X-Account: 4711", "P-Attestation-Indicator: C"}, Caller{Attestation: "C", Headers: map[string]string{"x_account": "4711"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := &desk{room: newRoom(t), gone: make(chan struct{}), away: ErrNoRoute,
				line: InboundRoute{Addresses: here, Country: "US", HeadersIn: []string{"X-Account"}, Number: "+4930111111"}}
			o := options()
			o.Inbound = d
			g := start(t, o)
			from := func(step string) string {
				return strings.ReplaceAll(step, "<sip:+4930222222@[local_ip]:[local_port]>", test.from)
			}
			calling(t, g, test.dialled, []string{from(requests("INVITE", "1", answerBody, test.more...)), expects(100, optional), expects(180, optional), expects(404, ""), from(requests("ACK", "1", ""))}).content(t)
			d.mu.Lock()
			defer d.mu.Unlock()
			if len(d.froms) != 1 || fmt.Sprint(d.froms[0]) != fmt.Sprint(test.want) {
				t.Errorf("got %+v, want %+v", d.froms, test.want)
			}
		})
	}
}

// A number of a trunk with a country is found however its network writes it, and stored numbers as before.
func TestNumbersOfACountry(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		american, err := s.CreateTrunk(ctx, TrunkDraft{Name: "us", Address: "a.example", AllowedAddresses: []string{"192.0.2.1"}, CallSettings: CallSettings{DefaultCountry: new("US"), HeadersIn: []string{"x-account"}}})
		if err != nil {
			t.Fatal(err)
		}
		plain := createInboundTrunk(t, s, "192.0.2.2")
		made, err := s.CreatePhoneNumber(ctx, NumberDraft{Number: "4155550100", AgentName: new("desk"), TrunkID: &american.ID})
		if err != nil || made.Number != "+14155550100" {
			t.Fatalf("%+v, %v", made, err)
		}
		if _, err := s.CreatePhoneNumber(ctx, NumberDraft{Number: "4155550101", AgentName: new("desk"), TrunkID: &plain.ID}); !fault.Is(err, fault.Validation) || !strings.Contains(fmt.Sprint(err), "ambiguous") {
			t.Errorf("a number without a country: %v", err)
		}
		if _, err := s.CreatePhoneNumber(ctx, NumberDraft{Number: "+1 415 555 0100", AgentName: new("desk"), TrunkID: &american.ID}); !fault.Is(err, fault.Conflict) {
			t.Errorf("the same number in another form: %v", err)
		}
		hold(t, db, acme, "+4155550100", &plain.ID)
		hold(t, db, acme, "+49030123456", &plain.ID)
		for dialled, want := range map[string]string{
			"+14155550100": "us +14155550100", "14155550100": "us +14155550100", "0014155550100": "us +14155550100",
			"4155550100":   "us +14155550100, trunk 192.0.2.2 +4155550100", // the call's trunk decides
			"+4155550100":  "trunk 192.0.2.2 +4155550100",
			"+49030123456": "trunk 192.0.2.2 +49030123456",
			"49030123456":  "trunk 192.0.2.2 +49030123456",
			"5550100":      "",
		} {
			routes, err := s.registry.InboundRoutes(ctx, db, dialled)
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, l := range routes {
				name := plain.Name
				if l.TrunkID == american.ID {
					name = "us"
					if l.Country != "US" || !slices.Equal(l.HeadersIn, []string{"X-Account"}) {
						t.Errorf("%s: %+v", dialled, l)
					}
				}
				found = append(found, name+" "+l.Number)
			}
			slices.Sort(found)
			if got := strings.Join(found, ", "); got != want && got != strings.Join(reversed(strings.Split(want, ", ")), ", ") {
				t.Errorf("%s reaches %q, want %q", dialled, got, want)
			}
		}
	})
}

func reversed(texts []string) []string {
	slices.Reverse(texts)
	return texts
}

// Two numbers that are dialled in the same way in the countries of their trunks belong to one tenant, as one number does.
func TestNumbersThatAreDialledAlike(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		in := func(s Store, country *string, addresses ...string) *Trunk {
			t.Helper()
			made, err := s.CreateTrunk(ctx, TrunkDraft{Name: "x", Address: "a.example", AllowedAddresses: addresses, CallSettings: CallSettings{DefaultCountry: country}})
			if err != nil {
				t.Fatal(err)
			}
			return made
		}
		create := func(s Store, number string, on *Trunk) error {
			_, err := s.CreatePhoneNumber(ctx, NumberDraft{Number: number, AgentName: new("desk"), TrunkID: &on.ID})
			return err
		}
		hold(t, db, other, "+14155550100", &in(foreign, new("US"), "192.0.2.1").ID)
		plain := in(s, nil, "192.0.2.1")
		if err := create(s, "+4155550100", plain); !fault.Is(err, fault.Conflict) {
			t.Errorf("a number that is dialled as another tenant's in the USA: %v", err)
		}
		if err := create(s, "+4155550101", plain); err != nil {
			t.Errorf("another number: %v", err)
		}
		if err := create(s, "+4155550100", in(s, nil, "192.0.2.2")); err != nil {
			t.Errorf("of another network: %v", err)
		}
		hold(t, db, other, "+4155550199", &in(foreign, nil, "192.0.2.1").ID)
		german := in(s, new("DE"), "192.0.2.1")
		if err := create(s, "+14155550199", german); err != nil {
			t.Fatal(err)
		}
		if _, err := s.UpdateTrunk(ctx, german.ID, []byte(`{"default_country":"US"}`)); !fault.Is(err, fault.Conflict) {
			t.Errorf("a trunk that moves to the USA: %v", err)
		}
		if _, err := s.UpdateTrunk(ctx, german.ID, []byte(`{"default_country":"CA"}`)); !fault.Is(err, fault.Conflict) {
			t.Errorf("a trunk that moves to Canada: %v", err)
		}
		if _, err := s.UpdateTrunk(ctx, german.ID, []byte(`{"default_country":"FR"}`)); err != nil {
			t.Errorf("a trunk that moves to France: %v", err)
		}
	})
}
