// Package elevenlabs is a client of ElevenLabs' speech synthesis, over the multi-context WebSocket at
// https://elevenlabs.io/docs/api-reference/text-to-speech/v-1-text-to-speech-voice-id-multi-stream-input.
package elevenlabs

import (
	"context"
	"encoding/json"
	"fmt"
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
	vendorURL = "wss://api.elevenlabs.io"
	// defaultModel is the fastest one.
	defaultModel = "eleven_flash_v2_5"
	// inactivity is the maximum idle time of a connection that the vendor permits, in seconds; its default is 20.
	inactivity = "180"
	// contexts is how many contexts may be open in one connection; another one ends the connection.
	contexts = 5
)

// Options configures a Synthesizer.
type Options struct {
	Key string
	// BaseURL replaces the vendor's address; http, https, ws or wss.
	BaseURL string
	// Client makes the connections; nil for the process's own.
	Client *http.Client
}

// Synthesizer is ElevenLabs as a dialogue.Synthesizer.
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

var _ dialogue.Normalizer = (*Synthesizer)(nil)

// NormalizesText reports whether the vendor reads numbers in words: it is asked to.
func (s *Synthesizer) NormalizesText(o dialogue.VoiceOptions) bool {
	w, err := newWire(s.o, o)
	return err == nil && (w.normalization() == "on" || w.normalization() == "auto")
}

func newWire(o Options, v dialogue.VoiceOptions) (*wire, error) {
	if v.VoiceID == "" {
		return nil, dialogue.Errorf("the request is %w: it names no voice", dialogue.ErrRefused)
	}
	if v.Model == "" {
		v.Model = defaultModel
	}
	if f, _ := provider.FamilyOf(provider.TTS, "elevenlabs", v.Model); f.Unserved != "" {
		return nil, dialogue.Errorf("the request is %w: %s: %s", dialogue.ErrRefused, v.Model, f.Unserved)
	}
	w := &wire{o: o, voice: v}
	if v.Speed != 0 && v.Speed != 1 {
		if speed, takes := provider.Nearest(provider.TTS, "elevenlabs", v.Model, provider.Speed, v.Speed); takes {
			w.settings = &settings{Speed: speed}
		}
	}
	return w, nil
}

// wire is the protocol for one voice, a synthesis.Vendor.
type wire struct {
	o        Options
	voice    dialogue.VoiceOptions
	settings *settings
}

type settings struct {
	Speed float64 `json:"speed"`
}

// Endpoint requests PCM at the playback rate, immediate synthesis of every sentence, and character times.
func (w *wire) Endpoint() (string, http.Header) {
	query := url.Values{
		"model_id":           {w.voice.Model},
		"output_format":      {fmt.Sprintf("pcm_%d", dialogue.SpeakRate)},
		"auto_mode":          {"true"},
		"sync_alignment":     {"true"},
		"inactivity_timeout": {inactivity},
	}
	if normalization := w.normalization(); normalization != "" {
		query.Set("apply_text_normalization", normalization)
	}
	if language := provider.SentLanguage(provider.TTS, "elevenlabs", w.voice.Model, w.voice.Language); language != "" {
		query.Set("language_code", language) // without it the language is detected from the text
	}
	base := strings.TrimSuffix(strings.TrimSuffix(w.o.BaseURL, "/"), "/v1") // the version may be given
	return base + "/v1/text-to-speech/" + url.PathEscape(w.voice.VoiceID) +
		"/multi-stream-input?" + query.Encode(), http.Header{"Xi-Api-Key": {w.o.Key}}
}

// normalization says whether numbers, dates and phone numbers are read in words: the agent's setting, else "on" with the models
// that do so on every plan. The v2.5 models do on Enterprise plans only, and refuse "on" without one.
func (w *wire) normalization() string {
	if set := w.voice.TextNormalization; set != "" && provider.Supports(provider.TTS, "elevenlabs", w.voice.Model, provider.TextNormalization, set) {
		return set
	}
	if f, _ := provider.FamilyOf(provider.TTS, "elevenlabs", w.voice.Model); f.Normalizes {
		return "on"
	}
	return ""
}

func (w *wire) Secret() string { return w.o.Key }

func (w *wire) Client() *http.Client { return w.o.Client }

func (w *wire) Limits() synthesis.Limits { return synthesis.Limits{Contexts: contexts, Separator: 1} }

// beginning opens a context: its text is a single space, and only it may contain settings.
type beginning struct {
	Text      string    `json:"text"`
	Settings  *settings `json:"voice_settings,omitempty"`
	ContextID string    `json:"context_id"`
}

type sentence struct {
	Text      string `json:"text"`
	ContextID string `json:"context_id"`
	Flush     bool   `json:"flush"`
}

type closing struct {
	ContextID string `json:"context_id"`
	Close     bool   `json:"close_context"`
}

func (w *wire) Begin(context string) []any {
	return []any{beginning{Text: " ", Settings: w.settings, ContextID: context}}
}

func (w *wire) Say(context, text string) []any {
	return []any{sentence{Text: text + " ", ContextID: context, Flush: true}} // text ends with a single space
}

// End closes the context; flushed text is still spoken.
func (w *wire) End(context string) []any { return []any{closing{ContextID: context, Close: true}} }

// Cancel sends the same message. Audio that still arrives is discarded.
func (w *wire) Cancel(context string, ended bool) []any {
	if ended {
		return nil
	}
	return w.End(context)
}

// answer is a message of the vendor. The documentation writes contextId; the server also sends context_id.
type answer struct {
	Audio      []byte     `json:"audio"` // base64
	IsFinal    bool       `json:"isFinal"`
	ContextID  string     `json:"contextId"`
	ContextID2 string     `json:"context_id"`
	Alignment  *alignment `json:"alignment"`
	Normalized *alignment `json:"normalizedAlignment"`
	Type       string     `json:"type"`
	Error      string     `json:"error"`
	Message    string     `json:"message"`
	Code       int        `json:"code"`
}

// alignment is the time of each character from the start of the message's audio. The documentation spells the
// durations field in two ways.
type alignment struct {
	Chars      []string  `json:"chars"`
	Starts     []float64 `json:"charStartTimesMs"`
	Starts2    []float64 `json:"charsStartTimesMs"`
	Durations  []float64 `json:"charDurationsMs"`
	Durations2 []float64 `json:"charsDurationsMs"`
}

func (w *wire) Read(data []byte) (synthesis.Message, error) {
	var a answer
	if err := json.Unmarshal(data, &a); err != nil {
		return synthesis.Message{}, dialogue.NewError("unreadable")
	}
	m := synthesis.Message{Context: a.ContextID, Audio: a.Audio, Done: a.IsFinal, Flushed: a.Type == "flush_done"}
	if m.Context == "" {
		m.Context = a.ContextID2
	}
	switch {
	case a.Error != "":
		m.Err = failure(a)
	case a.Alignment != nil: // the text as it was sent
		m.Letters = a.Alignment.letters()
	case a.Normalized != nil: // as it is read: numbers in words
		m.Letters = a.Normalized.letters()
	}
	if m.Err == nil && m.Context == "" && a.Audio == nil && !a.IsFinal && a.Type == "" {
		return m, dialogue.NewError("neither audio nor error")
	}
	return m, nil
}

// statuses maps the vendor's error names to HTTP statuses.
var statuses = map[string]int{
	"invalid_api_key":              http.StatusUnauthorized,
	"missing_api_key":              http.StatusUnauthorized,
	"needs_authorization":          http.StatusUnauthorized,
	"missing_permissions":          http.StatusForbidden,
	"detected_unusual_activity":    http.StatusForbidden,
	"quota_exceeded":               http.StatusPaymentRequired,
	"payment_required":             http.StatusPaymentRequired,
	"voice_not_found":              http.StatusNotFound,
	"voice_id_does_not_exist":      http.StatusNotFound,
	"model_not_found":              http.StatusNotFound,
	"invalid_input_message":        http.StatusBadRequest,
	"max_character_limit_exceeded": http.StatusBadRequest,
	"input_timeout_exceeded":       http.StatusRequestTimeout,
	"too_many_concurrent_requests": http.StatusTooManyRequests,
	"concurrent_limit_exceeded":    http.StatusTooManyRequests,
	"max_active_conversations":     http.StatusTooManyRequests,
	"rate_limit_exceeded":          http.StatusTooManyRequests,
	"system_busy":                  http.StatusServiceUnavailable,
}

func failure(a answer) error {
	words := a.Message
	if words == "" {
		words = a.Error
	}
	status := statuses[a.Error]
	if status == 0 && a.Code >= 400 && a.Code < 600 { // else it is a WebSocket close code
		status = a.Code
	}
	return vendorerror.Report{Status: status, Kinds: []string{a.Error}, Message: words}.Err("")
}

func (a *alignment) letters() []synthesis.Letter {
	starts, durations := a.Starts, a.Durations
	if starts == nil {
		starts = a.Starts2
	}
	if durations == nil {
		durations = a.Durations2
	}
	n := min(len(a.Chars), len(starts), len(durations))
	letters := make([]synthesis.Letter, n)
	for i := range n {
		start := milliseconds(starts[i])
		letters[i] = synthesis.Letter{Text: a.Chars[i], Start: start, End: start + milliseconds(durations[i])}
	}
	return letters
}

// milliseconds converts a time, limited to plausible values.
func milliseconds(ms float64) time.Duration {
	return time.Duration(min(max(ms, 0), 24*60*60*1000) * float64(time.Millisecond))
}

func (w *wire) Follow(samples int) synthesis.Follower {
	return &follower{Track: synthesis.NewTrack(samples)}
}
