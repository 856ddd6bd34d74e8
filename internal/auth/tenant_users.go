package auth

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"strings"

	"parley/internal/database"
	"parley/internal/fault"
)

// ErrOneself is the error of users who would change their own scopes, or delete themselves.
var ErrOneself = fault.New(fault.Authorization, "you cannot change or delete yourself: another user can")

// Users returns a page of a tenant's users, newest first, and their total.
func (s *Service) Users(ctx context.Context, who Principal, limit, offset int64) (page []User, total int64, err error) {
	err = s.db.Tenant(who.TenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		total, err = tx.NewSelect().Model(&page).Where("tenant_id = ?", who.TenantID).OrderExpr("created_at DESC, id DESC").Limit(limit).Offset(offset).ScanAndCount(ctx)
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list users: %w", err)
	}
	return page, total, nil
}

// AddUser creates a user of the principal's tenant. Scopes that the principal lacks are an authorization_error.
func (s *Service) AddUser(ctx context.Context, who Principal, email, password string, scopes []string) (*User, error) {
	if err := who.grants(scopes); err != nil {
		return nil, err
	}
	return s.CreateUser(ctx, who.TenantID, email, password, scopes)
}

// ChangeUser changes a user of the principal's tenant. Scopes that the principal lacks, before or after, are an authorization_error, and
// so is a change of oneself.
func (s *Service) ChangeUser(ctx context.Context, who Principal, id string, c UserChange) (*User, error) {
	if c.Scopes != nil {
		if err := who.grants(*c.Scopes); err != nil {
			return nil, err
		}
	}
	p, err := s.prepare(ctx, c)
	if err != nil {
		return nil, err
	}
	return s.changeColleague(ctx, who, id, p.apply)
}

// RemoveUser deletes a user of the principal's tenant with their sessions. A user with scopes that the principal lacks is an
// authorization_error, and so is the principal.
func (s *Service) RemoveUser(ctx context.Context, who Principal, id string) error {
	_, err := s.changeColleague(ctx, who, id, func(ctx context.Context, tx database.Tx, u *User) error {
		_, err := tx.NewDelete().Model(u).WherePK().Exec(ctx)
		return err
	})
	return err
}

// changeColleague applies a change to another user of the principal's tenant.
func (s *Service) changeColleague(ctx context.Context, who Principal, id string, change func(ctx context.Context, tx database.Tx, u *User) error) (*User, error) {
	if id == who.UserID {
		return nil, ErrOneself
	}
	u := new(User)
	err := s.db.Tenant(who.TenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if err := tx.NewSelect().Model(u).Where("tenant_id = ? AND id = ?", who.TenantID, id).Scan(ctx); err != nil {
			return err
		}
		if lacking := lacks(who, u.Scopes); len(lacking) > 0 {
			return fault.New(fault.Authorization, "the user holds %s, and you do not", strings.Join(lacking, ", "))
		}
		return change(ctx, tx, u)
	})
	switch {
	case database.NoRows(err):
		return nil, fault.Missing("user")
	case err != nil:
		return nil, fmt.Errorf("change user: %w", err)
	}
	return u, nil
}

// grants returns an authorization_error if the principal lacks scopes that exist.
func (p Principal) grants(scopes []string) error {
	lacking := lacks(p, scopes)
	if _, faults := checkScopes(scopes); len(lacking) == 0 || len(faults) > 0 {
		return nil
	}
	return fault.New(fault.Authorization, "you do not hold %s yourself", strings.Join(lacking, ", "))
}

// ChangePassword changes the password of a session's user, and ends all of the user's sessions. A wrong current password is a
// validation_error; attempts are limited as those to sign in are.
func (s *Service) ChangePassword(ctx context.Context, who Principal, current, password string, from netip.Addr) error {
	if err := sessionOnly(who); err != nil {
		return err
	}
	if err := fault.Invalid(checkPassword(password)); err != nil {
		return err
	}
	u, err := s.User(ctx, who)
	if err != nil {
		return err
	}
	uncount, err := s.strangers.attempt(ctx, u.EmailKey, from, true)
	if err != nil {
		return err
	}
	matches, err := s.passwords.match(ctx, current, u.PasswordHash, u.EmailKey, true)
	if err != nil {
		uncount() // it was not checked
		return fmt.Errorf("check password: %w", err)
	}
	wrong := fault.Invalid([]fault.Detail{{Field: "current_password", Message: "is wrong"}})
	if !matches {
		return wrong
	}
	uncount()
	p, err := s.prepare(ctx, UserChange{Password: &password})
	if err != nil {
		return err
	}
	err = s.db.Tenant(u.TenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if still, err := u.unchanged(ctx, tx); err != nil || !still {
			return cmp.Or(err, wrong)
		}
		return p.apply(ctx, tx, u)
	})
	if err != nil {
		return fmt.Errorf("change password: %w", err)
	}
	return nil
}
