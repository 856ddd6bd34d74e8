package sip

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"parley/internal/database"
)

// Line is a phone number that is answered here, on one trunk, opened.
type Line struct {
	ID           string // of the phone number
	TenantID     string
	Number       string // E.164
	TrunkID      string // "" for the platform's
	WorkflowSlug string // either a workflow answers …
	AgentName    string // … or an agent
	// Assigned reports whether the operator assigned the number to the tenant.
	Assigned bool
	// Username and Password are the trunk's, which a digest shows; "" for none.
	Username, Password string
	// Addresses are where the trunk's calls come from; none when the operator
	// assigned the number to another tenant, so that only a digest leads here.
	Addresses  []netip.Prefix
	Encryption MediaEncryption
}

// ErrNoLine says that nobody answers a number here.
var ErrNoLine = errors.New("nobody answers this phone number")

// maxLines bounds how many lines of one number are looked at.
const maxLines = 100

// Lines returns who answers a number, of whichever tenants and on whichever
// trunks, the oldest of each tenant first, so that none is hidden by many of
// another. A caller reaches the one whose trunk brought the call.
func (r Registry) Lines(ctx context.Context, db *database.DB, number string) (lines []Line, err error) {
	err = db.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		var numbers []PhoneNumber
		err := tx.NewSelect().Model(&numbers).Where("n.number = ?", number).
			OrderExpr("ROW_NUMBER() OVER (PARTITION BY n.tenant_id ORDER BY n.created_at, n.id), n.created_at, n.id").Limit(maxLines).Scan(ctx)
		if err != nil {
			return fmt.Errorf("look for a phone number: %w", err)
		}
		var assigned string
		err = tx.NewSelect().Model((*Assignment)(nil)).Column("tenant_id").Where("number = ?", number).Scan(ctx, &assigned)
		if err != nil && !database.NoRows(err) {
			return fmt.Errorf("look for a phone number's assignment: %w", err)
		}
		for _, n := range numbers {
			t, err := r.trunkOf(ctx, tx, n)
			if err != nil {
				return err
			}
			l := Line{ID: n.ID, TenantID: n.TenantID, Number: n.Number, TrunkID: text(n.TrunkID), WorkflowSlug: text(n.WorkflowSlug), AgentName: text(n.AgentName),
				Assigned: n.TenantID == assigned, Username: text(t.Username), Password: text(t.Password), Encryption: t.MediaEncryption}
			if assigned == "" || l.Assigned {
				l.Addresses = r.reach(t, number).networks
			}
			lines = append(lines, l)
		}
		return nil
	})
	return lines, err
}

// takes reports whether a call from an address is the line's without a digest.
func (l Line) takes(source netip.Addr) bool {
	return slices.ContainsFunc(l.Addresses, func(n netip.Prefix) bool { return n.Contains(source) })
}

// contests reports whether a call from an address, which another line takes,
// may just as well be this one's, of another tenant.
func (l Line) contests(taker Line, source netip.Addr) bool {
	return l.TenantID != taker.TenantID && !taker.Assigned && (l.takes(source) || len(l.Addresses) == 0 && l.hasCredentials())
}

func (l Line) hasCredentials() bool { return l.Username != "" && l.Password != "" }

// trunkOf is the trunk that a number's calls come in through; an empty one
// when that is the platform's and there is none.
func (r Registry) trunkOf(ctx context.Context, tx database.Tx, n PhoneNumber) (*Trunk, error) {
	switch {
	case n.TrunkID == nil && r.Platform == nil:
		return new(Trunk), nil
	case n.TrunkID == nil:
		return r.platform(), nil
	}
	t := new(Trunk)
	if err := tx.NewSelect().Model(t).Where("tenant_id = ? AND id = ?", n.TenantID, *n.TrunkID).Scan(ctx); err != nil {
		return nil, fmt.Errorf("read a phone number's trunk: %w", err)
	}
	return t, t.open(r.Sealer)
}

// Number brings what a SIP address names into E.164 form: +4930123456, 004930123456 and 4930123456 are the same. It is ""
// when it is no such number, as of callers who do not tell theirs.
func Number(user string) string {
	user, _, _ = strings.Cut(user, ";") // parameters, such as ;phone-context
	digits := strings.NewReplacer("-", "", ".", "", "(", "", ")", "", " ", "").Replace(user)
	digits, international := strings.CutPrefix(digits, "+")
	if !international {
		digits = strings.TrimPrefix(digits, "00")
	}
	if number := "+" + digits; numberForm.MatchString(number) {
		return number
	}
	return ""
}
