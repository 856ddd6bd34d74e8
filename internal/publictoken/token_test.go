package publictoken

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/fault"
)

const acme = "0193a6f0-0000-7000-8000-000000000001"

// newToken stores a token for an agent that nobody checks.
func newToken(t *testing.T, db *database.DB, change func(*Token)) (*Token, string) {
	t.Helper()
	secret, hash := newSecret()
	name := "desk"
	token := Draft{AgentName: &name, Origins: []string{"https://www.example.com"}}.token()
	token.TenantID, token.ID, token.Hash, token.Shown, token.Livemode = acme, "0193a6f1-0000-7000-8000-000000000001", hash, secret[:shownOfSecret], true
	change(token)
	if err := db.Tenant(acme).Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
		token.CreatedAt = tx.Now()
		_, err := tx.NewInsert().Model(token).Exec(ctx)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return token, secret
}

func each(t *testing.T, f func(t *testing.T, db *database.DB)) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		databasetest.Tenant(t, db, acme, "acme")
		f(t, db)
	})
}

func TestAuthenticate(t *testing.T) {
	each(t, func(t *testing.T, db *database.DB) {
		token, secret := newToken(t, db, func(token *Token) { token.ExpiresAt.Time = time.Now().Add(time.Hour) })
		found, err := Authenticate(t.Context(), db, secret)
		if err != nil || found.ID != token.ID || found.Origins[0] != "https://www.example.com" || found.PerMinute != DefaultPerMinute {
			t.Fatalf("%+v, %v", found, err)
		}
		for _, wrong := range []string{"", secret[1:] + "0", strings.ToUpper(secret)} {
			if _, err := Authenticate(t.Context(), db, wrong); !fault.Is(err, fault.Authentication) {
				t.Errorf("%q: %v", wrong, err)
			}
		}
		if err := In(db.Tenant(acme), false).Revoke(t.Context(), token.ID); !fault.Is(err, fault.NotFound) {
			t.Errorf("revoked by a test key: %v", err)
		}
		if err := In(db.Tenant(acme), true).Revoke(t.Context(), token.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := Authenticate(t.Context(), db, secret); !fault.Is(err, fault.KeyRevoked) {
			t.Errorf("revoked: %v", err)
		}
	})
}

func TestExpired(t *testing.T) {
	each(t, func(t *testing.T, db *database.DB) {
		_, secret := newToken(t, db, func(token *Token) { token.ExpiresAt.Time = time.Now().Add(-time.Second) })
		if _, err := Authenticate(t.Context(), db, secret); !fault.Is(err, fault.TokenExpired) {
			t.Errorf("%v", err)
		}
	})
}

// Calls are counted exactly, also when they begin at the same moment, and anew each day; a call that does not begin is not counted.
func TestCount(t *testing.T) {
	each(t, func(t *testing.T, db *database.DB) {
		token, _ := newToken(t, db, func(token *Token) { token.PerDay, token.CountedDay, token.Counted = 5, "2020-01-01", 5 })
		count := func(fails error) error {
			return db.Tenant(acme).Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
				if err := token.Count(ctx, tx); err != nil {
					return err
				}
				return fails
			})
		}
		if err := count(fault.New(fault.Conflict, "no call")); !fault.Is(err, fault.Conflict) {
			t.Fatal(err)
		}
		var counted atomic.Int64
		var running sync.WaitGroup
		for range 12 {
			running.Go(func() {
				if err := count(nil); err == nil {
					counted.Add(1)
				} else if !fault.Is(err, fault.RateLimitExceeded) {
					t.Error(err)
				}
			})
		}
		running.Wait()
		if counted.Load() != 5 {
			t.Errorf("%d calls are counted, want 5", counted.Load())
		}
		if err := In(db.Tenant(acme), true).Revoke(t.Context(), token.ID); err != nil {
			t.Fatal(err)
		}
		if err := count(nil); !fault.Is(err, fault.KeyRevoked) {
			t.Errorf("revoked: %v", err)
		}
	})
}

func TestOrigins(t *testing.T) {
	for _, origin := range []string{"https://www.example.com", "http://localhost:3000", "https://example.com:8443", "http://[::1]:8080", "https://xn--bcher-kva.example"} {
		if problem := originProblem(origin); problem != "" {
			t.Errorf("%s: %s", origin, problem)
		}
	}
	for _, origin := range []string{"", "*", "null", "www.example.com", "https://*.example.com", "https://", "ftp://example.com", "https://example.com/", "https://example.com/page", "https://example.com?x", "https://user@example.com", "HTTPS://example.com", "https://Example.com", "https://example.com:443", "http://example.com:80", "https://example.com#"} {
		if originProblem(origin) == "" {
			t.Errorf("%s is accepted", origin)
		}
	}
}
