package api

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"parley/internal/database"
	"parley/internal/fault"
)

type tokens struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int    `json:"expires_in"`
}

func TestSessionLife(t *testing.T) {
	s := newService(t)
	s.session("ada@example.org", acme, "agents:*")

	login := func(password string) string {
		return fmt.Sprintf(`{"email":"Ada@example.org","password":%q}`, password)
	}
	var first, second tokens
	w := s.do("", http.MethodPost, "/api/v1/auth/login", login("open sesame, please"))
	s.want(w, http.StatusOK, &first)
	if first.TokenType != "bearer" || first.ExpiresIn != 1800 || first.RefreshToken == "" || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("got %+v, %v", first, w.Header())
	}
	s.refused(s.do("", http.MethodPost, "/api/v1/auth/login", login("open barley")), http.StatusUnauthorized, fault.Authentication)
	fields := s.refused(s.do("", http.MethodPost, "/api/v1/auth/login", `{"email":7}`), http.StatusUnprocessableEntity, fault.Validation)
	if fields["email"] == "" || fields["password"] == "" {
		t.Errorf("faults %v", fields)
	}

	var me struct {
		User   *struct{ ID, Email string }
		Tenant struct{ ID, Name string }
		Scopes []string
	}
	s.want(s.do(first.AccessToken, http.MethodGet, "/api/v1/auth/me", ""), http.StatusOK, &me)
	if me.User == nil || me.User.Email != "ada@example.org" || me.Tenant.ID != acme || me.Tenant.Name != "acme" || len(me.Scopes) != 1 || me.Scopes[0] != "agents:*" {
		t.Errorf("got %+v", me)
	}
	s.want(s.do("full", http.MethodGet, "/api/v1/auth/me", ""), http.StatusOK, &me)
	if me.User != nil || me.Tenant.ID != acme || me.Scopes[0] != "*" {
		t.Errorf("a key is %+v", me)
	}
	s.refused(s.do(first.RefreshToken, http.MethodGet, "/api/v1/auth/me", ""), http.StatusUnauthorized, fault.InvalidToken)

	renewal := func(token string) string { return fmt.Sprintf(`{"refresh_token":%q}`, token) }
	s.want(s.do("", http.MethodPost, "/api/v1/auth/refresh", renewal(first.RefreshToken)), http.StatusOK, &second)
	if second.RefreshToken == first.RefreshToken {
		t.Error("the refresh token does not rotate")
	}

	// Another tab of the same browser renews the session as well; its tokens are of the same session.
	var tab, later tokens
	s.want(s.do("", http.MethodPost, "/api/v1/auth/refresh", renewal(first.RefreshToken)), http.StatusOK, &tab)
	if tab.RefreshToken == second.RefreshToken || tab.RefreshToken == first.RefreshToken {
		t.Error("the other tab got no token of its own")
	}
	s.want(s.do(tab.AccessToken, http.MethodGet, "/api/v1/auth/me", ""), http.StatusOK, nil)
	s.want(s.do("", http.MethodPost, "/api/v1/auth/refresh", renewal(tab.RefreshToken)), http.StatusOK, &later)
	// Another client has stolen it: the session ends, in all tabs.
	s.refused(s.do("", http.MethodPost, "/api/v1/auth/refresh", renewal(first.RefreshToken), "User-Agent", "curl"), http.StatusUnauthorized, fault.InvalidToken)
	for _, token := range []string{first.RefreshToken, second.RefreshToken, later.RefreshToken} {
		s.refused(s.do("", http.MethodPost, "/api/v1/auth/refresh", renewal(token)), http.StatusUnauthorized, fault.InvalidToken)
	}

	s.want(s.do("", http.MethodPost, "/api/v1/auth/login", login("open sesame, please")), http.StatusOK, &first)
	if w := s.do("", http.MethodPost, "/api/v1/auth/logout", renewal(first.RefreshToken)); w.Code != http.StatusNoContent || w.Body.Len() > 0 {
		t.Errorf("logout: %d %s", w.Code, w.Body)
	}
	s.refused(s.do("", http.MethodPost, "/api/v1/auth/refresh", renewal(first.RefreshToken)), http.StatusUnauthorized, fault.InvalidToken)
}

// A token is still valid after its user is deleted, and reveals nothing about other users of the tenant.
func TestSessionsOfUsersWhoAreGone(t *testing.T) {
	s := newThings(t)
	s.session("gone@example.org", acme, "*")
	s.session("bob@example.org", other, "*")
	bob, err := s.deps.Auth.VerifyAccessToken(s.credentials["bob@example.org"])
	if err != nil {
		t.Fatal(err)
	}
	strayed, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"sub": bob.UserID, "tenant_id": acme, "type": "access", "scopes": []string{"*"},
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix()}).SignedString([]byte("0123456789abcdef0123456789abcdef"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
		for _, table := range []string{"refresh_tokens WHERE user_id IN (SELECT id FROM users WHERE email_key = ?)", "users WHERE email_key = ?"} {
			if _, err := tx.ExecContext(ctx, "DELETE FROM "+table, "gone@example.org"); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, token := range []string{"gone@example.org", strayed} {
		for _, c := range []struct{ method, path, body string }{
			{http.MethodGet, "/api/v1/auth/me", ""}, {http.MethodPut, aThing, `{"name":"a"}`}, {http.MethodGet, "/api/v1/agents", ""}, {http.MethodGet, "/api/v1/auth/api-keys", ""},
			{http.MethodPost, "/api/v1/auth/api-keys", `{"name":"n","environment":"live","scopes":["*"]}`},
		} {
			s.refused(s.do(token, c.method, c.path, c.body), http.StatusUnauthorized, fault.InvalidToken)
		}
	}
	s.want(s.do("bob@example.org", http.MethodPut, aThing, `{"name":"a"}`), http.StatusOK, nil)
}

func TestGuessingIsHeldBack(t *testing.T) {
	s := newService(t)
	for range 10 {
		s.refused(s.do("", http.MethodPost, "/api/v1/auth/login", `{"email":"eve@example.org","password":"guess"}`), http.StatusUnauthorized, fault.Authentication)
	}
	w := s.do("", http.MethodPost, "/api/v1/auth/login", `{"email":"EVE@example.org","password":"guess"}`)
	s.refused(w, http.StatusTooManyRequests, fault.RateLimitExceeded)
	if after, err := strconv.Atoi(w.Header().Get("Retry-After")); err != nil || after < 1 || after > 60 {
		t.Errorf("Retry-After %q", w.Header().Get("Retry-After"))
	}
}

func TestKeyLife(t *testing.T) {
	s := newService(t)
	s.session("ada@example.org", acme)
	s.session("bob@example.org", other)
	const path = "/api/v1/auth/api-keys"

	var made struct {
		ID, Key, Name, Environment, Prefix string
		Scopes                             []string
		RateLimit                          int    `json:"rate_limit"`
		CreatedAt                          string `json:"created_at"`
	}
	w := s.do("ada@example.org", http.MethodPost, path, `{"name":"ci","environment":"test","scopes":["agents:read"]}`)
	s.want(w, http.StatusCreated, &made)
	if !strings.HasPrefix(made.Key, "svc_test_") || made.Name != "ci" || made.Environment != "test" || made.RateLimit != 600 || len(made.Scopes) != 1 || !strings.HasSuffix(made.CreatedAt, "Z") {
		t.Errorf("made %+v", made)
	}
	var page struct {
		Items                []map[string]any
		Total, Limit, Offset int
	}
	w = s.do("ada@example.org", http.MethodGet, path+"?limit=1", "")
	s.want(w, http.StatusOK, &page)
	// The service's own key "full" is older.
	if page.Total != 2 || len(page.Items) != 1 || page.Limit != 1 || page.Items[0]["id"] != made.ID || page.Items[0]["key"] != nil || strings.Contains(w.Body.String(), made.Key) {
		t.Errorf("page %s", w.Body)
	}
	s.want(s.do(made.Key, http.MethodGet, "/api/v1/auth/me", ""), http.StatusOK, nil)
	for _, c := range []struct{ method, path, body string }{
		{http.MethodPost, path, `{"name":"x","environment":"live","scopes":[]}`}, {http.MethodGet, path, ""}, {http.MethodDelete, path + "/" + made.ID, ""},
	} {
		s.refused(s.do("full", c.method, c.path, c.body), http.StatusForbidden, fault.Authorization)
	}

	// Another tenant's key is as absent as one that never was.
	foreign := s.do("bob@example.org", http.MethodDelete, path+"/"+made.ID, "", "X-Request-Id", "r")
	absent := s.do("bob@example.org", http.MethodDelete, path+"/"+acme, "", "X-Request-Id", "r")
	s.refused(foreign, http.StatusNotFound, fault.NotFound)
	if foreign.Body.String() != absent.Body.String() || fmt.Sprint(foreign.Header()) != fmt.Sprint(absent.Header()) {
		t.Errorf("a foreign id answers %s, an unknown one %s", foreign.Body, absent.Body)
	}
	if got := s.refused(s.do("ada@example.org", http.MethodDelete, path+"/nothing", ""), http.StatusUnprocessableEntity, fault.Validation); got["id"] == "" {
		t.Errorf("faults %v", got)
	}

	if w := s.do("ada@example.org", http.MethodDelete, path+"/"+strings.ToUpper(made.ID), ""); w.Code != http.StatusNoContent || w.Body.Len() > 0 {
		t.Errorf("revoke: %d %s", w.Code, w.Body)
	}
	s.refused(s.do(made.Key, http.MethodGet, "/api/v1/auth/me", ""), http.StatusUnauthorized, fault.KeyRevoked)
	s.refused(s.do("", http.MethodGet, "/api/v1/auth/me", "", "X-API-Key", made.Key), http.StatusUnauthorized, fault.KeyRevoked)
	s.refused(s.do("", http.MethodGet, "/api/v1/auth/me", "", "X-API-Key", "svc_live_nonsense"), http.StatusUnauthorized, fault.Authentication)

	fields := s.refused(s.do("ada@example.org", http.MethodPost, path, `{"name":"","environment":"prod","rate_limit":0,"scopes":["a:b",1]}`), http.StatusUnprocessableEntity, fault.Validation)
	for _, field := range []string{"name", "environment", "rate_limit", "scopes[1]"} {
		if fields[field] == "" {
			t.Errorf("%s is not named in %v", field, fields)
		}
	}
	fields = s.refused(s.do("ada@example.org", http.MethodPost, path, `{"name":"n","environment":"live","scopes":["agents"]}`), http.StatusUnprocessableEntity, fault.Validation)
	if fields["scopes[0]"] == "" {
		t.Errorf("faults %v", fields)
	}
}
