package auth

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"net/netip"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/fault"
)

// reuseWindow is how long after its rotation a refresh token can be used again by the same client: two tabs of a
// browser may send it concurrently, and clients retry when a response is lost.
const reuseWindow = 10 * time.Second

// Client identifies where a request comes from.
type Client struct {
	Address   netip.Addr // invalid when it is not known
	UserAgent string
}

// mark identifies the client beside a refresh token. It is keyed with the token, which is not stored, so that the
// address cannot be derived from it. nil if the address is unknown; such a client equals no other.
func (c Client) mark(refreshToken string) []byte {
	if !c.Address.IsValid() {
		return nil
	}
	mac := hmac.New(sha256.New, []byte(refreshToken))
	fmt.Fprintf(mac, "%s\n%s", c.Address.Unmap(), c.UserAgent)
	return mac.Sum(nil)
}

// storedToken is a row of refresh_tokens.
type storedToken struct {
	bun.BaseModel `bun:"table:refresh_tokens,alias:r"`

	Hash      []byte    `bun:"hash,pk"`
	TenantID  string    `bun:"tenant_id"`
	UserID    string    `bun:"user_id"`
	FamilyID  string    `bun:"family_id"` // the tokens of one sign-in
	ExpiresAt time.Time `bun:"expires_at"`
	UsedAt    time.Time `bun:"used_at,nullzero"`
	UsedBy    []byte    `bun:"used_by,nullzero"` // Client.mark
	RevokedAt time.Time `bun:"revoked_at,nullzero"`
}

// Refresh exchanges a refresh token for a new session with the user's current scopes. A used token is accepted
// again within reuseWindow from the same client; otherwise it may be stolen, and all tokens of its family are
// revoked. The error is invalid_token or token_expired.
func (s *Service) Refresh(ctx context.Context, refreshToken string, from Client) (*Session, error) {
	if err := s.strangers.countRequest(ctx, from.Address); err != nil {
		return nil, err
	}
	invalid := fault.New(fault.InvalidToken, "the refresh token is not valid")
	if known, err := s.knowsToken(ctx, refreshToken); err != nil || !known {
		return nil, cmp.Or(err, error(invalid))
	}
	var session *Session
	var refused error // the transaction is committed anyway
	err := s.db.System().Queued(strangers).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		token, err := lockedToken(ctx, tx, refreshToken)
		if err != nil {
			return err
		}
		mark := from.mark(refreshToken)
		switch {
		case token == nil:
			refused = invalid
			return nil
		case !token.RevokedAt.IsZero(), !token.UsedAt.IsZero() && !token.reusable(mark, tx.Now()):
			refused = invalid
			return revokeFamily(ctx, tx, token.FamilyID)
		case token.UsedAt.IsZero() && !token.ExpiresAt.After(tx.Now()):
			refused = fault.New(fault.TokenExpired, "the refresh token has expired")
			return nil
		case token.UsedAt.IsZero():
			if _, err := tx.ExecContext(ctx, "UPDATE refresh_tokens SET used_at = ?, used_by = ? WHERE hash = ?", tx.Now(), mark, token.Hash); err != nil {
				return err
			}
		}
		u := new(User)
		if err := tx.NewSelect().Model(u).Where("id = ?", token.UserID).Scan(ctx); err != nil {
			return fmt.Errorf("find user: %w", err)
		}
		until := tx.Now().Add(RefreshLifetime)
		if u.ExternalID != nil {
			until = token.ExpiresAt
		}
		session, err = s.session(ctx, tx, u, token.FamilyID, until)
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

// knowsToken reports whether a refresh token is stored. Unknown tokens cause no write transaction.
func (s *Service) knowsToken(ctx context.Context, refreshToken string) (known bool, err error) {
	err = s.db.System().Queued(strangers).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		known, err = tx.NewSelect().Model((*storedToken)(nil)).Where("hash = ?", digest(refreshToken)).Exists(ctx)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("find refresh token: %w", err)
	}
	return known, nil
}

// PrecedesCookiePrefix reports whether a refresh token was issued before the names of cookies had a prefix.
func (s *Service) PrecedesCookiePrefix(ctx context.Context, refreshToken string) (precedes bool, err error) {
	err = s.db.System().Queued(strangers).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		precedes, err = tx.NewSelect().Model((*storedToken)(nil)).Where("hash = ? AND unprefixed_cookie", digest(refreshToken)).Exists(ctx)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("find refresh token: %w", err)
	}
	return precedes, nil
}

// reusable reports whether a used token is accepted again.
func (t storedToken) reusable(mark []byte, now time.Time) bool {
	return now.Sub(t.UsedAt) < reuseWindow && t.UsedBy != nil && bytes.Equal(t.UsedBy, mark)
}

// lockedToken returns the row of a refresh token, nil for none, and locks its family until the transaction ends:
// locking only the row would miss a token that is added concurrently.
func lockedToken(ctx context.Context, tx database.Tx, refreshToken string) (*storedToken, error) {
	hash := digest(refreshToken)
	if tx.Postgres() { // on SQLite a write transaction is alone anyway
		_, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock(hashtextextended(family_id::text, 0)) FROM refresh_tokens WHERE hash = ?", hash)
		if err != nil {
			return nil, fmt.Errorf("lock refresh tokens: %w", err)
		}
	}
	token := new(storedToken)
	err := tx.NewSelect().Model(token).Where("hash = ?", hash).Scan(ctx)
	switch {
	case database.NoRows(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read refresh token: %w", err)
	}
	return token, nil
}

// revokeSessions ends all sessions of a user.
func revokeSessions(ctx context.Context, tx database.Tx, userID string) error {
	_, err := tx.ExecContext(ctx, "UPDATE refresh_tokens SET revoked_at = ? WHERE user_id = ? AND revoked_at IS NULL", tx.Now(), userID)
	return err
}

func revokeFamily(ctx context.Context, tx database.Tx, family string) error {
	_, err := tx.ExecContext(ctx, "UPDATE refresh_tokens SET revoked_at = ? WHERE family_id = ? AND revoked_at IS NULL", tx.Now(), family)
	return err
}
