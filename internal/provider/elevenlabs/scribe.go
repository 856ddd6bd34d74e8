package elevenlabs

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/coder/websocket"

	"parley/internal/dialogue"
	"parley/internal/provider"
	"parley/internal/provider/recognition"
	"parley/internal/provider/vendorerror"
)

const (
	defaultScribe = "scribe_v2_realtime"
	// scribePiece is the audio in a message, which is JSON: three frames, so that they wait for one another 20 ms on average.
	scribePiece = 3 * dialogue.FrameDuration
	// scribeSilence is when silence is sent in place of audio that does not come, as from a muted microphone.
	scribeSilence = 4 * time.Second
)

// Recognizer is ElevenLabs' Scribe v2 Realtime as a dialogue.Recognizer, a WebSocket at /v1/speech-to-text/realtime
// (https://elevenlabs.io/docs/api-reference/speech-to-text/v-1-speech-to-text-realtime).
type Recognizer struct{ o Options }

var _ dialogue.Recognizer = (*Recognizer)(nil)

// NewRecognizer returns a Recognizer. It makes no connection.
func NewRecognizer(o Options) *Recognizer {
	if o.BaseURL == "" {
		o.BaseURL = vendorURL
	}
	return &Recognizer{o: o}
}

// Recognize opens one connection for all turns of a call. Text is final when it is committed, which Finalize requests: the
// vendor's own detection of silence needs at least 300 ms.
func (r *Recognizer) Recognize(ctx context.Context, o dialogue.RecognizeOptions) (dialogue.Recognition, error) {
	if o.Model == "" {
		o.Model = defaultScribe
	}
	query := url.Values{"model_id": {o.Model}, "audio_format": {"pcm_" + strconv.Itoa(dialogue.ListenRate)}, "commit_strategy": {"manual"}}
	if code := provider.SentLanguage(provider.STT, "elevenlabs", o.Model, o.Language); code != "" { // else found by the model
		query.Set("language_code", code)
	}
	if terms := provider.KeyTermsFor("elevenlabs", o.Model, o.KeyTerms); len(terms) > 0 {
		query["keyterms"] = terms
	}
	address, err := recognition.Endpoint(r.o.BaseURL, "/v1", "/speech-to-text/realtime", query)
	if err != nil {
		return nil, fmt.Errorf("ElevenLabs: %w", err)
	}
	stream, err := recognition.Open(ctx, recognition.Dialect{
		Vendor:         "ElevenLabs",
		Piece:          scribePiece,
		Finalize:       audioChunk(nil, true),
		KeepAliveAfter: scribeSilence,
		Encode:         func(audio []byte) string { return audioChunk(audio, false) },
		Used:           o.Used,
		Greets:         true,
		Parse:          func(message []byte) (recognition.Message, error) { return parseScribe(message, r.o.Key) },
		Refuses:        func(code websocket.StatusCode, _ string) bool { return code == websocket.StatusPolicyViolation },
	}, recognition.Request{URL: address, Header: http.Header{"Xi-Api-Key": {r.o.Key}}, Secret: r.o.Key, Client: r.o.Client})
	if err != nil {
		return nil, err
	}
	return stream, nil
}

// audioChunk returns the message with audio, or the one that commits what was sent.
func audioChunk(audio []byte, commit bool) string {
	return fmt.Sprintf(`{"message_type":"input_audio_chunk","audio_base_64":"%s","commit":%t,"sample_rate":%d}`,
		base64.StdEncoding.EncodeToString(audio), commit, dialogue.ListenRate)
}

// refusals are the errors that a retry does not fix, as ScribeAuthErrorPayload and the like of elevenlabs-js 2.73.0 name them.
var refusals = []string{"auth_error", "quota_exceeded", "unaccepted_terms", "invalid_request", "input_error", "chunk_size_exceeded"}

func parseScribe(message []byte, secret string) (recognition.Message, error) {
	var m struct {
		Type  string `json:"message_type"`
		Text  string `json:"text"`
		Error string `json:"error"`
	}
	if err := json.Unmarshal(message, &m); err != nil {
		return recognition.Message{}, fmt.Errorf("ElevenLabs sent what is no message of its protocol: %w", err)
	}
	switch {
	case m.Type == "":
		return recognition.Message{}, fmt.Errorf("ElevenLabs sent a message without a type")
	case m.Type == "session_started":
		return recognition.Message{Greeting: true}, nil
	case m.Type == "partial_transcript" && m.Text != "":
		return recognition.Message{Results: true, Text: m.Text}, nil
	case m.Type == "committed_transcript":
		return recognition.Message{Results: true, Text: m.Text, Final: true, Answer: true, EndOfTurn: recognition.IsComplete(m.Text)}, nil
	case m.Type == "commit_throttled", m.Type == "insufficient_audio_activity":
		// Less than 300 ms, or nothing that could be speech, since the last commit: there are no words.
		return recognition.Message{Results: true, Final: true, Answer: true}, nil
	case m.Error == "":
		return recognition.Message{}, nil // with timestamps, and what is new
	}
	return recognition.Message{}, vendorerror.OfMessage("ElevenLabs", slices.Contains(refusals, m.Type), vendorerror.Clean(m.Type, secret), vendorerror.Clean(m.Error, secret))
}
