package attack

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"parley/e2e/binary"
)

const sessionPath = "/api/v1/auth/session"

// page makes a request as the dashboard does, from an address, with cookies and further headers.
func page(t *testing.T, s *binary.Server, from, method, path, body string, cookies []*http.Cookie, headers ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Requested-By", "test")
	r.Header.Set("X-Forwarded-For", from)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	for _, c := range cookies {
		r.AddCookie(c)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer
}

// signedIn returns the cookies of a session that a user began from an address.
func signedIn(t *testing.T, s *binary.Server, from, email string) []*http.Cookie {
	t.Helper()
	answer := page(t, s, from, http.MethodPost, sessionPath, credentials(email, ownersPassword), nil)
	if answer.StatusCode != http.StatusOK || len(answer.Cookies()) != 2 {
		t.Fatalf("signing in: %s, %v", answer.Status, answer.Cookies())
	}
	return answer.Cookies()
}

// exhaustSessionRequests uses up an address's requests to sign in and renew.
func exhaustSessionRequests(t *testing.T, s *binary.Server, from string) {
	t.Helper()
	for range 1000 {
		if page(t, s, from, http.MethodPost, sessionPath+"/refresh", "", []*http.Cookie{{Name: "parley_refresh", Value: "invented"}}).StatusCode == http.StatusTooManyRequests {
			return
		}
	}
	t.Fatal("an address has no limit")
}

// Whatever others at the same address request, signing out ends the session.
func TestSignOutAboveTheLimit(t *testing.T) {
	s := proxied(t)
	const from = "203.0.113.9"
	cookies := signedIn(t, s, from, ownersEmail)
	exhaustSessionRequests(t, s, from)
	for range 200 { // of sessions that do not exist
		page(t, s, from, http.MethodDelete, sessionPath, "", []*http.Cookie{{Name: "parley_refresh", Value: "invented"}})
	}
	if answer := page(t, s, from, http.MethodDelete, sessionPath, "", cookies); answer.StatusCode != http.StatusNoContent {
		t.Errorf("signing out: %s", answer.Status)
	}
	if answer := page(t, s, from, http.MethodGet, "/api/v1/auth/me", "", cookies); answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("after signing out: %s", answer.Status)
	}
}

// A cookie that a sibling domain has set is not taken for the user's, nor one of two credentials for the other.
func TestDoubledCredentials(t *testing.T) {
	s := proxied(t)
	const home, away = "198.51.100.7", "203.0.113.7"
	command(t, s, "", "tenant", "create", "Mallory")
	command(t, s, ownersPassword, "user", "create", "--tenant", "Mallory", "--email", "mallory@example.org", "--password", "-")
	own, planted := signedIn(t, s, home, ownersEmail), signedIn(t, s, away, "mallory@example.org")
	for name, both := range map[string][]*http.Cookie{"the planted one first": append(planted[:2:2], own...), "the own one first": append(own[:2:2], planted...)} {
		if answer := page(t, s, home, http.MethodGet, "/api/v1/auth/me", "", both); answer.StatusCode != http.StatusUnauthorized {
			t.Errorf("two sessions, %s: %s", name, answer.Status)
		}
		if answer := page(t, s, home, http.MethodPost, sessionPath+"/refresh", "", both); answer.StatusCode != http.StatusUnauthorized {
			t.Errorf("renewing two sessions, %s: %s", name, answer.Status)
		}
		if answer := page(t, s, home, http.MethodGet, "/api/v1/sse/calls/stream", "", both); answer.StatusCode != http.StatusUnauthorized {
			t.Errorf("a stream with two sessions, %s: %s", name, answer.Status)
		}
	}
	if answer := page(t, s, home, http.MethodGet, "/api/v1/auth/me", "", own); answer.StatusCode != http.StatusOK {
		t.Errorf("one session: %s", answer.Status)
	}
	key, foreign := newTenant(t, s, "keyed", "*"), newKey(t, s, "Mallory", "--scopes", "*")
	for name, headers := range map[string][]string{
		"two keys":                  {"X-API-Key", key, "X-API-Key", foreign},
		"two bearers":               {"Authorization", "Bearer " + key, "Authorization", "Bearer " + foreign},
		"a key and another bearer":  {"X-API-Key", key, "Authorization", "Bearer " + foreign},
		"a bearer and another key":  {"Authorization", "Bearer " + key, "X-API-Key", foreign},
		"a key and a session token": {"X-API-Key", key, "Authorization", "Bearer " + own[0].Value},
	} {
		if answer := page(t, s, home, http.MethodGet, "/api/v1/auth/me", "", nil, headers...); answer.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: %s", name, answer.Status)
		}
	}
	if answer := page(t, s, home, http.MethodGet, "/api/v1/auth/me", "", nil, "X-API-Key", key, "Authorization", "Bearer "+key); answer.StatusCode != http.StatusOK {
		t.Errorf("the same key twice: %s", answer.Status)
	}
	if answer := page(t, s, home, http.MethodDelete, sessionPath, "", append(planted[:2:2], own...)); answer.StatusCode != http.StatusNoContent {
		t.Errorf("signing out of two sessions: %s", answer.Status)
	}
	for who, cookies := range map[string][]*http.Cookie{"own": own, "planted": planted} {
		if answer := page(t, s, home, http.MethodGet, "/api/v1/auth/me", "", cookies); answer.StatusCode != http.StatusUnauthorized {
			t.Errorf("the %s session after signing out: %s", who, answer.Status)
		}
	}
}

// Over https the session's cookies are such that no other host can set them, and those that others can set are not read.
func TestPlantedCookies(t *testing.T) {
	s := start(t, map[string]string{"PARLEY_TRUSTED_PROXIES": "127.0.0.0/8", "PARLEY_PUBLIC_URL": "https://voice.example.com"})
	command(t, s, "", "tenant", "create", "Mallory")
	command(t, s, ownersPassword, "user", "create", "--tenant", "Mallory", "--email", "mallory@example.org", "--password", "-")
	const from = "203.0.113.7"
	set := signedIn(t, s, from, "mallory@example.org")
	var planted []*http.Cookie
	for _, c := range set {
		if !strings.HasPrefix(c.Name, "__Host-") || c.Path != "/" || c.Domain != "" || !c.Secure || !c.HttpOnly {
			t.Errorf("the server sets the cookie %v", c)
		}
		planted = append(planted, &http.Cookie{Name: strings.TrimPrefix(c.Name, "__Host-"), Value: c.Value})
	}
	if answer := page(t, s, from, http.MethodGet, "/api/v1/auth/me", "", planted); answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("a planted session: %s", answer.Status)
	}
	if answer := page(t, s, from, http.MethodPost, sessionPath+"/refresh", "", planted); answer.StatusCode != http.StatusUnauthorized || len(answer.Cookies()) != 0 {
		t.Errorf("renewing a planted session: %s, %v", answer.Status, answer.Cookies())
	}
	if answer := page(t, s, from, http.MethodGet, "/api/v1/auth/me", "", set, "Origin", fmt.Sprintf("http://%s", strings.TrimPrefix(s.URL, "http://"))); answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("an http page of the same host: %s", answer.Status)
	}
	if answer := page(t, s, from, http.MethodGet, "/api/v1/auth/me", "", set); answer.StatusCode != http.StatusOK {
		t.Errorf("the session: %s", answer.Status)
	}
}
