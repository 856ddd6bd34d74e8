package auth_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"testing"

	"parley/internal/auth"
	"parley/internal/database"
	"parley/internal/fault"
)

// stored is what the database holds of a key.
func (h *fixture) stored(id string) (hash []byte) {
	h.t.Helper()
	if err := h.db.System().Read(h.t.Context(), func(ctx context.Context, tx database.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT hash FROM api_keys WHERE id = ?", id).Scan(&hash)
	}); err != nil {
		h.t.Fatal(err)
	}
	return hash
}

// A key made under one secret continues under the next one, and after its first
// use no longer needs the earlier.
func TestKeysOutliveTheirSecret(t *testing.T) {
	each(t, func(h *fixture) {
		ctx := h.t.Context()
		next := bytes.Repeat([]byte{9}, 32)
		with := func(secrets ...[]byte) *auth.Service {
			s, err := auth.New(auth.Options{DB: h.db, Secret: secret, KeySecrets: secrets})
			if err != nil {
				h.t.Fatal(err)
			}
			return s
		}
		made, key, err := h.CreateKey(ctx, acme, auth.KeyDraft{Name: "k", Environment: auth.Live})
		if err != nil {
			h.t.Fatal(err)
		}
		before := h.stored(made.ID)
		if sum := sha256.Sum256([]byte(key)); bytes.Equal(before, sum[:]) || bytes.Contains(before, []byte(key)) {
			h.t.Error("what is stored needs no secret")
		}
		_, err = with(next).Authenticate(ctx, key)
		h.refused(err, fault.Authentication)
		for range 2 {
			if who, err := with(next, keySecret).Authenticate(ctx, key); err != nil || who.KeyID != made.ID {
				h.t.Fatalf("got %+v, %v", who, err)
			}
		}
		if bytes.Equal(before, h.stored(made.ID)) {
			h.t.Error("the key is still stored under the earlier secret")
		}
		if _, err := with(next).Authenticate(ctx, key); err != nil {
			h.t.Errorf("without the earlier secret: %v", err)
		}
		admin := auth.Principal{TenantID: acme, Scopes: []string{"*"}, Session: true}
		if err := h.RevokeKey(ctx, admin, made.ID); err != nil {
			h.t.Fatal(err)
		}
		_, err = with(bytes.Repeat([]byte{1}, 32), keySecret, next).Authenticate(ctx, key)
		h.refused(err, fault.KeyRevoked)
	})
}

// The operator's ceiling counts for keys that were made with more, as long as it is there.
func TestCeilingOfKeys(t *testing.T) {
	each(t, func(h *fixture) {
		key := ""
		for _, c := range []struct{ ceiling, want int }{{0, 5000}, {100, 100}, {20_000, 5000}} {
			s, err := auth.New(auth.Options{DB: h.db, Secret: secret, KeySecrets: [][]byte{secret}, MaxKeyRateLimit: c.ceiling})
			if err != nil {
				h.t.Fatal(err)
			}
			if key == "" {
				if _, key, err = s.CreateKey(h.t.Context(), acme, auth.KeyDraft{Name: "k", Environment: auth.Live, RateLimit: 5000}); err != nil {
					h.t.Fatal(err)
				}
			}
			who, err := s.AuthenticateKey(h.t.Context(), key)
			if err != nil {
				h.t.Fatal(err)
			}
			if a, err := s.Admit(h.t.Context(), who); err != nil || a.Limit != c.want {
				h.t.Errorf("with a ceiling of %d: %+v, %v; want %d a minute", c.ceiling, a, err, c.want)
			}
		}
	})
}
