package emulator

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

	"parley/internal/dialogue"
)

// elevenLabsContexts is how many contexts may be open in one connection.
const elevenLabsContexts = 5

// NewElevenLabs emulates ElevenLabs' text to speech over a WebSocket with
// several contexts,
// https://elevenlabs.io/docs/api-reference/text-to-speech/v-1-text-to-speech-voice-id-multi-stream-input
// and its guide. Errors are messages, followed by the end of the connection
// with code 1008, as this server has been seen to do.
func NewElevenLabs(report Reporter, o Options) *Server {
	return NewElevenLabsSpeech(report, o, RecognizerScript{})
}

// elevenLabsModels is the answer to a list of models, of which it has one: https://elevenlabs.io/docs/api-reference/models/list
const elevenLabsModels = `[{"model_id":"eleven_flash_v2_5","name":"Eleven Flash v2.5","can_do_text_to_speech":true,"languages":[{"language_id":"en","name":"English"}]}]`

// NewElevenLabsSpeech is NewElevenLabs with a script of the transcripts at /v1/speech-to-text/realtime.
func NewElevenLabsSpeech(report Reporter, o Options, h RecognizerScript) *Server {
	return start(report, o, func(s *Server) http.Handler {
		mux := http.NewServeMux()
		mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
			s.breach("elevenlabs: %s %s", r.Method, r.URL.Path)
			http.NotFound(w, r)
		})
		mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, r *http.Request) {
			s.checkKey(w, r.Header.Get("xi-api-key") == s.o.Key, elevenLabsModels, `{"detail":{"status":"invalid_api_key","message":"Invalid API key"}}`)
		})
		mux.HandleFunc("GET /v1/text-to-speech/{voice}/multi-stream-input", s.elevenLabs)
		mux.HandleFunc("GET /v1/speech-to-text/realtime", func(w http.ResponseWriter, r *http.Request) { s.scribe(w, r, h) })
		return mux
	})
}

func (s *Server) elevenLabs(w http.ResponseWriter, r *http.Request) {
	refuse := func(status int, code, message string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(map[string]any{"detail": map[string]any{"status": code, "message": message}}) //nolint:errcheck // the client may be gone
	}
	if r.Header.Get("xi-api-key") == "" {
		s.breach("elevenlabs: no xi-api-key")
		refuse(http.StatusUnauthorized, "needs_authorization", "Neither authorization header nor xi-api-key received.")
		return
	}
	if fault := elevenLabsQuery(r.URL.Query()); fault != "" {
		s.breach("elevenlabs: query: %s", fault)
		refuse(http.StatusUnprocessableEntity, "invalid_parameters", fault)
		return
	}
	if strings.HasPrefix(r.URL.Query().Get("model_id"), "eleven_v3") { // https://github.com/livekit/agents/issues/4901
		s.breach("elevenlabs: eleven_v3 is not served over WebSockets")
		refuse(http.StatusForbidden, "model_not_available", "This model is not available over WebSockets.")
		return
	}
	switch s.Fault() {
	case RateLimit:
		refuse(http.StatusTooManyRequests, "too_many_concurrent_requests", "Too many concurrent requests.")
		return
	case Broken:
		refuse(http.StatusInternalServerError, "internal_error", "Something went wrong.")
		return
	}
	s.socket(w, r, func(ctx context.Context, conn *websocket.Conn) {
		e := &elevenLabs{
			contexts: map[string]*elevenLabsContext{},
			voice:    r.PathValue("voice"),
			known:    r.Header.Get("xi-api-key") == s.o.Key,
			atOnce:   r.URL.Query().Get("auto_mode") == "true",
			aligned:  r.URL.Query().Get("sync_alignment") == "true",
		}
		s.serveConnection(ctx, conn, e.handleMessage)
	})
}

// elevenLabsLanguages are those of eleven_flash_v2_5 (https://elevenlabs.io/docs/models). Others are refused with
// unsupported_language.
var elevenLabsLanguages = strings.Fields("en ja zh de hi fr ko pt it es id nl tr fil pl sv bg ro ar cs el fi hr ms sk da ta uk ru hu no vi")

// elevenLabsQuery says what is wrong with a query.
func elevenLabsQuery(q url.Values) string {
	for name, values := range q {
		value := values[0]
		var good bool
		switch name {
		case "auto_mode", "sync_alignment", "enable_logging", "enable_ssml_parsing":
			good = value == "true" || value == "false"
		case "apply_text_normalization":
			// "For the eleven_flash_v2_5 model, text normalization can only be enabled with Enterprise plans" (the API reference).
			good = value == "auto" || value == "off" || value == "on" && !strings.HasSuffix(q.Get("model_id"), "_v2_5")
		case "inactivity_timeout":
			n, err := strconv.Atoi(value)
			good = err == nil && n > 0 && n <= 180
		case "language_code":
			// "This parameter is not supported for multilingual_v2 models" (StreamTextToSpeechRequest.ts of elevenlabs-js 2.56.0).
			good = strings.HasSuffix(q.Get("model_id"), "_v2_5") && slices.Contains(elevenLabsLanguages, value)
		case "output_format":
			good = value == "pcm_"+strconv.Itoa(dialogue.SpeakRate) // the only one this emulator makes
		case "model_id":
			good = strings.HasPrefix(value, "eleven_")
		case "seed":
			_, err := strconv.ParseUint(value, 10, 32)
			good = err == nil
		}
		if !good || len(values) > 1 {
			return name + "=" + strings.Join(values, ",")
		}
	}
	if q.Get("output_format") == "" || q.Get("model_id") == "" {
		return "output_format or model_id is missing"
	}
	return ""
}

// elevenLabs is one connection.
type elevenLabs struct {
	voice                  string
	known, atOnce, aligned bool

	mu       sync.Mutex
	contexts map[string]*elevenLabsContext // open
}

// elevenLabsRequest has every field of a client's message.
type elevenLabsRequest struct {
	Text     *string `json:"text"`
	Settings *struct {
		Stability       *float64 `json:"stability"`
		SimilarityBoost *float64 `json:"similarity_boost"`
		Style           *float64 `json:"style"`
		SpeakerBoost    *bool    `json:"use_speaker_boost"`
		Speed           *float64 `json:"speed"`
	} `json:"voice_settings"`
	GenerationConfig json.RawMessage `json:"generation_config"`
	Dictionaries     json.RawMessage `json:"pronunciation_dictionary_locators"`
	ContextID        string          `json:"context_id"`
	Flush            bool            `json:"flush"`
	CloseContext     bool            `json:"close_context"`
	CloseSocket      bool            `json:"close_socket"`
}

// handleMessage is called with every message of the client.
func (e *elevenLabs) handleMessage(l *line, data []byte) bool {
	fail := func(code, message string) bool {
		l.sendClose(map[string]any{"message": message, "error": code, "code": 1008}, websocket.StatusPolicyViolation, message)
		return false
	}
	var q elevenLabsRequest
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil {
		l.s.breach("elevenlabs: a message is not of the protocol: %v", err)
		return fail("invalid_input_message", "Could not parse input message.")
	}
	switch {
	case !e.known:
		return fail("invalid_api_key", "Invalid API key")
	case e.voice == UnknownVoice:
		return fail("voice_id_does_not_exist", "A voice with this voice_id does not exist.")
	case q.CloseSocket:
		l.sendClose(nil, websocket.StatusNormalClosure, "")
		return false
	}
	e.mu.Lock()
	k := e.contexts[q.ContextID]
	open := len(e.contexts)
	e.mu.Unlock()
	if fault := q.fault(k); fault != "" {
		l.s.breach("elevenlabs: %s: %s", fault, data)
		return fail("invalid_input_message", fault)
	}
	if k == nil {
		if open == elevenLabsContexts {
			l.s.breach("elevenlabs: a context more than are allowed")
			return fail("max_active_conversations", "Maximum simultaneous contexts per WebSocket connection exceeded (5).")
		}
		k = e.open(l, q.ContextID)
	}
	k.add(q)
	if q.CloseContext {
		l.s.release()
	}
	return true
}

// fault says what is wrong with a message to a context, nil a new one.
func (q *elevenLabsRequest) fault(k *elevenLabsContext) string {
	switch {
	case q.ContextID == "":
		return "no context_id"
	case k == nil && (q.Text == nil || *q.Text == ""):
		return "a context that does not exist"
	case k == nil && *q.Text != " ":
		return "the first text of a context is not a single space"
	case k != nil && q.Settings != nil:
		return "voice_settings after the first message of a context"
	case k != nil && k.closing():
		return "a context that was closed"
	case q.Text != nil && *q.Text != "" && (!strings.HasSuffix(*q.Text, " ") || strings.HasSuffix(*q.Text, "  ")):
		return "text does not end with a single space"
	case q.Settings != nil && q.Settings.Speed != nil && (*q.Settings.Speed < 0.7 || *q.Settings.Speed > 1.2):
		return "voice_settings.speed"
	case q.Text == nil && !q.Flush && !q.CloseContext:
		return "nothing to do"
	}
	return ""
}

// elevenLabsContext is one context.
type elevenLabsContext struct {
	e  *elevenLabs
	l  *line
	id string

	mu     sync.Mutex
	buffer string   // not yet to be spoken
	queue  []string // to be spoken
	closed bool
	wake   chan struct{}
	spoken bool
}

func (e *elevenLabs) open(l *line, id string) *elevenLabsContext {
	k := &elevenLabsContext{e: e, l: l, id: id, wake: make(chan struct{}, 1)}
	e.mu.Lock()
	e.contexts[id] = k
	e.mu.Unlock()
	l.voice.Go(k.speak)
	return k
}

func (k *elevenLabsContext) closing() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.closed
}

func (k *elevenLabsContext) add(q elevenLabsRequest) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if q.Text != nil && !q.CloseContext {
		k.buffer += *q.Text
	}
	if strings.TrimSpace(k.buffer) == "" {
		k.buffer = ""
	}
	if (q.Flush || k.e.atOnce) && k.buffer != "" {
		k.l.s.charge("tts characters", utf8.RuneCountInString(k.buffer))
		k.queue = append(k.queue, k.buffer)
		k.buffer = ""
	}
	k.closed = k.closed || q.CloseContext
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// speak sends the audio of the flushed text, then the message that the context is closed.
func (k *elevenLabsContext) speak() {
	for {
		k.mu.Lock()
		queue, closed := k.queue, k.closed
		k.queue = nil
		k.mu.Unlock()
		for _, text := range queue {
			if !k.sound(text) {
				return
			}
		}
		if closed {
			break
		}
		select {
		case <-k.wake:
		case <-k.l.ctx.Done():
			return
		}
	}
	k.e.mu.Lock()
	delete(k.e.contexts, k.id)
	k.e.mu.Unlock()
	if k.l.s.Fault() != Stall {
		k.l.sendMessage(map[string]any{"isFinal": true, "contextId": k.id})
	}
}

func (k *elevenLabsContext) sound(text string) bool {
	if !k.spoken && !rest(k.l.ctx, k.l.s.o.Delay) {
		return false
	}
	sound := k.l.s.sound(text)
	size := int(pieceTime*dialogue.SpeakRate/time.Second) * 2
	letter := 0
	return sound.pieces(k.l.ctx, size, func(from, to int) bool {
		if k.fails() {
			return false
		}
		first := letter
		for letter < len(sound.runes) && (to == len(sound.pcm) || sound.at(letter) < lengthOf(to)) {
			letter++
		}
		k.spoken = true
		alignment := k.alignment(sound, first, letter, lengthOf(from))
		return k.l.sendMessage(map[string]any{"audio": sound.pcm[from:to], "isFinal": nil, "normalizedAlignment": alignment, // no text that is read otherwise
			"alignment": alignment, "contextId": k.id})
	})
}

func (k *elevenLabsContext) fails() bool {
	switch k.l.s.Fault() {
	case RateLimit:
		k.l.sendClose(map[string]any{"message": "Too many concurrent requests.", "error": "too_many_concurrent_requests", "code": 1008},
			websocket.StatusPolicyViolation, "too many concurrent requests")
	case Broken:
		k.l.sendClose(map[string]any{"message": "Something went wrong.", "error": "internal_error", "code": 1011},
			websocket.StatusInternalError, "something went wrong")
	default:
		return k.l.fails(k.l.ctx, k.spoken)
	}
	return true
}

// alignment returns the letters from one to another, with times from the start of
// the piece.
func (k *elevenLabsContext) alignment(s sound, from, to int, start time.Duration) any {
	if !k.e.aligned || from == to {
		return nil
	}
	chars, starts, durations := []string{}, []int64{}, []int64{}
	for i := from; i < to; i++ {
		chars = append(chars, string(s.runes[i]))
		starts = append(starts, max(s.at(i)-start, 0).Milliseconds())
		durations = append(durations, (s.at(i+1) - s.at(i)).Milliseconds())
	}
	return map[string]any{"chars": chars, "charStartTimesMs": starts, "charDurationsMs": durations}
}
