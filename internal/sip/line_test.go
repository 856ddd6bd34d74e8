package sip

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/database"
)

// A number leads to its tenant's workflow or agent, and asks for what its trunk knows; a tenant's calls go through its own
// trunk before the platform's.
func TestLinesAndRoutes(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		made, err := s.CreateTrunk(ctx, TrunkDraft{Name: "carrier", Address: "sip.example.com", Transport: TLS, Username: new("acme"), Password: new("pa55word"), CallerID: new("+493098765432"), Headers: map[string]string{"X-Account": "7"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []NumberDraft{{Number: "+4930111111", WorkflowSlug: new("flow")}, {Number: "+4930222222", AgentName: new("desk"), TrunkID: &made.ID}} {
			if _, err := s.CreatePhoneNumber(ctx, d); err != nil {
				t.Fatal(err)
			}
		}
		for number, want := range map[string]Line{
			"+4930111111": {TenantID: acme, WorkflowSlug: "flow"},
			"+4930222222": {TenantID: acme, AgentName: "desk", Username: "acme", Password: "pa55word"},
		} {
			got, err := s.registry.Line(ctx, db, number)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s: %v\n%s", number, err, diff)
			}
		}
		if _, err := s.registry.Line(ctx, db, "+4930333333"); !errors.Is(err, ErrNoLine) {
			t.Errorf("a number that nobody has: %v", err)
		}

		own := Route{Address: "sip.example.com", Transport: TLS, Username: "acme", Password: "pa55word", CallerID: "+493098765432", Headers: map[string]string{"X-Account": "7"}}
		if got, err := s.registry.Route(ctx, db, acme); err != nil || !cmp.Equal(own, got) {
			t.Errorf("%v\n%s", err, cmp.Diff(own, got))
		}
		if _, err := foreign.registry.Route(ctx, db, other); !errors.Is(err, ErrNoTrunk) {
			t.Errorf("a tenant without a trunk: %v", err)
		}
		with := Registry{Sealer: s.registry.Sealer, Platform: &TrunkDraft{Address: "10.0.0.1", Transport: UDP}}
		platform := Route{Address: "10.0.0.1", Transport: UDP, Platform: true}
		if got, err := with.Route(ctx, db, other); err != nil || !cmp.Equal(platform, got) {
			t.Errorf("%v\n%s", err, cmp.Diff(platform, got))
		}
	})
}

// Who calls is the caller id, or the account; at the trunk's own domain when there is an account.
func TestFrom(t *testing.T) {
	for _, test := range []struct {
		route        Route
		user, domain string
	}{
		{Route{Address: "sip.example.com:5070"}, "anonymous", ""},
		{Route{Address: "sip.example.com:5070", CallerID: "+4930"}, "+4930", ""},
		{Route{Address: "sip.example.com:5070", Username: "acme"}, "acme", "sip.example.com"},
		{Route{Address: "192.0.2.1", Username: "acme", CallerID: "+4930"}, "+4930", "192.0.2.1"},
	} {
		if user, domain := test.route.from(); user != test.user || domain != test.domain {
			t.Errorf("%+v: from %s at %s", test.route, user, domain)
		}
	}
}
