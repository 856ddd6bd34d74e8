package api

import (
	"net/http"
	"strings"
	"testing"

	"parley/internal/fault"
)

// Users are made, changed and deleted by users who hold what they grant; nobody changes themselves, and other tenants' users do not exist.
func TestUsers(t *testing.T) {
	s := newService(t)
	owner, clerk, stranger := "owner@example.org", "clerk@example.org", "stranger@example.org"
	s.session(owner, acme, "*")
	s.session(clerk, acme, "users:write", "users:read", "calls:read")
	s.session(stranger, other, "*")
	s.session("caller@example.org", acme, "calls:write")
	const path, password = "/api/v1/users", `"password":"open sesame, please"`
	type user struct {
		ID, Email string
		Scopes    []string
	}
	var page struct {
		Items []user
		Total int
	}
	s.want(s.do(owner, http.MethodGet, path, ""), http.StatusOK, &page)
	ids := map[string]string{}
	for _, u := range page.Items {
		ids[u.Email] = u.ID
	}
	if page.Total != 3 || ids["stranger@example.org"] != "" {
		t.Fatalf("the users are %+v", page)
	}
	var made user
	s.want(s.do(clerk, http.MethodPost, path, `{"email":"ada@example.org",`+password+`,"scopes":["calls:read"]}`), http.StatusCreated, &made)
	if made.Email != "ada@example.org" || len(made.Scopes) != 1 {
		t.Errorf("made %+v", made)
	}
	for body, code := range map[string]fault.Code{
		`{"email":"eve@example.org",` + password + `,"scopes":["calls:write"]}`:   fault.Authorization,
		`{"email":"eve@example.org",` + password + `,"scopes":["nothing:known"]}`: fault.Validation,
		`{"email":"eve@example.org",` + password + `}`:                            fault.Validation,
		`{"email":"eve",` + password + `,"scopes":[]}`:                            fault.Validation,
		`{"email":"Ada@example.org",` + password + `,"scopes":[]}`:                fault.Conflict,
	} {
		status := map[fault.Code]int{fault.Authorization: 403, fault.Validation: 422, fault.Conflict: 409}[code]
		s.refused(s.do(clerk, http.MethodPost, path, body), status, code)
	}
	s.refused(s.do("full", http.MethodPost, path, `{"email":"eve@example.org",`+password+`,"scopes":[]}`), http.StatusForbidden, fault.Authorization)
	for _, c := range []struct {
		credential, id string
		status         int
		code           fault.Code
	}{
		{clerk, ids["caller@example.org"], 403, fault.Authorization}, {clerk, ids["clerk@example.org"], 403, fault.Authorization},
		{owner, ids["owner@example.org"], 403, fault.Authorization}, {stranger, made.ID, 404, fault.NotFound},
	} {
		s.refused(s.do(c.credential, http.MethodPatch, path+"/"+c.id, `{`+password+`}`), c.status, c.code)
		s.refused(s.do(c.credential, http.MethodDelete, path+"/"+c.id, ""), c.status, c.code)
	}

	// A change of scopes and of the password.
	ada := s.signIn("ada@example.org")
	s.refused(s.do(ada.AccessToken, http.MethodGet, path, ""), http.StatusForbidden, fault.ScopeRequired)
	s.want(s.do(owner, http.MethodPatch, path+"/"+made.ID, `{"scopes":["users:read"]}`), http.StatusOK, &made)
	if strings.Join(made.Scopes, " ") != "users:read" {
		t.Errorf("changed %+v", made)
	}
	change := func(token, current, next string, status int, code fault.Code) {
		t.Helper()
		w := s.do(token, http.MethodPost, "/api/v1/auth/password", `{"current_password":"`+current+`","password":"`+next+`"}`)
		if code == "" {
			s.want(w, status, nil)
		} else {
			s.refused(w, status, code)
		}
	}
	ada = s.signIn("ada@example.org")
	change(ada.AccessToken, "open barley, please", "another password", 422, fault.Validation)
	change(ada.AccessToken, "open sesame, please", "short", 422, fault.Validation)
	change("full", "open sesame, please", "another password", 403, fault.Authorization)
	change(ada.AccessToken, "open sesame, please", "another password", http.StatusNoContent, "")
	s.refused(s.do(ada.AccessToken, http.MethodGet, "/api/v1/auth/me", ""), http.StatusUnauthorized, fault.InvalidToken)
	s.refused(s.do("", http.MethodPost, "/api/v1/auth/refresh", `{"refresh_token":"`+ada.RefreshToken+`"}`), http.StatusUnauthorized, fault.InvalidToken)
	s.refused(s.do("", http.MethodPost, "/api/v1/auth/login", `{"email":"ada@example.org",`+password+`}`), http.StatusUnauthorized, fault.Authentication)
	s.want(s.do("", http.MethodPost, "/api/v1/auth/login", `{"email":"ada@example.org","password":"another password"}`), http.StatusOK, nil)
	s.want(s.do(owner, http.MethodDelete, path+"/"+made.ID, ""), http.StatusNoContent, nil)
	s.refused(s.do("", http.MethodPost, "/api/v1/auth/login", `{"email":"ada@example.org","password":"another password"}`), http.StatusUnauthorized, fault.Authentication)
}
