package app

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	"parley/internal/config"
	"parley/internal/database"
	"parley/internal/dialogue"
	"parley/internal/netguard"
	"parley/internal/provider"
	"parley/internal/provider/anthropic"
	"parley/internal/provider/assemblyai"
	"parley/internal/provider/cartesia"
	"parley/internal/provider/deepgram"
	"parley/internal/provider/elevenlabs"
	"parley/internal/provider/geminilive"
	"parley/internal/provider/google"
	"parley/internal/provider/googlecloud"
	"parley/internal/provider/keycheck"
	"parley/internal/provider/offline"
	"parley/internal/provider/openai"
	"parley/internal/provider/openairealtime"
	"parley/internal/providerkey"
	"parley/internal/seal"
	"parley/internal/speechcache"
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
		log.InfoContext(ctx, "offline speech is unavailable", "error", err)
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

// speech is the providers of this process, with the cache of their voices' speech; nil for none.
type speech struct {
	*provider.Registry
	cache *speechcache.Cache
}

// keyring is a tenant's keys as accounts.
type keyring struct{ *providerkey.Ring }

func (k keyring) Account(kind, name string) (provider.Account, bool, error) {
	own, err := k.Key(kind, name)
	if err != nil || own == nil {
		return provider.Account{}, false, err
	}
	return provider.Account{Key: own.APIKey, BaseURL: own.BaseURL, Guarded: own.BaseURL != ""}, true, nil
}

// guardedClient connects to addresses that tenants chose.
func guardedClient(allowPrivate bool) *http.Client {
	return netguard.NewClient(netguard.NewTransport(netguard.Options{AllowPrivate: allowPrivate, IdlePerHost: 256}))
}

// newSpeech registers all providers: offline ones, and vendors with the keys of tenants and of the platform. Without a database
// there are the platform's keys only.
// allowPrivate permits private addresses in tenants' base URLs.
func newSpeech(c config.Server, allowPrivate bool, db *database.DB, sealer *seal.Sealer, log *slog.Logger, l local) speech {
	o := provider.Options{Platform: map[provider.Choice]provider.Account{}, Log: log, Keys: func(ctx context.Context, tenantID string) (provider.Keyring, error) {
		if db == nil { // there are no tenants
			return keyring{new(providerkey.Ring)}, nil
		}
		ring, err := providerKeys(sealer, allowPrivate).In(db.Tenant(tenantID)).Ring(ctx)
		return keyring{ring}, err
	}}
	for _, a := range c.Accounts() {
		for _, kind := range []provider.Kind{provider.STT, provider.TTS, provider.LLM} {
			if a.Kind == "" || a.Kind == string(kind) {
				o.Platform[provider.Choice{Kind: kind, Name: a.Vendor}] = provider.Account{Key: a.Key, BaseURL: a.BaseURL}
			}
		}
	}
	guarded := guardedClient(allowPrivate)
	client := func(a provider.Account) *http.Client {
		if a.Guarded {
			return guarded
		}
		return nil
	}
	s := speech{Registry: provider.NewRegistry(o)}
	s.AddLanguageModel(provider.Offline, offline.Script{})
	if l.recognizer != nil {
		s.AddRecognizer(provider.Offline, l.recognizer)
	}
	if l.synthesizer != nil {
		s.AddSynthesizer(provider.Offline, l.synthesizer)
	}
	s.VendRecognizer("deepgram", func(a provider.Account) dialogue.Recognizer {
		return deepgram.New(deepgram.Options{Key: a.Key, BaseURL: a.BaseURL, Client: client(a)})
	})
	s.VendRecognizer("assemblyai", func(a provider.Account) dialogue.Recognizer {
		return assemblyai.New(assemblyai.Options{Key: a.Key, BaseURL: a.BaseURL, Client: client(a)})
	})
	s.VendRecognizer("elevenlabs", func(a provider.Account) dialogue.Recognizer {
		return elevenlabs.NewRecognizer(elevenlabs.Options{Key: a.Key, BaseURL: a.BaseURL, Client: client(a)})
	})
	s.VendRecognizer(provider.GoogleCloud, func(a provider.Account) dialogue.Recognizer {
		return googlecloud.New(googlecloud.Options{Key: a.Key, BaseURL: a.BaseURL, Client: client(a)})
	})
	s.VendSynthesizer("cartesia", func(a provider.Account) dialogue.Synthesizer {
		return cartesia.New(cartesia.Options{Key: a.Key, BaseURL: a.BaseURL, Client: client(a)})
	})
	s.VendSynthesizer("deepgram", func(a provider.Account) dialogue.Synthesizer {
		return deepgram.NewSynthesizer(deepgram.Options{Key: a.Key, BaseURL: a.BaseURL, Client: client(a)})
	})
	s.VendSynthesizer("elevenlabs", func(a provider.Account) dialogue.Synthesizer {
		return elevenlabs.New(elevenlabs.Options{Key: a.Key, BaseURL: a.BaseURL, Client: client(a)})
	})
	s.VendSynthesizer("google", func(a provider.Account) dialogue.Synthesizer {
		return google.NewSynthesizer(google.Options{Key: a.Key, BaseURL: a.BaseURL, Client: client(a)})
	})
	s.VendLanguageModel("anthropic", func(a provider.Account) dialogue.LanguageModel {
		return anthropic.New(anthropic.Options{Key: a.Key, BaseURL: a.BaseURL, Client: client(a)})
	})
	s.VendLanguageModel("google", func(a provider.Account) dialogue.LanguageModel {
		return google.New(google.Options{Key: a.Key, BaseURL: a.BaseURL, Client: client(a)})
	})
	for _, name := range []string{"openai", "groq", provider.Compatible} {
		o := func(a provider.Account) openai.Options {
			return openai.Options{Provider: name, Key: a.Key, BaseURL: a.BaseURL, Client: client(a)}
		}
		s.VendRecognizer(name, func(a provider.Account) dialogue.Recognizer { return openai.NewRecognizer(o(a)) })
		s.VendLanguageModel(name, func(a provider.Account) dialogue.LanguageModel {
			options := o(a)
			if name == "openai" && !a.Guarded { // the operator's setting is for the operator's address
				options.API = openai.API(c.OpenAIAPI)
			}
			return openai.New(options)
		})
		s.VendSynthesizer(name, func(a provider.Account) dialogue.Synthesizer { return openai.NewSynthesizer(o(a)) })
	}
	s.VendRealtimeModel("openai", func(a provider.Account) dialogue.RealtimeModel {
		return openairealtime.New(openairealtime.Options{Key: a.Key, BaseURL: a.BaseURL, Client: client(a)})
	})
	s.VendRealtimeModel("google", func(a provider.Account) dialogue.RealtimeModel {
		return geminilive.New(geminilive.Options{Key: a.Key, BaseURL: a.BaseURL, Client: client(a)})
	})
	return s
}

// of returns the providers for one call of a tenant.
func (s speech) of(ctx context.Context, tenantID string) voice.Providers {
	if s.cache == nil {
		return s.For(ctx, tenantID)
	}
	return cachingTenant{s.For(ctx, tenantID), tenantID, s.cache}
}

// lacks returns what a tenant has to configure for a provider, as a sentence.
func (s speech) lacks(kind, name string, ownKey bool) string {
	return s.Lacks(provider.Kind(kind), name, ownKey)
}

func providerKeys(sealer *seal.Sealer, allowPrivate bool) providerkey.Registry {
	return providerkey.Registry{Providers: knowledge{}, Sealer: sealer, AllowPrivate: allowPrivate}
}

// keyChecks asks vendors, and servers at addresses that tenants chose.
func keyChecks(allowPrivate bool) *keycheck.Checker { return keycheck.New(guardedClient(allowPrivate)) }

// knowledge is the catalogue as the validation of agents uses it.
type knowledge struct{}

func (knowledge) Has(kind, name string) bool {
	_, ok := provider.Find(provider.Kind(kind), name)
	return ok
}

func (knowledge) Names(kind string) []string { return provider.Names(provider.Kind(kind)) }

func (knowledge) NeedsAddress(name string) bool { return provider.NeedsAddress(name) }

func (knowledge) KnowsVoice(name, voice string) bool {
	entry, ok := provider.Find(provider.TTS, name)
	return ok && entry.HasVoice(voice)
}

func (knowledge) KnowsRealtimeVoice(name, voice string) bool {
	entry, ok := provider.Find(provider.Realtime, name)
	return ok && entry.HasVoice(voice)
}

func (knowledge) Limits(name string) []string { return provider.RealtimeLimits(name) }

func (knowledge) Shutdown(name, model string) string { return provider.Shutdown(name, model) }

func (knowledge) Caveat(kind, name, model, parameter string, value any) string {
	return provider.Caveat(provider.Kind(kind), name, model, parameter, value)
}

func (knowledge) KnowsLanguage(kind, name, model, tag string) bool {
	_, known := provider.LanguageCode(provider.Kind(kind), name, model, tag)
	return known
}

func (knowledge) KnowsModel(kind, name, model string) bool {
	entry, ok := provider.Find(provider.Kind(kind), name)
	return ok && (entry.HasModel(model) || provider.NeedsAddress(name))
}
