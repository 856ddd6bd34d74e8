package sip

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"parley/internal/database"
)

// Line is a phone number that is answered here, opened.
type Line struct {
	TenantID     string
	WorkflowSlug string // either a workflow answers …
	AgentName    string // … or an agent
	// Username and Password are what calls must show that come in through the number's trunk; "" for nothing.
	Username, Password string
}

// ErrNoLine says that nobody answers a number here.
var ErrNoLine = errors.New("nobody answers this phone number")

// Line finds who answers a number, of whichever tenant; ErrNoLine when nobody does.
func (r Registry) Line(ctx context.Context, db *database.DB, number string) (l Line, err error) {
	err = db.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		n := new(PhoneNumber)
		err := tx.NewSelect().Model(n).Where("number = ?", number).Scan(ctx)
		if database.NoRows(err) {
			return ErrNoLine
		}
		if err != nil {
			return fmt.Errorf("look for a phone number: %w", err)
		}
		l = Line{TenantID: n.TenantID, WorkflowSlug: text(n.WorkflowSlug), AgentName: text(n.AgentName)}
		if n.TrunkID == nil {
			return nil
		}
		t := new(Trunk)
		if err := tx.NewSelect().Model(t).Where("tenant_id = ? AND id = ?", n.TenantID, *n.TrunkID).Scan(ctx); err != nil {
			return fmt.Errorf("read a phone number's trunk: %w", err)
		}
		if err := t.open(r.Sealer); err != nil {
			return err
		}
		l.Username, l.Password = text(t.Username), text(t.Password)
		return nil
	})
	return l, err
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
