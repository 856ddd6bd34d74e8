package auth_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"parley/internal/auth"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/fault"
)

const (
	acme     = "0193a6f0-0000-7000-8000-000000000001"
	other    = "0193a6f0-0000-7000-8000-000000000002"
	email    = "Ada@Example.org"
	password = "analytical engine"
)

var (
	secret    = []byte("0123456789abcdef0123456789abcdef")
	keySecret = []byte("fedcba9876543210fedcba9876543210")
	here      = netip.MustParseAddr("192.0.2.1")
)

// cheap is the lowest cost of argon2id.
var cheap = auth.PasswordCost{Memory: 8, Iterations: 1}

// fixture is a service with a tenant and a user; now is its clock.
type fixture struct {
	*auth.Service
	t    *testing.T
	db   *database.DB
	user *auth.User
	now  time.Time
}

func each(t *testing.T, f func(h *fixture)) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		h := &fixture{t: t, db: db, now: time.Now()}
		h.Service = h.node()
		databasetest.Tenant(t, db, acme, "acme")
		databasetest.Tenant(t, db, other, "other")
		var err error
		if h.user, err = h.CreateUser(t.Context(), acme, email, password, nil); err != nil {
			t.Fatal(err)
		}
		f(h)
	})
}

// node is a service over the fixture's database.
func (h *fixture) node() *auth.Service {
	h.t.Helper()
	s, err := auth.New(auth.Options{DB: h.db, Secret: secret, KeySecrets: [][]byte{keySecret}, PasswordCost: cheap, Now: func() time.Time { return h.now }})
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}

func (h *fixture) login() *auth.Session {
	h.t.Helper()
	s, err := h.Login(h.t.Context(), email, password, here)
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}

func (h *fixture) refused(err error, code fault.Code) {
	h.t.Helper()
	if !fault.Is(err, code) {
		h.t.Fatalf("got %v, want %s", err, code)
	}
}

func TestLogin(t *testing.T) {
	each(t, func(h *fixture) {
		for _, spelling := range []string{email, strings.ToLower(email), " ADA@example.ORG "} {
			s, err := h.Login(h.t.Context(), spelling, password, here)
			if err != nil {
				h.t.Fatalf("%q: %v", spelling, err)
			}
			who, err := h.VerifyAccessToken(s.AccessToken)
			if err != nil || who.UserID != h.user.ID || who.TenantID != acme || !slices.Equal(who.Scopes, []string{"*"}) || !who.Session || !who.Livemode {
				h.t.Fatalf("got %+v, %v", who, err)
			}
			if s.ExpiresIn != 30*time.Minute {
				h.t.Errorf("the token lives for %v", s.ExpiresIn)
			}
		}
		_, wrong := h.Login(h.t.Context(), email, "analytical engin", here)
		_, unknown := h.Login(h.t.Context(), "eve@example.org", password, here)
		h.refused(wrong, fault.Authentication)
		h.refused(unknown, fault.Authentication)
		if wrong.Error() != unknown.Error() {
			h.t.Errorf("a known account is distinguishable: %q, %q", wrong, unknown)
		}
	})
}

func TestCreateUserRules(t *testing.T) {
	each(t, func(h *fixture) {
		_, err := h.CreateUser(h.t.Context(), other, strings.ToUpper(email), password, nil)
		h.refused(err, fault.Conflict)
		_, err = h.CreateUser(h.t.Context(), acme, "no address", "", []string{"agents"})
		h.refused(err, fault.Validation)
		var f *fault.Error
		if errors.As(err, &f); len(f.Details) != 3 {
			h.t.Errorf("faults %v, want scope, address and password", f.Details)
		}
	})
}

func TestAccessTokens(t *testing.T) {
	each(t, func(h *fixture) {
		token := h.login().AccessToken
		h.now = h.now.Add(auth.AccessLifetime + time.Second)
		_, err := h.VerifyAccessToken(token)
		h.refused(err, fault.TokenExpired)
		h.now = h.now.Add(-time.Hour)

		good := jwt.MapClaims{"sub": h.user.ID, "tenant_id": acme, "type": "access", "scopes": []string{"*"}, "exp": h.now.Add(time.Hour).Unix(), "iat": h.now.Unix()}
		sign := func(method jwt.SigningMethod, key any, change jwt.MapClaims) string {
			claims := jwt.MapClaims{}
			for k, v := range good {
				claims[k] = v
			}
			for k, v := range change {
				if claims[k] = v; v == nil {
					delete(claims, k)
				}
			}
			token, err := jwt.NewWithClaims(method, claims).SignedString(key)
			if err != nil {
				h.t.Fatal(err)
			}
			return token
		}
		if _, err := h.VerifyAccessToken(sign(jwt.SigningMethodHS256, secret, nil)); err != nil {
			h.t.Fatalf("a token as specified: %v", err)
		}
		past := h.now.Add(-time.Hour).Unix()
		for name, token := range map[string]string{
			"garbage":             "garbage",
			"empty":               "",
			"cut":                 token[:len(token)-2],
			"other secret":        sign(jwt.SigningMethodHS256, []byte("another secret of thirty-two byt"), nil),
			"other secret, old":   sign(jwt.SigningMethodHS256, []byte("another secret of thirty-two byt"), jwt.MapClaims{"exp": past}),
			"no signature":        sign(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, nil),
			"other algorithm":     sign(jwt.SigningMethodHS512, secret, nil),
			"refresh":             sign(jwt.SigningMethodHS256, secret, jwt.MapClaims{"type": "refresh"}),
			"refresh, old":        sign(jwt.SigningMethodHS256, secret, jwt.MapClaims{"type": "refresh", "exp": past}),
			"without type":        sign(jwt.SigningMethodHS256, secret, jwt.MapClaims{"type": nil}),
			"never expires":       sign(jwt.SigningMethodHS256, secret, jwt.MapClaims{"exp": nil}),
			"no tenant":           sign(jwt.SigningMethodHS256, secret, jwt.MapClaims{"tenant_id": ""}),
			"the system's tenant": sign(jwt.SigningMethodHS256, secret, jwt.MapClaims{"tenant_id": "system"}),
		} {
			if _, err := h.VerifyAccessToken(token); !fault.Is(err, fault.InvalidToken) {
				h.t.Errorf("%s: %v, want invalid_token", name, err)
			}
		}
	})
}

func TestLogout(t *testing.T) {
	each(t, func(h *fixture) {
		s := h.login()
		for range 2 {
			if _, err := h.Logout(h.t.Context(), s.RefreshToken, here); err != nil {
				h.t.Fatal(err)
			}
		}
		_, err := h.Refresh(h.t.Context(), s.RefreshToken, tab)
		h.refused(err, fault.InvalidToken)
		if _, err := h.Logout(h.t.Context(), "unknown", here); err != nil {
			h.t.Error(err)
		}
	})
}

func TestFailedSignInsAreHeldBack(t *testing.T) {
	each(t, func(h *fixture) {
		ctx := h.t.Context()
		for range 30 { // successes do not count
			h.login()
		}
		var wait sync.WaitGroup
		var mu sync.Mutex
		looked := 0
		for range 15 { // concurrent requests do not bypass the limit
			wait.Go(func() {
				_, err := h.Login(ctx, email, "wrong", here)
				mu.Lock()
				defer mu.Unlock()
				if fault.Is(err, fault.Authentication) {
					looked++
				}
			})
		}
		wait.Wait()
		if looked != 10 {
			h.t.Errorf("%d of 15 guesses were looked at, want 10", looked)
		}
		_, err := h.Login(ctx, email, password, here)
		h.refused(err, fault.RateLimitExceeded)
		var later *fault.Error
		if !errors.As(err, &later) || later.RetryAfter != time.Minute/10 {
			h.t.Errorf("no time to come back in %v", err)
		}
		if _, err := h.Login(ctx, email, password, netip.MustParseAddr("192.0.2.2")); err != nil {
			h.t.Errorf("the owner at another address: %v", err)
		}
		guess := func(n int, account func() string, from func(i int) netip.Addr) (looked int) {
			for i := range n {
				if _, err := h.Login(ctx, account(), "wrong", from(i)); fault.Is(err, fault.Authentication) {
					looked++
				}
			}
			return looked
		}
		invented := func() string { return uuid.NewString() + "@example.org" }
		if looked := guess(45, invented, func(i int) netip.Addr {
			from := netip.MustParseAddr("2001:db8::1").As16()
			from[15] = byte(i)
			return netip.AddrFrom16(from)
		}); looked != 30 {
			h.t.Errorf("%d of 45 guesses from one network were looked at, want 30", looked)
		}
		if looked := guess(150, func() string { return "grace@example.org" }, func(i int) netip.Addr {
			return netip.AddrFrom4([4]byte{198, 51, 100, byte(i)})
		}); looked != 100 {
			h.t.Errorf("%d of 150 guesses for one account from many addresses were looked at, want 100", looked)
		}
	})
}

// A flood of invented accounts from many addresses displaces nobody's counter.
func TestFloodOfAccountsUnlocksNobody(t *testing.T) {
	now := time.Now()
	limiter, err := auth.NewMemoryLimiterAt(func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	strangers := auth.NewThrottle(limiter, secret)
	attempt := func(account string, from netip.Addr) error {
		if err := strangers.CountRequest(t.Context(), from); err != nil {
			return err
		}
		_, err := strangers.Attempt(t.Context(), account, from)
		return err
	}
	for range 10 {
		if err := attempt(email, here); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 60_000 { // more than a limiter remembers
		_ = attempt(fmt.Sprintf("%d@example.org", i), netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}))
	}
	if err := attempt(email, here); !fault.Is(err, fault.RateLimitExceeded) {
		t.Errorf("after the flood: %v", err)
	}
}

func TestRequestsOfAnAddressAreBounded(t *testing.T) {
	each(t, func(h *fixture) {
		ctx, from := h.t.Context(), netip.MustParseAddr("192.0.2.9")
		refused := 0
		session := h.login() // from another address
		for i := range 150 {
			var err error
			if i%2 == 0 {
				_, err = h.Login(ctx, email, password, from)
			} else {
				_, err = h.Refresh(ctx, "invented", auth.Client{Address: from})
			}
			if fault.Is(err, fault.RateLimitExceeded) {
				refused++
			}
		}
		if refused != 30 {
			h.t.Errorf("%d of 150 requests were refused, want 30", refused)
		}
		h.login()
		// A session can be ended all the same. Unknown tokens have a limit of their own.
		refused = 0
		for range 150 {
			if _, err := h.Logout(ctx, "invented", from); fault.Is(err, fault.RateLimitExceeded) {
				refused++
			}
		}
		if refused != 30 {
			h.t.Errorf("%d of 150 logouts of unknown sessions were refused, want 30", refused)
		}
		if _, err := h.Logout(ctx, session.RefreshToken, from); err != nil {
			h.t.Errorf("a logout above both limits: %v", err)
		}
		if _, err := h.Authenticate(ctx, session.AccessToken); !fault.Is(err, fault.InvalidToken) {
			h.t.Errorf("after it: %v", err)
		}
	})
}

func TestAccessTokenEndsWithItsSession(t *testing.T) {
	for name, end := range map[string]func(h *fixture, s *auth.Session) error{
		"logout": func(h *fixture, s *auth.Session) error {
			_, err := h.Logout(h.t.Context(), s.RefreshToken, here)
			return err
		},
		"reuse": func(h *fixture, s *auth.Session) error {
			if _, err := h.Refresh(h.t.Context(), s.RefreshToken, tab); err != nil {
				return err
			}
			_, err := h.Refresh(h.t.Context(), s.RefreshToken, auth.Client{})
			h.refused(err, fault.InvalidToken)
			return nil
		},
		"password": func(h *fixture, _ *auth.Session) error {
			_, err := h.SetUser(h.t.Context(), email, auth.UserChange{Password: new("an entirely new password")})
			return err
		},
		"deletion": func(h *fixture, _ *auth.Session) error {
			_, err := h.DeleteUser(h.t.Context(), email)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(h *fixture) {
				first, other := h.login(), h.login()
				if _, err := h.Authenticate(h.t.Context(), first.AccessToken); err != nil {
					h.t.Fatal(err)
				}
				if err := end(h, first); err != nil {
					h.t.Fatal(err)
				}
				_, err := h.Authenticate(h.t.Context(), first.AccessToken)
				h.refused(err, fault.InvalidToken)
				_, err = h.Authenticate(h.t.Context(), other.AccessToken)
				if alone := name == "logout" || name == "reuse"; alone && err != nil || !alone && !fault.Is(err, fault.InvalidToken) {
					h.t.Errorf("another session of the user: %v", err)
				}
			})
		})
	}
}

func TestSessionHasTheScopesOfItsUser(t *testing.T) {
	each(t, func(h *fixture) {
		s := h.login()
		if _, err := h.SetUser(h.t.Context(), email, auth.UserChange{Scopes: &[]string{"calls:read"}}); err != nil {
			h.t.Fatal(err)
		}
		who, err := h.Authenticate(h.t.Context(), s.AccessToken)
		if err != nil || !slices.Equal(who.Scopes, []string{"calls:read"}) {
			h.t.Errorf("scopes %v, %v", who.Scopes, err)
		}
	})
}

// Passwords are hashed as OWASP asks where nobody sets another cost, and the
// check of an unknown account costs as much.
func TestPasswordCost(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		databasetest.Tenant(t, db, acme, "acme")
		s, err := auth.New(auth.Options{DB: db, Secret: secret, KeySecrets: [][]byte{keySecret}})
		if err != nil {
			t.Fatal(err)
		}
		u, err := s.CreateUser(t.Context(), acme, email, password, nil)
		if err != nil {
			t.Fatal(err)
		}
		const want = "$argon2id$v=19$m=19456,t=2,p=1$"
		if !strings.HasPrefix(u.PasswordHash, want) || !strings.HasPrefix(s.UnknownAccountHash(), want) {
			t.Errorf("a password is kept as %s, an unknown account's as %s, want %s…", u.PasswordHash, s.UnknownAccountHash(), want)
		}
		if _, err := s.Login(t.Context(), email, password, here); err != nil {
			t.Error(err)
		}
		// The cost of a hash is its own.
		if s, err = auth.New(auth.Options{DB: db, Secret: secret, KeySecrets: [][]byte{keySecret}, PasswordCost: cheap}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Login(t.Context(), email, password, here); err != nil {
			t.Errorf("after the cost changed: %v", err)
		}
	})
}

func TestKeys(t *testing.T) {
	each(t, func(h *fixture) {
		ctx := h.t.Context()
		admin := auth.Principal{TenantID: acme, UserID: h.user.ID, Scopes: []string{"*"}, Session: true}
		for environment, prefix := range map[string]string{auth.Live: "svc_live_", auth.Test: "svc_test_"} {
			key, secret, err := h.IssueKey(ctx, admin, auth.KeyDraft{Name: "ci", Environment: environment, Scopes: []string{"agents:read", "agents:read", "limits:read"}})
			if err != nil {
				h.t.Fatal(err)
			}
			if !strings.HasPrefix(secret, prefix) || !strings.HasPrefix(secret, key.Prefix) || len(key.Prefix) > len(prefix)+8 {
				h.t.Errorf("key %s, shown as %s", secret, key.Prefix)
			}
			who, err := h.Authenticate(ctx, secret)
			if err != nil || who.TenantID != acme || who.KeyID != key.ID || who.Session || who.Livemode != (environment == auth.Live) ||
				!slices.Equal(who.Scopes, []string{"agents:read", "limits:read"}) || key.RateLimit != 600 {
				h.t.Errorf("got %+v, %v", who, err)
			}
			_, _, err = h.IssueKey(ctx, who, auth.KeyDraft{Name: "k", Environment: auth.Live})
			h.refused(err, fault.Authorization)
			_, _, err = h.Keys(ctx, who, 10, 0)
			h.refused(err, fault.Authorization)
			h.refused(h.RevokeKey(ctx, who, key.ID), fault.Authorization)
			_, err = h.Authenticate(ctx, secret[:len(secret)-1]+"g")
			h.refused(err, fault.Authentication)

			stranger := auth.Principal{TenantID: other, Scopes: []string{"*"}, Session: true}
			h.refused(h.RevokeKey(ctx, stranger, key.ID), fault.NotFound)
			if page, total, err := h.Keys(ctx, stranger, 10, 0); err != nil || len(page) != 0 || total != 0 {
				h.t.Errorf("a stranger sees %v, %d, %v", page, total, err)
			}
			if page, total, err := h.Keys(ctx, admin, 10, 0); err != nil || len(page) != 1 || total != 1 || page[0].ID != key.ID {
				h.t.Errorf("got %v, %d, %v", page, total, err)
			}
			if err := h.RevokeKey(ctx, admin, key.ID); err != nil {
				h.t.Fatal(err)
			}
			_, err = h.Authenticate(ctx, secret)
			h.refused(err, fault.KeyRevoked)
			h.refused(h.RevokeKey(ctx, admin, key.ID), fault.NotFound)
		}
	})
}

func TestKeysHoldNoMoreThanTheirMaker(t *testing.T) {
	each(t, func(h *fixture) {
		ctx := h.t.Context()
		maker := auth.Principal{TenantID: acme, Scopes: []string{"agents:*", "calls:read"}, Session: true}
		for scope, granted := range map[string]bool{
			"agents:read": true, "agents:*": true, "calls:read": true,
			"*": false, "calls:*": false, "calls:write": false, "calls:create": false, "tools:read": false,
		} {
			_, _, err := h.IssueKey(ctx, maker, auth.KeyDraft{Name: "k", Environment: auth.Live, Scopes: []string{scope}})
			if granted && err != nil {
				h.t.Errorf("%s: %v", scope, err)
			}
			if !granted && !fault.Is(err, fault.Authorization) {
				h.t.Errorf("%s: %v, want authorization_error", scope, err)
			}
		}
		for _, absent := range []string{"sorcery:cast", "agents:raed", "agent:*", "things:*"} {
			_, _, err := h.CreateKey(ctx, acme, auth.KeyDraft{Name: "k", Environment: auth.Live, Scopes: []string{absent}})
			h.refused(err, fault.Validation)
		}
		mighty, _, err := h.CreateKey(ctx, acme, auth.KeyDraft{Name: "k", Environment: auth.Live, Scopes: []string{"*"}})
		if err != nil {
			h.t.Fatal(err)
		}
		h.refused(h.RevokeKey(ctx, maker, mighty.ID), fault.Authorization)
		_, _, err = h.IssueKey(ctx, maker, auth.KeyDraft{Environment: "prod", Scopes: []string{"agents", "agents:read "}, RateLimit: 100_001})
		h.refused(err, fault.Validation)
		var f *fault.Error
		if errors.As(err, &f); len(f.Details) != 5 {
			h.t.Errorf("faults %v, want name, environment, rate limit and two scopes", f.Details)
		}
	})
}

func TestCan(t *testing.T) {
	for _, c := range []struct {
		held, needed string
		can          bool
	}{
		{"*", "agents:read", true}, {"agents:read", "agents:read", true}, {"agents:*", "agents:delete", true},
		{"calls:create", "calls:write", true}, {"calls:initiate", "calls:write", true}, {"calls:create", "calls:read", false},
		{"agents:read", "agents:write", false}, {"agent:*", "agents:read", false}, {"", "agents:read", false}, {"agents", "agents:read", false},
	} {
		if got := (auth.Principal{Scopes: []string{c.held}}).Can(c.needed); got != c.can {
			t.Errorf("%q for %q: %v, want %v", c.held, c.needed, got, c.can)
		}
	}
}

func TestShortSecrets(t *testing.T) {
	for name, o := range map[string]auth.Options{
		"access tokens":        {Secret: secret[:31], KeySecrets: [][]byte{keySecret}},
		"no key secret":        {Secret: secret},
		"short key secret":     {Secret: secret, KeySecrets: [][]byte{keySecret[:31]}},
		"short earlier secret": {Secret: secret, KeySecrets: [][]byte{keySecret, keySecret[:31]}},
	} {
		if _, err := auth.New(o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func BenchmarkAuthenticateKey(b *testing.B) {
	ctx := context.Background()
	db, err := database.Open(ctx, "", b.TempDir()+"/parley.db")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(db.Close)
	if _, err := db.Migrate(ctx); err != nil {
		b.Fatal(err)
	}
	if err := db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO tenants (id, name, created_at) VALUES (?, 'acme', ?)", acme, tx.Now())
		return err
	}); err != nil {
		b.Fatal(err)
	}
	s, err := auth.New(auth.Options{DB: db, Secret: secret, KeySecrets: [][]byte{keySecret}})
	if err != nil {
		b.Fatal(err)
	}
	_, key, err := s.CreateKey(ctx, acme, auth.KeyDraft{Name: "k", Environment: auth.Live, Scopes: []string{"*"}})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := s.AuthenticateKey(ctx, key); err != nil {
			b.Fatal(err)
		}
	}
}

// meanwhile does something between the check of a password and the sign-in: when the attempt is given back.
type meanwhile struct {
	auth.Limiter
	do func()
}

func (m *meanwhile) Take(ctx context.Context, key string, perMinute, count int) (auth.Allowance, error) {
	if do := m.do; count < 0 && do != nil {
		m.do = nil
		do()
	}
	return m.Limiter.Take(ctx, key, perMinute, count)
}

// A sign-in under way when the password changes, or the user is deleted, makes no session.
func TestSignInWhileThePasswordChanges(t *testing.T) {
	each(t, func(h *fixture) {
		for _, change := range []struct {
			given string
			do    func() (*auth.User, error)
		}{
			{password, func() (*auth.User, error) {
				return h.SetUser(t.Context(), email, auth.UserChange{Password: new("another password")})
			}},
			{"another password", func() (*auth.User, error) { return h.DeleteUser(t.Context(), email) }},
		} {
			limiter, err := auth.NewMemoryLimiter()
			if err != nil {
				t.Fatal(err)
			}
			between := &meanwhile{limiter, func() {
				if _, err := change.do(); err != nil {
					t.Error(err)
				}
			}}
			s, err := auth.New(auth.Options{DB: h.db, Secret: secret, KeySecrets: [][]byte{keySecret}, PasswordCost: cheap, Limiter: between})
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.Login(t.Context(), email, change.given, here)
			h.refused(err, fault.Authentication)
		}
	})
}
