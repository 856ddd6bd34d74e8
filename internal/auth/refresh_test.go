package auth_test

import (
	"context"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/auth"
	"parley/internal/database"
	"parley/internal/fault"
)

// tab is a browser's tab.
var tab = auth.Client{Address: here, UserAgent: "Mozilla/5.0"}

// renewed exchanges a refresh token that must be accepted.
func (h *fixture) renewed(token string, from auth.Client) string {
	h.t.Helper()
	s, err := h.Refresh(h.t.Context(), token, from)
	if err != nil {
		h.t.Fatal(err)
	}
	if who, err := h.VerifyAccessToken(s.AccessToken); err != nil || who.UserID != h.user.ID {
		h.t.Fatalf("got %+v, %v", who, err)
	}
	return s.RefreshToken
}

// refusedToken exchanges a refresh token that must be rejected.
func (h *fixture) refusedToken(token string, from auth.Client) {
	h.t.Helper()
	_, err := h.Refresh(h.t.Context(), token, from)
	h.refused(err, fault.InvalidToken)
}

// ago moves all rotations into the past.
func (h *fixture) ago(d time.Duration) {
	h.t.Helper()
	if err := h.db.System().Write(h.t.Context(), func(ctx context.Context, tx database.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE refresh_tokens SET used_at = ? WHERE used_at IS NOT NULL", tx.Now().Add(-d))
		return err
	}); err != nil {
		h.t.Fatal(err)
	}
}

func TestRefreshRotates(t *testing.T) {
	each(t, func(h *fixture) {
		first, bystander := h.login().RefreshToken, h.login()
		second := h.renewed(first, tab)
		h.ago(10 * time.Second)
		h.refusedToken(first, tab)
		h.refusedToken(second, tab) // its family is revoked
		h.renewed(bystander.RefreshToken, tab)
		h.refusedToken("unknown", tab)
		h.refusedToken(bystander.AccessToken, tab)
	})
}

// A refresh token is accepted again within reuseWindow of its rotation, for the client that rotated it only.
func TestRefreshReuse(t *testing.T) {
	each(t, func(h *fixture) {
		first := h.login().RefreshToken
		second := h.renewed(first, tab)
		h.ago(5 * time.Second) // the other half of the window is for a slow machine
		again := h.renewed(first, tab)
		if again == second || again == first {
			t.Error("both tabs have the same token")
		}
		third := h.renewed(again, tab) // it works, and so does the other tab's
		h.renewed(second, tab)
		h.renewed(third, auth.Client{Address: netip.MustParseAddr("2001:db8::1"), UserAgent: "another"}) // who moved to another network

		for name, thief := range map[string]auth.Client{
			"another address":     {Address: netip.MustParseAddr("192.0.2.2"), UserAgent: tab.UserAgent},
			"another user agent":  {Address: here, UserAgent: "curl/8"},
			"an unknown address":  {UserAgent: tab.UserAgent},
			"both in other parts": {Address: here, UserAgent: "\n" + tab.UserAgent},
		} {
			first := h.login().RefreshToken
			second := h.renewed(first, tab)
			h.refusedToken(first, thief)
			for _, token := range []string{second, first} {
				if _, err := h.Refresh(h.t.Context(), token, tab); !fault.Is(err, fault.InvalidToken) {
					h.t.Errorf("%s: the family lives on: %v", name, err)
				}
			}
		}
		// Nobody is the same client as another whose address is not known.
		first = h.login().RefreshToken
		h.renewed(first, auth.Client{UserAgent: "x"})
		h.refusedToken(first, auth.Client{UserAgent: "x"})
		// A session that was ended stays so.
		first = h.login().RefreshToken
		second = h.renewed(first, tab)
		if _, err := h.Logout(h.t.Context(), second, here); err != nil {
			h.t.Fatal(err)
		}
		h.refusedToken(first, tab)
	})
}

// The stored hash of a client does not reveal its address.
func TestClientsAreStoredAsHashes(t *testing.T) {
	each(t, func(h *fixture) {
		h.renewed(h.login().RefreshToken, tab)
		h.renewed(h.login().RefreshToken, tab)
		var stored [][]byte
		if err := h.db.System().Read(h.t.Context(), func(ctx context.Context, tx database.Tx) error {
			return tx.NewRaw("SELECT used_by FROM refresh_tokens WHERE used_by IS NOT NULL").Scan(ctx, &stored)
		}); err != nil {
			h.t.Fatal(err)
		}
		if len(stored) != 2 || len(stored[0]) != 32 || string(stored[0]) == string(stored[1]) || strings.Contains(string(stored[0]), here.String()) {
			h.t.Errorf("stored %q", stored)
		}
	})
}

func TestRefreshExpires(t *testing.T) {
	each(t, func(h *fixture) {
		s := h.login()
		if err := h.db.System().Write(h.t.Context(), func(ctx context.Context, tx database.Tx) error {
			var left time.Time
			if err := tx.QueryRowContext(ctx, "SELECT expires_at FROM refresh_tokens").Scan(&left); err != nil {
				return err
			}
			if d := left.Sub(tx.Now()) - 7*24*time.Hour; d.Abs() > time.Minute {
				h.t.Errorf("a refresh token lives for %v", left.Sub(tx.Now()))
			}
			_, err := tx.ExecContext(ctx, "UPDATE refresh_tokens SET expires_at = ?", tx.Now().Add(-time.Second))
			return err
		}); err != nil {
			h.t.Fatal(err)
		}
		_, err := h.Refresh(h.t.Context(), s.RefreshToken, tab)
		h.refused(err, fault.TokenExpired)
		h.login() // sweeps it up
		_, err = h.Refresh(h.t.Context(), s.RefreshToken, tab)
		h.refused(err, fault.InvalidToken)
	})
}

// Concurrent requests with the same token, over two nodes: those of the first client are all accepted, and each gets a valid
// token.
func TestManyRefreshesAtOnce(t *testing.T) {
	for _, n := range []int{2, 50} {
		each(t, func(h *fixture) {
			nodes := []*auth.Service{h.Service, h.node()}
			first := h.login().RefreshToken
			tokens := make([]string, n)
			var wait sync.WaitGroup
			for i := range n {
				wait.Go(func() {
					s, err := nodes[i%2].Refresh(context.Background(), first, tab)
					if err != nil {
						h.t.Error(err)
						return
					}
					tokens[i] = s.RefreshToken
				})
			}
			wait.Wait()
			seen := map[string]bool{}
			for _, token := range tokens {
				h.renewed(token, tab)
				if seen[token] {
					h.t.Error("two got the same token")
				}
				seen[token] = true
			}
		})
	}
}

// A session that is renewed at the moment at which its theft is noticed ends all
// the same.
func TestStolenTokenDuringARenewal(t *testing.T) {
	each(t, func(h *fixture) {
		for range 40 {
			h.now = h.now.Add(2 * time.Minute) // the address may make requests again
			first := h.login().RefreshToken
			second := h.renewed(first, tab)
			var renewals []string
			var mu sync.Mutex
			var wait sync.WaitGroup
			for _, token := range []string{second, first, second} {
				wait.Go(func() {
					s, err := h.Refresh(context.Background(), token, tab)
					if err == nil {
						mu.Lock()
						renewals = append(renewals, s.RefreshToken)
						mu.Unlock()
					} else if !fault.Is(err, fault.InvalidToken) {
						h.t.Error(err)
					}
				})
			}
			wait.Go(func() {
				if _, err := h.Refresh(context.Background(), first, auth.Client{Address: here, UserAgent: "thief"}); !fault.Is(err, fault.InvalidToken) {
					h.t.Errorf("the thief got %v", err)
				}
			})
			wait.Wait()
			for _, token := range renewals {
				h.refusedToken(token, tab)
			}
		}
	})
}

// A session of an identity provider's user ends 12 hours after the sign-in, however often it is renewed.
func TestExternalSessionEnds(t *testing.T) {
	each(t, func(h *fixture) {
		session, _, err := h.LoginExternal(t.Context(), h.user.TenantID, auth.External{ID: "issuer subject", Email: "ada@elsewhere.example", Scopes: []string{"calls:read"}})
		if err != nil {
			t.Fatal(err)
		}
		shift := func(by time.Duration) {
			t.Helper()
			if err := h.db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
				_, err := tx.ExecContext(ctx, "UPDATE refresh_tokens SET expires_at = ?", tx.Now().Add(by))
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
		var expires []time.Time
		read := func() {
			t.Helper()
			if err := h.db.System().Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
				return tx.NewRaw("SELECT DISTINCT expires_at FROM refresh_tokens").Scan(ctx, &expires)
			}); err != nil {
				t.Fatal(err)
			}
		}
		if read(); len(expires) != 1 || time.Until(expires[0]) > auth.ExternalLifetime || time.Until(expires[0]) < auth.ExternalLifetime-time.Hour {
			t.Fatalf("the session can be renewed until %v", expires)
		}
		shift(time.Hour)
		if session, err = h.Refresh(t.Context(), session.RefreshToken, tab); err != nil {
			t.Fatal(err)
		}
		if read(); len(expires) != 1 {
			t.Errorf("after a renewal it can be renewed until %v", expires)
		}
		shift(-time.Second)
		_, err = h.Refresh(t.Context(), session.RefreshToken, tab)
		h.refused(err, fault.TokenExpired)
	})
}
