package auth_test

import (
	"context"
	"net/netip"
	"testing"
	"time"

	"parley/internal/auth"
	"parley/internal/database"
	"parley/internal/fault"
)

// elsewhere returns addresses of different networks of any width.
func elsewhere(i int) netip.Addr {
	return netip.AddrFrom4([4]byte{byte(11 + i/200), byte(i % 200), 7, 7})
}

// Failed sign-ins from elsewhere lock an account where it never signed in, and not where it did; there, ten guesses a minute are
// possible all the same.
func TestFamiliarNetworkIsNotLocked(t *testing.T) {
	each(t, func(h *fixture) {
		ctx := h.t.Context()
		h.login()
		for i := range 120 {
			_, _ = h.Login(ctx, email, "wrong", elsewhere(i))
		}
		_, err := h.Login(ctx, email, password, netip.MustParseAddr("198.51.100.200"))
		h.refused(err, fault.RateLimitExceeded)
		h.login()
		guessed := 0
		for range 15 {
			if _, err := h.Login(ctx, email, "wrong", here); fault.Is(err, fault.Authentication) {
				guessed++
			}
		}
		if guessed != 10 {
			h.t.Errorf("%d guesses in a familiar network were looked at, want 10", guessed)
		}
	})
}

// An account has its latest 20 networks, for 90 days, in a form from which no address can be read.
func TestFamiliarNetworksAreForgotten(t *testing.T) {
	each(t, func(h *fixture) {
		ctx := h.t.Context()
		for i := range 25 {
			if _, err := h.Login(ctx, email, password, elsewhere(i)); err != nil {
				h.t.Fatal(err)
			}
		}
		count := func() (n int) {
			if err := h.db.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
				return tx.NewRaw("SELECT COUNT(*) FROM familiar_networks").Scan(ctx, &n)
			}); err != nil {
				h.t.Fatal(err)
			}
			return n
		}
		if n := count(); n != 20 {
			h.t.Errorf("%d networks are familiar, want 20", n)
		}
		if err := h.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
			_, err := tx.ExecContext(ctx, "UPDATE familiar_networks SET seen_at = ?", tx.Now().Add(-91*24*time.Hour))
			return err
		}); err != nil {
			h.t.Fatal(err)
		}
		h.login()
		if n := count(); n != 1 {
			h.t.Errorf("%d networks are familiar after 91 days, want 1", n)
		}
	})
}

// Failed sign-ins of a whole network are limited, however they are spread over its addresses.
func TestWiderNetworksAreLimited(t *testing.T) {
	limiter, err := auth.NewMemoryLimiterAt(func() time.Time { return time.Unix(0, 0) })
	if err != nil {
		t.Fatal(err)
	}
	strangers := auth.NewThrottle(limiter, secret)
	for _, c := range []struct {
		name    string
		address func(i int) netip.Addr
		want    int
	}{
		{"a /24", func(i int) netip.Addr { return netip.AddrFrom4([4]byte{198, 18, 1, byte(i)}) }, 120},
		{"a /16", func(i int) netip.Addr { return netip.AddrFrom4([4]byte{198, 19, byte(i), byte(i >> 8)}) }, 480},
		{"a /48", func(i int) netip.Addr { return v6(0, uint16(i)) }, 120},
		{"the /32 around it", func(i int) netip.Addr { return v6(uint16(1+i), 0) }, 360},
	} {
		passed := 0
		for i := range 1000 {
			if c.name == "a /24" && i > 255 {
				break
			}
			if _, err := strangers.Attempt(t.Context(), c.address(i).String()+"@example.org", c.address(i)); err == nil {
				passed++
			}
		}
		if passed != c.want {
			t.Errorf("%s: %d sign-ins are checked, want %d", c.name, passed, c.want)
		}
	}
}

// v6 returns an address of 2001:db8::/32 in a /48 and a /64 of it.
func v6(site, subnet uint16) netip.Addr {
	return netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, byte(site >> 8), byte(site), byte(subnet >> 8), byte(subnet), 15: 1})
}
