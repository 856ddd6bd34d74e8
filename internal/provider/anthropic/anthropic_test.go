package anthropic_test

import (
	"testing"

	"parley/internal/dialogue"
	"parley/internal/provider/anthropic"
	"parley/internal/provider/emulator"
	"parley/internal/provider/providertest"
)

func TestConformance(t *testing.T) {
	providertest.LanguageModel(t, providertest.LanguageModelWire{
		Model: "claude-sonnet-4-6",
		New: func(baseURL, key string) dialogue.LanguageModel {
			return anthropic.New(anthropic.Options{Key: key, BaseURL: baseURL})
		},
		Emulate: emulator.NewAnthropic,
	})
}
