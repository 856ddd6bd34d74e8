package openai

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"parley/internal/dialogue"
	"parley/internal/provider"
	"parley/internal/provider/llm"
	"parley/internal/provider/speechhttp"
)

// The range of speed. https://platform.openai.com/docs/api-reference/audio/createSpeech
const slowest, fastest = 0.25, 4

// Synthesizer is a dialogue.Synthesizer over /v1/audio/speech: a request for each text of an utterance, whose audio is
// streamed. The times of words are estimated.
type Synthesizer struct{ o Options }

// NewSynthesizer returns a Synthesizer. It makes no request.
func NewSynthesizer(o Options) *Synthesizer { return &Synthesizer{o} }

// speechRequest is the body of a request.
type speechRequest struct {
	Model  string  `json:"model"`
	Input  string  `json:"input"`
	Voice  string  `json:"voice"`
	Format string  `json:"response_format"`
	Speed  float64 `json:"speed,omitempty"`
	// SampleRate is a field of servers whose models have different rates, such as speaches.
	SampleRate int `json:"sample_rate,omitempty"`
	// StreamFormat sse has the audio in events, the last of which says what is billed.
	StreamFormat string `json:"stream_format,omitempty"`
}

// Open sends one request to the server, so that a wrong key or address is reported early and a connection is open.
func (s *Synthesizer) Open(ctx context.Context, o dialogue.VoiceOptions) (dialogue.Voice, error) {
	if o.VoiceID == "" {
		return nil, dialogue.Errorf("the request is %w: it names no voice", dialogue.ErrRefused)
	}
	r := speechRequest{Model: o.Model, Voice: o.VoiceID, Format: "pcm"}
	if r.Model == "" {
		if entry, ok := provider.Find(provider.TTS, s.o.name()); ok {
			r.Model = entry.Models[0]
		}
	}
	switch s.o.name() {
	case "groq": // has WAV alone: https://console.groq.com/docs/text-to-speech/orpheus
		r.Format = "wav"
	case provider.Compatible:
		r.SampleRate = dialogue.SpeakRate
	}
	if s.o.name() == "openai" && !billsCharacters.MatchString(r.Model) {
		r.StreamFormat = "sse"
	}
	if o.Speed != 0 && o.Speed != 1 {
		r.Speed = min(max(o.Speed, slowest), fastest)
	}
	attempt, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	if err := llm.Reach(attempt, s.o.account(), s.o.base()+"/models", s.o.header()); err != nil {
		return nil, err
	}
	vendor := speechhttp.Vendor{
		Account: s.o.account(), URL: s.o.base() + "/audio/speech", Header: s.o.header(), Used: o.Used,
		Body: func(text string) ([]byte, error) {
			said := r
			said.Input = text
			return json.Marshal(said)
		},
	}
	if r.StreamFormat != "" {
		vendor.Used, vendor.Audio = nil, func(response *http.Response) (io.ReadCloser, error) {
			if strings.HasPrefix(response.Header.Get("Content-Type"), "audio/") { // a proxy without events
				return response.Body, nil
			}
			return speechhttp.NewEventStream(response, speechEvents{s.o.Key, o.Used}.parse, nil)
		}
	}
	return speechhttp.NewVoice(ctx, vendor), nil
}
