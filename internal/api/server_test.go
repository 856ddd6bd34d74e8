package api

import (
	"bytes"
	"encoding/json"
	"flag"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/fault"
	"parley/internal/redis"
	"parley/internal/redis/redistest"
)

const (
	acme  = "0193a6f0-0000-7000-8000-000000000001"
	other = "0193a6f0-0000-7000-8000-000000000002"
)

// shared has the tests of this package run over what several servers share.
var shared = flag.Bool("shared", false, "run over a private PostgreSQL cluster and redis-server, instead of SQLite files and memory")

// cheap is the lowest cost of argon2id.
var cheap = auth.PasswordCost{Memory: 8, Iterations: 1}

// service is the API over a fresh database, called without a network.
type service struct {
	*Server
	t           testing.TB
	db          *database.DB
	log         *bytes.Buffer
	credentials map[string]string // by the names that do knows
	description *openapi3.T
}

func newService(t testing.TB, change ...func(*Deps)) *service {
	t.Helper()
	var db *database.DB
	var limiter auth.Limiter // nil for one in memory
	if *shared {
		db, limiter = databasetest.Postgres(t), redisLimiter(t)
	} else {
		db = databasetest.SQLite(t)
	}
	databasetest.Tenant(t, db, acme, "acme")
	databasetest.Tenant(t, db, other, "other")
	// Its clock is fixed, so that limits per minute are exact on a machine of any speed.
	now := time.Now()
	identity, err := auth.New(auth.Options{DB: db, Secret: []byte("0123456789abcdef0123456789abcdef"), KeySecrets: [][]byte{[]byte("fedcba9876543210fedcba9876543210")},
		Limiter: limiter, PasswordCost: cheap, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	log := &bytes.Buffer{}
	deps := Deps{
		DB: db, Version: "1.2.3", Log: slog.New(slog.NewJSONHandler(log, nil)), Auth: identity,
		Docs: fstest.MapFS{"swagger.html": {Data: []byte("<html>")}, "redoc.html": {Data: []byte("<html>")}, "app.js": {Data: []byte("1")}},
	}
	for _, f := range change {
		f(&deps)
	}
	server, err := New(deps)
	if err != nil {
		t.Fatal(err)
	}
	s := &service{Server: server, t: t, db: db, log: log, credentials: map[string]string{}}
	s.description = apiDescription(t, s.huma.OpenAPI())
	s.key("full", acme, "*")
	s.key("stranger", other, "*")
	return s
}

func redisLimiter(t testing.TB) auth.Limiter {
	t.Helper()
	client, err := redis.Open(t.Context(), redistest.DatabaseURL(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	limiter, err := auth.NewRedisLimiter(client, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return limiter
}

// key makes an API key of a tenant, which do then knows under a name.
func (s *service) key(name, tenantID string, scopes ...string) {
	s.t.Helper()
	_, secret, err := s.deps.Auth.CreateKey(s.t.Context(), tenantID, auth.KeyDraft{Name: name, Environment: auth.Live, Scopes: scopes, RateLimit: auth.MaxRateLimit})
	if err != nil {
		s.t.Fatal(err)
	}
	s.credentials[name] = secret
}

// session makes a user and signs them in; do knows the access token under the
// user's e-mail address.
func (s *service) session(email, tenantID string, scopes ...string) *auth.Session {
	s.t.Helper()
	if _, err := s.deps.Auth.CreateUser(s.t.Context(), tenantID, email, "open sesame, please", scopes); err != nil {
		s.t.Fatal(err)
	}
	made := s.signIn(email)
	s.credentials[email] = made.AccessToken
	return made
}

// signIn signs in a user that session made.
func (s *service) signIn(email string) *auth.Session {
	s.t.Helper()
	made, err := s.deps.Auth.Login(s.t.Context(), email, "open sesame, please", netip.Addr{})
	if err != nil {
		s.t.Fatal(err)
	}
	return made
}

// do sends a request with a credential (a key of credentials, any other text, or "" for none) and a JSON body ("" for none).
// headers are names and values in turn.
func (s *service) do(credential, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	s.t.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if credential != "" {
		if secret, named := s.credentials[credential]; named {
			credential = secret
		}
		r.Header.Set("Authorization", "Bearer "+credential)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	s.asDescribed(r, w)
	return w
}

// asDescribed checks an answer against the API's description.
func (s *service) asDescribed(r *http.Request, w *httptest.ResponseRecorder) {
	s.t.Helper()
	_, pattern := s.mux.Handler(r)
	method, path, _ := strings.Cut(pattern, " ")
	item := s.description.Paths.Value(path)
	if item == nil || item.GetOperation(method) == nil {
		return // no route, or a test's own
	}
	answer := item.GetOperation(method).Responses.Status(w.Code)
	switch {
	case answer == nil:
		s.t.Errorf("%s answers %d, which is not described: %s", pattern, w.Code, w.Body)
	case len(answer.Value.Content) == 0:
		if w.Body.Len() > 0 {
			s.t.Errorf("%s answers %d with a body: %s", pattern, w.Code, w.Body)
		}
	case answer.Value.Content["application/json"] != nil:
		var body any
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
			s.t.Fatalf("%s: body %s: %v", pattern, w.Body, err)
		}
		if err := answer.Value.Content["application/json"].Schema.Value.VisitJSON(body); err != nil {
			s.t.Errorf("%s: %s is not as described: %v", pattern, w.Body, err)
		}
		if w.Code == http.StatusForbidden || w.Code == http.StatusNotFound {
			s.exemplified(pattern, answer.Value.Content["application/json"].Examples, body)
		}
	}
}

// exemplified checks that an error is one of the description's examples.
func (s *service) exemplified(pattern string, examples openapi3.Examples, body any) {
	s.t.Helper()
	for _, example := range examples {
		if reflect.DeepEqual(example.Value.Value, body) {
			return
		}
	}
	s.t.Errorf("%s: no example of %v", pattern, body)
}

// want checks an answer's status and decodes its body into v, if v is given.
func (s *service) want(w *httptest.ResponseRecorder, status int, v any) {
	s.t.Helper()
	if w.Code != status {
		s.t.Fatalf("status %d, want %d: %s", w.Code, status, w.Body)
	}
	if v == nil {
		return
	}
	if err := json.Unmarshal(w.Body.Bytes(), v); err != nil {
		s.t.Fatalf("body %s: %v", w.Body, err)
	}
}

// refused checks that an answer is an error in its envelope, and returns the
// faulty fields.
func (s *service) refused(w *httptest.ResponseRecorder, status int, code fault.Code) map[string]string {
	s.t.Helper()
	var envelope wire.Envelope
	s.want(w, status, &envelope)
	if envelope.Error.Code != code || envelope.Error.Message == "" {
		s.t.Fatalf("error %s, want code %s and a message", w.Body, code)
	}
	if kind := w.Header().Get("Content-Type"); kind != "application/json" {
		s.t.Fatalf("an error of type %q", kind)
	}
	if w.Header().Get("X-Request-Id") == "" {
		s.t.Fatal("an error without X-Request-Id")
	}
	fields := map[string]string{}
	for _, d := range envelope.Error.Details {
		fields[d.Field] = d.Message
	}
	return fields
}
