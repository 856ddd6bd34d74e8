package emulator

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// assemblyAIQuery is what each query value has to look like
// (https://www.assemblyai.com/docs/api-reference/streaming-api/universal-streaming).
var assemblyAIQuery = map[string]*regexp.Regexp{
	"speech_model":                     regexp.MustCompile(`^(universal-streaming-(english|multilingual)|universal-3-5-pro|u3-rt-pro|u3-pro|whisper-rt)$`),
	"encoding":                         regexp.MustCompile(`^pcm_s16le$`),
	"sample_rate":                      regexp.MustCompile(`^16000$`),
	"format_turns":                     regexp.MustCompile(`^(true|false)$`),
	"end_of_turn_confidence_threshold": regexp.MustCompile(`^(0(\.\d+)?|1(\.0+)?)$`),
	"min_turn_silence":                 regexp.MustCompile(`^\d+$`),
	"max_turn_silence":                 regexp.MustCompile(`^\d+$`),
	"language_codes":                   regexp.MustCompile(`^\["(en|es|de|fr|pt|it)"(, ?"(en|es|de|fr|pt|it)")*\]$`),
	// Terms of at most 50 characters: https://www.assemblyai.com/docs/streaming/universal-streaming/keyterms-prompting
	"keyterms_prompt":    regexp.MustCompile(`^\["[^"]{1,50}"(,"[^"]{1,50}")*\]$`),
	"language_detection": regexp.MustCompile(`^(true|false)$`),
	"inactivity_timeout": regexp.MustCompile(`^\d+$`),
}

// NewAssemblyAI runs AssemblyAI's Universal-Streaming, /v3/ws.
func NewAssemblyAI(report Reporter, o Options, h RecognizerScript) *Server {
	return start(report, o, func(s *Server) http.Handler {
		mux := http.NewServeMux()
		mux.HandleFunc("GET /v3/ws", func(w http.ResponseWriter, r *http.Request) { s.assemblyAI(w, r, h) })
		mux.HandleFunc("GET /v3/token", func(w http.ResponseWriter, r *http.Request) {
			s.checkKey(w, r.Header.Get("Authorization") == s.o.Key, `{"token":"t","expires_in_seconds":60}`, `{"error":"Invalid API key"}`)
		})
		mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
			s.breach("AssemblyAI has no %s %s", r.Method, r.URL.Path)
			http.NotFound(w, r)
		})
		return mux
	})
}

func (s *Server) assemblyAI(w http.ResponseWriter, r *http.Request, h RecognizerScript) {
	if s.Fault() == Broken {
		http.Error(w, `{"error":"Internal Server Error"}`, http.StatusInternalServerError)
		return
	}
	key := r.Header.Get("Authorization")
	if key == "" || strings.Contains(key, " ") {
		s.breach("AssemblyAI wants Authorization: KEY, without a scheme")
	}
	s.socket(w, r, func(ctx context.Context, conn *websocket.Conn) {
		a := &assemblyAISession{s: s, format: r.URL.Query().Get("format_turns") == "true", speechDetector: newSpeechDetector(h), messageSender: newMessageSender(ctx, s, conn), begun: time.Now()}
		defer a.messageSender.dropQueue()
		switch {
		case key != s.o.Key:
			a.fail(websocket.StatusPolicyViolation, "Unauthorized Connection: Missing Authorization header")
			return
		case s.Fault() == RateLimit:
			a.fail(3009, "Unauthorized Connection: Too many concurrent sessions")
			return
		}
		if bad := s.badQuery("AssemblyAI", r.URL.Query(), assemblyAIQuery, "speech_model", "sample_rate"); bad != "" {
			a.fail(3006, "Invalid Message: "+bad)
			return
		}
		universal3 := strings.Contains(r.URL.Query().Get("speech_model"), "3")
		for name, taken := range map[string]bool{"language_codes": universal3, "format_turns": !universal3} {
			// "Only supported with the Universal-3 Pro family" (livekit/agents, stt.py of the plugin for AssemblyAI), and "removing
			// format_turns" (https://assemblyai.com/docs/streaming/migration-guides/universal-to-universal-3-5-pro-streaming).
			if r.URL.Query().Has(name) && !taken {
				s.breach("AssemblyAI takes no %s with this model", name)
				a.fail(3006, "Invalid Message: "+name)
				return
			}
		}
		a.formatted = universal3
		a.messageSender.greet(encode(map[string]any{"type": "Begin", "id": assemblyAISessionID, "expires_at": time.Now().Add(3 * time.Hour).Unix()}))
		defer a.bill()
		a.serve(ctx, conn)
	})
}

// assemblyAIAhead is how far ahead of real time audio may come, by the error in https://github.com/pigeonai-org/ViDove/pull/3.
const assemblyAIAhead = 310 * time.Second

const assemblyAISessionID = "de5d9927-73a6-4be8-b52d-b4c07be37e6b"

// assemblyAISession is one connection.
type assemblyAISession struct {
	s      *Server
	format bool
	// formatted: turns are formatted when they end, without a second message.
	formatted      bool
	speechDetector *speechDetector
	messageSender  *messageSender
	begun          time.Time

	order    int    // of the current turn
	turning  bool   // a turn is under way
	said     string // its words so far
	answered bool   // something of it was said
	billed   bool
}

// bill charges the session, which is billed from its beginning to its end, once.
func (a *assemblyAISession) bill() time.Duration {
	length := started(time.Since(a.begun), time.Second)
	if !a.billed {
		a.billed = true
		a.s.chargeSeconds(length)
	}
	return length
}

// fail ends the session with an Error message and the same code in the close
// frame.
func (a *assemblyAISession) fail(code websocket.StatusCode, words string) {
	a.messageSender.greet(encode(map[string]any{"type": "Error", "error_code": code, "error": words}))
	a.messageSender.sendClose(code, words)
}

func (a *assemblyAISession) serve(ctx context.Context, conn *websocket.Conn) {
	for {
		kind, message, err := conn.Read(ctx)
		switch {
		case err != nil:
			return
		case a.s.Fault() == Stall:
		case kind == websocket.MessageBinary && !a.pushAudio(message), kind == websocket.MessageText && !a.command(message):
			return
		}
	}
}

func (a *assemblyAISession) command(message []byte) (keepOpen bool) {
	var c struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(message, &c); err != nil {
		a.s.breach("AssemblyAI understands no text message %.100q", message)
		a.fail(3006, "Invalid JSON")
		return false
	}
	switch c.Type {
	case "ForceEndpoint":
		if a.turning {
			a.end(a.speechDetector.takeText(), a.speechDetector.h.Lag)
		}
	case "KeepAlive", "UpdateConfiguration":
	case "Terminate":
		if a.turning {
			a.end(a.speechDetector.takeText(), 0)
		}
		a.messageSender.answer(encode(map[string]any{"type": "Termination", "audio_duration_seconds": int(a.speechDetector.heard.Seconds()),
			"session_duration_seconds": int(a.bill().Seconds())}), false, 0)
		a.messageSender.sendClose(websocket.StatusNormalClosure, "")
		return false
	default:
		a.s.breach("AssemblyAI has no message of type %q", c.Type)
		a.fail(3006, "Invalid Message Type: "+c.Type)
		return false
	}
	return true
}

func (a *assemblyAISession) pushAudio(pcm []byte) (keepOpen bool) {
	length := time.Duration(len(pcm)/2) * time.Second / recognizerRate
	if len(pcm)%2 != 0 || length < 50*time.Millisecond || length > time.Second {
		a.s.breach("AssemblyAI takes 50 to 1000 ms of audio in a message, not %v (%d bytes)", length, len(pcm))
		a.fail(3007, "Input Duration Error: Input duration violation: "+length.String()+". Expected between 50 and 1000 ms")
		return false
	}
	if since := time.Since(a.begun); a.speechDetector.heard+length > since+assemblyAIAhead {
		a.s.breach("AssemblyAI takes audio %v ahead of real time at most", assemblyAIAhead)
		a.fail(3007, fmt.Sprintf("Input Duration Error: Audio Transmission Rate Exceeded: Received %.1f sec. audio in %f sec", (a.speechDetector.heard+length).Seconds(), since.Seconds()))
		return false
	}
	for _, frame := range frames(pcm) {
		f := a.speechDetector.pushAudio(frame)
		if f.began {
			a.turning, a.said, a.answered = true, "", false
		}
		if f.interim != "" && a.turning {
			a.said = f.interim
			a.turn(false, false, "", 0)
		}
		if f.ended {
			if text := a.speechDetector.end(); a.turning {
				a.end(text, 0)
			}
		}
	}
	return true
}

// end ends the turn. What follows in the same utterance is another one only
// when it has words, which it has not.
func (a *assemblyAISession) end(text string, after time.Duration) {
	if text != "" {
		a.said = text
	}
	a.turn(true, a.formatted, a.said, after)
	if a.format {
		a.turn(true, true, a.said, after)
	}
	a.turning = false
	a.order++
}

// turn sends the state of the current turn. While it continues, its last word may still
// change: it is among the words and not in the transcript.
func (a *assemblyAISession) turn(end, formatted bool, utterance string, after time.Duration) {
	fields := strings.Fields(a.said)
	stable := fields
	if !end && len(fields) > 0 {
		stable = fields[:len(fields)-1]
	}
	words := []map[string]any{}
	for i, word := range fields {
		words = append(words, map[string]any{"text": word, "start": i * 250, "end": (i + 1) * 250, "confidence": 0.95, "word_is_final": i < len(stable)})
	}
	confidence := 0.01
	if end && !unfinished(a.said) {
		confidence = 0.93
	}
	first := !a.answered
	a.answered = true
	a.messageSender.answer(encode(map[string]any{
		"type": "Turn", "turn_order": a.order, "turn_is_formatted": formatted, "end_of_turn": end, "end_of_turn_confidence": confidence,
		"transcript": strings.Join(stable, " "), "utterance": utterance, "words": words,
	}), first, after)
}
