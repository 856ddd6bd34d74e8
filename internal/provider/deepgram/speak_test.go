package deepgram_test

import (
	"testing"

	"parley/internal/dialogue"
	"parley/internal/provider/deepgram"
	"parley/internal/provider/emulator"
	"parley/internal/provider/providertest"
)

func TestSynthesizer(t *testing.T) {
	providertest.Synthesizer(t, providertest.TextToSpeech{
		Requests: true,
		Serve: func(report emulator.Reporter, o emulator.Options) *emulator.Server {
			return emulator.NewDeepgram(report, o, emulator.RecognizerScript{})
		},
		Connect: func(key, url string) dialogue.Synthesizer {
			return deepgram.NewSynthesizer(deepgram.Options{Key: key, BaseURL: url})
		},
	})
}

// Voices are named with or without their model and language; the speed is within Aura's range, and of English and Spanish voices only.
func TestVoices(t *testing.T) {
	server := emulator.NewDeepgram(t, emulator.Options{Key: "key"}, emulator.RecognizerScript{})
	defer server.Close()
	s := deepgram.NewSynthesizer(deepgram.Options{Key: "key", BaseURL: "ws" + server.URL[len("http"):]})
	for _, o := range []dialogue.VoiceOptions{
		{VoiceID: "thalia"}, {VoiceID: "thalia", Speed: 3}, {VoiceID: "aura-2-celeste-es", Speed: 0.5}, {VoiceID: "viktoria", Language: "de-AT", Speed: 1.2}, {VoiceID: "asteria", Model: "aura"},
	} {
		voice, err := s.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		u, err := voice.Speak(t.Context())
		if err == nil {
			err = u.Say("Hello.")
		}
		if err == nil {
			err = u.End()
		}
		if err != nil {
			t.Fatal(err)
		}
		samples := 0
		for piece := range u.Audio() {
			samples += len(piece.PCM)
		}
		if u.Err() != nil || samples == 0 {
			t.Errorf("%+v: %d samples, %v", o, samples, u.Err())
		}
		voice.Close()
	}
}
