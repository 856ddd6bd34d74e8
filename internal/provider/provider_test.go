package provider_test

import (
	"context"
	"iter"
	"slices"
	"strings"
	"testing"

	"parley/internal/dialogue"
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
		provider.STT: {"deepgram", "assemblyai", "offline"},
		provider.TTS: {"cartesia", "elevenlabs", "offline"},
		provider.LLM: {"openai", "anthropic", "offline"},
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

// mute is a language model that says nothing.
type mute struct{}

func (mute) Generate(context.Context, dialogue.Prompt) iter.Seq2[dialogue.Delta, error] {
	return func(func(dialogue.Delta, error) bool) {}
}

func TestRegistryFindsWhatWasRegistered(t *testing.T) {
	var r provider.Registry
	r.AddLanguageModel("openai", mute{})
	if got, err := r.LanguageModel("openai"); err != nil || got != (mute{}) {
		t.Errorf("LanguageModel(openai) = %v, %v", got, err)
	}
	for _, c := range []struct {
		get  func() error
		want string
	}{
		{func() error { _, err := r.LanguageModel("anthropic"); return err }, "ANTHROPIC_API_KEY"},
		{func() error { _, err := r.LanguageModel("nobody"); return err }, "only openai, anthropic, offline"},
		{func() error { _, err := r.Recognizer("openai"); return err }, "no stt provider"},
		{func() error { _, err := r.Synthesizer("offline"); return err }, "not installed"},
	} {
		if err := c.get(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got error %v, want one with %q", err, c.want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("an unknown provider was registered")
		}
	}()
	r.AddRecognizer("nobody", nil)
}
