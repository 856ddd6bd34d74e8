package contract

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Clients' secrets are in no file of the database, no log line, no metric and no error.
func TestSecretsStayHidden(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, nil, "--without=worker")
	s := &secrets{platform: p, planted: map[string]string{"password": password, "API key": p.acme.key}}
	s.plant(t)
	s.provoke(t)
	if !strings.Contains(p.received.String(), s.planted["user context"]) {
		t.Error("the webhook that asked for the context did not get it: this test would see nothing")
	}
	s.search(t, "the log", []byte(p.Log.String()))
	s.search(t, "standard output", []byte(p.Out.String()))
	a, err := p.exchange(request{method: http.MethodGet, path: "/metrics"})
	if err != nil {
		t.Fatal(err)
	}
	if a.status != http.StatusOK {
		t.Errorf("/metrics answers %v", a)
	}
	s.search(t, "/metrics", a.body)
	for _, when := range []string{"while it runs", "after it has ended"} {
		s.files(t, when)
		if err := p.Stop(); err != nil {
			t.Fatal(err)
		}
	}
}

// secrets are values by what they are.
type secrets struct {
	*platform
	planted map[string]string
	errors  int
}

// new makes up a secret.
func (s *secrets) new(what string) string {
	s.planted[what] = "planted-" + strings.ReplaceAll(what, " ", "-") + "-8f3a61"
	return s.planted[what]
}

// plant gives the service all it keeps secret.
func (s *secrets) plant(t *testing.T) {
	key := apiKey(s.acme.key)
	_, s.planted["refresh token"] = s.acme.login(t)
	var session struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	s.must(t, nil, http.MethodPost, "/api/v1/auth/refresh", object{"refresh_token": s.planted["refresh token"]}, &session)
	s.planted["second refresh token"], s.planted["access token"] = session.Refresh, session.Access
	_, s.planted["made API key"] = s.acme.newKey(t, "agents:read")

	var webhook struct{ Secret string }
	s.must(t, key, http.MethodPost, "/api/v1/webhooks", object{"url": s.received.URL, "headers": object{"X-Token": s.new("webhook header")},
		"filter": object{"include_context": true}}, &webhook)
	s.planted["webhook secret"] = webhook.Secret
	s.must(t, key, http.MethodPost, "/api/v1/webhooks/rotate-secret", object{"overlap_seconds": 600}, &webhook)
	s.planted["second webhook secret"] = webhook.Secret

	s.must(t, key, http.MethodPost, "/api/v1/provider-keys", object{"provider_type": "stt", "provider_name": "deepgram", "api_key": s.new("provider key"), "is_default": true}, nil)

	s.must(t, key, http.MethodPost, "/api/v1/sip-trunks", object{"name": "trunk", "address": "127.0.0.1:9", "transport": "tcp", "username": "u",
		"password": s.new("trunk password"), "headers": object{"X-Token": s.new("trunk header")}}, nil)

	s.must(t, key, http.MethodPost, "/api/v1/secrets", object{"name": "planted", "value": s.new("secret")}, nil)
	s.must(t, key, http.MethodPost, "/api/v1/tools", object{"name": "planted", "config": object{
		"actions": []any{object{"type": "api_call", "url": "http://127.0.0.1:9/", "headers": object{"X-Token": s.new("tool header")}}}}}, nil)

	var call struct {
		ID    string `json:"call_id"`
		Token string
	}
	context := object{"name": s.new("user context"), "nested": object{"list": []any{s.new("nested context")}}, s.new("context field"): 1}
	header := key.Clone()
	header.Set("Idempotency-Key", "once")
	s.must(t, header, http.MethodPost, "/api/v1/calls", object{"workflow_slug": newWorkflow(t, s.acme), "user_context": context}, &call)
	s.planted["join token"] = call.Token
	s.must(t, key, http.MethodPost, "/api/v1/calls/"+call.ID+"/end", nil, nil)
	for deadline := time.Now().Add(patience); !strings.Contains(s.received.String(), "planted-user-context") && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
	}
}

// provoke makes errors of every kind out of requests that hold the secrets.
func (s *secrets) provoke(t *testing.T) {
	for what, secret := range s.planted {
		for _, r := range []request{
			{method: http.MethodPost, path: "/api/v1/auth/login", body: encoded(t, object{"email": "nobody@example.com", "password": secret})},
			{method: http.MethodPost, path: "/api/v1/auth/login", body: encoded(t, object{"email": object{"a": 1}, "password": []any{secret}})},
			{method: http.MethodPost, path: "/api/v1/auth/refresh", body: encoded(t, object{"refresh_token": secret + "x"})},
			{method: http.MethodPost, path: "/api/v1/auth/refresh", body: encoded(t, object{"refresh_token": []any{secret}})},
			{method: http.MethodGet, path: "/api/v1/agents", header: apiKey(secret + "x")},
			{method: http.MethodGet, path: "/api/v1/agents", header: bearer(secret + "x")},
			{method: http.MethodPost, path: "/api/v1/calls", header: apiKey(s.acme.key), body: encoded(t, object{"workflow_slug": "none", "user_context": object{"k": secret}})},
			{method: http.MethodPost, path: "/api/v1/calls", header: apiKey(s.acme.key), body: encoded(t, object{"workflow_slug": 1, "user_context": []any{secret}})},
			{method: http.MethodPost, path: "/api/v1/calls", header: apiKey(s.acme.key), body: []byte(`{"user_context": {"k": "` + secret + `"`)},
			{method: http.MethodPost, path: "/api/v1/provider-keys", header: apiKey(s.acme.key), body: encoded(t, object{"provider_type": "stt", "provider_name": "none", "api_key": secret + " x"})},
			{method: http.MethodPost, path: "/api/v1/webhooks", header: apiKey(s.acme.key), body: encoded(t, object{"url": "http://u:" + secret + "@127.0.0.1/", "headers": object{"Host": secret}})},
			{method: http.MethodGet, path: "/api/v1/nothing/" + segment(secret) + "?key=" + segment(secret)},
			{method: http.MethodDelete, path: "/api/v1/webhooks/deliveries/" + segment(secret), header: apiKey(s.acme.key)},
		} {
			a := s.send(t, r)
			if a.status < 400 {
				t.Errorf("%v is answered %v, want an error", r, a)
			}
			s.search(t, "the error of a request with the "+what, a.body)
			s.errors++
		}
	}
}

// search looks for the secrets, plain or in the usual clothes.
func (s *secrets) search(t *testing.T, where string, text []byte) {
	t.Helper()
	for what, secret := range s.planted {
		quoted, err := json.Marshal(secret)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []string{secret, strings.Trim(string(quoted), `"`), hex.EncodeToString([]byte(secret)), base64.StdEncoding.EncodeToString([]byte(secret))[:len(secret)/3*4]} {
			if bytes.Contains(text, []byte(form)) {
				t.Errorf("%s holds the %s", where, what)
				break
			}
		}
	}
}

// files searches all that lies in the data folder.
func (s *secrets) files(t *testing.T, when string) {
	t.Helper()
	var names []string
	seen := false
	err := filepath.WalkDir(s.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		names = append(names, entry.Name())
		s.search(t, entry.Name()+" "+when, text)
		seen = seen || bytes.Contains(text, []byte(s.acme.marker))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !seen {
		t.Errorf("%s what is no secret is in none of %q: this search would see nothing", when, names)
	}
}
