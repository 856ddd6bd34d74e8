package elevenlabs

import (
	"testing"

	"go.uber.org/goleak"

	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
	"parley/internal/provider/providertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestSynthesizer(t *testing.T) {
	providertest.Synthesizer(t, providertest.TextToSpeech{
		Serve:   emulator.NewElevenLabs,
		Connect: func(key, url string) dialogue.Synthesizer { return New(Options{Key: key, BaseURL: url}) },
	})
}
