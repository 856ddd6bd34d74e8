package api

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"parley/internal/auth"
	"parley/internal/fault"
	"parley/internal/redis"
	"parley/internal/redis/redistest"
)

// limitedKey makes a key with a limit, known to do under its name.
func (s *service) limitedKey(name string, limit int, scopes ...string) {
	s.t.Helper()
	_, secret, err := s.deps.Auth.CreateKey(s.t.Context(), acme, auth.KeyDraft{Name: name, Environment: auth.Live, Scopes: scopes, RateLimit: limit})
	if err != nil {
		s.t.Fatal(err)
	}
	s.credentials[name] = secret
}

// limits reads the three headers of an answer.
func (s *service) limits(w *httptest.ResponseRecorder) (limit, remaining int, reset time.Duration) {
	s.t.Helper()
	var numbers [3]int64
	for i, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
		n, err := strconv.ParseInt(w.Header().Get(name), 10, 64)
		if err != nil {
			s.t.Fatalf("%s of a %d: %v", name, w.Code, err)
		}
		numbers[i] = n
	}
	return int(numbers[0]), int(numbers[1]), time.Until(time.Unix(numbers[2], 0))
}

func TestRateLimitOfAKey(t *testing.T) {
	s := newThings(t)
	s.limitedKey("five", 5, "tools:write")
	// Errors count, and carry the headers, as much as anything else.
	for i, body := range []string{`{"name":"n"}`, `{}`, `{`, `{"name":"n"}`, `{"name":"n"}`} {
		w := s.do("five", http.MethodPut, aThing, body)
		if w.Code == http.StatusTooManyRequests {
			t.Fatalf("request %d is refused: %s", i+1, w.Body)
		}
		limit, remaining, reset := s.limits(w)
		if most := time.Duration(i+1) * 12 * time.Second; limit != 5 || remaining != 4-i || reset <= 0 || reset > most+time.Second {
			t.Errorf("request %d: limit %d, remaining %d, reset in %v", i+1, limit, remaining, reset)
		}
	}
	for range 2 {
		w := s.do("five", http.MethodPut, aThing, `{"name":"n"}`)
		s.refused(w, http.StatusTooManyRequests, fault.RateLimitExceeded)
		limit, remaining, reset := s.limits(w)
		after, err := strconv.Atoi(w.Header().Get("Retry-After"))
		if err != nil || after < 1 || after > 12 || limit != 5 || remaining != 0 || reset < time.Duration(after)*time.Second || reset > 61*time.Second {
			t.Errorf("refused: limit %d, remaining %d, reset in %v, retry after %q", limit, remaining, reset, w.Header().Get("Retry-After"))
		}
	}
	s.limitedKey("four", 4, "limits:read")
	w := s.do("four", http.MethodPut, aThing, `{"name":"n"}`)
	s.refused(w, http.StatusForbidden, fault.ScopeRequired)
	if limit, remaining, _ := s.limits(w); limit != 4 || remaining != 3 {
		t.Errorf("without the scope: limit %d, remaining %d", limit, remaining)
	}
	s.want(s.do("full", http.MethodPut, aThing, `{"name":"n"}`), http.StatusOK, nil) // another key
}

func TestNoRateLimitNoHeaders(t *testing.T) {
	s := newThings(t)
	s.session("ada@example.org", acme, "*")
	for name, w := range map[string]*httptest.ResponseRecorder{
		"session": s.do("ada@example.org", http.MethodPut, aThing, `{"name":"n"}`),
		"public":  s.do("", http.MethodGet, "/health/live", ""),
		"nobody":  s.do("", http.MethodPut, aThing, `{"name":"n"}`),
	} {
		if w.Header().Get("X-RateLimit-Limit") != "" {
			t.Errorf("%s: %v", name, w.Header())
		}
	}
}

func TestRateLimitOfAUsersSessions(t *testing.T) {
	s := newThings(t, func(d *Deps) {
		var err error
		d.Auth, err = auth.New(auth.Options{DB: d.DB, Secret: []byte("0123456789abcdef0123456789abcdef"), PasswordCost: cheap, KeySecrets: [][]byte{make([]byte, 32)}, SessionRateLimit: 3})
		if err != nil {
			t.Fatal(err)
		}
	})
	s.session("ada@example.org", acme, "*")
	s.session("bob@example.org", acme, "*")
	first := s.credentials["ada@example.org"]
	again, err := s.deps.Auth.Refresh(t.Context(), s.signIn("ada@example.org").RefreshToken, auth.Client{})
	if err != nil {
		t.Fatal(err)
	}
	for i, token := range []string{first, again.AccessToken, first, again.AccessToken} { // one user, two sessions
		w := s.do(token, http.MethodGet, "/api/v1/auth/me", "")
		if want := i < 3; (w.Code == http.StatusOK) != want {
			t.Errorf("request %d: %d %s", i+1, w.Code, w.Body)
		}
		if limit, _, _ := s.limits(w); limit != 3 {
			t.Errorf("limit %d", limit)
		}
	}
	s.want(s.do("bob@example.org", http.MethodGet, "/api/v1/auth/me", ""), http.StatusOK, nil)
}

// With Redis configured, requests continue while it is unreachable, and /health reports it.
func TestRateLimitWithRedis(t *testing.T) {
	server := redistest.Start(t)
	client, err := redis.Open(t.Context(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	s := newThings(t, func(d *Deps) {
		limiter, err := auth.NewRedisLimiter(client, d.Log)
		if err != nil {
			t.Fatal(err)
		}
		d.Auth, err = auth.New(auth.Options{DB: d.DB, Secret: []byte("0123456789abcdef0123456789abcdef"), PasswordCost: cheap, KeySecrets: [][]byte{make([]byte, 32)}, Limiter: limiter})
		if err != nil {
			t.Fatal(err)
		}
		d.Redis = func(ctx context.Context) error { return client.Ping(ctx).Err() }
	})
	s.limitedKey("two", 2, "*")
	put := func() *httptest.ResponseRecorder { return s.do("two", http.MethodPut, aThing, `{"name":"n"}`) }
	health := func() string {
		var out struct {
			Status string
			Checks struct{ Redis struct{ Status, Mode string } }
		}
		s.want(s.do("", http.MethodGet, "/health", ""), http.StatusOK, &out)
		return out.Status + " " + out.Checks.Redis.Status + " " + out.Checks.Redis.Mode
	}
	s.want(put(), http.StatusOK, nil)
	s.want(put(), http.StatusOK, nil)
	s.refused(put(), http.StatusTooManyRequests, fault.RateLimitExceeded)
	if got := health(); got != "healthy healthy " {
		t.Errorf("health %q", got)
	}
	server.Stop()
	w := put()
	s.want(w, http.StatusOK, nil)
	if _, remaining, _ := s.limits(w); remaining != 1 {
		t.Errorf("remaining %d: the process does not count for itself", remaining)
	}
	if got := health(); got != "degraded unhealthy " {
		t.Errorf("health %q", got)
	}
	server.Restart()
	if got := health(); got != "healthy healthy " {
		t.Errorf("health %q", got)
	}
}
