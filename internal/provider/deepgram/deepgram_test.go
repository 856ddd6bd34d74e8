package deepgram_test

import (
	"testing"

	"parley/internal/dialogue"
	"parley/internal/provider/deepgram"
	"parley/internal/provider/emulator"
	"parley/internal/provider/providertest"
)

func TestRecognizer(t *testing.T) {
	providertest.Recognizer(t, providertest.SpeechToText{
		Serve: emulator.NewDeepgram,
		Connect: func(key, baseURL string) dialogue.Recognizer {
			return deepgram.New(deepgram.Options{Key: key, BaseURL: baseURL})
		},
	})
}
