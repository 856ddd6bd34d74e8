package sip

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/fault"
)

// inboundScope is the set of calls that a trunk accepts for a number, by their first INVITE, which has no digest yet.
type inboundScope struct {
	networks []netip.Prefix // calls from there belong to the trunk
	digest   bool           // calls from anywhere may belong to it after a challenge
}

// everywhere are the networks from which open numbers accept calls.
var everywhere = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}

// overlaps reports whether one call may match both scopes: their networks overlap, or one accepts without a digest
// what the other would challenge. A trunk with networks and credentials challenges calls from other addresses only.
func (r inboundScope) overlaps(with inboundScope) bool {
	challenges := func(a, b inboundScope) bool { return a.digest && len(a.networks) == 0 && len(b.networks) > 0 }
	return challenges(r, with) || challenges(with, r) || slices.ContainsFunc(r.networks, func(n netip.Prefix) bool { return slices.ContainsFunc(with.networks, n.Overlaps) })
}

// scope returns the inbound scope of a trunk, decrypted, for a number.
func (r Registry) scope(t *Trunk, number string) inboundScope {
	if slices.Contains(r.OpenNumbers, number) {
		return inboundScope{everywhere, t.hasCredentials()}
	}
	return inboundScope{t.networks(), t.hasCredentials()}
}

// networks returns the addresses that the trunk's calls come from.
func (t *Trunk) networks() (networks []netip.Prefix) {
	for _, given := range t.AllowedAddresses {
		if network, err := netip.ParsePrefix(given); err == nil { // valid: checked when it was stored
			networks = append(networks, network)
		}
	}
	return networks
}

func (t *Trunk) hasCredentials() bool {
	return valueOrEmpty(t.Username) != "" && valueOrEmpty(t.Password) != ""
}

// ErrNumberConflict rejects a number whose calls could also belong to another tenant. It does not reveal who has
// the number.
var ErrNumberConflict = fault.New(fault.Conflict, "calls to a phone number of this trunk could not be distinguished from those of another tenant's trunk: "+
	"authenticate by digest without allowed_addresses, and if that is refused too, ask the operator to assign the number to you")

// checkConflicts rejects numbers on a trunk of the transaction's tenant whose calls could not be distinguished from
// another tenant's, unless the operator assigned the number to the tenant. before is the trunk before the change,
// nil for a new number; conflicts that existed before are accepted. Transactions that check and write are
// serialized.
func (r Registry) checkConflicts(ctx context.Context, tx database.Tx, numbers []string, before, after *Trunk) error {
	if len(numbers) == 0 {
		return nil
	}
	own := tx.TenantID()
	return tx.AsSystem(ctx, func(ctx context.Context, tx database.Tx) error {
		similar, all, err := r.similar(ctx, tx, numbers, after.country())
		if err != nil {
			return err
		}
		var assignments []Assignment
		if err := tx.NewSelect().Model(&assignments).Where("number IN (?)", bun.List(all)).Scan(ctx); err != nil {
			return fmt.Errorf("find assignments: %w", err)
		}
		holders := map[string]string{}
		for _, a := range assignments {
			holders[a.Number] = a.TenantID
			if slices.Contains(numbers, a.Number) && a.TenantID != own && len(r.scope(after, a.Number).networks) > 0 && (before == nil || len(r.scope(before, a.Number).networks) == 0) {
				return ErrNumberConflict
			}
		}
		var others []PhoneNumber
		if err := tx.NewSelect().Model(&others).Where("number IN (?) AND tenant_id <> ?", bun.List(all), own).Scan(ctx); err != nil {
			return fmt.Errorf("find other holders of the number: %w", err)
		}
		for _, o := range others {
			t, err := r.trunkOf(ctx, tx, o)
			if err != nil {
				return err
			}
			for _, number := range similar[o.Number] {
				if holders[o.Number] != "" || holders[number] != "" { // the assignment decides
					continue
				}
				if r.collide(number, after, o.Number, t) && (before == nil || !r.collide(number, before, o.Number, t)) {
					return ErrNumberConflict
				}
			}
		}
		return nil
	})
}

// similar returns, by number, those of the given numbers that one dialled text may mean as well: the number itself, and numbers that are
// dialled in the same way in other countries. all are its keys.
func (r Registry) similar(ctx context.Context, tx database.Tx, numbers []string, country string) (similar map[string][]string, all []string, err error) {
	countries, err := r.countries(ctx, tx)
	if err != nil {
		return nil, nil, err
	}
	similar = map[string][]string{}
	for _, number := range numbers {
		meanings := []string{number}
		for _, text := range spellings(number, country) {
			meanings = append(meanings, meaningsIn(text, countries)...)
		}
		slices.Sort(meanings)
		for _, meaning := range slices.Compact(meanings) {
			similar[meaning] = append(similar[meaning], number)
		}
	}
	return similar, slices.Collect(maps.Keys(similar)), nil
}

// collide reports whether one call may be for either of two numbers, each on its trunk.
func (r Registry) collide(a string, of *Trunk, b string, with *Trunk) bool {
	if a != b && !slices.ContainsFunc(spellings(a, of.country()), func(text string) bool { return slices.Contains(dialledAs(text, with.country()), b) }) {
		return false
	}
	return r.scope(of, a).overlaps(r.scope(with, b))
}

// lockNumbers serializes the transactions that change which calls reach which numbers. Its lock is acquired after those
// on tenant and trunk. SQLite's write transactions are serial anyway.
func lockNumbers(ctx context.Context, tx database.Tx) error {
	if !tx.Postgres() {
		return nil
	}
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(hashtextextended('phone numbers', 0))"); err != nil {
		return fmt.Errorf("lock phone numbers: %w", err)
	}
	return nil
}
