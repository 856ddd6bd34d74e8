package openai_test

import (
	"context"
	"strings"
	"testing"

	"parley/internal/dialogue"
	"parley/internal/provider"
	"parley/internal/provider/emulator"
	"parley/internal/provider/openai"
	"parley/internal/provider/providertest"
)

// wires are the ways to recognise speech: how a server is configured, and what its address begins with.
var wires = map[string]struct {
	provider string
	server   emulator.Compatible
	scheme   string
}{
	"transcriptions":        {provider.Compatible, emulator.Compatible{}, "http"},
	"openai transcriptions": {"openai", emulator.Compatible{OpenAI: true}, "http"},
	"groq":                  {"groq", emulator.Compatible{Groq: true}, "http"},
	"openai":                {"openai", emulator.Compatible{OpenAI: true, Realtime: "openai"}, "ws"},
	"speaches":              {provider.Compatible, emulator.Compatible{Realtime: "speaches"}, "ws"},
	"vllm":                  {provider.Compatible, emulator.Compatible{Realtime: "vllm"}, "ws"},
}

// hinted is a recogniser whose caller's language and key terms are known.
type hinted struct{ *openai.Recognizer }

func (h hinted) Recognize(ctx context.Context, o dialogue.RecognizeOptions) (dialogue.Recognition, error) {
	o.Language, o.KeyTerms = "de-DE", []string{"Parley"}
	return h.Recognizer.Recognize(ctx, o)
}

func TestRecognizer(t *testing.T) {
	for name, w := range wires {
		v := providertest.SpeechToText{
			Serve: func(report emulator.Reporter, o emulator.Options, h emulator.RecognizerScript) *emulator.Server {
				w.server.Recognizer = h
				return emulator.NewCompatible(report, o, w.server)
			},
			Connect: func(key, url string) dialogue.Recognizer {
				return hinted{openai.NewRecognizer(openai.Options{Provider: w.provider, Key: key, BaseURL: w.scheme + strings.TrimPrefix(url, "http")})}
			},
		}
		t.Run(name, func(t *testing.T) {
			providertest.UtteranceRecognizer(t, v)
			if w.scheme == "http" {
				providertest.RetriesUtterances(t, v)
			}
		})
	}
}
