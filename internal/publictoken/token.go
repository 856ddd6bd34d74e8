// Package publictoken stores public tokens. Anybody may read one in a web page; it starts web calls of one workflow or agent, from the
// pages of named origins, up to a number a day.
package publictoken

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/tenant"
)

// Prefix begins every public token.
const Prefix = "pk_"

const (
	secretBytes   = 24
	secretLength  = len(Prefix) + 2*secretBytes
	shownOfSecret = len(Prefix) + 6 // characters that a list shows
)

// Token is a public token without its secret.
type Token struct {
	bun.BaseModel `bun:"table:public_tokens,alias:p"`

	TenantID        string       `bun:"tenant_id,pk"`
	ID              string       `bun:"id,pk"`
	Hash            []byte       `bun:"hash"`  // SHA-256 of the token
	Shown           string       `bun:"shown"` // its first characters
	WorkflowSlug    *string      `bun:"workflow_slug"`
	AgentName       *string      `bun:"agent_name"` // exactly one of the two
	Origins         []string     `bun:"origins,type:jsonb"`
	UserContextKeys []string     `bun:"user_context_keys,type:jsonb"`
	PerMinute       int          `bun:"per_minute"` // calls from one address
	PerDay          int          `bun:"per_day"`
	MaxSeconds      int          `bun:"max_seconds"` // of a call
	Livemode        bool         `bun:"livemode"`
	ExpiresAt       bun.NullTime `bun:"expires_at"`
	CreatedAt       time.Time    `bun:"created_at"`
	RevokedAt       bun.NullTime `bun:"revoked_at"`
	CountedDay      string       `bun:"counted_day"` // UTC, such as 2026-11-26
	Counted         int          `bun:"counted"`     // calls of that day
}

// Store keeps a tenant's public tokens. An id that does not exist, or belongs to another tenant, is not_found.
type Store struct {
	scope    database.Scope
	livemode bool
}

// In returns the store of a tenant. In test mode it has only the tokens of test calls, and creates such tokens.
func In(scope database.Scope, livemode bool) Store { return Store{scope, livemode} }

// usable returns a query for the tokens that are not revoked.
func (s Store) usable(tx database.Tx, into any) *bun.SelectQuery {
	query := tx.NewSelect().Model(into).Where("tenant_id = ? AND revoked_at IS NULL", tx.TenantID())
	if !s.livemode {
		query.Where("NOT livemode")
	}
	return query
}

// List returns a page of the tokens that are not revoked, newest first, and how many there are in all.
func (s Store) List(ctx context.Context, limit, offset int64) (page []Token, total int64, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		total, err = s.usable(tx, &page).OrderExpr("created_at DESC, id DESC").Limit(limit).Offset(offset).ScanAndCount(ctx)
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list public tokens: %w", err)
	}
	return page, total, nil
}

// Get returns a token that is not revoked.
func (s Store) Get(ctx context.Context, id string) (t *Token, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		t, err = s.find(ctx, tx, id)
		return err
	})
	return t, err
}

// Create stores a token and returns it with its secret, which is not stored. The draft has no Faults.
func (s Store) Create(ctx context.Context, d Draft) (t *Token, secret string, err error) {
	secret, hash := newSecret()
	err = s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if err := d.check(ctx, tx); err != nil {
			return err
		}
		if err := tenant.Room(ctx, tx, tenant.PublicTokens, 1); err != nil {
			return err
		}
		t = d.token()
		t.TenantID, t.ID, t.Hash, t.Shown = tx.TenantID(), uuid.Must(uuid.NewV7()).String(), hash, secret[:shownOfSecret]
		t.Livemode, t.CreatedAt = s.livemode, tx.Now()
		_, err := tx.NewInsert().Model(t).Exec(ctx)
		return err
	})
	if err != nil {
		return nil, "", fmt.Errorf("create public token: %w", err)
	}
	return t, secret, nil
}

// Revoke makes a token unusable at once, on every node. Calls under way go on.
func (s Store) Revoke(ctx context.Context, id string) error {
	return s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		t, err := s.find(ctx, tx, id)
		if err != nil {
			return err
		}
		database.SetChanged(ctx, t)
		if _, err := tx.ExecContext(ctx, "UPDATE public_tokens SET revoked_at = ? WHERE tenant_id = ? AND id = ?", tx.Now(), tx.TenantID(), id); err != nil {
			return fmt.Errorf("revoke public token: %w", err)
		}
		return nil
	})
}

func (s Store) find(ctx context.Context, tx database.Tx, id string) (*Token, error) {
	t := new(Token)
	err := s.usable(tx, t).Where("id = ?", id).Scan(ctx)
	if database.NoRows(err) {
		return nil, fault.Missing("public token")
	}
	if err != nil {
		return nil, fmt.Errorf("read public token: %w", err)
	}
	return t, nil
}

func newSecret() (secret string, hash []byte) {
	random := make([]byte, secretBytes)
	rand.Read(random) // never fails, says crypto/rand
	secret = Prefix + hex.EncodeToString(random)
	return secret, digest(secret)
}

// digest returns the stored form of a token: 192 random bits need neither salt nor stretching.
func digest(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// Authenticate returns the token with a secret. An unknown one is an authentication_error, a revoked one key_revoked, one that has
// expired token_expired.
func Authenticate(ctx context.Context, db *database.DB, secret string) (*Token, error) {
	unknown := fault.New(fault.Authentication, "the public token is not valid")
	if len(secret) != secretLength || secret[:len(Prefix)] != Prefix {
		return nil, unknown
	}
	t := new(Token)
	var now time.Time
	// All that the public can ask shares one share of the connections.
	err := db.System().Queued("public").Read(ctx, func(ctx context.Context, tx database.Tx) error {
		now = tx.Now()
		return tx.NewSelect().Model(t).Where("hash = ?", digest(secret)).Scan(ctx)
	})
	switch {
	case database.NoRows(err):
		return nil, unknown
	case err != nil:
		return nil, fmt.Errorf("find public token: %w", err)
	case !t.RevokedAt.IsZero():
		return nil, errRevoked
	case !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt.Time):
		return nil, fault.New(fault.TokenExpired, "the public token has expired")
	}
	return t, nil
}

var errRevoked = fault.New(fault.KeyRevoked, "the public token has been revoked")

// Count counts a call of a token in the call's transaction. Above its calls a day it returns rate_limit_exceeded, with the time until
// the next day (UTC).
func (t *Token) Count(ctx context.Context, tx database.Tx) error {
	now := tx.Now().UTC()
	day := now.Format(time.DateOnly)
	result, err := tx.ExecContext(ctx, `UPDATE public_tokens SET counted = CASE WHEN counted_day = ? THEN counted + 1 ELSE 1 END, counted_day = ?
		WHERE tenant_id = ? AND id = ? AND revoked_at IS NULL AND (counted_day <> ? OR counted < per_day)`, day, day, t.TenantID, t.ID, day)
	if err != nil {
		return fmt.Errorf("count a call of a public token: %w", err)
	}
	if n, err := result.RowsAffected(); err != nil || n == 1 {
		return err
	}
	revoked, err := tx.NewSelect().Model((*Token)(nil)).Where("tenant_id = ? AND id = ? AND revoked_at IS NOT NULL", t.TenantID, t.ID).Exists(ctx)
	if err != nil {
		return fmt.Errorf("count a call of a public token: %w", err)
	}
	if revoked {
		return errRevoked
	}
	midnight := now.Truncate(24 * time.Hour).Add(24 * time.Hour)
	return fault.Later(fault.RateLimitExceeded, midnight.Sub(now), "the public token has started its %d calls of today", t.PerDay)
}
