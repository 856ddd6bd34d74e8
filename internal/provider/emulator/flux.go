package emulator

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"
)

// fluxQuery is what each query value of Flux has to look like: src/api/resources/listen/resources/v2/client/Client.ts of
// deepgram-js-sdk 5.8.0 and https://developers.deepgram.com/docs/flux/configuration.
var fluxQuery = map[string]*regexp.Regexp{
	"model":               regexp.MustCompile(`^flux-general-(en|multi)$`),
	"encoding":            regexp.MustCompile(`^linear16$`),
	"sample_rate":         regexp.MustCompile(`^16000$`),
	"eager_eot_threshold": regexp.MustCompile(`^0\.([3-8]\d*|90*)$`),
	"eot_threshold":       regexp.MustCompile(`^(0\.[5-9]\d*|1(\.0+)?)$`),
	"eot_timeout_ms":      regexp.MustCompile(`^([5-9]\d\d|\d{4}|[1-5]\d{4}|60000)$`),
	"keyterm":             regexp.MustCompile(`.`),
	"language_hint":       regexp.MustCompile(`^(en|es|fr|de|hi|ru|pt|ja|it|nl)(-[A-Za-z0-9]+)*$`),
	"mip_opt_out":         regexp.MustCompile(`^(true|false)$`),
	"tag":                 regexp.MustCompile(`^.{1,128}$`),
}

// badFluxQuery says what is wrong with a query.
func (s *Server) badFluxQuery(q url.Values) string {
	if fault := s.badQuery("Deepgram", q, fluxQuery, "model"); fault != "" {
		return fault
	}
	if q.Has("language_hint") && q.Get("model") != "flux-general-multi" {
		s.breach("Deepgram takes language_hint with flux-general-multi alone")
		return "language_hint is not supported by this model"
	}
	threshold := 0.7
	if given, err := strconv.ParseFloat(q.Get("eot_threshold"), 64); err == nil {
		threshold = given
	}
	if eager, err := strconv.ParseFloat(q.Get("eager_eot_threshold"), 64); err == nil && eager > threshold {
		s.breach("Deepgram takes no eager_eot_threshold over eot_threshold")
		return "eager_eot_threshold must not be greater than eot_threshold"
	}
	return ""
}

// fluxEager is the silence after which Flux reports the likely end of a turn.
const fluxEager = 120 * time.Millisecond

// fluxStream is one connection to /v2/listen: https://developers.deepgram.com/docs/flux/state.
type fluxStream struct {
	s              *Server
	eager          bool
	speechDetector *speechDetector
	messageSender  *messageSender

	sequence, turn int
	open           bool // a turn is under way
	awaiting       bool // EagerEndOfTurn was sent
	answered       bool // something of the turn was said
	said           string
}

func (s *Server) flux(ctx context.Context, conn *websocket.Conn, r *http.Request, h RecognizerScript) {
	f := &fluxStream{s: s, eager: r.URL.Query().Has("eager_eot_threshold"), speechDetector: newSpeechDetector(h), messageSender: newMessageSender(ctx, s, conn)}
	defer f.messageSender.dropQueue()
	f.messageSender.greet(encode(map[string]any{"type": "Connected", "request_id": deepgramRequest, "sequence_id": f.next()}))
	for {
		idle, cancel := context.WithTimeout(ctx, deepgramIdle)
		kind, message, err := conn.Read(idle)
		late := idle.Err() != nil && ctx.Err() == nil
		cancel()
		switch {
		case late:
			s.breach("Deepgram got no audio for %v", deepgramIdle)
			return
		case err != nil:
			return
		case s.Fault() == Stall:
		case kind == websocket.MessageBinary:
			f.pushAudio(message)
		case !f.command(message):
			return
		}
	}
}

func (f *fluxStream) next() int { f.sequence++; return f.sequence - 1 }

// command handles a control message. Finalize and KeepAlive were never valid here
// (src/api/resources/listen/resources/v2/types/ListenV2CloseStream.ts of deepgram-js-sdk 5.8.0).
func (f *fluxStream) command(message []byte) (keepOpen bool) {
	var c struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(message, &c) == nil {
		switch c.Type {
		case "Configure":
			f.messageSender.greet(encode(map[string]any{"type": "ConfigureSuccess", "request_id": deepgramRequest, "sequence_id": f.next(), "thresholds": map[string]any{}, "keyterms": []string{}}))
			return true
		case "ForceEndTurn": // ignored without a turn: https://developers.deepgram.com/docs/flux/force-end-turn
			if f.open {
				f.said = f.speechDetector.takeText()
				f.end()
			}
			return true
		case "CloseStream": // no turn is ended: https://developers.deepgram.com/docs/flux/close-stream
			f.messageSender.sendClose(websocket.StatusNormalClosure, "")
			return false
		}
	}
	f.s.breach("Deepgram Flux has no message %.100q", message)
	f.messageSender.greet(encode(map[string]any{"type": "Error", "sequence_id": f.next(), "code": "UNPARSABLE_CLIENT_MESSAGE", "description": "The message is not valid."}))
	f.messageSender.sendClose(websocket.StatusPolicyViolation, "")
	return false
}

func (f *fluxStream) pushAudio(pcm []byte) {
	if length := time.Duration(len(pcm)/2) * time.Second / recognizerRate; len(pcm) == 0 || len(pcm)%2 != 0 || length > deepgramLongest {
		f.s.breach("Deepgram got %d bytes of linear16 in one message (%v)", len(pcm), length)
		return
	}
	f.s.chargeAudio(len(pcm))
	for _, frame := range frames(pcm) {
		heard := f.speechDetector.pushAudio(frame)
		if heard.began {
			f.answered, f.awaiting, f.said = false, false, ""
		}
		if f.awaiting && f.speechDetector.quiet == 0 && f.speechDetector.within {
			f.awaiting = false
			f.info("TurnResumed")
		}
		if heard.interim != "" {
			f.said = heard.interim
			if f.open {
				f.info("Update")
			} else { // a turn begins with its first word
				f.open = true
				f.info("StartOfTurn")
			}
		}
		if f.eager && f.open && f.speechDetector.within && !f.awaiting && f.speechDetector.quiet >= fluxEager {
			f.awaiting, f.said = true, f.speechDetector.text()
			f.info("EagerEndOfTurn")
		}
		if heard.ended {
			text := f.speechDetector.end()
			if text != "" {
				f.said = text
			}
			if !f.open && text != "" {
				f.open = true
				f.info("StartOfTurn")
			}
			if f.open {
				f.end()
			}
		}
	}
}

func (f *fluxStream) end() {
	f.info("EndOfTurn")
	f.open, f.awaiting = false, false
	f.turn++
}

func (f *fluxStream) info(event string) {
	words := []map[string]any{}
	for _, word := range strings.Fields(f.said) {
		words = append(words, map[string]any{"word": word, "confidence": 0.98})
	}
	confidence := map[string]float64{"EagerEndOfTurn": 0.55, "EndOfTurn": 0.8}[event]
	first := !f.answered
	f.answered = true
	f.messageSender.answer(encode(map[string]any{
		"type": "TurnInfo", "request_id": deepgramRequest, "sequence_id": f.next(), "event": event, "turn_index": f.turn,
		"audio_window_start": 0, "audio_window_end": f.speechDetector.heard.Seconds(), "transcript": f.said, "words": words, "end_of_turn_confidence": confidence,
	}), first, 0)
}
