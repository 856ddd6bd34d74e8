package sip

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"parley/internal/database"
	"parley/internal/fault"
)

// createInboundTrunk creates a trunk that accepts calls from networks, separated by commas; "digest" is credentials instead.
func createInboundTrunk(t *testing.T, s Store, what string) *Trunk {
	t.Helper()
	d := TrunkDraft{Name: "trunk " + what, Address: "sip.example.com"}
	for _, part := range strings.Split(what, ",") {
		switch part {
		case "":
		case "digest":
			d.Username, d.Password = new("user"), new("pa55word")
		default:
			d.AllowedAddresses = append(d.AllowedAddresses, part)
		}
	}
	made, err := s.CreateTrunk(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// hold writes a number of a tenant without any check, as older versions did.
func hold(t *testing.T, db *database.DB, tenant, number string, trunk *string) {
	t.Helper()
	err := db.Tenant(tenant).Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
		_, err := tx.NewInsert().Model(&PhoneNumber{TenantID: tenant, ID: uuid.Must(uuid.NewV7()).String(), Number: number, AgentName: new("x"), TrunkID: trunk, CreatedAt: tx.Now()}).Exec(ctx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A number belongs to one tenant wherever a call could be brought by trunks of two, whether the number or the trunk's
// addresses or credentials come last. The operator's assignment decides otherwise.
func TestNumbersThatAreReachedTwice(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		numbers := 0
		for _, test := range []struct {
			theirs, own string
			clash       bool
		}{
			{"192.0.2.1", "192.0.2.1", true},
			{"192.0.2.0/24,198.51.100.1", "203.0.113.1,192.0.2.77", true},
			{"192.0.2.1", "192.0.2.2", false},
			{"192.0.2.1", "", false},
			{"", "192.0.2.1", false},
			{"digest", "digest", false},
			{"digest", "192.0.2.1", true}, // which would have the calls before they are asked for a digest
			{"192.0.2.1", "digest", true},
			{"digest,192.0.2.1", "192.0.2.2", false},
			{"digest,192.0.2.1", "digest,192.0.2.1", true},
			{"digest,192.0.2.1", "digest", true},
		} {
			numbers++
			number := fmt.Sprintf("+49301000%d", 100+numbers)
			hold(t, db, other, number, &createInboundTrunk(t, foreign, test.theirs).ID)
			own := createInboundTrunk(t, s, test.own)
			_, err := s.CreatePhoneNumber(ctx, NumberDraft{Number: number, AgentName: new("desk"), TrunkID: &own.ID})
			if fault.Is(err, fault.Conflict) != test.clash || err != nil && !test.clash {
				t.Errorf("a number on %q beside one on %q: %v", test.own, test.theirs, err)
			}
			if err != nil && (strings.Contains(err.Error(), other) || strings.Contains(err.Error(), number) || strings.Contains(err.Error(), "192.0.2")) {
				t.Errorf("the other tenant is named: %v", err)
			}
			if !test.clash {
				continue
			}
			// The same by a change of the trunk, of which nothing stays behind.
			bare := createInboundTrunk(t, s, "")
			if _, err := s.CreatePhoneNumber(ctx, NumberDraft{Number: number, AgentName: new("desk"), TrunkID: &bare.ID}); err != nil {
				t.Fatal(err)
			}
			patch := fmt.Sprintf(`{"allowed_addresses":["%s"]}`, strings.Join(own.AllowedAddresses, `","`))
			if len(own.AllowedAddresses) == 0 {
				patch = `{"username":"user","password":"pa55word"}`
			}
			if _, err := s.UpdateTrunk(ctx, bare.ID, []byte(patch)); !fault.Is(err, fault.Conflict) {
				t.Errorf("a trunk that becomes %q beside %q: %v", test.own, test.theirs, err)
			}
			if after, err := s.Trunk(ctx, bare.ID); err != nil || len(after.AllowedAddresses) != 0 || after.hasCredentials() {
				t.Errorf("the trunk is %+v, %v", after, err)
			}
			if _, err := s.UpdateTrunk(ctx, bare.ID, []byte(`{"name":"renamed"}`)); err != nil {
				t.Errorf("another change: %v", err)
			}
			// What clashed before does not keep a trunk from other changes.
			old := createInboundTrunk(t, s, test.own)
			hold(t, db, acme, number, &old.ID)
			if _, err := s.UpdateTrunk(ctx, old.ID, []byte(`{"caller_id":"+4930111111"}`)); err != nil {
				t.Errorf("a change of a trunk that clashed before: %v", err)
			}
			former, err := Assign(ctx, db, acme, number)
			if want := len(own.AllowedAddresses) > 0 && test.theirs == "digest"; err != nil || slices.Contains(former, other) == want {
				t.Errorf("a number on %q assigned away: %v, %v", test.theirs, former, err)
			}
			if _, err := s.CreatePhoneNumber(ctx, NumberDraft{Number: number, AgentName: new("desk"), TrunkID: &own.ID}); err != nil {
				t.Errorf("a number that is assigned: %v", err)
			}
			again := createInboundTrunk(t, foreign, "203.0.113.9")
			if err := foreign.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
				return foreign.registry.checkNew(ctx, tx, &PhoneNumber{TenantID: other, Number: number, TrunkID: &again.ID})
			}); !fault.Is(err, fault.Conflict) {
				t.Errorf("a number that is assigned to another tenant: %v", err)
			}
			lines, err := s.registry.InboundRoutes(ctx, db, number)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range lines {
				if l.TenantID == other && (len(l.Addresses) > 0 || l.Assigned) {
					t.Errorf("the tenant that lost a number is reached from %v", l.Addresses)
				}
			}
		}
	})
}

// An open number is called from everywhere.
func TestOpenNumbersBelongToOneTenant(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		const number = "+4930100999"
		hold(t, db, other, number, &createInboundTrunk(t, foreign, "").ID)
		s.registry.OpenNumbers = []string{number}
		own := createInboundTrunk(t, s, "")
		if _, err := s.CreatePhoneNumber(ctx, NumberDraft{Number: number, AgentName: new("desk"), TrunkID: &own.ID}); !fault.Is(err, fault.Conflict) {
			t.Errorf("an open number that another tenant has: %v", err)
		}
		if _, err := Assign(ctx, db, acme, number); err != nil {
			t.Fatal(err)
		}
		if _, err := s.CreatePhoneNumber(ctx, NumberDraft{Number: number, AgentName: new("desk"), TrunkID: &own.ID}); err != nil {
			t.Error(err)
		}
		lines, err := s.registry.InboundRoutes(ctx, db, number)
		if err != nil || len(lines) != 2 {
			t.Fatalf("%v, %v", lines, err)
		}
		for _, l := range lines {
			if l.accepts(netip.MustParseAddr("203.0.113.200")) != (l.TenantID == acme) {
				t.Errorf("%+v", l)
			}
		}
	})
}

// Of two tenants who make the same numbers reachable at the same time, by new numbers or by changed trunks, one has each.
func TestNumbersThatAreReachedTwiceAtOnce(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		ways := []func(s Store, tenant, number string){
			func(s Store, _, number string) {
				trunk := createInboundTrunk(t, s, "192.0.2.1")
				_ = s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
					n := &PhoneNumber{TenantID: tx.TenantID(), ID: uuid.Must(uuid.NewV7()).String(), Number: number, AgentName: new("x"), TrunkID: &trunk.ID, CreatedAt: tx.Now()}
					if err := s.registry.checkNew(ctx, tx, n); err != nil {
						return err
					}
					_, err := tx.NewInsert().Model(n).Exec(ctx)
					return err
				})
			},
			func(s Store, tenant, number string) {
				trunk := createInboundTrunk(t, s, "")
				hold(t, db, tenant, number, &trunk.ID)
				_, _ = s.UpdateTrunk(ctx, trunk.ID, []byte(`{"allowed_addresses":["192.0.2.0/24"]}`))
			},
		}
		var all sync.WaitGroup
		for n := range 12 {
			number := fmt.Sprintf("+4930200%d", 100+n)
			all.Go(func() { ways[n%2](s, acme, number) })
			all.Go(func() { ways[n/2%2](foreign, other, number) })
		}
		all.Wait()
		for n := range 12 {
			lines, err := s.registry.InboundRoutes(ctx, db, fmt.Sprintf("+4930200%d", 100+n))
			if err != nil {
				t.Fatal(err)
			}
			var holders []string
			for _, l := range lines {
				if l.accepts(netip.MustParseAddr("192.0.2.1")) {
					holders = append(holders, l.TenantID)
				}
			}
			if len(holders) != 1 {
				t.Errorf("number %d is reached from the same address at %v", n, holders)
			}
		}
	})
}

// Many lines of one tenant hide none of another.
func TestLinesOfEveryTenant(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		const number = "+4930100998"
		for range maxRoutes {
			hold(t, db, other, number, &createInboundTrunk(t, foreign, "digest").ID)
		}
		hold(t, db, acme, number, &createInboundTrunk(t, s, "digest").ID)
		lines, err := s.registry.InboundRoutes(ctx, db, number)
		if err != nil || !slices.ContainsFunc(lines, func(l InboundRoute) bool { return l.TenantID == acme }) {
			t.Errorf("%d lines, %v", len(lines), err)
		}
	})
}
