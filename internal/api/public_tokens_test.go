package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley/internal/fault"
)

const shop = "https://www.example.com"

// public sends a request for a public call as a page does.
func (s *service) public(token, origin, body string) *httptest.ResponseRecorder {
	s.t.Helper()
	return s.do("", http.MethodPost, publicCalls, body, "Authorization", "Bearer "+token, "Origin", origin)
}

// publicToken creates a public token and returns it.
func (s *service) publicToken(credential, body string) publicTokenBody {
	s.t.Helper()
	var created publicTokenBody
	s.want(s.do(credential, http.MethodPost, "/api/v1/public-tokens", body), http.StatusCreated, &created)
	return created
}

func TestPublicTokens(t *testing.T) {
	s, media := newCalls(t, nil)
	made := s.publicToken("full", `{"workflow_slug":"support","origins":["https://www.example.com"],"user_context_keys":["page"]}`)
	if !strings.HasPrefix(made.Token, made.Prefix) || made.PerMinute != 6 || made.PerDay != 1000 || made.MaxSeconds != 300 || made.ExpiresAt != nil {
		t.Errorf("created: %+v", made)
	}
	path := "/api/v1/public-tokens/" + made.ID
	for _, read := range []string{path, "/api/v1/public-tokens"} {
		w := s.do("full", http.MethodGet, read, "")
		s.want(w, http.StatusOK, nil)
		if strings.Contains(w.Body.String(), made.Token) || !strings.Contains(w.Body.String(), made.Prefix) {
			t.Errorf("%s: %s", read, w.Body)
		}
	}

	var started startedBody
	w := s.public(made.Token, shop, `{"user_context":{"page":"/prices"}}`)
	s.want(w, http.StatusCreated, &started)
	if started.URL != "ws://media.example" || started.Token == "" || len(media.opened) != 1 || w.Header().Get("Access-Control-Allow-Origin") == "" {
		t.Errorf("started: %+v, %v", started, w.Header())
	}
	var c seenCall
	s.want(s.do("full", http.MethodGet, "/api/v1/calls/"+started.CallID, ""), http.StatusOK, &c)
	if c.CallType != "voip" || c.WorkflowSlug != "support" {
		t.Errorf("the call: %+v", c)
	}

	for _, origin := range []string{"", "null", "https://www.example.com.evil.example", "http://www.example.com", "https://www.example.com:8443", "https://WWW.example.com"} {
		s.refused(s.public(made.Token, origin, `{}`), http.StatusForbidden, fault.Authorization)
	}
	if got := s.refused(s.public(made.Token, shop, `{"user_context":{"page":"/","role":"admin"}}`), http.StatusUnprocessableEntity, fault.Validation); got["user_context.role"] == "" || len(got) != 1 {
		t.Errorf("faults: %v", got)
	}
	for _, token := range []string{"", "pk_", made.Token + "0", strings.Replace(made.Token, "pk_", "svc_live_", 1), "pk_" + strings.Repeat("0", 48)} {
		s.refused(s.public(token, shop, `{}`), http.StatusUnauthorized, fault.Authentication)
	}
	for _, elsewhere := range []string{"/api/v1/calls", "/api/v1/agents", "/api/v1/calls/" + started.CallID, "/api/v1/auth/me"} {
		s.refused(s.do("", http.MethodGet, elsewhere, "", "Authorization", "Bearer "+made.Token), http.StatusUnauthorized, fault.InvalidToken)
		s.refused(s.do("", http.MethodGet, elsewhere, "", "X-API-Key", made.Token), http.StatusUnauthorized, fault.Authentication)
	}

	s.refused(s.do("stranger", http.MethodDelete, path, ""), http.StatusNotFound, fault.NotFound)
	s.want(s.do("full", http.MethodDelete, path, ""), http.StatusNoContent, nil)
	s.refused(s.public(made.Token, shop, `{}`), http.StatusUnauthorized, fault.KeyRevoked)
	s.refused(s.do("full", http.MethodGet, path, ""), http.StatusNotFound, fault.NotFound)
}

func TestPublicTokenLimits(t *testing.T) {
	s, _ := newCalls(t, nil)
	daily := s.publicToken("full", `{"agent_name":"desk","origins":["https://www.example.com"],"per_minute":100,"per_day":2}`)
	for range 2 {
		s.want(s.public(daily.Token, shop, `{}`), http.StatusCreated, nil)
	}
	w := s.public(daily.Token, shop, `{}`)
	s.refused(w, http.StatusTooManyRequests, fault.RateLimitExceeded)
	if w.Header().Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	minutely := s.publicToken("full", `{"agent_name":"desk","origins":["https://www.example.com"],"per_minute":2}`)
	for range 2 {
		s.want(s.public(minutely.Token, shop, `{}`), http.StatusCreated, nil)
	}
	s.refused(s.public(minutely.Token, shop, `{}`), http.StatusTooManyRequests, fault.RateLimitExceeded)
}

func TestPublicTokenFaults(t *testing.T) {
	s, _ := newCalls(t, nil)
	for body, fields := range map[string][]string{
		`{}`: {"workflow_slug", "origins"},
		`{"workflow_slug":"support","origins":[]}`:                                                          {"origins"},
		`{"workflow_slug":"none","origins":["https://a.example"]}`:                                          {"workflow_slug"},
		`{"agent_name":"none","origins":["https://a.example"]}`:                                             {"agent_name"},
		`{"agent_name":"desk","workflow_slug":"support","origins":["https://a.example"]}`:                   {"agent_name"},
		`{"agent_name":"desk","origins":["*","https://*.example","a.example","https://a.example/"]}`:        {"origins[0]", "origins[1]", "origins[2]", "origins[3]"},
		`{"agent_name":"desk","origins":["https://a.example","https://a.example","https://A.example:443"]}`: {"origins[1]", "origins[2]"},
		`{"agent_name":"desk","origins":["https://a.example"],"per_minute":0,"per_day":-1,"max_seconds":5}`: {"per_minute", "per_day", "max_seconds"},
		`{"agent_name":"desk","origins":["https://a.example"],"expires_at":"2020-01-01T00:00:00Z"}`:         {"expires_at"},
		`{"agent_name":"desk","origins":["https://a.example"],"user_context_keys":["a b"]}`:                 {"user_context_keys[0]"},
	} {
		got := s.refused(s.do("full", http.MethodPost, "/api/v1/public-tokens", body), http.StatusUnprocessableEntity, fault.Validation)
		for _, field := range fields {
			if got[field] == "" || len(got) != len(fields) {
				t.Errorf("%s: faults %v, want %v", body, got, fields)
			}
		}
	}
	s.key("no calls", acme, "public-tokens:write")
	s.refused(s.do("no calls", http.MethodPost, "/api/v1/public-tokens", `{"agent_name":"desk","origins":["https://a.example"]}`), http.StatusForbidden, fault.ScopeRequired)
}

// Pages of every origin may ask; whether they may start a call is for the token to say.
func TestPublicCallsPreflight(t *testing.T) {
	s, _ := newCalls(t, nil)
	w := s.fetch(shop, http.MethodOptions, publicCalls, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,content-type")
	if h := w.Header(); h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Allow-Credentials") != "" || h.Get("Access-Control-Allow-Headers") == "" {
		t.Errorf("%d, %v", w.Code, h)
	}
	w = s.fetch(shop, http.MethodOptions, "/api/v1/calls", "Access-Control-Request-Method", "POST")
	if w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("other paths: %v", w.Header())
	}
}
