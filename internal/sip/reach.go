package sip

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/fault"
)

// reach is which calls a trunk brings to its numbers, as their first INVITE
// shows: it carries no digest yet.
type reach struct {
	networks []netip.Prefix // calls from there are the trunk's
	digest   bool           // calls from anywhere may turn out to be, once they were asked
}

// everywhere is the network that calls to an open number come from.
var everywhere = netip.MustParsePrefix("0.0.0.0/0")

// clashes reports whether the same call may be within both: their networks
// overlap, or one takes without a digest what the other would ask for it.
// Whoever has networks and credentials is asked for the latter elsewhere.
func (r reach) clashes(with reach) bool {
	asks := func(a, b reach) bool { return a.digest && len(a.networks) == 0 && len(b.networks) > 0 }
	return asks(r, with) || asks(with, r) || slices.ContainsFunc(r.networks, func(n netip.Prefix) bool { return slices.ContainsFunc(with.networks, n.Overlaps) })
}

// reach is what a trunk, opened, brings to a number.
func (r Registry) reach(t *Trunk, number string) reach {
	if slices.Contains(r.OpenNumbers, number) {
		return reach{[]netip.Prefix{everywhere}, t.hasCredentials()}
	}
	var networks []netip.Prefix
	for _, given := range t.AllowedAddresses {
		if network, err := netip.ParsePrefix(given); err == nil { // as the check left it
			networks = append(networks, network)
		}
	}
	return reach{networks, t.hasCredentials()}
}

func (t *Trunk) hasCredentials() bool { return text(t.Username) != "" && text(t.Password) != "" }

// errHeld says nothing of who holds the number.
var errHeld = fault.New(fault.Conflict, "calls to a phone number of this trunk could not be told from those of a trunk of somebody else: "+
	"authenticate by digest without allowed_addresses, and if that is refused too, ask the operator to assign the number to you")

// claim refuses to have numbers reached through a trunk of the transaction's
// tenant where calls could not be told from those of another tenant's, unless
// the operator assigned the number to the tenant. before is the trunk as it
// was, nil for a new number: what clashed already is no fault of the change.
// One transaction at a time checks and writes.
func (r Registry) claim(ctx context.Context, tx database.Tx, numbers []string, before, after *Trunk) error {
	if len(numbers) == 0 {
		return nil
	}
	own := tx.TenantID()
	return tx.AsSystem(ctx, func(ctx context.Context, tx database.Tx) error {
		var assignments []Assignment
		if err := tx.NewSelect().Model(&assignments).Where("number IN (?)", bun.List(numbers)).Scan(ctx); err != nil {
			return fmt.Errorf("look for assignments: %w", err)
		}
		holders := map[string]string{}
		for _, a := range assignments {
			holders[a.Number] = a.TenantID
			if a.TenantID != own && len(r.reach(after, a.Number).networks) > 0 && (before == nil || len(r.reach(before, a.Number).networks) == 0) {
				return errHeld
			}
		}
		var others []PhoneNumber
		if err := tx.NewSelect().Model(&others).Where("number IN (?) AND tenant_id <> ?", bun.List(numbers), own).Scan(ctx); err != nil {
			return fmt.Errorf("look for others with the number: %w", err)
		}
		for _, o := range others {
			if holders[o.Number] != "" { // the assignment decides
				continue
			}
			t, err := r.trunkOf(ctx, tx, o)
			if err != nil {
				return err
			}
			theirs := r.reach(t, o.Number)
			if r.reach(after, o.Number).clashes(theirs) && (before == nil || !r.reach(before, o.Number).clashes(theirs)) {
				return errHeld
			}
		}
		return nil
	})
}

// takeNumbers keeps other transactions that change which calls reach which
// numbers from going on until this one ends. It comes after the locks on the
// tenant and the trunk. On SQLite a write transaction is alone anyway.
func takeNumbers(ctx context.Context, tx database.Tx) error {
	if !tx.Postgres() {
		return nil
	}
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(hashtextextended('phone numbers', 0))"); err != nil {
		return fmt.Errorf("wait for others who change phone numbers: %w", err)
	}
	return nil
}
