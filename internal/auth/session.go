package auth

import (
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

// Session is what a sign-in or a renewal gives.
type Session struct {
	AccessToken  string
	RefreshToken string
	ExpiresIn    time.Duration // of the access token
}

// Login signs a user in. A wrong password and an unknown account are the same
// authentication_error and take the same time; too many of them are
// rate_limit_exceeded, with RetryAfter.
func (s *Service) Login(ctx context.Context, email, password string, from netip.Addr) (*Session, error) {
	key := emailKey(email)
	succeeded, err := throttle{s.limiter}.attempt(ctx, key, from)
	if err != nil {
		return nil, err
	}
	u := new(User)
	err = s.db.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		return tx.NewSelect().Model(u).Where("email_key = ?", key).Scan(ctx)
	})
	if err != nil && !database.NoRows(err) {
		return nil, fmt.Errorf("find user: %w", err)
	}
	matches, err := s.passwords.match(ctx, password, u.PasswordHash)
	if err != nil {
		return nil, fmt.Errorf("check password: %w", err)
	}
	if !matches {
		return nil, fault.New(fault.Authentication, "the e-mail address or the password is wrong")
	}
	succeeded()
	var session *Session
	err = s.db.Tenant(u.TenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM refresh_tokens WHERE user_id = ? AND expires_at < ?", u.ID, tx.Now()); err != nil {
			return err
		}
		session, err = s.session(ctx, tx, u, uuid.NewString())
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("sign in: %w", err)
	}
	return session, nil
}

// session makes the tokens of a sign-in's family.
func (s *Service) session(ctx context.Context, tx database.Tx, u *User, family string) (*Session, error) {
	access, err := s.accessToken(u)
	if err != nil {
		return nil, err
	}
	refresh := base64.RawURLEncoding.EncodeToString(randomBytes(32))
	_, err = tx.ExecContext(ctx, "INSERT INTO refresh_tokens (hash, tenant_id, user_id, family_id, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)",
		digest(refresh), u.TenantID, u.ID, family, tx.Now(), tx.Now().Add(RefreshLifetime))
	if err != nil {
		return nil, fmt.Errorf("keep refresh token: %w", err)
	}
	return &Session{AccessToken: access, RefreshToken: refresh, ExpiresIn: AccessLifetime}, nil
}

// Refresh uses up a refresh token for a new session with the user's scopes as
// they are now. One that was used before has been stolen, from the user or by
// the user: all tokens of its family are revoked. The error is invalid_token
// or token_expired.
func (s *Service) Refresh(ctx context.Context, refreshToken string) (*Session, error) {
	hash := digest(refreshToken)
	invalid := fault.New(fault.InvalidToken, "the refresh token is not valid")
	var session *Session
	var refused error
	err := s.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		var userID, family string
		err := tx.QueryRowContext(ctx, `UPDATE refresh_tokens SET used_at = ? WHERE hash = ? AND used_at IS NULL AND revoked_at IS NULL AND expires_at > ?
			RETURNING user_id, family_id`, tx.Now(), hash, tx.Now()).Scan(&userID, &family)
		if database.NoRows(err) {
			refused = invalid
			var spent bool
			err := tx.QueryRowContext(ctx, "SELECT family_id, used_at IS NOT NULL OR revoked_at IS NOT NULL FROM refresh_tokens WHERE hash = ?", hash).Scan(&family, &spent)
			switch {
			case database.NoRows(err):
				return nil
			case err != nil:
				return err
			case !spent:
				refused = fault.New(fault.TokenExpired, "the refresh token has expired")
				return nil
			}
			return revokeFamily(ctx, tx, family)
		}
		if err != nil {
			return err
		}
		u := new(User)
		if err := tx.NewSelect().Model(u).Where("id = ?", userID).Scan(ctx); err != nil {
			return fmt.Errorf("find user: %w", err)
		}
		session, err = s.session(ctx, tx, u, family)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("refresh session: %w", err)
	}
	if refused != nil {
		return nil, refused
	}
	return session, nil
}

// Logout revokes a refresh token and its family. An unknown one is no error:
// it is just as useless afterwards. The access token runs out by itself.
func (s *Service) Logout(ctx context.Context, refreshToken string) error {
	err := s.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		var family string
		err := tx.QueryRowContext(ctx, "SELECT family_id FROM refresh_tokens WHERE hash = ?", digest(refreshToken)).Scan(&family)
		if database.NoRows(err) {
			return nil
		}
		if err != nil {
			return err
		}
		return revokeFamily(ctx, tx, family)
	})
	if err != nil {
		return fmt.Errorf("sign out: %w", err)
	}
	return nil
}

func revokeFamily(ctx context.Context, tx database.Tx, family string) error {
	_, err := tx.ExecContext(ctx, "UPDATE refresh_tokens SET revoked_at = ? WHERE family_id = ? AND revoked_at IS NULL", tx.Now(), family)
	return err
}

func randomBytes(size int) []byte {
	b := make([]byte, size)
	rand.Read(b) // never fails, says crypto/rand
	return b
}
