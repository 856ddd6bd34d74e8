package auth

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/netip"
	"time"

	"github.com/google/uuid"

	"parley/internal/database"
	"parley/internal/fault"
)

// RefreshLifetime is how long a refresh token is valid.
const RefreshLifetime = 7 * 24 * time.Hour

// ExternalLifetime is how long a sign-in at an identity provider lasts, renewals included: the provider may have removed the
// user, or changed their groups.
const ExternalLifetime = 12 * time.Hour

// Session is the result of a sign-in or a renewal.
type Session struct {
	AccessToken  string
	RefreshToken string
	ExpiresIn    time.Duration // of the access token
}

// Login signs a user in. A wrong password and an unknown account return the same authentication_error in the same
// time; too many attempts return rate_limit_exceeded, and too many at once service_unavailable, both with RetryAfter.
func (s *Service) Login(ctx context.Context, email, password string, from netip.Addr) (*Session, error) {
	key := emailKey(email)
	if err := s.strangers.countRequest(ctx, from); err != nil {
		return nil, err
	}
	u, familiar, err := s.account(ctx, key, from)
	if err != nil {
		return nil, err
	}
	uncount, err := s.strangers.attempt(ctx, key, from, familiar)
	if err != nil {
		return nil, err
	}
	matches, err := s.passwords.match(ctx, password, u.PasswordHash, key, familiar)
	if err != nil {
		uncount() // it was not checked
		return nil, fmt.Errorf("check password: %w", err)
	}
	wrong := fault.New(fault.Authentication, "the e-mail address or the password is wrong")
	if !matches {
		return nil, wrong
	}
	uncount()
	var session *Session
	err = s.db.Tenant(u.TenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if still, err := u.unchanged(ctx, tx); err != nil || !still {
			return cmp.Or(err, error(wrong))
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM refresh_tokens WHERE user_id = ? AND expires_at < ?", u.ID, tx.Now()); err != nil {
			return err
		}
		if err := s.rememberNetwork(ctx, tx, u, from); err != nil {
			return err
		}
		session, err = s.session(ctx, tx, u, uuid.NewString(), tx.Now().Add(RefreshLifetime))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("sign in: %w", err)
	}
	return session, nil
}

// unchanged reports whether the user still exists with the password that was checked: the check is slow enough for a
// concurrent change. On PostgreSQL it locks the user until the transaction ends.
func (u *User) unchanged(ctx context.Context, tx database.Tx) (bool, error) {
	query := tx.NewSelect().Model((*User)(nil)).Column("id").Where("tenant_id = ? AND id = ? AND password_hash = ?", u.TenantID, u.ID, u.PasswordHash)
	if tx.Postgres() {
		query.For("SHARE")
	}
	var id string
	err := query.Scan(ctx, &id)
	if database.NoRows(err) {
		return false, nil
	}
	return err == nil, err
}

// session creates the tokens of a sign-in's family, the refresh token until a time.
func (s *Service) session(ctx context.Context, tx database.Tx, u *User, family string, until time.Time) (*Session, error) {
	access, err := s.accessToken(u, family)
	if err != nil {
		return nil, err
	}
	refresh := base64.RawURLEncoding.EncodeToString(randomBytes(32))
	_, err = tx.ExecContext(ctx, "INSERT INTO refresh_tokens (hash, tenant_id, user_id, family_id, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)",
		digest(refresh), u.TenantID, u.ID, family, tx.Now(), until)
	if err != nil {
		return nil, fmt.Errorf("keep refresh token: %w", err)
	}
	return &Session{AccessToken: access, RefreshToken: refresh, ExpiresIn: AccessLifetime}, nil
}

// Logout ends the session of a refresh token and returns its user, whatever else the client's address requests. An
// unknown token is not an error, but more than unknownLogoutsFromAddress of them are rate_limit_exceeded.
func (s *Service) Logout(ctx context.Context, refreshToken string, from netip.Addr) (who Principal, err error) {
	if refreshToken == "" {
		return who, nil
	}
	known, err := s.knowsToken(ctx, refreshToken)
	if err != nil {
		return who, err
	}
	if !known {
		return who, s.strangers.countUnknownLogout(ctx, from)
	}
	err = s.db.System().Queued(strangers).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		token, err := lockedToken(ctx, tx, refreshToken)
		if err != nil || token == nil {
			return err
		}
		if token.RevokedAt.IsZero() {
			who = Principal{TenantID: token.TenantID, UserID: token.UserID, Session: true, SessionID: token.FamilyID}
		}
		return revokeFamily(ctx, tx, token.FamilyID)
	})
	if err != nil {
		return Principal{}, fmt.Errorf("sign out: %w", err)
	}
	return who, nil
}

func randomBytes(size int) []byte {
	b := make([]byte, size)
	rand.Read(b) // never fails, says crypto/rand
	return b
}
