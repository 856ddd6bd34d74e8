package sip

import (
	"context"
	"errors"
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/internal/database"
)

// A number has the route to its tenant's agent or workflow, with the requirements of its trunk; a tenant's own trunk is
// preferred to the platform's.
func TestLinesAndRoutes(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		made, err := s.CreateTrunk(ctx, TrunkDraft{Name: "carrier", Address: "sip.example.com", Transport: TLS, Username: new("acme"), Password: new("pa55word"), CallerID: new("+493098765432"), Headers: map[string]string{"X-Account": "7"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Assign(ctx, db, acme, "+4930111111"); err != nil {
			t.Fatal(err)
		}
		for _, d := range []NumberDraft{{Number: "+4930111111", WorkflowSlug: new("flow")}, {Number: "+4930222222", AgentName: new("desk"), TrunkID: &made.ID}} {
			if _, err := s.CreatePhoneNumber(ctx, d); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.UpdateTrunk(ctx, made.ID, []byte(`{"allowed_addresses":["192.0.2.1","198.51.100.77/24"],"media_encryption":"allow"}`)); err != nil {
			t.Fatal(err)
		}
		for number, want := range map[string][]InboundRoute{
			"+4930111111": {{TenantID: acme, Number: "+4930111111", WorkflowSlug: "flow", Assigned: true}},
			"+4930222222": {{TenantID: acme, Number: "+4930222222", TrunkID: made.ID, Trunk: "carrier", AgentName: "desk", Username: "acme", Password: "pa55word",
				Addresses: []netip.Prefix{netip.MustParsePrefix("192.0.2.1/32"), netip.MustParsePrefix("198.51.100.0/24")}, Encryption: EncryptionAllow}},
			"+4930333333": nil,
		} {
			got, err := s.registry.InboundRoutes(ctx, db, number)
			if diff := cmp.Diff(want, got, cmpopts.EquateComparable(netip.Prefix{}), cmpopts.IgnoreFields(InboundRoute{}, "ID"), cmpopts.EquateEmpty()); err != nil || diff != "" {
				t.Errorf("%s: %v\n%s", number, err, diff)
			}
		}
		platformed := Registry{Sealer: s.registry.Sealer, Platform: &TrunkDraft{Username: new("op"), Password: new("secret")}}
		if got, err := platformed.InboundRoutes(ctx, db, "+4930111111"); err != nil || len(got) != 1 || got[0].Username != "op" || got[0].Password != "secret" {
			t.Errorf("a number of the platform's trunk: %+v, %v", got, err)
		}

		own := OutboundRoute{ID: made.ID, Name: "carrier", Addresses: []netip.Prefix{netip.MustParsePrefix("192.0.2.1/32"), netip.MustParsePrefix("198.51.100.0/24")}, Address: "sip.example.com", Transport: TLS, Encryption: EncryptionAllow, Username: "acme", Password: "pa55word", CallerID: "+493098765432", Headers: map[string]string{"X-Account": "7"},
			CallSettings: CallSettings{Identity: IdentityFrom, Privacy: PrivacyNone, HeadersIn: []string{}, HeadersOut: []string{}}}
		if got, err := s.registry.OutboundRoute(ctx, db, acme, "", true); err != nil || !cmp.Equal(own, got, cmpopts.EquateComparable(netip.Prefix{})) {
			t.Errorf("%v\n%s", err, cmp.Diff(own, got, cmpopts.EquateComparable(netip.Prefix{})))
		}
		if _, err := foreign.registry.OutboundRoute(ctx, db, other, "", true); !errors.Is(err, ErrNoTrunk) {
			t.Errorf("a tenant without a trunk: %v", err)
		}
		with := Registry{Sealer: s.registry.Sealer, Platform: &TrunkDraft{Address: "10.0.0.1", Transport: UDP}}
		platform := OutboundRoute{Address: "10.0.0.1", Transport: UDP, Platform: true}
		if _, err := with.OutboundRoute(ctx, db, other, "", false); !errors.Is(err, ErrNoTrunk) {
			t.Errorf("a call made with a test key, without a sandbox: %v", err)
		}
		with.Sandbox = "127.0.0.1:5090"
		sandbox := OutboundRoute{Address: "127.0.0.1:5090", Transport: UDP, Platform: true, CallSettings: own.CallSettings}
		if got, err := with.OutboundRoute(ctx, db, acme, "", false); err != nil || !cmp.Equal(sandbox, got) {
			t.Errorf("a call made with a test key: %v\n%s", err, cmp.Diff(sandbox, got))
		}
		if got, err := with.OutboundRoute(ctx, db, other, "", true); err != nil || !cmp.Equal(platform, got) {
			t.Errorf("%v\n%s", err, cmp.Diff(platform, got))
		}
	})
}

// Who calls is the caller id, or the account; at the trunk's own domain when there is an account.
func TestFrom(t *testing.T) {
	for _, test := range []struct {
		route        OutboundRoute
		user, domain string
	}{
		{OutboundRoute{Address: "sip.example.com:5070"}, "anonymous", ""},
		{OutboundRoute{Address: "sip.example.com:5070", CallerID: "+4930"}, "+4930", ""},
		{OutboundRoute{Address: "sip.example.com:5070", Username: "acme"}, "acme", "sip.example.com"},
		{OutboundRoute{Address: "192.0.2.1", Username: "acme", CallerID: "+4930"}, "+4930", "192.0.2.1"},
	} {
		if user, domain := test.route.from(); user != test.user || domain != test.domain {
			t.Errorf("%+v: from %s at %s", test.route, user, domain)
		}
	}
}
