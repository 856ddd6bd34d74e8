package attack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"parley/e2e/binary"
)

const (
	ownersEmail    = "owner@example.org"
	ownersPassword = "correct horse battery staple"
)

// proxied starts a server that trusts the client's address in X-Forwarded-For, with a user.
func proxied(t *testing.T) *binary.Server {
	t.Helper()
	s := start(t, map[string]string{"PARLEY_TRUSTED_PROXIES": "127.0.0.0/8"})
	command(t, s, "", "tenant", "create", "Acme")
	command(t, s, ownersPassword, "user", "create", "--tenant", "Acme", "--email", ownersEmail, "--password", "-")
	return s
}

// postFrom sends a body without a credential from an address and returns the answer's status and body.
func postFrom(t *testing.T, s *binary.Server, from, path, body string) (status int, answer map[string]any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Forwarded-For", from)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	_ = json.NewDecoder(response.Body).Decode(&answer) // a logout has none
	return response.StatusCode, answer
}

func credentials(email, password string) string {
	return fmt.Sprintf(`{"email":%q,"password":%q}`, email, password)
}

// Guesses from one address lock the account there, and not its owner out elsewhere.
func TestGuesses(t *testing.T) {
	s := proxied(t)
	const login = "/api/v1/auth/login"
	try := func(password string) int {
		status, _ := postFrom(t, s, "203.0.113.1", login, credentials(ownersEmail, password))
		return status
	}
	// Ten may fail, and a further one every 6 s, which may elapse meanwhile on a busy machine.
	for guesses, locked := 0, false; !locked; guesses++ {
		switch status := try("guess"); {
		case status == http.StatusTooManyRequests && guesses >= 10:
			locked = try(ownersPassword) == http.StatusTooManyRequests
		case status != http.StatusUnauthorized || guesses > 100:
			t.Fatalf("guess %d: %d", guesses+1, status)
		}
	}
	if status, _ := postFrom(t, s, "203.0.113.2", login, credentials(ownersEmail, ownersPassword)); status != http.StatusOK {
		t.Errorf("the owner elsewhere: %d", status)
	}
}

// Sign-ins and renewals share a limit per address; others notice nothing of an address over it.
func TestSessionRequestsOfAnAddress(t *testing.T) {
	s := proxied(t)
	refused := 0
	for i := range 150 {
		path, body := "/api/v1/auth/refresh", `{"refresh_token":"invented"}`
		if i%15 == 0 {
			path, body = "/api/v1/auth/login", credentials(ownersEmail, ownersPassword)
		}
		if status, _ := postFrom(t, s, "203.0.113.1", path, body); status == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused < 20 {
		t.Errorf("%d of 150 requests were refused", refused)
	}
	if status, _ := postFrom(t, s, "203.0.113.2", "/api/v1/auth/login", credentials(ownersEmail, ownersPassword)); status != http.StatusOK {
		t.Errorf("another address: %d", status)
	}
	for _, path := range []string{"login", "refresh", "logout"} {
		if status, _ := postFrom(t, s, "203.0.113.3", "/api/v1/auth/"+path, `{"refresh_token":"`+strings.Repeat("x", 40_000)+`"}`); status != http.StatusRequestEntityTooLarge {
			t.Errorf("%s with 40 kB: %d", path, status)
		}
	}
}

// An access token is worth nothing once its session has ended.
func TestAccessTokenOfAnEndedSession(t *testing.T) {
	s := proxied(t)
	for name, end := range map[string]func(refresh string){
		"logout": func(refresh string) {
			postFrom(t, s, "203.0.113.1", "/api/v1/auth/logout", `{"refresh_token":"`+refresh+`"}`)
		},
		"reuse": func(refresh string) {
			postFrom(t, s, "203.0.113.1", "/api/v1/auth/refresh", `{"refresh_token":"`+refresh+`"}`)
			postFrom(t, s, "198.51.100.1", "/api/v1/auth/refresh", `{"refresh_token":"`+refresh+`"}`)
		},
		"password": func(string) {
			command(t, s, ownersPassword, "user", "set", "--email", ownersEmail, "--password", "-")
		},
	} {
		_, session := postFrom(t, s, "203.0.113.1", "/api/v1/auth/login", credentials(ownersEmail, ownersPassword))
		access, _ := session["access_token"].(string)
		if answer, body := send(t, s, access, http.MethodGet, "/api/v1/agents", ""); answer.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s %s", name, answer.Status, body)
		}
		end(session["refresh_token"].(string))
		if answer, _ := send(t, s, access, http.MethodGet, "/api/v1/agents", ""); answer.StatusCode != http.StatusUnauthorized {
			t.Errorf("after %s: %s", name, answer.Status)
		}
	}

	// The scopes are those that the user has now, and a deleted user has none.
	_, session := postFrom(t, s, "203.0.113.1", "/api/v1/auth/login", credentials(ownersEmail, ownersPassword))
	access, _ := session["access_token"].(string)
	command(t, s, "", "user", "set", "--email", ownersEmail, "--scopes", "workflows:read")
	for path, status := range map[string]int{"workflows": http.StatusOK, "agents": http.StatusForbidden} {
		if answer, body := send(t, s, access, http.MethodGet, "/api/v1/"+path, ""); answer.StatusCode != status {
			t.Errorf("%s with fewer scopes: %s %s", path, answer.Status, body)
		}
	}
	command(t, s, "", "user", "delete", "--email", ownersEmail)
	if answer, _ := send(t, s, access, http.MethodGet, "/api/v1/workflows", ""); answer.StatusCode != http.StatusUnauthorized {
		t.Errorf("after deletion: %s", answer.Status)
	}
}
