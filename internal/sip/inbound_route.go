package sip

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/hook"
)

// InboundRoute is a phone number on one trunk with the agent or workflow that answers it, secrets decrypted.
type InboundRoute struct {
	ID           string // of the phone number
	TenantID     string
	Number       string // E.164
	TrunkID      string // "" for the platform's
	Trunk        string // its name
	WorkflowSlug string // either a workflow …
	AgentName    string // … or an agent
	// Assigned reports whether the operator assigned the number to the tenant.
	Assigned bool
	// Username and Password are the trunk's digest credentials; "" for none.
	Username, Password string
	// Addresses are the networks that the trunk's calls come from; empty when the operator assigned the number to
	// another tenant, so that only a digest is accepted.
	Addresses  []netip.Prefix
	Encryption MediaEncryption
	Country    string         // the trunk's default_country; "" for none
	HeadersIn  []string       // of INVITEs, that the call has as variables
	CallHook   *hook.CallHook // asked before the call; nil for none
	// Open reports whether the number accepts calls from everywhere.
	Open bool
	// AcceptTransfers reports whether the trunk may have the gateway call other numbers (REFER).
	AcceptTransfers bool
}

// ErrNoRoute is returned for a number that nobody answers.
var ErrNoRoute = errors.New("nobody answers this phone number")

// invitations is the group of what strangers cause who call.
const invitations = "invitations"

// maxRoutes limits the routes considered for one number.
const maxRoutes = 100

// InboundRoutes returns the routes that a dialled text has, each by the rules of its trunk's country, of all tenants and trunks, the
// oldest of each tenant first, so that many routes of one tenant cannot hide another's. The route whose trunk delivered the call is
// used.
func (r Registry) InboundRoutes(ctx context.Context, db *database.DB, dialled string) (routes []InboundRoute, err error) {
	err = db.System().Queued(invitations).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		countries, err := r.countries(ctx, tx)
		if err != nil {
			return err
		}
		meanings := meaningsIn(dialled, countries)
		if len(meanings) == 0 {
			return nil
		}
		var numbers []PhoneNumber
		err = tx.NewSelect().Model(&numbers).Where("n.number IN (?)", bun.List(meanings)).
			OrderExpr("ROW_NUMBER() OVER (PARTITION BY n.tenant_id ORDER BY n.created_at, n.id), n.created_at, n.id").Limit(maxRoutes).Scan(ctx)
		if err != nil {
			return fmt.Errorf("find phone number: %w", err)
		}
		if routes, err = r.routesOf(ctx, tx, numbers); err != nil {
			return err
		}
		routes = slices.DeleteFunc(routes, func(l InboundRoute) bool { return !slices.Contains(dialledAs(dialled, l.Country), l.Number) })
		return nil
	})
	return routes, err
}

// meaningsIn returns the numbers that a dialled text may mean on a trunk of any of these countries, or of none.
func meaningsIn(dialled string, countries []string) []string {
	numbers := dialledAs(dialled, "")
	if !mayBeNumber(dialled) || strings.HasPrefix(dialled, "+") {
		return numbers
	}
	for _, country := range countries {
		for _, number := range dialledAs(dialled, country) {
			if !slices.Contains(numbers, number) {
				numbers = append(numbers, number)
			}
		}
	}
	return numbers
}

// countries returns the default countries of all trunks.
func (r Registry) countries(ctx context.Context, tx database.Tx) (countries []string, err error) {
	if err = tx.NewSelect().Model((*Trunk)(nil)).Distinct().Column("default_country").Where("default_country IS NOT NULL").Scan(ctx, &countries); err != nil {
		return nil, fmt.Errorf("find countries of trunks: %w", err)
	}
	if r.Platform != nil && r.Platform.country() != "" {
		countries = append(countries, r.Platform.country())
	}
	return countries, nil
}

// routesOf returns the routes of phone numbers, in their order.
func (r Registry) routesOf(ctx context.Context, tx database.Tx, numbers []PhoneNumber) (routes []InboundRoute, err error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	of := make([]string, len(numbers))
	for i, n := range numbers {
		of[i] = n.Number
	}
	var assignments []Assignment
	if err := tx.NewSelect().Model(&assignments).Where("number IN (?)", bun.List(of)).Scan(ctx); err != nil {
		return nil, fmt.Errorf("find phone numbers' assignments: %w", err)
	}
	assigned := map[string]string{}
	for _, a := range assignments {
		assigned[a.Number] = a.TenantID
	}
	for _, n := range numbers {
		t, err := r.trunkOf(ctx, tx, n)
		if err != nil {
			return nil, err
		}
		holder := assigned[n.Number]
		route := InboundRoute{ID: n.ID, TenantID: n.TenantID, Number: n.Number, TrunkID: valueOrEmpty(n.TrunkID), Trunk: t.Name, WorkflowSlug: valueOrEmpty(n.WorkflowSlug), AgentName: valueOrEmpty(n.AgentName),
			Assigned: n.TenantID == holder, Username: valueOrEmpty(t.Username), Password: valueOrEmpty(t.Password), Encryption: t.MediaEncryption,
			Country: t.country(), HeadersIn: t.HeadersIn, CallHook: n.CallHook, Open: slices.Contains(r.OpenNumbers, n.Number)}
		route.AcceptTransfers = t.AcceptTransfers && !route.Open
		if holder == "" || route.Assigned {
			route.Addresses = r.scope(t, n.Number).networks
		}
		routes = append(routes, route)
	}
	return routes, nil
}

// accepts reports whether a call from an address belongs to the route without a digest.
func (l InboundRoute) accepts(source netip.Addr) bool {
	return slices.ContainsFunc(l.Addresses, func(n netip.Prefix) bool { return n.Contains(source) })
}

// conflictsWith reports whether a call from an address that another tenant's route accepts may belong to this one
// as well. The operator's assignment decides, unless what was dialled means two numbers that are both assigned.
func (l InboundRoute) conflictsWith(match InboundRoute, source netip.Addr) bool {
	return l.TenantID != match.TenantID && (!match.Assigned || l.Assigned) && (l.accepts(source) || len(l.Addresses) == 0 && l.hasCredentials())
}

func (l InboundRoute) hasCredentials() bool { return l.Username != "" && l.Password != "" }

// trunkOf returns the trunk of a number's inbound calls; an empty one when the number is on the platform's trunk
// and there is none.
func (r Registry) trunkOf(ctx context.Context, tx database.Tx, n PhoneNumber) (*Trunk, error) {
	switch {
	case n.TrunkID == nil && r.Platform == nil:
		return new(Trunk), nil
	case n.TrunkID == nil:
		return r.platform(), nil
	}
	t := new(Trunk)
	if err := tx.NewSelect().Model(t).Where("tenant_id = ? AND id = ?", n.TenantID, *n.TrunkID).Scan(ctx); err != nil {
		return nil, fmt.Errorf("read phone number's trunk: %w", err)
	}
	return t, t.decrypt(r.Sealer)
}
