package auth

import (
	"context"
	"fmt"
	"net/netip"

	"github.com/google/uuid"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/tenant"
)

// External is a user that an identity provider has authenticated.
type External struct {
	ID     string // issuer and subject
	Email  string
	Scopes []string // of the user's groups
}

// ErrTaken is the error of an external user whose e-mail address another user has, of any tenant.
var ErrTaken = fault.New(fault.Conflict, "another user has the e-mail address")

// CountExternal counts a request of a sign-in at an identity provider: too many of one address are rate_limit_exceeded.
func (s *Service) CountExternal(ctx context.Context, from netip.Addr) error {
	return s.strangers.countRequest(ctx, from)
}

// LoginExternal signs in a user of an identity provider, who is created at the first time and has the given scopes from now on.
func (s *Service) LoginExternal(ctx context.Context, tenantID string, e External) (session *Session, u *User, err error) {
	if _, faults := checkScopes(e.Scopes); len(faults) > 0 {
		return nil, nil, fault.Invalid(faults)
	}
	err = s.db.Tenant(tenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		u = new(User)
		err := tx.NewSelect().Model(u).Where("tenant_id = ? AND external_id = ?", tenantID, e.ID).Scan(ctx)
		switch {
		case database.NoRows(err):
			if err := tenant.Room(ctx, tx, tenant.Users, 1); err != nil {
				return err
			}
			u = &User{ID: uuid.Must(uuid.NewV7()).String(), TenantID: tenantID, Email: e.Email, EmailKey: emailKey(e.Email), Scopes: e.Scopes, ExternalID: &e.ID, CreatedAt: tx.Now()}
			_, err = tx.NewInsert().Model(u).Exec(ctx)
		case err == nil:
			u.Scopes = e.Scopes
			_, err = tx.NewUpdate().Model(u).Column("scopes").WherePK().Exec(ctx)
		}
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM refresh_tokens WHERE user_id = ? AND expires_at < ?", u.ID, tx.Now()); err != nil {
			return err
		}
		session, err = s.session(ctx, tx, u, uuid.NewString(), tx.Now().Add(ExternalLifetime))
		return err
	})
	switch {
	case database.Duplicate(err):
		return nil, nil, ErrTaken
	case err != nil:
		return nil, nil, fmt.Errorf("sign in: %w", err)
	}
	return session, u, nil
}
