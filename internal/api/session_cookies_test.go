package api

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"parley/internal/database"
	"parley/internal/fault"
)

const requestedBy = "X-Requested-By"

// cookies are those that an answer sets, keyed by name.
func cookies(w *httptest.ResponseRecorder) map[string]*http.Cookie {
	set := map[string]*http.Cookie{}
	for _, c := range w.Result().Cookies() {
		set[c.Name] = c
	}
	return set
}

func cookieHeader(set map[string]*http.Cookie) string {
	pairs := []string{}
	for name, c := range set {
		pairs = append(pairs, name+"="+c.Value)
	}
	return strings.Join(pairs, "; ")
}

func TestSessionInCookies(t *testing.T) {
	s := newThings(t, func(d *Deps) { d.Secure = true })
	s.session("ada@example.org", acme, "tools:*")
	const right = `{"email":"ada@example.org","password":"open sesame, please"}`
	const session = "/api/v1/auth/session"

	s.refused(s.do("", http.MethodPost, session, right), http.StatusForbidden, fault.Authorization)
	s.refused(s.do("", http.MethodPost, session, right, requestedBy, "test", "Sec-Fetch-Site", "same-site"), http.StatusForbidden, fault.Authorization)
	s.refused(s.do("", http.MethodPost, session, strings.Replace(right, "open", "close", 1), requestedBy, "test"), http.StatusUnauthorized, fault.Authentication)
	w := s.do("", http.MethodPost, session, right, requestedBy, "test", "Sec-Fetch-Site", "same-origin")
	s.want(w, http.StatusOK, nil)
	first := cookies(w)
	const access, refresh = "__Host-parley_access", "__Host-parley_refresh"
	for _, name := range []string{access, refresh} {
		c := first[name]
		if c == nil || !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" || c.MaxAge <= 0 {
			t.Errorf("cookie %s is %+v", name, c)
		}
		if c != nil && strings.Contains(w.Body.String(), c.Value) {
			t.Errorf("the body holds the value of %s", name)
		}
	}
	jar := cookieHeader(first)

	// Reads need no header; changes do. Other origins' pages are rejected.
	s.want(s.do("", http.MethodGet, "/api/v1/auth/me", "", "Cookie", jar), http.StatusOK, nil)
	s.want(s.do("", http.MethodGet, "/api/v1/auth/me", "", "Cookie", jar, "Sec-Fetch-Site", "none"), http.StatusOK, nil)
	for _, headers := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://example.net"}, {"Origin", "null"}} {
		s.refused(s.do("", http.MethodGet, "/api/v1/auth/me", "", append(headers, "Cookie", jar)...), http.StatusUnauthorized, fault.Authentication)
		s.refused(s.do("", http.MethodPut, aThing, `{"name":"a"}`, append(headers, "Cookie", jar, requestedBy, "test")...), http.StatusUnauthorized, fault.Authentication)
	}
	s.refused(s.do("", http.MethodPut, aThing, `{"name":"a"}`, "Cookie", jar), http.StatusUnauthorized, fault.Authentication)
	s.want(s.do("", http.MethodPut, aThing, `{"name":"a"}`, "Cookie", jar, requestedBy, "test", "Origin", "https://example.com"), http.StatusOK, nil)
	s.refused(s.do("", http.MethodPut, aThing, `{"name":"a"}`, "Cookie", jar, requestedBy, "test", "Origin", "http://example.com"), http.StatusUnauthorized, fault.Authentication)
	// A credential in the request has precedence over the cookie.
	s.refused(s.do("svc_live_unknown", http.MethodGet, "/api/v1/auth/me", "", "Cookie", jar), http.StatusUnauthorized, fault.Authentication)

	s.refused(s.do("", http.MethodPost, session+"/refresh", "", "Cookie", jar), http.StatusForbidden, fault.Authorization)
	w = s.do("", http.MethodPost, session+"/refresh", "", "Cookie", jar, requestedBy, "test")
	s.want(w, http.StatusOK, nil)
	second := cookies(w)
	if second[refresh] == nil || second[refresh].Value == first[refresh].Value {
		t.Error("the refresh token does not rotate")
	}
	s.refused(s.do("", http.MethodPost, session+"/refresh", "", requestedBy, "test"), http.StatusUnauthorized, fault.InvalidToken)

	// Signing out ends the session for cookies of every tab.
	w = s.do("", http.MethodDelete, session, "", "Cookie", cookieHeader(second), requestedBy, "test")
	if w.Code != http.StatusNoContent || cookies(w)[access].MaxAge >= 0 || cookies(w)[refresh].MaxAge >= 0 {
		t.Errorf("signing out: %d %v", w.Code, w.Header())
	}
	for _, ended := range []map[string]*http.Cookie{first, second} {
		s.refused(s.do("", http.MethodGet, "/api/v1/auth/me", "", "Cookie", cookieHeader(ended)), http.StatusUnauthorized, fault.InvalidToken)
	}
}

// Over http the cookies have no prefix, which browsers would refuse, and are sent where they are needed.
func TestSessionInCookiesOverHTTP(t *testing.T) {
	s := newThings(t)
	s.session("ada@example.org", acme, "tools:*")
	w := s.do("", http.MethodPost, sessionPath, `{"email":"ada@example.org","password":"open sesame, please"}`, requestedBy, "test")
	s.want(w, http.StatusOK, nil)
	set := cookies(w)
	for name, path := range map[string]string{"parley_access": "/api", "parley_refresh": sessionPath} {
		if c := set[name]; c == nil || c.Secure || c.Path != path {
			t.Errorf("cookie %s is %+v", name, c)
		}
	}
	s.want(s.do("", http.MethodGet, "/api/v1/auth/me", "", "Cookie", cookieHeader(set)), http.StatusOK, nil)
}

// A session that began before cookies had a prefix continues over https, under the new names. One that is planted under the old name
// afterwards does not.
func TestSessionFromBeforeThePrefix(t *testing.T) {
	var db *database.DB
	s := newThings(t, func(d *Deps) { d.Secure, db = true, d.DB })
	s.session("ada@example.org", acme, "tools:*")
	token := func() string {
		w := s.do("", http.MethodPost, sessionPath, `{"email":"ada@example.org","password":"open sesame, please"}`, requestedBy, "test")
		s.want(w, http.StatusOK, nil)
		return cookies(w)["__Host-parley_refresh"].Value
	}
	old := token()
	if err := db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE refresh_tokens SET unprefixed_cookie = true")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	s.refused(s.do("", http.MethodPost, sessionPath+"/refresh", "", "Cookie", "parley_refresh="+token(), requestedBy, "test"), http.StatusUnauthorized, fault.InvalidToken)
	w := s.do("", http.MethodPost, sessionPath+"/refresh", "", "Cookie", "parley_access=x; parley_refresh="+old, requestedBy, "test")
	s.want(w, http.StatusOK, nil)
	set := cookies(w)
	if set["__Host-parley_refresh"] == nil || set["parley_refresh"] == nil || set["parley_refresh"].MaxAge >= 0 || set["parley_access"].MaxAge >= 0 {
		t.Errorf("the cookies are %v", w.Header())
	}
	delete(set, "parley_access")
	delete(set, "parley_refresh")
	s.want(s.do("", http.MethodGet, "/api/v1/auth/me", "", "Cookie", cookieHeader(set)), http.StatusOK, nil)
}

func TestDashboardPages(t *testing.T) {
	files := fstest.MapFS{"index.html": {Data: []byte("<html>")}, "assets/main-1a2b.js": {Data: []byte("1")}}
	s := newService(t, func(d *Deps) { d.Dashboard = files })
	for _, path := range []string{"/", "/agents", "/agents/demo", "/calls/1?tab=timeline"} {
		w := s.do("", http.MethodGet, path, "", "Accept", "text/html,*/*")
		s.want(w, http.StatusOK, nil)
		policy := w.Header().Get("Content-Security-Policy")
		if w.Body.String() != "<html>" || w.Header().Get("Cache-Control") != "no-cache" || !strings.Contains(policy, "default-src 'none'; script-src 'self';") {
			t.Errorf("%s: %v %s", path, w.Header(), w.Body)
		}
		s.refused(s.do("", http.MethodGet, path, "", "Accept", "application/json"), http.StatusNotFound, fault.NotFound)
		s.refused(s.do("", http.MethodPost, path, "", "Accept", "text/html"), http.StatusNotFound, fault.NotFound)
	}
	// A client that accepts any type gets the page at the root only.
	if w := s.do("", http.MethodGet, "/", "", "Accept", "*/*"); w.Code != http.StatusOK {
		t.Errorf("GET /: %d %s", w.Code, w.Body)
	}
	s.refused(s.do("", http.MethodGet, "/", "", "Accept", "application/json"), http.StatusNotFound, fault.NotFound)
	w := s.do("", http.MethodGet, "/assets/main-1a2b.js", "")
	s.want(w, http.StatusOK, nil)
	if w.Header().Get("Cache-Control") != "public, max-age=31536000, immutable" {
		t.Errorf("assets: %v", w.Header())
	}
	for _, path := range []string{"/api/v1/unknown", "/api", "/assets/unknown.js", "/docs/unknown.js", "/rtc/unknown", "/assets/..%2findex.html"} {
		s.refused(s.do("", http.MethodGet, path, "", "Accept", "text/html"), http.StatusNotFound, fault.NotFound)
	}
	unbuilt := newService(t, func(d *Deps) { d.Dashboard = fstest.MapFS{} })
	unbuilt.refused(unbuilt.do("", http.MethodGet, "/", "", "Accept", "text/html"), http.StatusServiceUnavailable, fault.ServiceUnavailable)
}
