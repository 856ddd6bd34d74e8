package cartesia

import (
	"testing"

	"parley/internal/dialogue"
	"parley/internal/leaktest"
	"parley/internal/provider/emulator"
	"parley/internal/provider/providertest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func TestSynthesizer(t *testing.T) {
	providertest.Synthesizer(t, providertest.TextToSpeech{
		Serve:   emulator.NewCartesia,
		Connect: func(key, url string) dialogue.Synthesizer { return New(Options{Key: key, BaseURL: url}) },
	})
}
