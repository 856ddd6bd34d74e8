package auth

import (
	"context"
	"fmt"
	"net/mail"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/tenant"
)

const maxEmail = 254 // RFC 5321 4.5.3.1.3, without the angle brackets

// User is a person who signs in.
type User struct {
	bun.BaseModel `bun:"table:users,alias:u"`

	ID           string    `bun:"id,pk"`
	TenantID     string    `bun:"tenant_id"`
	Email        string    `bun:"email"`
	EmailKey     string    `bun:"email_key"`
	PasswordHash string    `bun:"password_hash"`
	Scopes       []string  `bun:"scopes,type:jsonb"`
	CreatedAt    time.Time `bun:"created_at"`
	// ExternalID is the user's issuer and subject at an identity provider; nil for a user with a password.
	ExternalID *string `bun:"external_id"`
}

// emailKey returns the key under which spellings of an address are the same account.
func emailKey(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// CreateUser creates a user of a tenant, with the scope * by default. The password has at least MinPassword
// characters. An address that any tenant's user has is a conflict.
func (s *Service) CreateUser(ctx context.Context, tenantID, email, password string, scopes []string) (*User, error) {
	if scopes == nil {
		scopes = []string{"*"}
	}
	scopes, faults := checkScopes(scopes)
	email = strings.TrimSpace(email)
	if parsed, err := mail.ParseAddress(email); err != nil || parsed.Address != email || len(email) > maxEmail {
		faults = append(faults, fault.Detail{Field: "email", Message: "must be an e-mail address"})
	}
	faults = append(faults, checkPassword(password)...)
	if err := fault.Invalid(faults); err != nil {
		return nil, err
	}
	hash, err := s.passwords.hash(ctx, password)
	if err != nil {
		return nil, fmt.Errorf("hash password: %w", err)
	}
	u := &User{ID: uuid.Must(uuid.NewV7()).String(), TenantID: tenantID, Email: email, EmailKey: emailKey(email), PasswordHash: hash, Scopes: scopes}
	err = s.db.Tenant(tenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if err := tenant.Room(ctx, tx, tenant.Users, 1); err != nil {
			return err
		}
		u.CreatedAt = tx.Now()
		_, err := tx.NewInsert().Model(u).Exec(ctx)
		return err
	})
	switch {
	case database.Duplicate(err):
		return nil, fault.New(fault.Conflict, "a user with this e-mail address exists already")
	case err != nil:
		return nil, fmt.Errorf("create user: %w", err)
	}
	return u, nil
}

// User returns the user of a session; invalid_token when the session has ended or the user was deleted.
func (s *Service) User(ctx context.Context, who Principal) (*User, error) {
	u := new(User)
	err := s.db.Tenant(who.TenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		query := tx.NewSelect().Model(u).Where("tenant_id = ? AND id = ?", who.TenantID, who.UserID)
		if who.SessionID != "" {
			query.Where("EXISTS (SELECT 1 FROM refresh_tokens r WHERE r.family_id = ? AND r.revoked_at IS NULL)", who.SessionID)
		}
		return query.Scan(ctx)
	})
	switch {
	case database.NoRows(err):
		return nil, fault.New(fault.InvalidToken, "the access token is not valid: its session has ended")
	case err != nil:
		return nil, fmt.Errorf("find user: %w", err)
	}
	return u, nil
}

// UserChange is a change of a user; nil fields stay as they are.
type UserChange struct {
	Password *string   // ends the user's sessions
	Scopes   *[]string // apply to the user's sessions at once
}

// SetUser changes the user with this address, in any tenant. The error is not_found or validation_error.
func (s *Service) SetUser(ctx context.Context, email string, c UserChange) (*User, error) {
	p, err := s.prepare(ctx, c)
	if err != nil {
		return nil, err
	}
	return s.changeUser(ctx, email, p.apply)
}

// preparedChange is a valid UserChange.
type preparedChange struct {
	UserChange
	hash string // of the password
}

// prepare validates a change, and hashes its password.
func (s *Service) prepare(ctx context.Context, c UserChange) (p preparedChange, err error) {
	var faults []fault.Detail
	if c.Scopes != nil {
		var scopes []string
		scopes, faults = checkScopes(*c.Scopes)
		c.Scopes = &scopes
	}
	if c.Password != nil {
		faults = append(faults, checkPassword(*c.Password)...)
	}
	if err := fault.Invalid(faults); err != nil {
		return p, err
	}
	p.UserChange = c
	if c.Password != nil {
		if p.hash, err = s.passwords.hash(ctx, *c.Password); err != nil {
			return p, fmt.Errorf("hash password: %w", err)
		}
	}
	return p, nil
}

func (p preparedChange) apply(ctx context.Context, tx database.Tx, u *User) error {
	if p.Scopes != nil {
		u.Scopes = *p.Scopes
	}
	if p.Password != nil {
		u.PasswordHash = p.hash
		if err := revokeSessions(ctx, tx, u.ID); err != nil {
			return err
		}
	}
	_, err := tx.NewUpdate().Model(u).Column("password_hash", "scopes").WherePK().Exec(ctx)
	return err
}

// DeleteUser deletes the user with this address, in any tenant, with their
// sessions. The error is not_found.
func (s *Service) DeleteUser(ctx context.Context, email string) (*User, error) {
	return s.changeUser(ctx, email, func(ctx context.Context, tx database.Tx, u *User) error {
		_, err := tx.NewDelete().Model(u).WherePK().Exec(ctx)
		return err
	})
}

// changeUser applies a change to the user with this address.
func (s *Service) changeUser(ctx context.Context, email string, change func(ctx context.Context, tx database.Tx, u *User) error) (*User, error) {
	u := new(User)
	err := s.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if err := tx.NewSelect().Model(u).Where("email_key = ?", emailKey(email)).Scan(ctx); err != nil {
			return err
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

func checkPassword(password string) []fault.Detail {
	if utf8.RuneCountInString(password) < MinPassword || len(password) > maxPassword {
		return []fault.Detail{{Field: "password", Message: fmt.Sprintf("must have at least %d characters, and at most %d bytes", MinPassword, maxPassword)}}
	}
	return nil
}

// HasUser reports whether a user signs in with this address, in any tenant.
func (s *Service) HasUser(ctx context.Context, email string) (bool, error) {
	var n int
	err := s.db.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		return tx.NewSelect().Model((*User)(nil)).ColumnExpr("count(*)").Where("email_key = ?", emailKey(email)).Scan(ctx, &n)
	})
	if err != nil {
		return false, fmt.Errorf("find user: %w", err)
	}
	return n > 0, nil
}

// UserWith returns the user who signs in with an address; not_found when there
// is none.
func (s *Service) UserWith(ctx context.Context, email string) (*User, error) {
	u := new(User)
	err := s.db.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		return tx.NewSelect().Model(u).Where("email_key = ?", emailKey(email)).Scan(ctx)
	})
	switch {
	case database.NoRows(err):
		return nil, fault.Missing("user")
	case err != nil:
		return nil, fmt.Errorf("find user: %w", err)
	}
	return u, nil
}

// AllUsers returns the users of a tenant, or of all tenants with "", by address, for the operator.
func (s *Service) AllUsers(ctx context.Context, tenantID string) (users []User, err error) {
	err = s.db.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		query := tx.NewSelect().Model(&users).OrderExpr("email_key")
		if tenantID != "" {
			query.Where("tenant_id = ?", tenantID)
		}
		return query.Scan(ctx)
	})
	if err != nil && !database.NoRows(err) {
		return nil, fmt.Errorf("list users: %w", err)
	}
	return users, nil
}
