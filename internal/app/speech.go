package app

import (
	"context"
	"fmt"
	"log/slog"

	"parley/internal/config"
	"parley/internal/database"
	"parley/internal/dialogue"
	"parley/internal/provider"
	"parley/internal/provider/anthropic"
	"parley/internal/provider/assemblyai"
	"parley/internal/provider/cartesia"
	"parley/internal/provider/deepgram"
	"parley/internal/provider/elevenlabs"
	"parley/internal/provider/keycheck"
	"parley/internal/provider/offline"
	"parley/internal/provider/openai"
	"parley/internal/providerkey"
	"parley/internal/seal"
	"parley/internal/voice"
)

// local is the offline speech providers; nil where they are not installed.
type local struct {
	recognizer  *offline.Recognizer
	synthesizer *offline.Synthesizer
}

// localSpeech finds the offline programs, which are optional without the demo.
func localSpeech(ctx context.Context, c config.Server, log *slog.Logger) (l local, err error) {
	if err := offline.Check(ctx); err != nil {
		if c.DemoTenant() {
			return l, fmt.Errorf("%w; or set PARLEY_DEMO=false", err)
		}
		log.InfoContext(ctx, "offline speech is not available", "error", err)
		return l, nil
	}
	if l.recognizer, err = offline.NewRecognizer(); err != nil {
		return l, err
	}
	l.synthesizer, err = offline.NewSynthesizer()
	return l, err
}

func (l local) close() {
	if l.recognizer != nil {
		l.recognizer.Close()
	}
	if l.synthesizer != nil {
		l.synthesizer.Close()
	}
}

// speech is the providers of this process.
type speech struct{ *provider.Registry }

// newSpeech registers all providers: offline ones, and vendors with the keys of tenants and of the platform.
func newSpeech(c config.Server, db *database.DB, sealer *seal.Sealer, log *slog.Logger, l local) speech {
	o := provider.Options{Platform: map[string]provider.Account{}, Log: log, Keys: func(ctx context.Context, tenantID string) (provider.Keyring, error) {
		return providerKeys(sealer).In(db.Tenant(tenantID)).Ring(ctx)
	}}
	for _, a := range c.Accounts() {
		o.Platform[a.Vendor] = provider.Account{Key: a.Key, BaseURL: a.BaseURL}
	}
	s := speech{provider.NewRegistry(o)}
	s.AddLanguageModel(provider.Offline, offline.Script{})
	if l.recognizer != nil {
		s.AddRecognizer(provider.Offline, l.recognizer)
	}
	if l.synthesizer != nil {
		s.AddSynthesizer(provider.Offline, l.synthesizer)
	}
	s.VendRecognizer("deepgram", func(a provider.Account) dialogue.Recognizer { return deepgram.New(deepgram.Options(a)) })
	s.VendRecognizer("assemblyai", func(a provider.Account) dialogue.Recognizer { return assemblyai.New(assemblyai.Options(a)) })
	s.VendSynthesizer("cartesia", func(a provider.Account) dialogue.Synthesizer { return cartesia.New(cartesia.Options(a)) })
	s.VendSynthesizer("elevenlabs", func(a provider.Account) dialogue.Synthesizer { return elevenlabs.New(elevenlabs.Options(a)) })
	s.VendLanguageModel("openai", func(a provider.Account) dialogue.LanguageModel { return openai.New(openai.Options(a)) })
	s.VendLanguageModel("anthropic", func(a provider.Account) dialogue.LanguageModel { return anthropic.New(anthropic.Options(a)) })
	return s
}

// of returns the providers for one call of a tenant.
func (s speech) of(ctx context.Context, tenantID string) voice.Providers { return s.For(ctx, tenantID) }

// lacks returns what a tenant has to configure for a provider, as a sentence.
func (s speech) lacks(kind, name string, ownKey bool) string {
	return s.Lacks(provider.Kind(kind), name, ownKey)
}

func providerKeys(sealer *seal.Sealer) providerkey.Registry {
	return providerkey.Registry{Providers: knowledge{}, Sealer: sealer}
}

// keyChecks asks vendors where the operator has them reached.
func keyChecks(c config.Server) *keycheck.Checker {
	bases := map[string]string{}
	for _, a := range c.Accounts() {
		bases[a.Vendor] = a.BaseURL
	}
	return keycheck.New(bases)
}

// knowledge is the catalogue as the validation of agents uses it.
type knowledge struct{}

func (knowledge) Has(kind, name string) bool {
	_, ok := provider.Find(provider.Kind(kind), name)
	return ok
}

func (knowledge) Names(kind string) []string { return provider.Names(provider.Kind(kind)) }

func (knowledge) KnowsVoice(name, voice string) bool {
	entry, ok := provider.Find(provider.TTS, name)
	return ok && entry.HasVoice(voice)
}

func (knowledge) Shutdown(model string) string { return provider.Shutdown(model) }

func (knowledge) KnowsLanguage(kind, name, model, tag string) bool {
	_, known := provider.LanguageCode(provider.Kind(kind), name, model, tag)
	return known
}

func (knowledge) KnowsModel(kind, name, model string) bool {
	entry, ok := provider.Find(provider.Kind(kind), name)
	return ok && entry.HasModel(model)
}
