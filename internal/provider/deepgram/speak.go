package deepgram

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"parley/internal/dialogue"
	"parley/internal/provider"
	"parley/internal/provider/llm"
	"parley/internal/provider/recognition"
	"parley/internal/provider/speechhttp"
)

// Synthesizer is Deepgram's Aura as a dialogue.Synthesizer: a request to /v1/speak for each text, whose audio is streamed
// (https://developers.deepgram.com/reference/text-to-speech/speak-request). The WebSocket would take 20 flushes a minute, and says no
// more of what is spoken when (https://developers.deepgram.com/docs/tts-ws-flush).
type Synthesizer struct{ o Options }

// NewSynthesizer returns a Synthesizer. It makes no request.
func NewSynthesizer(o Options) *Synthesizer {
	if o.BaseURL == "" {
		o.BaseURL = vendorURL
	}
	return &Synthesizer{o}
}

// Open reaches the server once, so that a wrong key or address is reported early and a connection is open.
func (s *Synthesizer) Open(ctx context.Context, o dialogue.VoiceOptions) (dialogue.Voice, error) {
	if o.VoiceID == "" {
		return nil, dialogue.Errorf("the request is %w: it names no voice", dialogue.ErrRefused)
	}
	query := url.Values{
		"model":       {voiceModel(o)},
		"encoding":    {"linear16"},
		"sample_rate": {strconv.Itoa(dialogue.SpeakRate)},
		"container":   {"none"},
	}
	if model := query.Get("model"); o.Speed != 0 && o.Speed != 1 && (strings.HasSuffix(model, "-en") || strings.HasSuffix(model, "-es")) {
		if speed, takes := provider.Nearest(provider.TTS, "deepgram", model, provider.Speed, o.Speed); takes {
			query.Set("speed", strconv.FormatFloat(speed, 'f', -1, 64))
		}
	}
	base := s.o.BaseURL
	if rest, isSocket := strings.CutPrefix(base, "ws"); isSocket {
		base = "http" + rest
	}
	address, err := recognition.Endpoint(base, "/v1", "/speak", query)
	if err != nil {
		return nil, fmt.Errorf("Deepgram: %w", err)
	}
	reach, err := recognition.Endpoint(base, "/v1", "/auth/token", nil)
	if err != nil {
		return nil, fmt.Errorf("Deepgram: %w", err)
	}
	account := llm.Account{Key: s.o.Key, Client: s.o.Client}
	header := http.Header{"Authorization": {"Token " + s.o.Key}}
	attempt, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	if err := llm.Reach(attempt, account, reach, header); err != nil {
		return nil, err
	}
	return speechhttp.NewVoice(ctx, speechhttp.Vendor{Account: account, URL: address, Header: header, Used: o.Used, Body: func(text string) ([]byte, error) {
		return json.Marshal(map[string]string{"text": text})
	}}), nil
}

// voiceModel returns the name of a voice with its model and language, such as aura-2-thalia-en, of which the agent may set the name alone.
// https://developers.deepgram.com/docs/tts-models
func voiceModel(o dialogue.VoiceOptions) string {
	if strings.HasPrefix(o.VoiceID, "aura") {
		return o.VoiceID
	}
	model := o.Model
	if model == "" {
		model = defaultVoices
	}
	language := provider.SentLanguage(provider.TTS, "deepgram", model, o.Language)
	if language == "" {
		language = "en"
	}
	return model + "-" + o.VoiceID + "-" + language
}

// defaultVoices is the model of voices where the agent sets none.
const defaultVoices = "aura-2"
