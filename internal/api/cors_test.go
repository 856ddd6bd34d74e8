package api

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"parley/internal/fault"
)

const webApp = "https://app.example.com"

// fetch sends a request as a page's script does.
func (s *service) fetch(origin, method, target string, headers ...string) *httptest.ResponseRecorder {
	s.t.Helper()
	return s.do("full", method, target, "", append([]string{"Origin", origin}, headers...)...)
}

func varies(w *httptest.ResponseRecorder) bool {
	return slices.Contains(strings.Split(strings.Join(w.Header().Values("Vary"), ", "), ", "), "Origin")
}

func TestNoSharingByDefault(t *testing.T) {
	s := newThings(t)
	for _, w := range []*httptest.ResponseRecorder{
		s.fetch(webApp, http.MethodGet, "/api/v1/auth/me"),
		s.fetch(webApp, http.MethodOptions, "/api/v1/agents", "Access-Control-Request-Method", "POST"),
	} {
		for name := range w.Header() {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%d with %s", w.Code, name)
			}
		}
	}
}

func TestSharingWithNamedOrigins(t *testing.T) {
	s := newThings(t, func(d *Deps) { d.CORSOrigins = []string{"http://localhost:3000", webApp} })

	w := s.fetch(webApp, http.MethodOptions, "/api/v1/agents/a", "Access-Control-Request-Method", "PATCH", "Access-Control-Request-Headers", "authorization,content-type,x-api-key")
	h := w.Header()
	if w.Code != http.StatusNoContent || h.Get("Access-Control-Allow-Origin") != webApp || h.Get("Access-Control-Allow-Methods") != "PATCH" ||
		h.Get("Access-Control-Allow-Headers") != "authorization,content-type,x-api-key" || h.Get("Access-Control-Max-Age") == "" || !varies(w) {
		t.Errorf("preflight: %d %v", w.Code, h)
	}

	w = s.fetch(webApp, http.MethodGet, "/api/v1/auth/me")
	h = w.Header()
	if w.Code != http.StatusOK || h.Get("Access-Control-Allow-Origin") != webApp || h.Get("Access-Control-Allow-Credentials") != "true" || !varies(w) {
		t.Errorf("request: %d %v", w.Code, h)
	}
	readable := strings.Split(strings.ToLower(h.Get("Access-Control-Expose-Headers")), ", ")
	for _, name := range []string{"x-request-id", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "retry-after", "x-ignored-fields", "x-ignored-parameters"} {
		if !slices.Contains(readable, name) {
			t.Errorf("%s cannot be read: %v", name, readable)
		}
	}

	w = s.fetch(webApp, http.MethodGet, "/api/v1/nothing") // a page has to be able to read errors
	s.refused(w, http.StatusNotFound, fault.NotFound)
	if w.Header().Get("Access-Control-Allow-Origin") != webApp {
		t.Errorf("an error: %v", w.Header())
	}

	for _, stranger := range []string{"https://evil.example", "https://app.example.com.evil.example", "http://app.example.com", "null"} {
		w := s.fetch(stranger, http.MethodGet, "/api/v1/auth/me")
		if w.Header().Get("Access-Control-Allow-Origin") != "" || !varies(w) {
			t.Errorf("%s: %v", stranger, w.Header())
		}
		w = s.fetch(stranger, http.MethodOptions, "/api/v1/agents", "Access-Control-Request-Method", "POST")
		if w.Header().Get("Access-Control-Allow-Origin") != "" || !varies(w) {
			t.Errorf("preflight of %s: %v", stranger, w.Header())
		}
	}
}

func TestSharingWithAll(t *testing.T) {
	s := newThings(t, func(d *Deps) { d.CORSOrigins = []string{"*"} })
	w := s.fetch(webApp, http.MethodGet, "/api/v1/auth/me")
	if w.Header().Get("Access-Control-Allow-Origin") != "*" || w.Header().Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("request: %v", w.Header())
	}
}

// The media server answers preflights itself, and two answers are none.
func TestSignallingSharesByItself(t *testing.T) {
	media := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.WriteHeader(http.StatusTeapot)
	})
	s := newThings(t, func(d *Deps) {
		d.CORSOrigins = []string{webApp}
		d.Signalling = func(func(http.ResponseWriter, *http.Request, error)) (http.Handler, error) { return media, nil }
	})
	for _, target := range []string{"/rtc", "/rtc/validate"} {
		w := s.fetch(webApp, http.MethodOptions, target, "Access-Control-Request-Method", "GET")
		if w.Code != http.StatusTeapot || !slices.Equal(w.Header().Values("Access-Control-Allow-Origin"), []string{"*"}) {
			t.Errorf("%s: %d %v", target, w.Code, w.Header())
		}
	}
}

func TestTransportSecurityOverHTTPS(t *testing.T) {
	for _, secure := range []bool{false, true} {
		s := newThings(t, func(d *Deps) { d.Secure = secure })
		w := s.do("", http.MethodGet, "/health/live", "")
		if got := w.Header().Get("Strict-Transport-Security"); (got == "max-age=31536000") != secure || !secure && got != "" {
			t.Errorf("https %v: %q", secure, got)
		}
	}
}
