package provider_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"parley/internal/dialogue"
	"parley/internal/provider"
)

// mute is a language model that says nothing.
type mute struct{ provider.Account }

func (*mute) Generate(context.Context, dialogue.Prompt) iter.Seq2[dialogue.Delta, error] {
	return func(func(dialogue.Delta, error) bool) {}
}

// keyrings are tenants' own keys: by tenant, kind and name.
type keyrings struct {
	mu   sync.Mutex
	keys map[string]string
	err  error
	read int
}

type keyring struct{ keys map[string]string }

// Account returns what follows an @ in a key as the base URL.
func (k keyring) Account(kind, name string) (provider.Account, bool, error) {
	if k.keys[kind+" "+name] == "sealed" {
		return provider.Account{}, false, errors.New("cannot be used")
	}
	key, base, guarded := strings.Cut(k.keys[kind+" "+name], "@")
	return provider.Account{Key: key, BaseURL: base, Guarded: guarded}, key != "" || guarded, nil
}

func (k *keyrings) of(_ context.Context, tenantID string) (provider.Keyring, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.read++
	ring := keyring{map[string]string{}}
	for name, key := range k.keys {
		if rest, ok := strings.CutPrefix(name, tenantID+" "); ok {
			ring.keys[rest] = key
		}
	}
	return ring, k.err
}

func (k *keyrings) put(name, key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keys[name] = key
}

// vendors is a registry with OpenAI and Anthropic; the platform has a key for
// OpenAI.
func vendors(keys *keyrings, log *bytes.Buffer) *provider.Registry {
	r := provider.NewRegistry(provider.Options{
		Platform: map[provider.Choice]provider.Account{
			{Kind: provider.LLM, Name: "openai"}:    {Key: "platform", BaseURL: "http://openai.example"},
			{Kind: provider.LLM, Name: "anthropic"}: {BaseURL: "http://anthropic.example"},
		},
		Keys: keys.of, Log: slog.New(slog.NewTextHandler(log, nil)),
	})
	make := func(a provider.Account) dialogue.LanguageModel { return &mute{a} }
	r.VendLanguageModel("openai", make)
	r.VendLanguageModel("anthropic", make)
	r.VendLanguageModel(provider.Compatible, make)
	return r
}

// A tenant's key goes before the platform's, and never to an address that the operator put in the vendor's place.
func TestTenantsKeyGoesBeforeThePlatforms(t *testing.T) {
	keys := &keyrings{keys: map[string]string{"acme llm openai": "acme's", "acme stt openai": "another kind's", "acme llm anthropic": "acme's too",
		"elsewhere llm openai": "own@https://own.example"}}
	r := vendors(keys, new(bytes.Buffer))
	for _, test := range []struct {
		tenant, name string
		want         provider.Account
		lack         string
	}{
		{"acme", "openai", provider.Account{Key: "acme's"}, ""},
		{"other", "openai", provider.Account{Key: "platform", BaseURL: "http://openai.example"}, ""},
		{"acme", "anthropic", provider.Account{Key: "acme's too"}, ""},
		{"elsewhere", "openai", provider.Account{Key: "own", BaseURL: "https://own.example", Guarded: true}, ""},
		{"other", "anthropic", provider.Account{}, `not set up on this server: it needs ANTHROPIC_API_KEY or the tenant's own key`},
	} {
		model, err := r.For(t.Context(), test.tenant).LanguageModel(test.name)
		if test.lack != "" {
			if err == nil || err.Error() != test.lack {
				t.Errorf("%s, %s: error %v, want %s", test.tenant, test.name, err, test.lack)
			}
			continue
		}
		if err != nil || model.(*mute).Account != test.want {
			t.Errorf("%s, %s: %+v, %v, want %+v", test.tenant, test.name, model, err, test.want)
		}
	}
	for _, test := range []struct {
		kind   provider.Kind
		name   string
		ownKey bool
		want   string
	}{
		{provider.LLM, "openai", false, ""},
		{provider.LLM, "anthropic", true, ""},
		{provider.LLM, "anthropic", false, `the llm provider "anthropic" is not set up on this server: it needs ANTHROPIC_API_KEY`},
		{provider.LLM, "openai_compatible", true, ""},
		{provider.LLM, "openai_compatible", false, "it needs OPENAI_COMPATIBLE_LLM_BASE_URL or the tenant's own key with a base_url"},
		{provider.LLM, "nobody", true, "only openai, anthropic, offline"},
		{provider.STT, "anthropic", true, `"anthropic" is unknown, there are only deepgram,`},
		{provider.STT, "deepgram", true, "not installed"},
		{provider.TTS, "offline", false, "not installed"},
	} {
		if got := r.Lacks(test.kind, test.name, test.ownKey); (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s %s, own key %t: lacks %q, want %q", test.kind, test.name, test.ownKey, got, test.want)
		}
	}
}

func TestKeysAreReadOncePerCall(t *testing.T) {
	keys := &keyrings{keys: map[string]string{"acme llm openai": "first"}}
	r := vendors(keys, new(bytes.Buffer))
	r.AddRecognizer(provider.Offline, nil)
	call := r.For(t.Context(), "acme")
	if _, err := call.Recognizer(provider.Offline); err != nil || keys.read != 0 {
		t.Errorf("a provider that needs no key: %v, keys read %d times", err, keys.read)
	}
	account := func(of *provider.Tenant) string {
		t.Helper()
		model, err := of.LanguageModel("openai")
		if err != nil {
			t.Fatal(err)
		}
		return model.(*mute).Key
	}
	if got := account(call); got != "first" {
		t.Errorf("the key is %q", got)
	}
	keys.put("acme llm openai", "second")
	if got := account(call); got != "first" || keys.read != 1 {
		t.Errorf("later in the call the key is %q, read %d times", got, keys.read)
	}
	if got := account(r.For(t.Context(), "acme")); got != "second" {
		t.Errorf("in the next call the key is %q", got)
	}
	keys.put("acme llm openai", "")
	if got := account(r.For(t.Context(), "acme")); got != "platform" {
		t.Errorf("after the key was revoked it is %q", got)
	}
}

func TestProvidersAreShared(t *testing.T) {
	keys := &keyrings{keys: map[string]string{"acme llm openai": "key", "other llm openai": "key"}}
	r := vendors(keys, new(bytes.Buffer))
	model := func(tenant string) dialogue.LanguageModel {
		m, err := r.For(t.Context(), tenant).LanguageModel("openai")
		if err != nil {
			t.Error(err)
		}
		return m
	}
	first := model("acme")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if model("acme") != first || model("other") != first {
				t.Error("calls with the same key get different models: connections are not shared")
			}
		})
	}
	wg.Wait()
	if model("third") == first {
		t.Error("a tenant without a key gets the model of others")
	}
	// Many other keys push it out: what is kept is bounded.
	for i := range 1000 {
		keys.put("many llm openai", fmt.Sprint("key ", i))
		model("many")
	}
	if model("acme") == first {
		t.Error("1000 other providers later it is still kept")
	}
}

func TestKeysThatCannotBeHad(t *testing.T) {
	log := new(bytes.Buffer)
	keys := &keyrings{keys: map[string]string{"acme llm openai": "sealed"}, err: errors.New("database is unavailable")}
	call := vendors(keys, log).For(t.Context(), "acme")
	_, err := call.LanguageModel("openai")
	if err == nil || !strings.Contains(err.Error(), "could not be read") || strings.Contains(err.Error(), "database") {
		t.Errorf("keys that cannot be read: %v", err)
	}
	if !strings.Contains(log.String(), "database is unavailable") || !strings.Contains(log.String(), "tenant=acme") {
		t.Errorf("the log says %q", log)
	}
	keys.err = nil // and the next time they can
	if _, err := call.LanguageModel("openai"); err == nil || err.Error() != "cannot be used" {
		t.Errorf("a key that does not open: %v; the platform's must not be used in its place", err)
	}
}

func TestUnknownProvidersCannotBeRegistered(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an unknown provider was registered")
		}
	}()
	vendors(&keyrings{}, new(bytes.Buffer)).AddRecognizer("nobody", nil)
}
