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
	"parley/internal/provider/catalogtest"
	"parley/internal/seal"
)

const (
	acme   = "0193a6f0-0000-7000-8000-000000000001"
	other  = "0193a6f0-0000-7000-8000-000000000002"
	secret = "sk-very-secret-0815"
)

func registry(t *testing.T) Registry {
	t.Helper()
	sealer, err := seal.New(bytes.Repeat([]byte{7}, seal.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	return Registry{Providers: catalogtest.Catalog{"stt/deepgram": nil, "stt/assemblyai": nil, "llm/openai": nil, "llm/self-hosted": nil, "tts/cartesia": nil}, Sealer: sealer}
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
	own, err := ring.Key(kind, name)
	if err != nil {
		t.Fatal(err)
	}
	key := "none"
	if own != nil {
		key = own.APIKey
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
		create(t, foreign, Draft{"stt", "deepgram", "foreign", "", true})
		create(t, s, Draft{"llm", "openai", "other-type", "", true})
		create(t, s, Draft{"stt", "deepgram", "first", "", true})
		if got := s.opened(t, "stt", "deepgram"); got != "first" {
			t.Errorf("found %q", got)
		}
		create(t, s, Draft{"stt", "deepgram", "second", "", false})
		if got := s.opened(t, "stt", "deepgram"); got != "first" {
			t.Errorf("the default goes before the newest: found %q", got)
		}
		if len(s.held(t)) != 2 || len(foreign.held(t)) != 1 {
			t.Errorf("held %v, by the other %v", s.held(t), foreign.held(t))
		}
		create(t, s, Draft{"stt", "assemblyai", "third", "", true})
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
				if _, err := s.Create(ctx, Draft{"stt", "deepgram", fmt.Sprint("key-", n), "", true}); err != nil {
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

// A key keeps the address that it is for; where private networks are allowed, any.
func TestBaseURLs(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		s.registry.AllowPrivate = true
		create(t, s, Draft{ProviderType: "llm", ProviderName: "self-hosted", BaseURL: "http://10.0.0.7:8000/v1"})
		create(t, s, Draft{ProviderType: "llm", ProviderName: "openai", APIKey: secret})
		ring, err := s.Ring(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]Opened{"self-hosted": {BaseURL: "http://10.0.0.7:8000/v1"}, "openai": {APIKey: secret}} {
			if got, err := ring.Key("llm", name); err != nil || got == nil || *got != want {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
		}
		if held := s.held(t); !held[[2]string{"llm", "self-hosted"}] {
			t.Error("a key that is empty is not held")
		}
		keys, err := s.List(ctx)
		if err != nil || len(keys) != 2 || keys[1].BaseURL != "http://10.0.0.7:8000/v1" || keys[1].Hint != "" {
			t.Errorf("listed %+v, %v", keys, err)
		}
	})
}

func TestDelete(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, s, foreign Store) {
		k := create(t, s, Draft{"stt", "deepgram", secret, "", false})
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
		{Draft{"video", "deepgram", "k", "", false}, "provider_type must be one of stt, llm, tts"},
		{Draft{"stt", "openai", "k", "", false}, "provider_name must be one of assemblyai, deepgram"},
		{Draft{"stt", "deepgram", "a\nb", "", false}, "api_key must hold visible ASCII characters only"},
		{Draft{"stt", "deepgram", "schlüssel", "", false}, "api_key must hold visible ASCII characters only"},
		{Draft{"stt", "deepgram", strings.Repeat("k", 2049), "", false}, "api_key must have at most 2048 characters"},
		{Draft{"stt", "deepgram", strings.Repeat("k", 2048), "", false}, ""},
		{Draft{"llm", "self-hosted", "", "", false}, "base_url is required for self-hosted"},
		{Draft{"llm", "self-hosted", "", "https://models.example.com/v1", false}, ""},
		{Draft{"stt", "deepgram", "", "https://api.eu.deepgram.com", false}, "api_key is required"},
		{Draft{"stt", "deepgram", "k", "wss://api.eu.deepgram.com", false}, ""},
		{Draft{"llm", "self-hosted", "k", "http://models.example.com", false}, "base_url must be an https URL"},
		{Draft{"llm", "self-hosted", "k", "ws://models.example.com", false}, "base_url must be an https URL"},
		{Draft{"llm", "self-hosted", "k", "https://169.254.169.254/v1", false}, "base_url must lead to a public address"},
		{Draft{"llm", "self-hosted", "k", "wss://localhost/v1", false}, "base_url must lead to a public address"},
		{Draft{"llm", "self-hosted", "k", "https://u:p@models.example.com/", false}, "base_url must not hold credentials"},
		{Draft{"llm", "self-hosted", "k", "https://models.example.com/v1?x=1", false}, "base_url must have no query or fragment"},
		{Draft{"llm", "self-hosted", "k", "models.example.com", false}, "base_url must be an absolute URL"},
	} {
		var messages []string
		for _, f := range r.faults(test.draft) {
			messages = append(messages, f.Field+" "+f.Message)
		}
		if got := strings.Join(messages, "; "); got != test.want {
			t.Errorf("%.60v: %q, want %q", test.draft, got, test.want)
		}
	}
	for key, want := range map[string]string{"a": "", "abcd": "cd", "abcdefgh": "efgh", secret: "0815"} {
		if got := hint(key); got != want {
			t.Errorf("hint of %s: %q", key, got)
		}
	}
}
