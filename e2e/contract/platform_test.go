package contract

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"parley/e2e/binary"
	"parley/internal/database/databasetest"
	"parley/internal/redis/redistest"
)

const (
	jwtSecret     = "a secret of tests, of thirty-two characters"
	encryptionKey = "0123456789abcdef0123456789abcdef"
	password      = "correct horse battery staple"
)

// platform is a server with two tenants.
type platform struct {
	*binary.Server
	document *document
	acme     *tenant
	other    *tenant
	// received are the bodies that webhooks brought.
	received *inbox
	settings map[string]string
}

// eachDatabase runs f as a subtest on SQLite, and on PostgreSQL and Redis, each with its own server.
func eachDatabase(t *testing.T, settings map[string]string, flags []string, f func(t *testing.T, p *platform)) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		f(t, newPlatform(t, settings, flags...))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		with := maps.Clone(settings)
		if with == nil {
			with = map[string]string{}
		}
		with["DATABASE_URL"], with["REDIS_URL"] = databasetest.PostgresURL(t), redistest.Start(t).URL
		f(t, newPlatform(t, with, flags...))
	})
}

func newPlatform(t *testing.T, settings map[string]string, flags ...string) *platform {
	t.Helper()
	p := &platform{received: newInbox(t), settings: map[string]string{
		"JWT_SECRET": jwtSecret, "ENCRYPTION_KEY": encryptionKey, "PARLEY_DEMO": "false", "PARLEY_LOG_LEVEL": "debug",
		"PARLEY_JOIN_TIMEOUT":       "1h",                 // calls stay as they are made
		"PARLEY_SESSION_RATE_LIMIT": "0",                  // the tests are faster than a person
		"HTTPS_PROXY":               "http://127.0.0.1:9", // checks of keys go nowhere
		"PARLEY_DATA_DIR":           filepath.Join(t.TempDir(), "data"),
	}}
	maps.Copy(p.settings, settings)
	var err error
	if p.Server, err = binary.Start(program, p.settings["PARLEY_DATA_DIR"], p.settings, flags...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
		for line := range strings.Lines(p.Log.String()) {
			// A disk that a busy machine keeps waiting fails the health check, rightly.
			if strings.Contains(line, "level=ERROR") && !strings.Contains(line, `msg="health check failed"`) {
				t.Errorf("the server logged an error: %s", line)
			}
		}
	})
	p.document = p.describe(t)
	p.acme, p.other = p.tenant(t, "acme"), p.tenant(t, "other") // of different length: see phone
	return p
}

// command runs an administrative command beside the server and decodes what it prints.
func (p *platform) command(t *testing.T, made any, args ...string) {
	t.Helper()
	c, err := binary.Launch(program, p.settings, append(args, "--json")...)
	if err != nil {
		t.Fatal(err)
	}
	limited, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if code, err := c.Wait(limited); err != nil || code != 0 {
		t.Fatalf("parley %s: exit code %d, %v\n%s", strings.Join(args, " "), code, err, c.Log.String())
	}
	if err := json.Unmarshal([]byte(c.Out.String()), made); err != nil {
		t.Fatalf("parley %s prints %q: %v", strings.Join(args, " "), c.Out.String(), err)
	}
}

// tenant is a tenant with a user and a key that may do everything.
type tenant struct {
	*platform
	name, id string
	// marker is in every text that the tenant stores, and in nothing that others send.
	marker string
	user   struct{ id, email string }
	key    string
	keys   map[string]string // by their scopes
	made   int
}

func (p *platform) tenant(t *testing.T, name string) *tenant {
	t.Helper()
	of := &tenant{platform: p, name: name, marker: "kept by " + name + " alone", keys: map[string]string{}}
	var made struct{ ID, Key string }
	p.command(t, &made, "tenant", "create", name)
	of.id = made.ID
	of.user.email = name + "@example.com"
	p.command(t, &made, "user", "create", "--tenant", name, "--email", of.user.email, "--password", password)
	of.user.id = made.ID
	p.command(t, &made, "key", "create", "--tenant", name, "--name", "everything", "--scopes", "*", "--rate-limit", "100000")
	of.key = made.Key
	return of
}

// fresh is a name that the tenant has not used.
func (of *tenant) fresh(kind string) string {
	of.made++
	return fmt.Sprintf("%s-%s-%08x", of.name, kind, of.made)
}

// keyWith is an API key with some scopes.
func (of *tenant) keyWith(t *testing.T, scopes ...string) string {
	t.Helper()
	name := strings.Join(scopes, " ")
	if of.keys[name] == "" {
		_, of.keys[name] = of.newKey(t, scopes...)
	}
	return of.keys[name]
}

func (of *tenant) newKey(t *testing.T, scopes ...string) (id, key string) {
	t.Helper()
	var made struct{ ID, Key string }
	of.must(t, bearer(of.session("*")), http.MethodPost, "/api/v1/auth/api-keys",
		object{"name": of.fresh("key"), "environment": "live", "scopes": scopes, "rate_limit": 100_000}, &made)
	return made.ID, made.Key
}

// session is an access token of the tenant's user, as the service signs it.
func (of *tenant) session(scopes ...string) string {
	return of.token(jwt.SigningMethodHS256, []byte(jwtSecret), "access", time.Now().Add(time.Hour), scopes...)
}

func (of *tenant) token(method jwt.SigningMethod, secret any, kind string, expires time.Time, scopes ...string) string {
	signed, err := jwt.NewWithClaims(method, jwt.MapClaims{
		"sub": of.user.id, "tenant_id": of.id, "type": kind, "scopes": scopes, "iat": expires.Add(-2 * time.Hour).Unix(), "exp": expires.Unix(),
	}).SignedString(secret)
	if err != nil {
		panic(err) // the claims are of this file
	}
	return signed
}

// login signs the tenant's user in.
func (of *tenant) login(t *testing.T) (access, refresh string) {
	t.Helper()
	var made struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	of.must(t, nil, http.MethodPost, "/api/v1/auth/login", object{"email": of.user.email, "password": password}, &made)
	return made.Access, made.Refresh
}

type object = map[string]any

// create makes something with the tenant's own key and returns its field.
func (of *tenant) create(t *testing.T, path string, body any, field string) string {
	t.Helper()
	var made object
	of.must(t, apiKey(of.key), http.MethodPost, path, body, &made)
	value, ok := made[field].(string)
	if !ok {
		t.Fatalf("POST %s answers no %s: %v", path, field, made)
	}
	return value
}

// must sends a request that has to succeed, and decodes the answer.
func (p *platform) must(t *testing.T, credential http.Header, method, path string, body, v any) {
	t.Helper()
	a := p.send(t, request{method: method, path: path, header: credential, body: encoded(t, body)})
	if a.status >= 300 {
		t.Fatalf("%s %s answers %d: %s", method, path, a.status, a.body)
	}
	if v == nil {
		return
	}
	if err := json.Unmarshal(a.body, v); err != nil {
		t.Fatalf("%s %s answers %s: %v", method, path, a.body, err)
	}
}

func encoded(t *testing.T, body any) []byte {
	t.Helper()
	switch file, isFile := body.([]byte); {
	case body == nil:
		return nil
	case isFile:
		return file
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func apiKey(key string) http.Header   { return http.Header{"X-Api-Key": {key}} }
func bearer(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }

// inbox is a webhook endpoint that records what it receives.
type inbox struct {
	*httptest.Server
	mu     sync.Mutex
	bodies bytes.Buffer
}

func newInbox(t *testing.T) *inbox {
	b := &inbox{}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		defer b.mu.Unlock()
		_, _ = b.bodies.ReadFrom(r.Body)
		b.bodies.WriteByte('\n')
	}))
	t.Cleanup(b.Close)
	return b
}

func (b *inbox) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bodies.String()
}
