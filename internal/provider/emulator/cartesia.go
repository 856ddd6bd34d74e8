package emulator

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

	"parley/internal/dialogue"
)

// cartesiaExpiry is how long a context lives after its last audio.
const cartesiaExpiry = time.Second

// cartesiaVersions are the versions of the protocol that clients use: Parley's, that of cartesia-js 4.2.0, and that of
// @livekit/agents-plugin-cartesia 1.8.1, which is older and still served.
var cartesiaVersions = []string{"2026-03-01", "2026-08-14", "2025-04-16"}

// cartesiaLanguages are those of sonic-3.
var cartesiaLanguages = strings.Fields("en fr de es pt zh ja hi it ko nl pl ru sv tr tl bg ro ar cs el fi hr ms sk da ta uk hu no vi bn th he ka id te gu kn ml mr pa")

// NewCartesia emulates Cartesia's text to speech,
// https://docs.cartesia.ai/api-reference/tts/websocket with its guides on
// contexts, flushing and errors, of version 2026-03-01.
func NewCartesia(report Reporter, o Options) *Server {
	return start(report, o, func(s *Server) http.Handler {
		mux := http.NewServeMux()
		mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
			s.breach("cartesia: %s %s", r.Method, r.URL.Path)
			http.NotFound(w, r)
		})
		mux.HandleFunc("GET /tts/websocket", s.cartesia)
		mux.HandleFunc("GET /voices", func(w http.ResponseWriter, r *http.Request) {
			if version := r.Header.Get("Cartesia-Version"); version != "2026-03-01" {
				s.breach("cartesia: version %q", version)
			}
			s.checkKey(w, r.Header.Get("X-API-Key") == s.o.Key, `{"data":[],"has_more":false}`, `{"error_code":"unauthorized","title":"Unauthorized","message":"The API key is invalid.","request_id":"r"}`)
		})
		return mux
	})
}

func (s *Server) cartesia(w http.ResponseWriter, r *http.Request) {
	refuse := func(status int, code, message string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(map[string]any{"error_code": code, "title": http.StatusText(status), "message": message, "request_id": "r"}) //nolint:errcheck // the client may be gone
	}
	key := r.Header.Get("X-API-Key")
	if key == "" {
		key = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	}
	version := r.URL.Query().Get("cartesia_version")
	if version == "" {
		version = r.Header.Get("Cartesia-Version")
	}
	switch {
	case key == "":
		s.breach("cartesia: no key in X-API-Key or Authorization")
		refuse(http.StatusUnauthorized, "unauthorized", "No API key was provided.")
	case !slices.Contains(cartesiaVersions, version):
		s.breach("cartesia: version %q", version)
		refuse(http.StatusBadRequest, "invalid_version", "The Cartesia version is invalid.")
	case key != s.o.Key:
		refuse(http.StatusUnauthorized, "unauthorized", "The API key is invalid.")
	case s.Fault() == RateLimit:
		refuse(http.StatusTooManyRequests, "concurrency_limited", "You have exceeded your plan's WebSocket limit.")
	case s.Fault() == Broken:
		refuse(http.StatusInternalServerError, "internal", "Something went wrong.")
	default:
		s.socket(w, r, func(ctx context.Context, conn *websocket.Conn) {
			c := &cartesia{contexts: map[string]*cartesiaContext{}}
			s.serveConnection(ctx, conn, c.handleMessage)
		})
	}
}

// cartesia is one connection.
type cartesia struct{ contexts map[string]*cartesiaContext }

// cartesiaRequest has every field of a generation or cancel request.
type cartesiaRequest struct {
	ModelID    *string `json:"model_id"`
	Transcript *string `json:"transcript"`
	Voice      *struct {
		Mode string `json:"mode"`
		ID   string `json:"id"`
	} `json:"voice"`
	Language     *string `json:"language"`
	ContextID    string  `json:"context_id"`
	OutputFormat *struct {
		Container  string `json:"container"`
		Encoding   string `json:"encoding"`
		SampleRate int    `json:"sample_rate"`
	} `json:"output_format"`
	Timestamps       bool    `json:"add_timestamps"`
	Phonemes         bool    `json:"add_phoneme_timestamps"`
	Normalized       *bool   `json:"use_normalized_timestamps"`
	MaxBufferDelay   *int    `json:"max_buffer_delay_ms"`
	Continue         bool    `json:"continue"`
	Flush            bool    `json:"flush"`
	PronunciationID  *string `json:"pronunciation_dict_id"`
	Cancel           bool    `json:"cancel"`
	GenerationConfig *struct {
		Speed   *float64 `json:"speed"`
		Volume  *float64 `json:"volume"`
		Emotion *string  `json:"emotion"`
	} `json:"generation_config"`
}

// cartesiaModel matches the models that still serve requests, with or without the day of a snapshot
// (https://docs.cartesia.ai/build-with-cartesia/tts-models/api-changes). Those before fail with model_sunsetted.
var cartesiaModel = regexp.MustCompile(`^(sonic-latest|sonic-preview|sonic-3(\.\d+)?(-latest|-20\d\d-\d\d-\d\d)?|sonic-2(-2025-0[456]-\d\d)?|sonic-turbo(-2025-06-04)?)$`)

// cartesiaEmotion matches the emotions of https://docs.cartesia.ai/build-with-cartesia/capability-guides/volume-speed-emotion, as
// the type Emotion of cartesia-js 4.2.0 lists them.
var cartesiaEmotion = regexp.MustCompile(`^(neutral|happy|excited|enthusiastic|elated|euphoric|triumphant|amazed|surprised|flirtatious|curious|content|` +
	`peaceful|serene|calm|grateful|affectionate|trust|sympathetic|anticipation|mysterious|angry|mad|outraged|frustrated|agitated|threatened|` +
	`disgusted|contempt|envious|sarcastic|ironic|sad|dejected|melancholic|disappointed|hurt|guilty|bored|tired|rejected|nostalgic|wistful|` +
	`apologetic|hesitant|insecure|confused|resigned|anxious|panicked|alarmed|scared|proud|confident|distant|skeptical|contemplative|determined)$`)

var cartesiaContextID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)

// fault says what is wrong with a generation request by itself.
func (q *cartesiaRequest) fault() string {
	switch {
	case !cartesiaContextID.MatchString(q.ContextID):
		return "context_id"
	case q.ModelID == nil || !cartesiaModel.MatchString(*q.ModelID):
		return "model_id"
	case q.Transcript == nil:
		return "transcript is missing"
	case q.Voice == nil || q.Voice.Mode != "id" || q.Voice.ID == "":
		return "voice"
	case q.OutputFormat == nil || q.OutputFormat.Container != "raw" || q.OutputFormat.Encoding != "pcm_s16le":
		return "output_format"
	case q.OutputFormat.SampleRate != dialogue.SpeakRate:
		return "output_format.sample_rate, which this emulator knows one of"
	case q.Language != nil && !slices.Contains(cartesiaLanguages, *q.Language):
		return "language"
	case q.MaxBufferDelay != nil && (*q.MaxBufferDelay < 0 || *q.MaxBufferDelay > 5000):
		return "max_buffer_delay_ms"
	case q.GenerationConfig != nil && q.GenerationConfig.Speed != nil && (*q.GenerationConfig.Speed < 0.6 || *q.GenerationConfig.Speed > 1.5):
		return "generation_config.speed"
	case q.GenerationConfig != nil && q.GenerationConfig.Emotion != nil && !cartesiaEmotion.MatchString(*q.GenerationConfig.Emotion):
		return "generation_config.emotion"
	case q.Flush && (*q.Transcript != "" || !q.Continue):
		return "a flush that has a transcript or ends the context"
	}
	return ""
}

// handleMessage handles a message of the client; false ends the connection.
func (c *cartesia) handleMessage(l *line, data []byte) bool {
	var q cartesiaRequest
	var fields map[string]json.RawMessage
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil || json.Unmarshal(data, &fields) != nil {
		l.s.breach("cartesia: a message is not of the protocol: %v", err)
		return l.sendMessage(cartesiaError(q.ContextID, http.StatusBadRequest, "invalid_request", "The request is invalid."))
	}
	known := c.contexts[q.ContextID]
	if q.Cancel {
		if known == nil || len(fields) != 2 {
			l.s.breach("cartesia: cancel of a context that never was, or with other fields: %s", data)
		} else {
			known.cancel()
			l.s.release()
		}
		return true
	}
	fault := q.fault()
	if fault == "" && known == nil && *q.Transcript == "" {
		fault = "a new context without text"
	}
	if fault == "" && known != nil {
		fault = known.refuses(fields, *q.Transcript)
	}
	if fault != "" {
		l.s.breach("cartesia: %s: %s", fault, data)
		return l.sendMessage(cartesiaError(q.ContextID, http.StatusBadRequest, "invalid_request", "Invalid: "+fault))
	}
	if known == nil {
		known = c.open(l, &q, fields)
	}
	l.s.charge("tts characters", utf8.RuneCountInString(*q.Transcript))
	known.add(q)
	return true
}

// cartesiaContext is one context.
type cartesiaContext struct {
	l      *line
	id     string
	q      cartesiaRequest
	fields map[string]json.RawMessage // that must stay as they are
	cancel context.CancelFunc

	mu     sync.Mutex
	text   string // all transcripts
	queue  []cartesiaRequest
	ended  bool // by continue: false, or expiry
	wake   chan struct{}
	flush  int // number of the current flush
	clock  time.Duration
	spoken bool
}

func (c *cartesia) open(l *line, q *cartesiaRequest, fields map[string]json.RawMessage) *cartesiaContext {
	k := &cartesiaContext{l: l, id: q.ContextID, q: *q, fields: constant(fields), wake: make(chan struct{}, 1), flush: 1}
	ctx, cancel := context.WithCancel(l.ctx)
	k.cancel = cancel
	c.contexts[q.ContextID] = k
	l.voice.Go(func() { k.speak(ctx) })
	return k
}

// constant returns the fields that all requests of a context must agree in.
func constant(fields map[string]json.RawMessage) map[string]json.RawMessage {
	same := maps.Clone(fields)
	for _, name := range []string{"transcript", "continue", "flush", "duration"} {
		delete(same, name)
	}
	return same
}

// refuses says what is wrong with a further request.
func (k *cartesiaContext) refuses(fields map[string]json.RawMessage, transcript string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ended {
		return "the context has ended"
	}
	if !maps.EqualFunc(k.fields, constant(fields), func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
		return "fields differ within a context"
	}
	if transcript != "" && !strings.HasSuffix(k.text, " ") && !strings.HasPrefix(transcript, " ") {
		return "transcripts run into each other"
	}
	return ""
}

func (k *cartesiaContext) add(q cartesiaRequest) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.text += *q.Transcript
	k.ended = !q.Continue
	k.queue = append(k.queue, q)
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// next waits for the next request, no longer than the context lives.
func (k *cartesiaContext) next(ctx context.Context) (cartesiaRequest, bool) {
	expiry := make(<-chan time.Time)
	if k.spoken {
		expiry = time.After(cartesiaExpiry)
	}
	for {
		k.mu.Lock()
		if len(k.queue) > 0 {
			q := k.queue[0]
			k.queue = k.queue[1:]
			k.mu.Unlock()
			return q, true
		}
		k.mu.Unlock()
		select {
		case <-k.wake:
		case <-expiry:
			k.mu.Lock()
			expired := len(k.queue) == 0
			k.ended = k.ended || expired
			k.mu.Unlock()
			if expired {
				return cartesiaRequest{}, false
			}
		case <-ctx.Done():
			return cartesiaRequest{}, false
		}
	}
}

func (k *cartesiaContext) speak(ctx context.Context) {
	defer k.cancel()
	if k.q.Voice.ID == UnknownVoice {
		k.l.sendMessage(cartesiaError(k.id, http.StatusNotFound, "voice_not_found", "The voice was not found."))
		return
	}
	for {
		q, more := k.next(ctx)
		if !more {
			break
		}
		if *q.Transcript != "" && !k.sound(ctx, *q.Transcript) {
			return
		}
		if q.Flush {
			k.l.sendMessage(map[string]any{"type": "flush_done", "done": false, "flush_done": true, "flush_id": k.flush, "status_code": 206, "context_id": k.id})
			k.flush++
		}
		if !q.Continue {
			break
		}
	}
	if k.l.ctx.Err() == nil {
		k.l.sendMessage(map[string]any{"type": "done", "done": true, "status_code": 206, "context_id": k.id})
	}
}

// sound speaks one transcript. The pieces are cut within a sample, which a
// client must expect. What is under way when the context is cancelled still
// comes, as the guide says of a generation that has begun: here one piece.
func (k *cartesiaContext) sound(ctx context.Context, transcript string) bool {
	if !k.spoken && !rest(ctx, k.l.s.o.Delay) {
		return true
	}
	sound := k.l.s.sound(transcript)
	chunk := func(from, to int) bool {
		return k.l.sendMessage(map[string]any{"type": "chunk", "data": sound.pcm[from:to], "done": false, "status_code": 206, "step_time": 12.3, "context_id": k.id, "flush_id": k.flush})
	}
	size := int(pieceTime*dialogue.SpeakRate/time.Second)*2 + 1
	whole := sound.pieces(ctx, size, func(from, to int) bool {
		if k.fails(ctx) {
			return false
		}
		if !chunk(from, to) {
			return false
		}
		if from == 0 && k.q.Timestamps {
			k.times(sound)
		}
		k.spoken = true
		return true
	})
	if !whole && ctx.Err() != nil && k.l.ctx.Err() == nil && k.l.s.Fault() == None {
		chunk(0, min(size, len(sound.pcm)))
		return true
	}
	k.clock += sound.length()
	return whole
}

func (k *cartesiaContext) fails(ctx context.Context) bool {
	switch k.l.s.Fault() {
	case RateLimit:
		k.l.sendMessage(cartesiaError(k.id, http.StatusTooManyRequests, "concurrency_limited", "You have exceeded your plan's concurrency limit."))
	case Broken:
		k.l.sendMessage(cartesiaError(k.id, http.StatusInternalServerError, "internal", "Something went wrong."))
	default:
		return k.l.fails(ctx, k.spoken)
	}
	return true
}

func (k *cartesiaContext) times(s sound) {
	words, starts, ends := []string{}, []float64{}, []float64{}
	for _, w := range s.words() {
		words = append(words, w.Text)
		starts = append(starts, (k.clock + w.Start).Seconds())
		ends = append(ends, (k.clock + w.End).Seconds())
	}
	k.l.sendMessage(map[string]any{"type": "timestamps", "done": false, "status_code": 206, "context_id": k.id, "flush_id": k.flush,
		"word_timestamps": map[string]any{"words": words, "start": starts, "end": ends}})
}

func cartesiaError(context string, status int, code, message string) map[string]any {
	e := map[string]any{"type": "error", "done": true, "status_code": status, "error_code": code, "title": http.StatusText(status), "message": message, "request_id": "r"}
	if context != "" {
		e["context_id"] = context
	}
	return e
}
