package assemblyai

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"

	"parley/internal/provider/recognition"
	"parley/internal/provider/vendorerror"
)

// confident is AssemblyAI's own default of end_of_turn_confidence_threshold.
const confident = 0.4

// event is a message of AssemblyAI; unused fields are left out.
type event struct {
	Type string `json:"type"`

	// Turn. Order counts the turns of the session. Transcript is the turn's
	// text so far without the words that may still change; Words has those too.
	Order      *int   `json:"turn_order"`
	EndOfTurn  bool   `json:"end_of_turn"`
	Transcript string `json:"transcript"`
	Words      []struct {
		Text string `json:"text"`
	} `json:"words"`
	Confidence *float64 `json:"end_of_turn_confidence"`

	// Termination. https://assemblyai.com/docs/guides/tracking-your-customers-usage
	Session float64 `json:"session_duration_seconds"`

	// Error. The close frame that follows has the same code.
	Code  int    `json:"error_code"`
	Error string `json:"error"`
}

// parser interprets one session's messages.
type parser struct {
	secret string
	ended  int // the turns below have ended
}

func newParser(secret string) *parser { return &parser{secret: secret} }

func (e *parser) parse(message []byte) (recognition.Message, error) {
	var v event
	if err := json.Unmarshal(message, &v); err != nil {
		return recognition.Message{}, fmt.Errorf("AssemblyAI sent what is no message of its protocol: %w", err)
	}
	switch {
	case v.Type == "Begin":
		return recognition.Message{Greeting: true}, nil
	case v.Type == "SpeechStarted":
		return recognition.Message{Speech: true}, nil
	case v.Type == "Turn":
		return e.turn(v), nil
	case v.Type == "Termination":
		return recognition.Message{Session: time.Duration(v.Session * float64(time.Second))}, nil
	case v.Type == "Error" || v.Type == "" && v.Error != "":
		words := vendorerror.Clean(v.Error, e.secret)
		return recognition.Message{}, vendorerror.OfMessage("AssemblyAI", refuses(websocket.StatusCode(v.Code), words), strconv.Itoa(v.Code), words)
	case v.Type == "":
		return recognition.Message{}, fmt.Errorf("AssemblyAI sent a message without a type")
	}
	return recognition.Message{}, nil // what is new
}

// turn interprets a Turn. Its text grows until the turn ends, so only the last one is final; a message about an
// ended turn (the formatted text) has no new words.
//
// ForceEndpoint ends a turn regardless of its content, and the message does not say so. The recogniser's own
// judgement is its confidence; without one, as with Universal-3 Pro, the end is known to be a silence.
func (e *parser) turn(v event) recognition.Message {
	if v.Order != nil && *v.Order < e.ended {
		return recognition.Message{}
	}
	h := recognition.Message{Results: true, Text: v.Transcript}
	if !v.EndOfTurn || v.Transcript == "" {
		words := make([]string, len(v.Words))
		for i, w := range v.Words {
			words[i] = w.Text
		}
		if all := strings.Join(words, " "); len(all) > len(h.Text) {
			h.Text = all
		}
	}
	if v.EndOfTurn {
		if v.Order != nil {
			e.ended = *v.Order + 1
		}
		h.Final, h.Answer = true, true
		if v.Confidence != nil {
			h.EndOfTurn = *v.Confidence >= confident
		} else {
			h.EndOfTurn, h.EndOfSpeech = recognition.IsComplete(h.Text), true
		}
	}
	return h
}
