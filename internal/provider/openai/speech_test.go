package openai_test

import (
	"testing"

	"parley/internal/dialogue"
	"parley/internal/provider"
	"parley/internal/provider/emulator"
	"parley/internal/provider/openai"
	"parley/internal/provider/providertest"
)

// servers are the servers that the provider of each name speaks to.
var servers = map[string]emulator.Compatible{provider.Compatible: {}, "openai": {OpenAI: true}, "groq": {Groq: true}}

func TestSynthesizer(t *testing.T) {
	for name, server := range servers {
		t.Run(name, func(t *testing.T) {
			providertest.Synthesizer(t, providertest.TextToSpeech{
				Requests: true,
				Serve: func(report emulator.Reporter, o emulator.Options) *emulator.Server {
					return emulator.NewCompatible(report, o, server)
				},
				Connect: func(key, url string) dialogue.Synthesizer {
					return openai.NewSynthesizer(openai.Options{Provider: name, Key: key, BaseURL: url})
				},
			})
		})
	}
}

// A server with the strictest chat templates.
func TestCompatibleConformance(t *testing.T) {
	providertest.LanguageModel(t, providertest.LanguageModelWire{
		Model: "Qwen/Qwen3-8B",
		New: func(baseURL, key string) dialogue.LanguageModel {
			return openai.New(openai.Options{Provider: provider.Compatible, Key: key, BaseURL: baseURL})
		},
		Emulate: func(report emulator.Reporter, o emulator.Options, script emulator.Script) *emulator.Server {
			return emulator.NewCompatible(report, o, emulator.Compatible{Script: script})
		},
	})
}
