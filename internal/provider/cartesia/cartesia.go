// Package cartesia is a client of Cartesia's speech synthesis, over the WebSocket described at
// https://docs.cartesia.ai/api-reference/tts/websocket.
package cartesia

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"parley/internal/dialogue"
	"parley/internal/provider"
	"parley/internal/provider/synthesis"
	"parley/internal/provider/vendorerror"
)

const (
	vendorURL = "wss://api.cartesia.ai"
	// version is the protocol's; errors have had a code and a message since.
	version = "2026-03-01"
	// defaultModel supports a speed, unlike sonic-3.5.
	defaultModel = "sonic-3"
	// idle is how long a context is reused: the vendor closes it a second after its last audio.
	idle = 500 * time.Millisecond
)

// Options configures a Synthesizer.
type Options struct {
	Key string
	// BaseURL replaces the vendor's address; http, https, ws or wss.
	BaseURL string
	// Client makes the connections; nil for the process's own.
	Client *http.Client
}

// Synthesizer is Cartesia as a dialogue.Synthesizer.
type Synthesizer struct{ o Options }

var _ dialogue.Synthesizer = (*Synthesizer)(nil)

// New returns a Synthesizer. It makes no connection.
func New(o Options) *Synthesizer {
	if o.BaseURL == "" {
		o.BaseURL = vendorURL
	}
	return &Synthesizer{o: o}
}

// Open connects.
func (s *Synthesizer) Open(ctx context.Context, o dialogue.VoiceOptions) (dialogue.Voice, error) {
	w, err := newWire(s.o, o)
	if err != nil {
		return nil, err
	}
	return synthesis.Open(ctx, w, o.Used)
}

func newWire(o Options, v dialogue.VoiceOptions) (*wire, error) {
	if v.VoiceID == "" {
		return nil, dialogue.Errorf("the request is %w: it names no voice", dialogue.ErrRefused)
	}
	model := v.Model
	if model == "" {
		model = defaultModel
	}
	w := &wire{o: o, generation: generation{
		ModelID:      model,
		Voice:        voice{Mode: "id", ID: v.VoiceID},
		Language:     provider.SentLanguage(provider.TTS, "cartesia", model, v.Language),
		OutputFormat: outputFormat{Container: "raw", Encoding: "pcm_s16le", SampleRate: dialogue.SpeakRate},
		Timestamps:   true,
	}}
	w.generation.Config = controls(model, v)
	return w, nil
}

// controls returns what a model supports of the agent's speed and emotion, nil for nothing
// (https://docs.cartesia.ai/build-with-cartesia/capability-guides/volume-speed-emotion).
func controls(model string, v dialogue.VoiceOptions) *config {
	var c config
	if v.Speed != 0 && v.Speed != 1 {
		if speed, takes := provider.Nearest(provider.TTS, "cartesia", model, provider.Speed, v.Speed); takes {
			c.Speed = speed
		}
	}
	if v.Emotion != "" && provider.Supports(provider.TTS, "cartesia", model, provider.Emotion, v.Emotion) {
		c.Emotion = v.Emotion
	}
	if c == (config{}) {
		return nil
	}
	return &c
}

// generation is a request for speech. All requests of a context must agree in
// everything but transcript, continue and flush.
type generation struct {
	ModelID      string       `json:"model_id"`
	Transcript   string       `json:"transcript"`
	Voice        voice        `json:"voice"`
	Language     string       `json:"language,omitempty"`
	ContextID    string       `json:"context_id"`
	OutputFormat outputFormat `json:"output_format"`
	Timestamps   bool         `json:"add_timestamps"`
	// MaxBufferDelay 0 synthesises every transcript immediately: they are complete sentences or clauses.
	MaxBufferDelay int     `json:"max_buffer_delay_ms"`
	Continue       bool    `json:"continue"`
	Flush          bool    `json:"flush,omitempty"`
	Config         *config `json:"generation_config,omitempty"`
}

type voice struct {
	Mode string `json:"mode"`
	ID   string `json:"id"`
}

type outputFormat struct {
	Container  string `json:"container"`
	Encoding   string `json:"encoding"`
	SampleRate int    `json:"sample_rate"`
}

type config struct {
	Speed   float64 `json:"speed,omitempty"`
	Emotion string  `json:"emotion,omitempty"`
}

type cancellation struct {
	ContextID string `json:"context_id"`
	Cancel    bool   `json:"cancel"`
}

// wire is the protocol for one voice, a synthesis.Vendor.
type wire struct {
	o          Options
	generation generation
}

func (w *wire) Endpoint() (string, http.Header) {
	query := url.Values{"cartesia_version": {version}}
	return strings.TrimSuffix(w.o.BaseURL, "/") + "/tts/websocket?" + query.Encode(), http.Header{"X-Api-Key": {w.o.Key}}
}

func (w *wire) Secret() string { return w.o.Key }

func (w *wire) Client() *http.Client { return w.o.Client }

// Limits: a plan limits the contexts of all connections together, which only
// the vendor can count.
func (w *wire) Limits() synthesis.Limits { return synthesis.Limits{Idle: idle, Separator: 1} }

func (w *wire) Begin(string) []any { return nil }

// Say sends the text and a flush, whose number identifies the text's audio.
func (w *wire) Say(context, text string) []any {
	said := w.generation
	said.ContextID, said.Continue, said.Transcript = context, true, text+" " // transcripts are joined verbatim
	flush := said
	flush.Transcript, flush.Flush = "", true
	return []any{said, flush}
}

func (w *wire) End(context string) []any {
	end := w.generation
	end.ContextID = context
	return []any{end}
}

func (w *wire) Cancel(context string, _ bool) []any {
	return []any{cancellation{ContextID: context, Cancel: true}}
}

// answer is a message of the vendor; its type determines its fields.
type answer struct {
	Type       string `json:"type"`
	ContextID  string `json:"context_id"`
	Data       []byte `json:"data"` // base64
	FlushID    int    `json:"flush_id"`
	Timestamps *struct {
		Words []string  `json:"words"`
		Start []float64 `json:"start"` // seconds
		End   []float64 `json:"end"`
	} `json:"word_timestamps"`
	StatusCode int    `json:"status_code"`
	Title      string `json:"title"`
	Message    string `json:"message"`
	Error      string `json:"error"` // before version 2026-03-01
}

func (w *wire) Read(data []byte) (synthesis.Message, error) {
	var a answer
	if err := json.Unmarshal(data, &a); err != nil {
		return synthesis.Message{}, dialogue.NewError("unreadable")
	}
	m := synthesis.Message{Context: a.ContextID, Flush: a.FlushID}
	switch a.Type {
	case "":
		return m, dialogue.NewError("it has no type")
	case "chunk":
		m.Audio = a.Data
	case "timestamps":
		m.Words = a.words()
	case "flush_done":
		m.Flushed = true
	case "done":
		m.Done = true
	case "error":
		m.Err = vendorerror.Report{Status: a.StatusCode, Kinds: []string{a.Error}, Message: a.reason()}.Err("")
	}
	return m, nil
}

func (a answer) reason() string {
	for _, text := range []string{a.Message, a.Error} {
		if text != "" {
			return text
		}
	}
	return a.Title
}

func (a answer) words() []dialogue.Word {
	t := a.Timestamps
	if t == nil {
		return nil
	}
	var words []dialogue.Word
	for i, text := range t.Words[:min(len(t.Words), len(t.Start), len(t.End))] {
		if text = strings.TrimSpace(text); text != "" {
			words = append(words, dialogue.Word{Text: text, Start: seconds(t.Start[i]), End: seconds(t.End[i])})
		}
	}
	return words
}

// seconds converts a time, limited to plausible values.
func seconds(s float64) time.Duration {
	return time.Duration(min(max(s, 0), 24*60*60) * float64(time.Second))
}

func (w *wire) Follow(samples int) synthesis.Follower {
	return &follower{Track: synthesis.NewTrack(samples), from: samples, start: samples, before: samples}
}
