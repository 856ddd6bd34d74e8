package providerkey

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/fault"
	"parley/internal/seal"
)

const (
	acme   = "0193a6f0-0000-7000-8000-000000000001"
	other  = "0193a6f0-0000-7000-8000-000000000002"
	secret = "sk-very-secret-0815"
)

// catalogue holds the providers by kind.
type catalogue map[string][]string

func (c catalogue) Names(kind string) []string { return c[kind] }
func (c catalogue) Has(kind, name string) bool {
	for _, n := range c[kind] {
		if n == name {
			return true
		}
	}
	return false
}

func registry(t *testing.T) Registry {
	t.Helper()
	sealer, err := seal.New(bytes.Repeat([]byte{7}, seal.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	return Registry{Providers: catalogue{"stt": {"deepgram", "assemblyai"}, "llm": {"openai"}, "tts": {"cartesia"}}, Sealer: sealer}
}

// each runs f on both databases with the stores of two tenants.
func each(t *testing.T, f func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store)) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		databasetest.Tenant(t, db, acme, "acme")
		databasetest.Tenant(t, db, other, "other")
		r := registry(t)
		f(t, context.Background(), db, r.In(db.Tenant(acme)), r.In(db.Tenant(other)))
	})
}

func create(t *testing.T, s Store, d Draft) *Key {
	t.Helper()
	k, err := s.Create(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func (s Store) opened(t *testing.T, kind, name string) string {
	t.Helper()
	ring, err := s.Ring(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	key, err := ring.Key(kind, name)
	if err != nil {
		t.Fatal(err)
	}
	if key == "" {
		key = "none"
	}
	if held := s.held(t)[[2]string{kind, name}]; held != (key != "none") {
		t.Errorf("%s %s: key %q, held %t", kind, name, key, held)
	}
	return key
}

func (s Store) held(t *testing.T) (held map[[2]string]bool) {
	t.Helper()
	err := s.scope.Read(t.Context(), func(ctx context.Context, tx database.Tx) (err error) {
		held, err = Held(ctx, tx)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return held
}

func TestKeysAreSealedAndFound(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		k := create(t, s, Draft{ProviderType: "stt", ProviderName: "deepgram", APIKey: secret})
		if k.Hint != "0815" || k.IsDefault || k.CreatedAt.IsZero() {
			t.Errorf("made %+v", k)
		}
		if got := s.opened(t, "stt", "deepgram"); got != secret {
			t.Errorf("opened %q", got)
		}
		if bytes.Contains(k.Sealed, []byte("very")) {
			t.Error("the key is stored as it is")
		}
		for _, absent := range []string{foreign.opened(t, "stt", "deepgram"), s.opened(t, "llm", "deepgram"), s.opened(t, "stt", "assemblyai")} {
			if absent != "none" {
				t.Errorf("found %q", absent)
			}
		}
		// A row moved to another tenant does not open.
		err := db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
			_, err := tx.ExecContext(ctx, "UPDATE provider_keys SET tenant_id = ?", other)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		ring, err := foreign.Ring(ctx)
		if err != nil {
			t.Fatal(err)
		}
		_, err = ring.Key("stt", "deepgram")
		if !errors.Is(err, seal.ErrOpen) || !strings.Contains(err.Error(), "the tenant's own key "+k.ID+" cannot be used") {
			t.Errorf("a moved key: %v", err)
		}
	})
}

func TestDefaultsAndPreference(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		create(t, foreign, Draft{"stt", "deepgram", "foreign", true})
		create(t, s, Draft{"llm", "openai", "other-type", true})
		create(t, s, Draft{"stt", "deepgram", "first", true})
		if got := s.opened(t, "stt", "deepgram"); got != "first" {
			t.Errorf("found %q", got)
		}
		create(t, s, Draft{"stt", "deepgram", "second", false})
		if got := s.opened(t, "stt", "deepgram"); got != "first" {
			t.Errorf("the default goes before the newest: found %q", got)
		}
		if len(s.held(t)) != 2 || len(foreign.held(t)) != 1 {
			t.Errorf("held %v, by the other %v", s.held(t), foreign.held(t))
		}
		create(t, s, Draft{"stt", "assemblyai", "third", true})
		if got := s.opened(t, "stt", "deepgram"); got != "second" {
			t.Errorf("without a default the newest: found %q", got)
		}
		if d := cmp.Diff([]string{"assemblyai true", "deepgram false", "deepgram false", "openai true"}, listed(t, s)); d != "" {
			t.Errorf("list (-want +got):\n%s", d)
		}
		if d := cmp.Diff([]string{"deepgram true"}, listed(t, foreign)); d != "" {
			t.Errorf("the other tenant's list (-want +got):\n%s", d)
		}
	})
}

func listed(t *testing.T, s Store) (lines []string) {
	t.Helper()
	keys, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		if len(k.Sealed) > 0 {
			t.Error("a list holds keys")
		}
		lines = append(lines, fmt.Sprint(k.ProviderName, " ", k.IsDefault))
	}
	return lines
}

func TestOneDefaultAmongConcurrentOnes(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, _ Store) {
		var wg sync.WaitGroup
		for n := range 16 {
			wg.Go(func() {
				if _, err := s.Create(ctx, Draft{"stt", "deepgram", fmt.Sprint("key-", n), true}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		defaults := 0
		for _, line := range listed(t, s) {
			if line == "deepgram true" {
				defaults++
			}
		}
		if defaults != 1 {
			t.Errorf("%d defaults", defaults)
		}
	})
}

func TestDelete(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		k := create(t, s, Draft{"stt", "deepgram", secret, false})
		unknown := fault.Missing("provider key").Error()
		if err := foreign.Delete(ctx, k.ID); !fault.Is(err, fault.NotFound) || err.Error() != unknown {
			t.Errorf("another tenant's key: %v", err)
		}
		if err := s.Delete(ctx, k.ID); err != nil {
			t.Fatal(err)
		}
		if err := s.Delete(ctx, k.ID); !fault.Is(err, fault.NotFound) || err.Error() != unknown {
			t.Errorf("a second time: %v", err)
		}
	})
}

func TestFaults(t *testing.T) {
	r := registry(t)
	for _, test := range []struct {
		draft Draft
		want  string
	}{
		{Draft{}, "provider_type is required; provider_name is required; api_key is required"},
		{Draft{"video", "deepgram", "k", false}, "provider_type must be one of stt, llm, tts"},
		{Draft{"stt", "openai", "k", false}, "provider_name must be one of deepgram, assemblyai"},
		{Draft{"stt", "deepgram", "a\nb", false}, "api_key must hold visible ASCII characters only"},
		{Draft{"stt", "deepgram", "schlüssel", false}, "api_key must hold visible ASCII characters only"},
		{Draft{"stt", "deepgram", strings.Repeat("k", 2049), false}, "api_key must have at most 2048 characters"},
		{Draft{"stt", "deepgram", strings.Repeat("k", 2048), false}, ""},
	} {
		var told []string
		for _, f := range r.faults(test.draft) {
			told = append(told, f.Field+" "+f.Message)
		}
		if got := strings.Join(told, "; "); got != test.want {
			t.Errorf("%.60v: %q, want %q", test.draft, got, test.want)
		}
	}
	for key, want := range map[string]string{"a": "", "abcd": "cd", "abcdefgh": "efgh", secret: "0815"} {
		if got := hint(key); got != want {
			t.Errorf("hint of %s: %q", key, got)
		}
	}
}
