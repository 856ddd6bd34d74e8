package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/seal"
	"parley/internal/template"
)

func newSealer(t *testing.T, key byte) *seal.Sealer {
	t.Helper()
	s, err := seal.New(bytes.Repeat([]byte{key}, seal.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const withHeaders = `{"actions": [
	{"type": "api_call", "url": "https://api.example.com/a", "headers": {"Authorization": "Bearer sk-live-4711", "X-User": "Bearer {{user.token}}", "X-Mixed": "key-{{user.id}}"},
	 "on_success": [{"type": "api_call", "url": "https://api.example.com/b/{{params.x}}", "headers": {"authorization": "Bearer sk-live-0815"}}]},
	{"type": "api_call", "url": "https://other.example.com/a", "headers": {"Authorization": "Bearer sk-other-1"}}]}`

// headers returns the opened header values of a configuration by place and name.
func headers(t *testing.T, s *seal.Sealer, tool string, c Config) map[string]string {
	t.Helper()
	opened := map[string]string{}
	c.withHeaders(func(at site, value string) string {
		plain, err := openHeader(s, headerPlace(acme, tool), value)
		if err != nil {
			t.Errorf("%s.%s: %v", at.path, at.name, err)
		}
		opened[at.path+" "+at.name] = plain
		return value
	})
	return opened
}

// Static header values are stored sealed, and shown masked; a patch with the mask keeps them.
func TestStaticHeadersAreSealed(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, _ Store) {
		if _, _, err := s.Create(ctx, Draft{Name: "pay", Config: new(configOf(t, withHeaders))}); err != nil {
			t.Fatal(err)
		}
		stored := func() string {
			var text string
			err := db.Tenant(acme).Read(ctx, func(ctx context.Context, tx database.Tx) error {
				return tx.NewSelect().Table("tools").ColumnExpr("CAST(config AS text)").Where("name = 'pay'").Scan(ctx, &text)
			})
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		if text := stored(); strings.Contains(text, "sk-") || strings.Contains(text, "key-") || !strings.Contains(text, "Bearer {{user.token}}") {
			t.Errorf("stored %s", text)
		}
		made, err := s.Get(ctx, "pay")
		if err != nil {
			t.Fatal(err)
		}
		shown, _ := json.Marshal(made.Config.Masked())
		if text := string(shown); strings.Contains(text, "sealed") || strings.Count(text, seal.Masked) != 4 || !strings.Contains(text, "Bearer {{user.token}}") {
			t.Errorf("shown %s", text)
		}
		// The first two actions are moved, and a new one comes before them.
		var document map[string]any
		if err := json.Unmarshal(shown, &document); err != nil {
			t.Fatal(err)
		}
		actions := document["actions"].([]any)
		actions = append([]any{map[string]any{"type": "respond", "message": "x"}}, actions...)
		patch, _ := json.Marshal(map[string]any{"config": map[string]any{"actions": actions}})
		if made, _, err = s.Update(ctx, "pay", patch); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{
			"config.actions[1] Authorization": "Bearer sk-live-4711", "config.actions[1] X-User": "Bearer {{user.token}}", "config.actions[1] X-Mixed": "key-{{user.id}}",
			"config.actions[1].on_success[0] authorization": "Bearer sk-live-0815", "config.actions[2] Authorization": "Bearer sk-other-1",
		}
		for at, value := range headers(t, s.registry.Sealer, "pay", made.Config) {
			if want[at] != value {
				t.Errorf("%s is %q, want %q", at, value, want[at])
			}
		}
		if text := stored(); strings.Contains(text, "sk-") {
			t.Errorf("stored %s", text)
		}
		if paths := template.Paths(strings.Join(made.Config.Texts(), " ")); !strings.Contains(strings.Join(paths, " "), "user.id") {
			t.Errorf("a sealed header hides its references: %v", paths)
		}
	})
}

// A masked value is not sent to another server than the stored one, and means nothing without a stored one.
func TestMaskedHeadersStayWithTheirServer(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, _ *database.DB, s, _ Store) {
		masked := func(url string) string {
			return `{"actions": [{"type": "api_call", "url": "` + url + `", "headers": {"Authorization": "` + seal.Masked + `"}}]}`
		}
		refused := func(err error, path string) {
			t.Helper()
			var f *fault.Error
			if !errors.As(err, &f) || len(f.Details) != 1 || f.Details[0].Field != path {
				t.Errorf("error %v", err)
			}
		}
		_, _, err := s.Create(ctx, Draft{Name: "pay", Config: new(configOf(t, masked("https://api.example.com/a")))})
		refused(err, "config.actions[0].headers.Authorization")
		if _, _, err := s.Create(ctx, Draft{Name: "pay", Config: new(configOf(t, withHeaders))}); err != nil {
			t.Fatal(err)
		}
		_, _, err = s.Update(ctx, "pay", []byte(`{"config": `+masked("https://thief.example.com/a")+`}`))
		refused(err, "config.actions[0].headers.Authorization")
		_, _, err = s.Update(ctx, "pay", []byte(`{"config": `+masked("https://api.example.com/new")+`}`))
		if err != nil {
			t.Errorf("another path of the same server at the same place: %v", err)
		}
	})
}

// What a version before has stored is sealed, once, and a tool of another tenant does not open it.
func TestStoredHeadersAreSealed(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, _ Store) {
		if _, _, err := s.Create(ctx, Draft{Name: "pay", Config: new(configOf(t, withHeaders))}); err != nil {
			t.Fatal(err)
		}
		plain, _ := json.Marshal(configOf(t, withHeaders))
		err := db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
			_, err := tx.ExecContext(ctx, "UPDATE tools SET config = ?, headers_sealed = ?", string(plain), false)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := SealStored(ctx, db, s.registry.Sealer); err != nil {
				t.Fatal(err)
			}
		}
		made, err := s.Get(ctx, "pay")
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := json.Marshal(made.Config); bytes.Contains(text, []byte("sk-")) {
			t.Errorf("stored %s", text)
		}
		if got := headers(t, s.registry.Sealer, "pay", made.Config)["config.actions[0] Authorization"]; got != "Bearer sk-live-4711" {
			t.Errorf("opened %q", got)
		}
		sealed := made.Config.Actions[0].Headers["Authorization"]
		if _, err := openHeader(s.registry.Sealer, headerPlace(other, "pay"), sealed); !errors.Is(err, seal.ErrOpen) {
			t.Errorf("another tenant opens it: %v", err)
		}
	})
}

// vault is a tenant's secrets by name; "away" cannot be read.
type vault map[string]string

func (v vault) Secret(_ context.Context, name string) (string, bool, error) {
	if name == "away" {
		return "", false, errors.New("the secret away cannot be read: the database is not available")
	}
	value, exists := v[name]
	return value, exists, nil
}

func (v vault) run(t *testing.T, config Config) (Outcome, []Request) {
	t.Helper()
	sealer := newSealer(t, 7)
	r := NewRunner(true)
	t.Cleanup(r.Close)
	call := Call{Name: "pay", Tenant: Tenant{ID: acme, Sealer: sealer, Secrets: v}, Tool: Definition{Config: config.SealHeaders(sealer, acme, "pay")},
		Arguments: json.RawMessage(`{}`), Scope: scope()}
	tried, requests := r.Try(t.Context(), call)
	o := r.Run(t.Context(), call)
	if o.Answer != tried.Answer {
		t.Errorf("a call gets %q, a trial %q", o.Answer, tried.Answer)
	}
	return o, requests
}

// Secrets and static headers are in the request, and in nothing else: a server that repeats what it was sent does not get them to the
// model, the state, or the answer of a trial.
func TestSecretsAreOnlyInTheRequest(t *testing.T) {
	b := newBackend(t, echo)
	config := Config{Actions: b.actions(t, `[{"type":"api_call","url":"HOST/x?key={{secrets.key}}","headers":{"Authorization":"Bearer sk-live-4711","X-Key":"{{secrets.key}}"},
		"body":{"key":"{{secrets.key}}","text":"is {{secrets.key}}, {{user.name}}"},
		"on_success":[{"type":"set_context","key":"echo","value":"{{result}}"},{"type":"set_context","key":"key","value":"{{secrets.key}}"}]}]`)}
	o, requests := vault{"key": `s3cr€t "key" 77`}.run(t, config)
	for n, got := range b.seen() {
		if got.Header.Get("Authorization") != "Bearer sk-live-4711" || got.Header.Get("X-Key") != `s3cr€t "key" 77` || !strings.Contains(got.Body, `is s3cr€t \"key\" 77, `) || !strings.Contains(got.URI, "key=s3cr%E2%82%ACt") {
			t.Errorf("request %d: %+v", n, got)
		}
	}
	shown, err := json.Marshal(map[string]any{"outcome": o, "requests": requests})
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"s3cr", "sk-live"} {
		if bytes.Contains(shown, []byte(form)) {
			t.Errorf("%s is in %s", form, shown)
		}
	}
	if !strings.Contains(o.Answer, "is ***, ") || requests[0].Headers["Authorization"] != "***" || requests[0].Headers["X-Key"] != "***" || !strings.Contains(requests[0].URL, "key=%2A%2A%2A") {
		t.Errorf("answer %s, requests %+v", o.Answer, requests)
	}
}

// A request with a secret that has no value is not sent.
func TestRequestsWithoutTheirSecretAreNotSent(t *testing.T) {
	for reference, want := range map[string]string{"{{secrets.none}}": "there is no secret none", "{{secrets.away}}": "the database is not available", "{{secrets}}": ""} {
		b := newBackend(t, says(200, "ok"))
		o, _ := vault{"key": "12345678"}.run(t, Config{Actions: b.actions(t, `[{"type":"api_call","url":"HOST/","headers":{"X-Key":"`+reference+`"}}]`)})
		if got := strings.Join(messages(o.Problems), "; "); want != "" && (len(b.seen()) != 0 || !strings.Contains(got, want)) {
			t.Errorf("%s: %d requests, %s", reference, len(b.seen()), got)
		}
		for _, got := range b.seen() {
			if got.Header.Get("X-Key") != "" {
				t.Errorf("%s is %q", reference, got.Header.Get("X-Key"))
			}
		}
	}
}
