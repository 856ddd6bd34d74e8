package deepgram

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"parley/internal/dialogue"
	"parley/internal/provider"
	"parley/internal/provider/recognition"
	"parley/internal/provider/vendorerror"
)

// Flux detects turns by itself, over its own endpoint
// (https://developers.deepgram.com/docs/flux/quickstart).
const (
	fluxPrefix = "flux-"
	// fluxPiece is the size of messages that Deepgram recommends for Flux.
	fluxPiece = 80 * time.Millisecond
	// eagerThreshold is the confidence of EagerEndOfTurn, from 0.3 to 0.9; without it there are no such events.
	eagerThreshold = "0.5"
	// turnTimeout is the silence that ends every turn, from 500 to 60,000 ms. It is shorter than the time for which a final
	// transcript is awaited (turn.Options.TranscriptWait).
	turnTimeout = 2500 * time.Millisecond
)

func fluxQuery(o dialogue.RecognizeOptions) url.Values {
	q := url.Values{
		"model":               {o.Model},
		"encoding":            {"linear16"},
		"sample_rate":         {strconv.Itoa(dialogue.ListenRate)},
		"eager_eot_threshold": {eagerThreshold},
		"eot_timeout_ms":      {strconv.FormatInt(turnTimeout.Milliseconds(), 10)},
	}
	if code := provider.SentLanguage(provider.STT, "deepgram", o.Model, o.Language); code != "" {
		q.Set("language_hint", code)
	}
	addKeyTerms(q, o)
	return q
}

// fluxDialect has no Finalize, for Flux alone ends a turn, and no message in place of audio: both were of version 1
// (src/api/resources/listen/resources/v2/types/ListenV2CloseStream.ts of deepgram-js-sdk 5.8.0).
var fluxDialect = recognition.Dialect{
	Vendor:         "Deepgram",
	Pace:           pace,
	Piece:          fluxPiece,
	KeepAliveAfter: keepAliveAfter,
	Farewell:       `{"type":"CloseStream"}`,
	Parse:          parseFlux,
	Refuses:        refuses,
}

// turnInfo is a message of Flux, as far as it matters here
// (https://developers.deepgram.com/docs/flux/state). Transcript is all of the turn so far.
type turnInfo struct {
	Type        string `json:"type"`
	Event       string `json:"event"`
	Transcript  string `json:"transcript"`
	Code        string `json:"code"`
	Description string `json:"description"`
}

func parseFlux(message []byte) (recognition.Message, error) {
	var m turnInfo
	if err := json.Unmarshal(message, &m); err != nil {
		return recognition.Message{}, fmt.Errorf("Deepgram sent what is no message of its protocol: %w", err)
	}
	switch m.Type {
	case "":
		return recognition.Message{}, fmt.Errorf("Deepgram sent a message without a type")
	case "Error":
		return recognition.Message{}, vendorerror.OfMessage("Deepgram", false, vendorerror.Clean(m.Code, ""), vendorerror.Clean(m.Description, ""))
	case "TurnInfo":
	default:
		return recognition.Message{}, nil // Connected and what is new
	}
	h := recognition.Message{Results: true, Text: m.Transcript}
	switch m.Event {
	case "StartOfTurn", "Update", "TurnResumed":
	case "EagerEndOfTurn":
		h.LikelyEndOfTurn = true
	case "EndOfTurn":
		h.Final, h.EndOfTurn, h.Answer = true, true, true
	default:
		return recognition.Message{}, nil
	}
	return h, nil
}
