package variable

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/fault"
	"parley/internal/seal"
)

const (
	acme  = "0193a6f0-0000-7000-8000-000000000001"
	other = "0193a6f0-0000-7000-8000-000000000002"
)

func newSealer(t *testing.T, key byte) *seal.Sealer {
	t.Helper()
	s, err := seal.New(bytes.Repeat([]byte{key}, seal.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// each runs f on both databases, with two tenants.
func each(t *testing.T, f func(t *testing.T, ctx context.Context, db *database.DB, sealer *seal.Sealer)) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		databasetest.Tenant(t, db, acme, "acme")
		databasetest.Tenant(t, db, other, "other")
		f(t, t.Context(), db, newSealer(t, 7))
	})
}

func code(err error) fault.Code {
	var f *fault.Error
	if errors.As(err, &f) {
		return f.Code
	}
	return ""
}

func TestVariables(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, sealer *seal.Sealer) {
		s, foreign := Variables(db.Tenant(acme)), Variables(db.Tenant(other))
		made, err := s.Create(ctx, "hours", new("9 to 17"))
		if err != nil || made.Value != "9 to 17" {
			t.Fatal(made, err)
		}
		if _, err := s.Create(ctx, "hours", new("x")); code(err) != fault.Conflict {
			t.Errorf("again: %v", err)
		}
		if _, err := Secrets(db.Tenant(acme), sealer).Create(ctx, "hours", new("a-secret-of-the-same-name")); err != nil {
			t.Errorf("a secret of the same name: %v", err)
		}
		for _, name := range []string{"", "a-b", "1a", "a.b", strings.Repeat("a", 65)} {
			if _, err := s.Create(ctx, name, new(strings.Repeat("x", MaxValue+1))); code(err) != fault.Validation {
				t.Errorf("%q: %v", name, err)
			}
		}
		if _, err := foreign.Get(ctx, "hours"); code(err) != fault.NotFound {
			t.Errorf("another tenant: %v", err)
		}
		if err := foreign.Delete(ctx, "hours"); code(err) != fault.NotFound {
			t.Errorf("another tenant: %v", err)
		}
		if changed, err := s.Update(ctx, "hours", "8 to 18"); err != nil || changed.Value != "8 to 18" {
			t.Errorf("changed: %+v, %v", changed, err)
		}
		err = db.Tenant(acme).Read(ctx, func(ctx context.Context, tx database.Tx) error {
			values, err := Values(ctx, tx)
			if err != nil || len(values) != 1 || values["hours"] != "8 to 18" {
				t.Errorf("values %v, %v", values, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if page, total, err := s.List(ctx, 10, 0); err != nil || total != 1 || page[0].Value != "8 to 18" {
			t.Errorf("list %+v, %d, %v", page, total, err)
		}
		if err := s.Delete(ctx, "hours"); err != nil {
			t.Error(err)
		}
	})
}

// Secrets are stored sealed, never returned, and opened only for their tenant and name.
func TestSecrets(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, sealer *seal.Sealer) {
		s := Secrets(db.Tenant(acme), sealer)
		made, err := s.Create(ctx, "key", new("sk-live-4711"))
		if err != nil || made.Value != "" || made.Stored != nil {
			t.Fatal(made, err)
		}
		if _, err := s.Create(ctx, "short", new("1234567")); code(err) != fault.Validation {
			t.Errorf("a short secret: %v", err)
		}
		var stored []byte
		err = db.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
			return tx.NewSelect().Table("variables").Column("value").Scan(ctx, &stored)
		})
		if err != nil || bytes.Contains(stored, []byte("sk-live")) {
			t.Errorf("stored %q, %v", stored, err)
		}
		if page, _, err := s.List(ctx, 10, 0); err != nil || len(page) != 1 || page[0].Value != "" || page[0].Stored != nil {
			t.Errorf("list %+v, %v", page, err)
		}
		r := NewReader(db.Tenant(acme), sealer)
		read := func(r *Reader, name string) string {
			t.Helper()
			value, exists, err := r.Secret(ctx, name)
			if err != nil || !exists {
				return "none"
			}
			return value
		}
		if got := read(r, "key"); got != "sk-live-4711" {
			t.Errorf("read %q", got)
		}
		if got := read(NewReader(db.Tenant(other), sealer), "key"); got != "none" {
			t.Errorf("another tenant reads %q", got)
		}
		if _, err := s.Update(ctx, "key", "sk-live-0815"); err != nil {
			t.Fatal(err)
		}
		if got := read(r, "key"); got != "sk-live-0815" {
			t.Errorf("after a change: %q", got)
		}
		if _, _, err := NewReader(db.Tenant(acme), newSealer(t, 8)).Secret(ctx, "key"); err == nil || !strings.Contains(err.Error(), "encryption key that is gone") {
			t.Errorf("with another encryption key: %v", err)
		}
		// While the database is away, what was read before is used.
		gone, cancel := context.WithCancel(ctx)
		cancel()
		if value, exists, err := r.Secret(gone, "key"); value != "sk-live-0815" || !exists || err != nil {
			t.Errorf("without the database: %q, %v, %v", value, exists, err)
		}
		if _, _, err := r.Secret(gone, "unread"); err == nil {
			t.Error("a secret that was not read before is missing rather than unreadable")
		}
		if err := s.Delete(ctx, "key"); err != nil {
			t.Fatal(err)
		}
		if got := read(r, "key"); got != "none" {
			t.Errorf("after the deletion: %q", got)
		}
	})
}

// Names that a tenant does not have are warned of, once for each field.
func TestAbsentNames(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, sealer *seal.Sealer) {
		if _, err := Variables(db.Tenant(acme)).Create(ctx, "hours", new("9 to 17")); err != nil {
			t.Fatal(err)
		}
		paths := []string{"vars.hours", "vars.none", "secrets.key", "user.name", "vars"}
		named := append(References("url", paths, true), References("message", paths, false)...)
		var found fault.Findings
		err := db.Tenant(acme).Read(ctx, func(ctx context.Context, tx database.Tx) error {
			return WarnOfAbsent(ctx, tx, append(named, named...), &found)
		})
		want := "url: there is no variable none|url: there is no secret key: the request will not be sent|message: there is no variable none"
		if got := strings.Join(found.Warnings, "|"); err != nil || got != want {
			t.Errorf("warnings %s, %v", got, err)
		}
	})
}

// usedBy are the records that refer to the secret key.
type usedBy []string

func (u usedBy) UsingSecret(_ context.Context, _ database.Tx, secret string) ([]string, error) {
	if secret != "key" {
		return nil, nil
	}
	return u, nil
}

// A secret that records refer to stays, and the conflict names them.
func TestSecretsInUse(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, sealer *seal.Sealer) {
		for want, r := range map[string]SecretRegistry{
			"the secret key is used by the active agents desk, hall: take it out of them first": {Agents: usedBy{"desk", "hall"}, Tools: usedBy{}},
			"the secret key is used by the tools look_up: take it out of them first":            {Agents: usedBy{}, Tools: usedBy{"look_up"}},
			"": {Agents: usedBy{}},
		} {
			r.Sealer = sealer
			s := r.In(db.Tenant(acme))
			for _, name := range []string{"key", "free"} {
				if _, err := s.Create(ctx, name, new("sk-live-4711")); err != nil && code(err) != fault.Conflict {
					t.Fatal(err)
				}
			}
			if err := s.Delete(ctx, "free"); err != nil {
				t.Errorf("a secret that nothing refers to: %v", err)
			}
			err := s.Delete(ctx, "key")
			var f *fault.Error
			switch {
			case want == "" && err != nil:
				t.Error(err)
			case want != "" && (!errors.As(err, &f) || f.Code != fault.Conflict || f.Message != want):
				t.Errorf("error %v, want %s", err, want)
			}
		}
	})
}
