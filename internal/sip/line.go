package sip

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"parley/internal/database"
)

// Line is a phone number that is answered here, on one trunk, opened.
type Line struct {
	TenantID     string
	Number       string // E.164
	TrunkID      string // "" for the platform's
	WorkflowSlug string // either a workflow answers …
	AgentName    string // … or an agent
	// Username and Password are the trunk's, which a digest shows; "" for none.
	Username, Password string
	Addresses          []netip.Prefix // that the trunk's calls come from
	Encryption         MediaEncryption
}

// ErrNoLine says that nobody answers a number here.
var ErrNoLine = errors.New("nobody answers this phone number")

// maxLines bounds how many tenants' lines of one number are looked at.
const maxLines = 100

// Lines returns who answers a number, of whichever tenants and on whichever
// trunks: the one that the operator assigned it to first, then the oldest. A
// caller reaches the one whose trunk brought the call.
func (r Registry) Lines(ctx context.Context, db *database.DB, number string) (lines []Line, err error) {
	err = db.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		var numbers []PhoneNumber
		err := tx.NewSelect().Model(&numbers).Where("n.number = ?", number).
			Join("LEFT JOIN number_assignments AS a ON a.number = n.number AND a.tenant_id = n.tenant_id").
			OrderExpr("a.number IS NULL, n.created_at, n.id").Limit(maxLines).Scan(ctx)
		if err != nil {
			return fmt.Errorf("look for a phone number: %w", err)
		}
		for _, n := range numbers {
			t, err := r.trunkOf(ctx, tx, n)
			if err != nil {
				return err
			}
			l := Line{TenantID: n.TenantID, Number: n.Number, TrunkID: text(n.TrunkID), WorkflowSlug: text(n.WorkflowSlug), AgentName: text(n.AgentName)}
			l.Username, l.Password, l.Encryption = text(t.Username), text(t.Password), t.MediaEncryption
			for _, given := range t.AllowedAddresses {
				if network, err := netip.ParsePrefix(given); err == nil { // as the check left it
					l.Addresses = append(l.Addresses, network)
				}
			}
			lines = append(lines, l)
		}
		return nil
	})
	return lines, err
}

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
