package emulator

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// Deepgram's rules for streams
// (https://developers.deepgram.com/reference/speech-to-text/listen-streaming).
const (
	deepgramIdle    = 10 * time.Second // without a message: NET-0001
	deepgramLongest = 250 * time.Millisecond
)

// deepgramQuery is what each query value has to look like.
var deepgramQuery = map[string]*regexp.Regexp{
	"model": regexp.MustCompile(`^(nova|enhanced|base|whisper|general|meeting|phonecall)[a-z0-9-]*$`), // Flux is at /v2/listen
	// Codes of Nova-3; others are refused: https://developers.deepgram.com/docs/models-languages-overview
	"language": regexp.MustCompile(`^(multi|bg|ca|cs|da(-DK)?|de(-CH)?|el|en(-(AU|GB|IN|NZ|US))?|es(-419)?|et|fi|fr(-CA)?|hi|hu|id|it|ja|ko(-KR)?|` +
		`lt|lv|ms|nl(-BE)?|no|pl|pt(-(BR|PT))?|ro|ru|sk|sv(-SE)?|tr|uk|vi)$`),
	"encoding":        regexp.MustCompile(`^linear16$`),
	"sample_rate":     regexp.MustCompile(`^16000$`),
	"channels":        regexp.MustCompile(`^1$`),
	"interim_results": regexp.MustCompile(`^(true|false)$`),
	"endpointing":     regexp.MustCompile(`^(\d+|false)$`),
	"vad_events":      regexp.MustCompile(`^(true|false)$`),
	"smart_format":    regexp.MustCompile(`^(true|false)$`),
	"punctuate":       regexp.MustCompile(`^(true|false)$`),
	"no_delay":        regexp.MustCompile(`^(true|false)$`),
	"keyterm":         regexp.MustCompile(`.`),
	"mip_opt_out":     regexp.MustCompile(`^(true|false)$`),
	// Of ListenV1 in src/api/resources/listen/resources/v1/client/Client.ts of deepgram-js-sdk 5.13.0; livekit/agents sends them with their
	// defaults.
	"dictation":        regexp.MustCompile(`^(true|false)$`),
	"diarize":          regexp.MustCompile(`^(true|false)$`),
	"filler_words":     regexp.MustCompile(`^(true|false)$`),
	"numerals":         regexp.MustCompile(`^(true|false)$`),
	"profanity_filter": regexp.MustCompile(`^(true|false)$`),
}

var deepgramKeyTerms = regexp.MustCompile(`^(nova-3|flux-)`)

// NewDeepgram runs Deepgram's streaming recognition, /v1/listen and for Flux /v2/listen, and its synthesis, /v1/speak.
func NewDeepgram(report Reporter, o Options, h RecognizerScript) *Server {
	return start(report, o, func(s *Server) http.Handler {
		mux := http.NewServeMux()
		mux.HandleFunc("GET /v1/listen", func(w http.ResponseWriter, r *http.Request) { s.deepgram(w, r, h) })
		mux.HandleFunc("GET /v2/listen", func(w http.ResponseWriter, r *http.Request) { s.deepgram(w, r, h) })
		speech := &aura{s}
		mux.HandleFunc("POST /v1/speak", speech.speak)
		mux.HandleFunc("GET /v1/auth/token", speech.token)
		mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
			s.breach("Deepgram has no %s %s", r.Method, r.URL.Path)
			http.NotFound(w, r)
		})
		return mux
	})
}

func (s *Server) deepgram(w http.ResponseWriter, r *http.Request, h RecognizerScript) {
	refuse := func(status int, code, message string) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("dg-error", message)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(encode(map[string]string{"err_code": code, "err_msg": message, "request_id": deepgramRequest})))
	}
	scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "token") || key == "" {
		s.breach("Deepgram wants Authorization: Token KEY, not the scheme %q", scheme)
	}
	switch fault := s.Fault(); {
	case key != s.o.Key:
		refuse(http.StatusUnauthorized, "INVALID_AUTH", "Invalid credentials.")
		return
	case fault == RateLimit:
		refuse(http.StatusTooManyRequests, "TOO_MANY_REQUESTS", "Too many requests. Please try again later.")
		return
	case fault == Broken:
		refuse(http.StatusInternalServerError, "INTERNAL_SERVER_ERROR", "Something went wrong.")
		return
	}
	flux, fault := r.URL.Path == "/v2/listen", ""
	if flux {
		fault = s.badFluxQuery(r.URL.Query())
	} else {
		fault = s.badQuery("Deepgram", r.URL.Query(), deepgramQuery, "model", "encoding", "sample_rate")
	}
	if terms := r.URL.Query()["keyterm"]; fault == "" && len(terms) > 0 && !deepgramKeyTerms.MatchString(r.URL.Query().Get("model")) {
		s.breach("Deepgram takes key terms with Nova-3 and Flux alone") // https://developers.deepgram.com/docs/keyterm
		fault = "keyterm is not supported by this model"
	} else if len(terms) > 100 {
		s.breach("Deepgram takes 100 key terms, not %d", len(terms))
		fault = "too many key terms"
	}
	if fault != "" {
		refuse(http.StatusBadRequest, "INVALID_QUERY_PARAMETER", fault)
		return
	}
	if flux {
		s.socket(w, r, func(ctx context.Context, conn *websocket.Conn) { s.flux(ctx, conn, r, h) })
		return
	}
	if ms, err := strconv.Atoi(r.URL.Query().Get("endpointing")); err == nil && h.Endpointing == 0 {
		h.Endpointing = time.Duration(ms) * time.Millisecond
	}
	s.socket(w, r, func(ctx context.Context, conn *websocket.Conn) {
		d := &deepgramStream{s: s, query: r.URL.Query(), speechDetector: newSpeechDetector(h), messageSender: newMessageSender(ctx, s, conn)}
		defer d.messageSender.dropQueue()
		d.serve(ctx, conn)
	})
}

// badQuery checks a query, and says what is wrong with it.
func (s *Server) badQuery(vendor string, query url.Values, rules map[string]*regexp.Regexp, required ...string) string {
	for name, values := range query {
		rule, known := rules[name]
		if !known {
			s.breach("%s has no parameter %q", vendor, name)
			return "unknown parameter " + name
		}
		if i := slices.IndexFunc(values, func(v string) bool { return !rule.MatchString(v) }); i >= 0 {
			s.breach("%s takes no %s=%q", vendor, name, values[i])
			return "invalid value of " + name
		}
	}
	for _, name := range required {
		if !query.Has(name) {
			s.breach("%s misses the parameter %q", vendor, name)
			return "missing parameter " + name
		}
	}
	return ""
}

const deepgramRequest = "7d2f6a3e-5f0b-4a3f-9c7e-2b1d0c9e8f7a"

// deepgramStream is one connection.
type deepgramStream struct {
	s              *Server
	query          url.Values
	speechDetector *speechDetector
	messageSender  *messageSender

	final    time.Duration // the audio before is final
	answered bool          // something of the utterance's answer was said
}

func (d *deepgramStream) serve(ctx context.Context, conn *websocket.Conn) {
	for {
		idle, cancel := context.WithTimeout(ctx, deepgramIdle)
		kind, message, err := conn.Read(idle)
		late := idle.Err() != nil && ctx.Err() == nil
		cancel()
		switch {
		case late:
			d.s.breach("Deepgram heard nothing for %v, no KeepAlive either", deepgramIdle)
			return
		case err != nil:
			return
		case d.s.Fault() == Stall:
		case kind == websocket.MessageBinary:
			d.pushAudio(message)
		case !d.command(message):
			return
		}
	}
}

func (d *deepgramStream) command(message []byte) (keepOpen bool) {
	var c struct {
		Type    string `json:"type"`
		Channel *int   `json:"channel"`
	}
	decoder := json.NewDecoder(bytes.NewReader(message))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		d.s.breach("Deepgram understands no text message %.100q", message)
		d.messageSender.sendClose(websocket.StatusPolicyViolation, "DATA-0000")
		return false
	}
	switch c.Type {
	case "KeepAlive":
	case "Finalize":
		d.finalize()
	case "CloseStream":
		if d.speechDetector.within {
			d.results(d.speechDetector.end(), true, false, false, 0)
		}
		d.messageSender.answer(encode(map[string]any{
			"type": "Metadata", "transaction_key": "deprecated", "request_id": deepgramRequest, "sha256": "",
			"created": "2026-01-01T00:00:00.000Z", "duration": d.speechDetector.heard.Seconds(), "channels": 1,
		}), false, 0)
		d.messageSender.sendClose(websocket.StatusNormalClosure, "")
		return false
	default:
		d.s.breach("Deepgram has no message of type %q", c.Type)
		d.messageSender.sendClose(websocket.StatusPolicyViolation, "DATA-0000")
		return false
	}
	return true
}

// pushAudio adds audio. To Deepgram an empty message is the end of the stream.
func (d *deepgramStream) pushAudio(pcm []byte) {
	length := time.Duration(len(pcm)/2) * time.Second / recognizerRate
	if len(pcm) == 0 || len(pcm)%2 != 0 || length > deepgramLongest {
		d.s.breach("Deepgram got %d bytes of linear16 in one message (%v)", len(pcm), length)
		return
	}
	d.s.chargeAudio(len(pcm))
	for _, frame := range frames(pcm) {
		f := d.speechDetector.pushAudio(frame)
		if f.began {
			d.answered = false
			if d.query.Get("vad_events") == "true" {
				d.messageSender.greet(encode(map[string]any{"type": "SpeechStarted", "channel": []int{0, 1}, "timestamp": d.speechDetector.heard.Seconds()}))
			}
		}
		if f.interim != "" && d.query.Get("interim_results") == "true" {
			d.results(f.interim, false, false, false, 0)
		}
		if f.ended {
			d.results(d.speechDetector.end(), true, d.query.Get("endpointing") != "false", false, 0)
		}
	}
}

// finalize answers a Finalize, unless there is nothing to answer.
func (d *deepgramStream) finalize() {
	if d.speechDetector.heard-d.final < 100*time.Millisecond {
		return // "not guaranteed if there is no significant amount of audio"
	}
	d.results(d.speechDetector.takeText(), true, false, true, d.speechDetector.h.Lag)
}

func (d *deepgramStream) results(text string, final, speechFinal, fromFinalize bool, after time.Duration) {
	begin, length := d.final.Seconds(), (d.speechDetector.heard - d.final).Seconds()
	words := []map[string]any{}
	fields := strings.Fields(text)
	spoken, each := d.speechDetector.begun.Seconds(), (d.speechDetector.heard-d.speechDetector.quiet-d.speechDetector.begun).Seconds()/float64(max(1, len(fields)))
	for i, word := range fields {
		words = append(words, map[string]any{"word": strings.ToLower(strings.Trim(word, ".,?!…")), "punctuated_word": word,
			"start": spoken + float64(i)*each, "end": spoken + float64(i+1)*each, "confidence": 0.98})
	}
	if final {
		d.final = d.speechDetector.heard
	}
	first := !d.answered
	d.answered = true
	d.messageSender.answer(encode(map[string]any{
		"type": "Results", "channel_index": []int{0, 1}, "start": begin, "duration": length,
		"is_final": final, "speech_final": speechFinal, "from_finalize": fromFinalize,
		"channel":  map[string]any{"alternatives": []map[string]any{{"transcript": text, "confidence": 0.97, "words": words}}},
		"metadata": map[string]any{"request_id": deepgramRequest, "model_info": map[string]any{"name": d.query.Get("model"), "version": strconv.Itoa(2026), "arch": d.query.Get("model")}, "model_uuid": deepgramRequest},
	}), first, after)
}
