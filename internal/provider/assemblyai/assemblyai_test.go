package assemblyai_test

import (
	"testing"

	"parley/internal/dialogue"
	"parley/internal/provider/assemblyai"
	"parley/internal/provider/emulator"
	"parley/internal/provider/providertest"
)

func TestRecognizer(t *testing.T) {
	providertest.Recognizer(t, providertest.SpeechToText{
		Serve: emulator.NewAssemblyAI,
		Connect: func(key, baseURL string) dialogue.Recognizer {
			return assemblyai.New(assemblyai.Options{Key: key, BaseURL: baseURL})
		},
	})
}
