package sip

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dennwc/iters"
	"github.com/livekit/protocol/auth"
	"github.com/livekit/protocol/livekit"
	"github.com/livekit/protocol/rpc"
	protocol "github.com/livekit/protocol/sip"
	"github.com/twitchtv/twirp"

	"parley/internal/database"
	"parley/internal/fault"
)

// An outside LiveKit has one trunk for each number, so that one phone number of the installation may have it: the tenant's that came
// first, or that the operator assigned it to.
func TestNumbersOutside(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		changes := 0
		s.registry.Outside, s.registry.Changed = true, func() { changes++ }
		foreign.registry = s.registry
		const number = "+4930123456"
		own, second, theirs := trunk(t, s, "own", false), trunk(t, s, "second", false), trunk(t, foreign, "theirs", false)
		if _, err := s.CreatePhoneNumber(ctx, NumberDraft{Number: number, AgentName: new("desk"), TrunkID: &own.ID}); err != nil {
			t.Fatal(err)
		}
		if changes != 1 {
			t.Errorf("%d changes after a number was created", changes)
		}
		if _, err := s.CreatePhoneNumber(ctx, NumberDraft{Number: number, AgentName: new("desk"), TrunkID: &second.ID}); !fault.Is(err, fault.Conflict) {
			t.Errorf("a number on a second trunk: %v", err)
		}
		if _, err := foreign.UpdateTrunk(ctx, theirs.ID, []byte(`{"allowed_addresses":["203.0.113.0/24"]}`)); err != nil {
			t.Fatal(err)
		}
		if changes != 2 {
			t.Errorf("%d changes after a trunk was changed", changes)
		}
		hold(t, db, other, number, &theirs.ID) // while the media server was embedded
		routes := func() (tenants []string) {
			all, err := s.registry.AllInboundRoutes(ctx, db)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range all {
				tenants = append(tenants, r.TenantID)
			}
			return tenants
		}
		if got := routes(); !slices.Equal(got, []string{acme}) {
			t.Errorf("routes of %v, want the oldest", got)
		}
		if _, err := Assign(ctx, db, other, number); err != nil {
			t.Fatal(err)
		}
		if got := routes(); !slices.Equal(got, []string{other}) {
			t.Errorf("routes of %v, want the assigned", got)
		}
		if _, err := s.CreatePhoneNumber(ctx, NumberDraft{Number: number, AgentName: new("desk"), TrunkID: &second.ID}); !fault.Is(err, fault.Conflict) {
			t.Errorf("a number that is assigned to another tenant: %v", err)
		}
		all, err := s.registry.AllInboundRoutes(ctx, db)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := s.registry.InboundRoute(ctx, db, all[0].ID); err != nil || r.Number != number || len(r.Addresses) != 1 {
			t.Errorf("route by its id: %+v, %v", r, err)
		}
		if _, err := s.registry.InboundRoute(ctx, db, acme); !errors.Is(err, ErrNoRoute) {
			t.Errorf("route of no number: %v", err)
		}
	})
}

// registrar is the part of an outside LiveKit that keeps trunks and rules. It checks them as LiveKit does, by its own package.
type registrar struct {
	livekit.SIP
	mu     sync.Mutex
	trunks []*livekit.SIPInboundTrunkInfo
	rules  []*livekit.SIPDispatchRuleInfo
	made   int
	writes int
}

func (r *registrar) ListSIPInboundTrunk(context.Context, *livekit.ListSIPInboundTrunkRequest) (*livekit.ListSIPInboundTrunkResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return &livekit.ListSIPInboundTrunkResponse{Items: slices.Clone(r.trunks)}, nil
}

func (r *registrar) ListSIPDispatchRule(context.Context, *livekit.ListSIPDispatchRuleRequest) (*livekit.ListSIPDispatchRuleResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return &livekit.ListSIPDispatchRuleResponse{Items: slices.Clone(r.rules)}, nil
}

// id counts a write and returns a new identifier.
func (r *registrar) id(prefix string) string {
	r.made++
	r.writes++
	return prefix + strconv.Itoa(r.made)
}

func (r *registrar) CreateSIPInboundTrunk(_ context.Context, q *livekit.CreateSIPInboundTrunkRequest) (*livekit.SIPInboundTrunkInfo, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := q.Validate(); err != nil {
		return nil, twirp.NewError(twirp.InvalidArgument, err.Error())
	}
	if err := protocol.ValidateTrunksIter(iters.Slice(append(slices.Clone(r.trunks), q.Trunk))); err != nil {
		return nil, err
	}
	q.Trunk.SipTrunkId = r.id("ST_")
	r.trunks = append(r.trunks, q.Trunk)
	return q.Trunk, nil
}

func (r *registrar) UpdateSIPInboundTrunk(_ context.Context, q *livekit.UpdateSIPInboundTrunkRequest) (*livekit.SIPInboundTrunkInfo, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := slices.IndexFunc(r.trunks, func(t *livekit.SIPInboundTrunkInfo) bool { return t.SipTrunkId == q.SipTrunkId })
	changed, err := q.Action.(livekit.UpdateSIPInboundTrunkRequestAction).Apply(r.trunks[at])
	if err != nil {
		return nil, err
	}
	r.writes++
	r.trunks[at] = changed
	return changed, nil
}

//nolint:staticcheck // LiveKit has deprecated the message, and still answers with it
func (r *registrar) DeleteSIPTrunk(_ context.Context, q *livekit.DeleteSIPTrunkRequest) (*livekit.SIPTrunkInfo, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writes++
	r.trunks = slices.DeleteFunc(r.trunks, func(t *livekit.SIPInboundTrunkInfo) bool { return t.SipTrunkId == q.SipTrunkId })
	return &livekit.SIPTrunkInfo{}, nil
}

func (r *registrar) CreateSIPDispatchRule(_ context.Context, q *livekit.CreateSIPDispatchRuleRequest) (*livekit.SIPDispatchRuleInfo, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := q.Validate(); err != nil {
		return nil, twirp.NewError(twirp.InvalidArgument, err.Error())
	}
	if _, err := protocol.ValidateDispatchRulesIter(iters.Slice(append(slices.Clone(r.rules), q.DispatchRule))); err != nil {
		return nil, err
	}
	q.DispatchRule.SipDispatchRuleId = r.id("SDR_")
	r.rules = append(r.rules, q.DispatchRule)
	return q.DispatchRule, nil
}

func (r *registrar) DeleteSIPDispatchRule(_ context.Context, q *livekit.DeleteSIPDispatchRuleRequest) (*livekit.SIPDispatchRuleInfo, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writes++
	r.rules = slices.DeleteFunc(r.rules, func(d *livekit.SIPDispatchRuleInfo) bool { return d.SipDispatchRuleId == q.SipDispatchRuleId })
	return &livekit.SIPDispatchRuleInfo{}, nil
}

// invite returns the room that LiveKit would give a call, and the user name for which it would ask a password; "" for no room, or for
// no question.
func (r *registrar) invite(t *testing.T, to, source string) (room, user string) {
	t.Helper()
	from, called := &livekit.SIPUri{User: "+4917012345", Host: "192.0.2.9"}, &livekit.SIPUri{User: to, Host: "192.0.2.1"}
	call := &rpc.SIPCall{LkCallId: "SCL_1", SourceIp: source, From: from, To: called}
	trunk, err := protocol.MatchTrunkIter(iters.Slice(r.trunks), call)
	if err != nil {
		t.Fatal(err)
	}
	q := &rpc.EvaluateSIPDispatchRulesRequest{Call: call}
	rule, err := protocol.MatchDispatchRuleIter(trunk, iters.Slice(r.rules), q)
	if err != nil {
		return "", ""
	}
	answer, err := protocol.EvaluateDispatchRule("", trunk, rule, q)
	if err != nil {
		t.Fatal(err)
	}
	if trunk != nil {
		user = trunk.AuthUsername
	}
	return answer.RoomName, user
}

// The trunks and rules of an outside LiveKit become those of the phone numbers; what others have made there stays.
func TestProvisioner(t *testing.T) {
	r := new(registrar)
	handler := livekit.NewSIPServer(r)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		parsed, err := auth.ParseAPIToken(strings.TrimPrefix(q.Header.Get("Authorization"), "Bearer "))
		if err == nil {
			var grants *auth.ClaimGrants
			if _, grants, err = parsed.Verify(testSecret); err == nil && (grants.SIP == nil || !grants.SIP.Admin) {
				err = errors.New("it may not administer")
			}
		}
		if err != nil {
			t.Errorf("%s: %v", q.URL.Path, err)
		}
		handler.ServeHTTP(w, q)
	}))
	defer server.Close()
	var log bytes.Buffer
	p := NewProvisioner(ProvisionerOptions{URL: "ws" + strings.TrimPrefix(server.URL, "http"), Key: testKey, Secret: testSecret, Installation: "one", Agent: "parley-one",
		RingTimeout: time.Minute, Empty: 20 * time.Second, Departure: 2 * time.Second, Log: slog.New(slog.NewTextHandler(&log, nil))})
	provision := func(routes ...InboundRoute) (writes int) {
		t.Helper()
		before := r.writes
		if err := p.Provision(t.Context(), routes); err != nil {
			t.Fatal(err)
		}
		return r.writes - before
	}
	foreign := &livekit.SIPInboundTrunkInfo{Name: "of somebody else", Numbers: []string{"+4930999"}}
	if _, err := r.CreateSIPInboundTrunk(t.Context(), &livekit.CreateSIPInboundTrunkRequest{Trunk: foreign}); err != nil {
		t.Fatal(err)
	}
	byAddress := InboundRoute{ID: acme, Number: "+4930111111", Addresses: []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24")}, Username: "acme", Password: "secret"}
	byDigest := InboundRoute{ID: other, Number: "+4930222222", Username: "other", Password: "secret", Encryption: EncryptionRequire}
	shut := InboundRoute{ID: "0193a6f0-0000-7000-8000-000000000003", Number: "+4930333333"}
	if n := provision(byAddress, byDigest, shut); n != 4 {
		t.Errorf("%d writes for two numbers that accept calls, want a trunk and a rule for each", n)
	}
	if n := provision(byAddress, byDigest, shut); n != 0 {
		t.Errorf("%d writes without a change", n)
	}
	for _, test := range []struct{ to, source, number, user string }{
		{"+4930111111", "203.0.113.7", acme, ""},
		{"004930111111", "203.0.113.7", acme, ""},
		{"4930111111", "203.0.113.7", acme, ""},
		{"+4930111111", "198.51.100.1", "", ""},
		{"+4930222222", "198.51.100.1", other, "other"},
		{"+4930333333", "203.0.113.7", "", ""},
	} {
		room, user := r.invite(t, test.to, test.source)
		if number, ok := InboundRoom(room); number != test.number && ok || ok != (test.number != "") || user != test.user {
			t.Errorf("a call to %s from %s: room %q, user %q", test.to, test.source, room, user)
		}
	}
	if _, is := InboundRoom("call-" + acme); is {
		t.Error("a room of Parley's own counts as one of an inbound call")
	}

	byDigest.Password = "changed"
	if n := provision(byAddress, byDigest); n != 1 || r.trunks[2].AuthPassword != "changed" && r.trunks[1].AuthPassword != "changed" {
		t.Errorf("%d writes after a new password: %v", n, r.trunks)
	}
	r.rules = nil // lost
	if n := provision(byAddress, byDigest); n != 2 {
		t.Errorf("%d writes for two lost rules", n)
	}
	taken := InboundRoute{ID: "0193a6f0-0000-7000-8000-000000000004", Number: "+4930999", Username: "a", Password: "b"}
	for range 3 {
		provision(taken)
	}
	if n := strings.Count(log.String(), "LiveKit refuses a phone number"); n != 1 {
		t.Errorf("%d warnings of a number that another trunk has, want 1:\n%s", n, log.String())
	}
	if len(r.trunks) != 1 || r.trunks[0].Name != foreign.Name || len(r.rules) != 0 {
		t.Errorf("what is left of deleted numbers: %v, %v", r.trunks, r.rules)
	}
}
