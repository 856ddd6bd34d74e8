package provider_test

import (
	"slices"
	"strings"
	"testing"

	"parley/internal/config"
	"parley/internal/provider"
	"parley/internal/provider/offline"
)

func TestCatalogIsWhole(t *testing.T) {
	for _, e := range provider.Catalog {
		if got, ok := provider.Find(e.Kind, e.Name); !ok || got.Label != e.Label {
			t.Errorf("%s %s is listed twice or not found", e.Kind, e.Name)
		}
		if len(e.Models) == 0 || !e.HasModel(e.Models[0]) || e.HasModel("no-such-model") {
			t.Errorf("%s %s: models %v", e.Kind, e.Name, e.Models)
		}
		if e.Demo != (e.Name == provider.Offline) || e.Demo != strings.Contains(e.Label, "demo") {
			t.Errorf("%s %s: label %q, demo %v", e.Kind, e.Name, e.Label, e.Demo)
		}
	}
	for kind, want := range map[provider.Kind][]string{
		provider.STT: {"deepgram", "assemblyai", "elevenlabs", "offline", "openai", "groq", "google_cloud", "openai_compatible"},
		provider.TTS: {"cartesia", "elevenlabs", "deepgram", "offline", "openai", "groq", "google", "openai_compatible"},
		provider.LLM: {"openai", "anthropic", "offline", "groq", "google", "openai_compatible"},
		"other":      nil,
	} {
		if got := provider.Names(kind); !slices.Equal(got, want) {
			t.Errorf("Names(%s) = %v, want %v", kind, got, want)
		}
	}
	if _, ok := provider.Find(provider.STT, "cartesia"); ok {
		t.Error("cartesia is no recogniser")
	}
}

func TestCatalogListsTheOfflineVoices(t *testing.T) {
	e, _ := provider.Find(provider.TTS, provider.Offline)
	if !slices.Equal(e.Voices, offline.Voices) {
		t.Errorf("the catalogue lists %v, flite has %v", e.Voices, offline.Voices)
	}
	if e.HasVoice("nobody") {
		t.Error("an unlisted voice is taken for one of flite's")
	}
	if other, _ := provider.Find(provider.TTS, "cartesia"); !other.HasVoice("any-id") {
		t.Error("a vendor's voice id is refused")
	}
}

// The platform can have an account with each vendor.
func TestAccountsAreTheCatalogues(t *testing.T) {
	accounts := map[string]bool{}
	for _, a := range new(config.Vendors).Accounts() {
		accounts[a.Vendor] = true
	}
	for _, e := range provider.Catalog {
		if accounts[e.Name] == e.Demo {
			t.Errorf("%s: account %t", e.Name, accounts[e.Name])
		}
	}
}
