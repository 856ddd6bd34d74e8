package openai

import (
	"context"
	"net/url"
	"strings"

	"parley/internal/dialogue"
	"parley/internal/provider"
	"parley/internal/provider/recognition"
)

// Recognizer is a dialogue.Recognizer. At base URLs with ws or wss, and at OpenAI's own address, it streams the audio
// over a WebSocket (/v1/realtime). At those with http or https it sends each utterance in a request
// (/v1/audio/transcriptions).
type Recognizer struct{ o Options }

// NewRecognizer returns a Recognizer. It makes no request.
func NewRecognizer(o Options) *Recognizer { return &Recognizer{o} }

// Recognize opens a stream for all turns of a call.
func (r *Recognizer) Recognize(ctx context.Context, o dialogue.RecognizeOptions) (dialogue.Recognition, error) {
	if o.Model == "" {
		o.Model = r.defaultModel()
	}
	o.Language, _ = provider.LanguageCode(provider.STT, r.o.name(), o.Model, o.Language)
	if r.streams() {
		return openRealtime(ctx, r.o, o)
	}
	return openTranscriptions(ctx, r.o, o)
}

// fileModel transcribes whole utterances, as OpenAI's default model does not.
// https://developers.openai.com/cookbook/examples/migrating_from_whisper_to_gpt_transcribe
const fileModel = "gpt-transcribe"

func (r *Recognizer) defaultModel() string {
	entry, ok := provider.Find(provider.STT, r.o.name())
	switch {
	case !ok:
		return ""
	case entry.Name == "openai" && !r.streams():
		return fileModel
	}
	return entry.Models[0]
}

// hints are the parameters for the caller's language and key terms.
type hints struct {
	language  string
	languages []string // in place of language
	keywords  []string
}

func (o Options) hints(r dialogue.RecognizeOptions) hints {
	h := hints{language: r.Language, keywords: provider.KeyTermsFor(o.name(), r.Model, r.KeyTerms)}
	if f, _ := provider.FamilyOf(provider.STT, o.name(), r.Model); f.ListsLanguages && h.language != "" {
		h.language, h.languages = "", []string{h.language}
	}
	return h
}

// streams reports whether the server is asked over a WebSocket.
func (r *Recognizer) streams() bool {
	u, err := url.Parse(r.o.BaseURL)
	if err != nil {
		return false
	}
	return strings.HasPrefix(u.Scheme, "ws") || isVendor(r.o.base())
}

// completed returns the message with the final text of an utterance.
func completed(text string) recognition.Message {
	text = trimmed(text)
	return recognition.Message{Results: true, Final: true, Answer: true, Text: text, EndOfTurn: recognition.IsComplete(text)}
}

// trimmed returns a text without the white space around it, which models of the Whisper family put before it.
func trimmed(text string) string { return strings.TrimSpace(text) }
