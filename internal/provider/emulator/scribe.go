package emulator

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// scribeQuery is what each query value of Scribe v2 Realtime has to look like: wrapper/realtime/scribe.ts of elevenlabs-js 2.73.0.
var scribeQuery = map[string]*regexp.Regexp{
	"model_id":                   regexp.MustCompile(`^scribe_v2_realtime$`),
	"audio_format":               regexp.MustCompile(`^pcm_16000$`),
	"commit_strategy":            regexp.MustCompile(`^(manual|vad)$`),
	"vad_silence_threshold_secs": regexp.MustCompile(`^(0\.[3-9]\d*|[12](\.\d+)?|3(\.0+)?)$`),
	"vad_threshold":              regexp.MustCompile(`^0\.[1-9]\d*$`),
	"language_code":              regexp.MustCompile(`^[a-z]{2,3}$`), // ISO 639-1 or 639-3, without a region
	"include_timestamps":         regexp.MustCompile(`^(true|false)$`),
	"keyterms":                   regexp.MustCompile(`^.{1,20}$`),
	"enable_logging":             regexp.MustCompile(`^(true|false)$`),
}

const (
	// scribeLeast is the least audio between two commits.
	scribeLeast = 300 * time.Millisecond
	// scribeLongest is the most audio in a message.
	scribeLongest = time.Second
)

func (s *Server) scribe(w http.ResponseWriter, r *http.Request, h RecognizerScript) {
	if s.Fault() == Broken {
		http.Error(w, `{"detail":{"status":"internal_error","message":"Something went wrong."}}`, http.StatusInternalServerError)
		return
	}
	s.socket(w, r, func(ctx context.Context, conn *websocket.Conn) {
		e := &scribeSession{s: s, vad: r.URL.Query().Get("commit_strategy") == "vad", speechDetector: newSpeechDetector(h), messageSender: newMessageSender(ctx, s, conn)}
		defer e.messageSender.dropQueue()
		switch {
		case r.Header.Get("xi-api-key") != s.o.Key:
			e.fail("auth_error", "You must be authenticated to use this endpoint.")
			return
		case s.Fault() == RateLimit:
			e.fail("rate_limited", "Too many concurrent requests.")
			return
		}
		bad := s.badQuery("ElevenLabs", r.URL.Query(), scribeQuery, "model_id")
		if bad == "" && len(r.URL.Query()["keyterms"]) > 50 {
			s.breach("ElevenLabs takes 50 key terms")
			bad = "too many keyterms"
		}
		if bad != "" {
			e.fail("invalid_request", bad)
			return
		}
		e.messageSender.greet(encode(map[string]any{"message_type": "session_started", "session_id": "0b0a72b57fd743ebbed6555d44836cf2",
			"config": map[string]any{"sample_rate": recognizerRate, "audio_format": "pcm_16000", "model_id": "scribe_v2_realtime"}}))
		for {
			kind, message, err := conn.Read(ctx)
			switch {
			case err != nil:
				return
			case s.Fault() == Stall:
			case kind != websocket.MessageText || !e.handleMessage(message):
				return
			}
		}
	})
}

// scribeSession is one connection.
type scribeSession struct {
	s              *Server
	vad            bool // it commits by itself
	speechDetector *speechDetector
	messageSender  *messageSender

	pending   []string      // said and not committed
	since     time.Duration // of audio since the last commit
	answering bool          // something of the utterance's answer was said
}

// fail ends the session with an error.
func (e *scribeSession) fail(kind, words string) {
	e.messageSender.greet(encode(map[string]any{"message_type": kind, "error": words}))
	code := websocket.StatusPolicyViolation
	if kind == "rate_limited" {
		code = websocket.StatusTryAgainLater
	}
	e.messageSender.sendClose(code, kind)
}

func (e *scribeSession) handleMessage(message []byte) (keepOpen bool) {
	var m struct {
		Type     string  `json:"message_type"`
		Audio    []byte  `json:"audio_base_64"`
		Commit   bool    `json:"commit"`
		Rate     *int    `json:"sample_rate"`
		Previous *string `json:"previous_text"`
	}
	if err := strictly(message, &m); err != nil || m.Type != "input_audio_chunk" || m.Rate != nil && *m.Rate != recognizerRate || len(m.Audio)%2 != 0 {
		e.s.breach("ElevenLabs Scribe has no message %.100q", message)
		e.fail("input_error", "The message is not valid.")
		return false
	}
	length := time.Duration(len(m.Audio)/2) * time.Second / recognizerRate
	if length > scribeLongest {
		e.s.breach("ElevenLabs Scribe takes no %v of audio in a message", length)
		e.fail("chunk_size_exceeded", "The chunk is too long.")
		return false
	}
	e.s.chargeAudio(len(m.Audio))
	e.since += length
	for _, frame := range frames(m.Audio) {
		f := e.speechDetector.pushAudio(frame)
		if f.began {
			e.answering = false
		}
		if f.interim != "" {
			e.sendMessage("partial_transcript", strings.Join(append(e.pending[:len(e.pending):len(e.pending)], f.interim), " "), 0)
		}
		if f.ended {
			if text := e.speechDetector.end(); text != "" {
				e.pending = append(e.pending, text)
			}
			if e.vad {
				e.commit(0)
			}
		}
	}
	if m.Commit {
		if text := e.speechDetector.takeText(); text != "" {
			e.pending = append(e.pending, text)
		}
		e.commit(e.speechDetector.h.Lag)
	}
	return true
}

// commit answers with what was said since the last one. https://elevenlabs.io/docs/eleven-api/guides/how-to/speech-to-text/realtime/transcripts-and-commit-strategies
func (e *scribeSession) commit(after time.Duration) {
	if e.since < scribeLeast {
		e.messageSender.answer(encode(map[string]any{"message_type": "commit_throttled", "error": "Commit request ignored: less than 0.3 s of uncommitted audio."}), false, after)
		return
	}
	e.since = 0
	e.sendMessage("committed_transcript", strings.Join(e.pending, " "), after)
	e.pending = nil
}

func (e *scribeSession) sendMessage(kind, text string, after time.Duration) {
	first := !e.answering
	e.answering = true
	e.messageSender.answer(encode(map[string]any{"message_type": kind, "text": text}), first, after)
}
