package openai_test

import (
	"testing"

	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
	"parley/internal/provider/openai"
	"parley/internal/provider/providertest"
)

func TestConformance(t *testing.T) {
	providertest.LanguageModel(t, providertest.LanguageModelWire{
		Model: "gpt-4.1",
		New: func(baseURL, key string) dialogue.LanguageModel {
			return openai.New(openai.Options{Key: key, BaseURL: baseURL})
		},
		Emulate: emulator.NewOpenAI,
	})
}
