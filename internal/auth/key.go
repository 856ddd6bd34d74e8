package auth

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"log/slog"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/tenant"
)

// Environments of keys: the data and calls of a test key carry livemode false.
const (
	Live = "live"
	Test = "test"
)

// Rate limits of keys, in requests a minute.
const (
	DefaultRateLimit = 600
	MaxRateLimit     = 100_000
)

const (
	keyPrefix    = "svc_"
	keyRandom    = 32 // bytes
	shownOfKey   = 6  // characters of the random part that a list shows
	maxKeyName   = 255
	checksumSize = 8 // hexadecimal digits
)

// Key is an API key without its secret.
type Key struct {
	bun.BaseModel `bun:"table:api_keys,alias:k"`

	ID          string    `bun:"id,pk"`
	TenantID    string    `bun:"tenant_id"`
	Name        string    `bun:"name"`
	Environment string    `bun:"environment"`
	Prefix      string    `bun:"prefix"` // svc_live_ or svc_test_ and a few characters
	Hash        []byte    `bun:"hash"`
	Scopes      []string  `bun:"scopes,type:jsonb"`
	RateLimit   int       `bun:"rate_limit"` // requests a minute
	CreatedAt   time.Time `bun:"created_at"`
	RevokedAt   time.Time `bun:"revoked_at,nullzero"`
}

// KeyDraft is an API key to be. A RateLimit of 0 means the default.
type KeyDraft struct {
	Name        string
	Environment string
	Scopes      []string
	RateLimit   int
}

// CreateKey creates a key of a tenant for the operator and returns it with its secret, which is not stored.
func (s *Service) CreateKey(ctx context.Context, tenantID string, d KeyDraft) (*Key, string, error) {
	if d.RateLimit == 0 {
		d.RateLimit = DefaultRateLimit
	}
	scopes, faults := checkScopes(d.Scopes)
	if d.Name == "" || utf8.RuneCountInString(d.Name) > maxKeyName || !utf8.ValidString(d.Name) || strings.ContainsFunc(d.Name, unicode.IsControl) {
		faults = append(faults, fault.Detail{Field: "name", Message: fmt.Sprintf("must have 1 to %d printable characters", maxKeyName)})
	}
	if d.Environment != Live && d.Environment != Test {
		faults = append(faults, fault.Detail{Field: "environment", Message: "must be one of live, test"})
	}
	if d.RateLimit < 1 || d.RateLimit > MaxRateLimit {
		faults = append(faults, fault.Detail{Field: "rate_limit", Message: fmt.Sprintf("must be 1 to %d", MaxRateLimit)})
	}
	if err := fault.Invalid(faults); err != nil {
		return nil, "", err
	}
	secret, shown := newSecret(d.Environment)
	k := &Key{
		ID: uuid.Must(uuid.NewV7()).String(), TenantID: tenantID, Name: d.Name, Environment: d.Environment,
		Prefix: shown, Hash: keyHash(s.keySecrets[0], secret), Scopes: scopes, RateLimit: d.RateLimit,
	}
	err := s.db.Tenant(tenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if err := tenant.Room(ctx, tx, tenant.APIKeys, 1); err != nil {
			return err
		}
		k.CreatedAt = tx.Now()
		_, err := tx.NewInsert().Model(k).Exec(ctx)
		return err
	})
	if err != nil {
		return nil, "", fmt.Errorf("create API key: %w", err)
	}
	return k, secret, nil
}

// IssueKey creates a key for a signed-in user. An API key cannot create keys, and a key cannot have scopes that its
// creator lacks: both are authorization_error.
func (s *Service) IssueKey(ctx context.Context, who Principal, d KeyDraft) (*Key, string, error) {
	if err := sessionOnly(who); err != nil {
		return nil, "", err
	}
	if err := who.grants(d.Scopes); err != nil {
		return nil, "", err
	}
	return s.CreateKey(ctx, who.TenantID, d)
}

// Keys returns a page of a tenant's keys that are not revoked, newest first, and their total.
func (s *Service) Keys(ctx context.Context, who Principal, limit, offset int) (page []Key, total int, err error) {
	if err := sessionOnly(who); err != nil {
		return nil, 0, err
	}
	err = s.db.Tenant(who.TenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		count, err := tx.NewSelect().Model(&page).Where("tenant_id = ? AND revoked_at IS NULL", who.TenantID).
			OrderExpr("created_at DESC, id DESC").Limit(int64(limit)).Offset(int64(offset)).ScanAndCount(ctx)
		total = int(count)
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list API keys: %w", err)
	}
	return page, total, nil
}

// RevokeKey permanently revokes a key. An unknown or revoked one is not_found; one with scopes that the principal
// lacks is an authorization_error.
func (s *Service) RevokeKey(ctx context.Context, who Principal, id string) error {
	if err := sessionOnly(who); err != nil {
		return err
	}
	err := s.db.Tenant(who.TenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		k := new(Key)
		if err := tx.NewSelect().Model(k).Where("tenant_id = ? AND id = ? AND revoked_at IS NULL", who.TenantID, id).Scan(ctx); err != nil {
			return err
		}
		if lacking := lacks(who, k.Scopes); len(lacking) > 0 {
			return fault.New(fault.Authorization, "the key holds %s, and you do not", strings.Join(lacking, ", "))
		}
		_, err := tx.ExecContext(ctx, "UPDATE api_keys SET revoked_at = ? WHERE tenant_id = ? AND id = ?", tx.Now(), who.TenantID, id)
		return err
	})
	switch {
	case database.NoRows(err):
		return fault.Missing("API key")
	case err != nil:
		return fmt.Errorf("revoke API key: %w", err)
	}
	return nil
}

// AllKeys returns the keys of a tenant that are not revoked, or those of all tenants with "", oldest first, for the
// operator.
func (s *Service) AllKeys(ctx context.Context, tenantID string) (keys []Key, err error) {
	err = s.db.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		query := tx.NewSelect().Model(&keys).Where("revoked_at IS NULL").OrderExpr("created_at, id")
		if tenantID != "" {
			query.Where("tenant_id = ?", tenantID)
		}
		return query.Scan(ctx)
	})
	if err != nil && !database.NoRows(err) {
		return nil, fmt.Errorf("list API keys: %w", err)
	}
	return keys, nil
}

// RevokeKeyOf permanently revokes the key with an id, of any tenant, for the operator. An unknown or revoked one is
// not_found.
func (s *Service) RevokeKeyOf(ctx context.Context, id string) (*Key, error) {
	if uuid.Validate(id) != nil {
		return nil, fault.Missing("API key")
	}
	k := new(Key)
	err := s.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		return tx.NewRaw("UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL RETURNING *", tx.Now(), id).Scan(ctx, k)
	})
	switch {
	case database.NoRows(err):
		return nil, fault.Missing("API key")
	case err != nil:
		return nil, fmt.Errorf("revoke API key: %w", err)
	}
	return k, nil
}

// AuthenticateKey returns the principal of an API key. An unknown one is an authentication_error, a revoked one
// key_revoked. It reads the database each time (60 µs on SQLite), so that a revocation is effective immediately on
// every node. A key hashed with an earlier secret is hashed again with the first one.
func (s *Service) AuthenticateKey(ctx context.Context, secret string) (Principal, error) {
	unknown := fault.New(fault.Authentication, "the API key is not valid")
	if !wellFormed(secret) {
		return Principal{}, unknown // avoids a query
	}
	hashes := make([][]byte, len(s.keySecrets))
	for i, keySecret := range s.keySecrets {
		hashes[i] = keyHash(keySecret, secret)
	}
	// Keys that nobody has, of which anybody can send many, keep no known ones waiting for a connection.
	group, known := s.tenantOfKey.Get(string(hashes[0]))
	if !known {
		group = strangers
	}
	k := new(Key)
	err := s.db.System().Queued(group).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		return tx.NewSelect().Model(k).Where("hash IN (?)", bun.List(hashes)).Limit(1).Scan(ctx)
	})
	switch {
	case database.NoRows(err):
		return Principal{}, unknown
	case err != nil:
		return Principal{}, fmt.Errorf("find API key: %w", err)
	case !k.RevokedAt.IsZero():
		return Principal{}, fault.New(fault.KeyRevoked, "the API key has been revoked")
	}
	if !bytes.Equal(k.Hash, hashes[0]) {
		err := s.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
			_, err := tx.ExecContext(ctx, "UPDATE api_keys SET hash = ? WHERE tenant_id = ? AND id = ?", hashes[0], k.TenantID, k.ID)
			return err
		})
		if err != nil { // the next request tries again
			slog.ErrorContext(ctx, "failed to rehash an API key with the current secret", "error", err)
		}
	}
	s.tenantOfKey.Add(string(hashes[0]), k.TenantID)
	return Principal{TenantID: k.TenantID, KeyID: k.ID, Scopes: k.Scopes, Livemode: k.Environment == Live, RateLimit: min(k.RateLimit, s.keyLimit)}, nil
}

// keyHash returns the stored form of an API key. Without the secret, which is not in the database, a stolen or
// modified table cannot be used to make keys.
func keyHash(keySecret []byte, secret string) []byte {
	mac := hmac.New(sha256.New, keySecret)
	mac.Write([]byte(secret))
	return mac.Sum(nil)
}

func sessionOnly(who Principal) error {
	if !who.Session {
		return fault.New(fault.Authorization, "API keys are managed in a user's session, not with an API key")
	}
	return nil
}

func lacks(who Principal, scopes []string) (lacking []string) {
	for _, scope := range scopes {
		if !who.CanGrant(scope) {
			lacking = append(lacking, scope)
		}
	}
	return lacking
}

// newSecret returns a key, svc_live_… or svc_test_…, and the part of it that may be displayed. The checksum at its
// end detects typing errors, and identifies keys to secret scanners.
func newSecret(environment string) (secret, shown string) {
	body := keyPrefix + environment + "_" + hex.EncodeToString(randomBytes(keyRandom))
	return body + checksum(body), body[:len(keyPrefix)+len(environment)+1+shownOfKey]
}

func wellFormed(secret string) bool {
	n := len(keyPrefix) + len(Live+"_") + 2*keyRandom // Test has the same length
	return len(secret) == n+checksumSize && secret[n:] == checksum(secret[:n])
}

func checksum(body string) string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(body))) }
