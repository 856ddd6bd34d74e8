package openai

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/provider"
	"parley/internal/provider/recognition"
	"parley/internal/provider/vendorerror"
)

// dialect is how a server of /v1/realtime differs. Its first message shows it.
type dialect int

const (
	// ofOpenAI: a session of type transcription, 24 kHz, turn detection off.
	// https://developers.openai.com/api/docs/guides/realtime-transcription
	ofOpenAI dialect = iota
	// ofSpeaches: the same without a session type. Its turn detection cannot be switched off, and an utterance that is
	// committed while it detects speech fails; with a threshold of 1 it detects none.
	// https://github.com/speaches-ai/speaches (routers/realtime_ws.py, realtime/input_audio_buffer.py), 870e1e1
	ofSpeaches
	// ofVLLM: its own events, 16 kHz, a commit before an utterance and one after it, no audio in between.
	// https://docs.vllm.ai/en/latest/api/vllm/entrypoints/speech_to_text/realtime/connection/
	ofVLLM
)

// session is the protocol state of one connection.
type session struct {
	options Options
	model   string
	hints   hints
	up      *audio.Resampler // to 24 kHz; used by the writer alone

	mu       sync.Mutex
	dialect  dialect
	items    []string          // of utterances without a transcript, the oldest first
	partial  map[string]string // their interim text
	pending  bool              // an utterance was sent to vLLM whose transcript is not there
	used     dialogue.UsageFunc
	unbilled int // bytes of audio that were sent since the last report of what was billed
}

// openRealtime opens a stream over one WebSocket.
func openRealtime(ctx context.Context, options Options, o dialogue.RecognizeOptions) (dialogue.Recognition, error) {
	s := &session{options: options, model: o.Model, hints: options.hints(o), up: audio.NewResampler(dialogue.ListenRate, 24000), partial: map[string]string{}, used: o.Used}
	query := url.Values{"intent": {"transcription"}}
	if options.name() == provider.Compatible { // OpenAI reads a model here as that of a conversation
		query.Set("model", o.Model)
		if o.Language != "" {
			query.Set("language", o.Language)
		}
	}
	base := options.base()
	stream, err := recognition.Open(ctx, recognition.Dialect{
		Vendor: options.name(), Piece: 60 * time.Millisecond, Encode: s.encode, Greets: true, Setup: s.setup,
		Parse: s.parse, Refuses: func(code websocket.StatusCode, _ string) bool { return code == websocket.StatusPolicyViolation },
	}, recognition.Request{
		URL: base + "/realtime?" + query.Encode(), Header: options.header(), Secret: options.Key, Client: options.Client,
	})
	if err != nil {
		return nil, err
	}
	return &utterances{Stream: stream, session: s, gate: recognition.NewGate()}, nil
}

// setup returns the messages that configure the session.
func (s *session) setup() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	update := map[string]any{"type": "session.update"}
	switch s.dialect {
	case ofVLLM:
		update["model"] = s.model
		if s.hints.language != "" {
			update["language"] = s.hints.language
		}
	case ofSpeaches:
		update["session"] = map[string]any{"turn_detection": map[string]any{
			"type": "server_vad", "threshold": 1.0, "prefix_padding_ms": 0, "silence_duration_ms": 550, "create_response": false,
		}}
	default:
		transcription := map[string]any{"model": s.model}
		if s.hints.language != "" {
			transcription["language"] = s.hints.language
		}
		if len(s.hints.languages) > 0 {
			transcription["languages"] = s.hints.languages
		}
		if len(s.hints.keywords) > 0 {
			transcription["keywords"] = s.hints.keywords
		}
		update["session"] = map[string]any{"type": "transcription", "audio": map[string]any{"input": map[string]any{
			"format": map[string]any{"type": "audio/pcm", "rate": 24000}, "transcription": transcription, "turn_detection": nil,
		}}}
	}
	text, _ := json.Marshal(update) // of our own types
	return []string{string(text)}
}

// encode returns the message of audio.
func (s *session) encode(pcm []byte) string {
	s.mu.Lock()
	vllm := s.dialect == ofVLLM
	s.unbilled += len(pcm)
	s.mu.Unlock()
	if !vllm {
		in := make([]int16, len(pcm)/2)
		for i := range in {
			in[i] = int16(binary.LittleEndian.Uint16(pcm[2*i:]))
		}
		out := s.up.Process(in, nil)
		pcm = make([]byte, 0, 2*len(out))
		for _, sample := range out {
			pcm = binary.LittleEndian.AppendUint16(pcm, uint16(sample))
		}
	}
	text, _ := json.Marshal(map[string]string{"type": "input_audio_buffer.append", "audio": base64.StdEncoding.EncodeToString(pcm)})
	return string(text)
}

// realtimeEvent is a message of any dialect; its type determines its fields.
type realtimeEvent struct {
	Type    string `json:"type"`
	Session *struct {
		Type string `json:"type"`
	} `json:"session"`
	ItemID     string              `json:"item_id"`
	Delta      string              `json:"delta"`
	Transcript string              `json:"transcript"`
	Text       string              `json:"text"`
	Code       string              `json:"code"`
	Error      json.RawMessage     `json:"error"`
	Usage      *TranscriptionUsage `json:"usage"`
}

// parse parses a message.
func (s *session) parse(message []byte) (recognition.Message, error) {
	var e realtimeEvent
	if err := json.Unmarshal(message, &e); err != nil {
		return recognition.Message{}, fmt.Errorf("%s sent what is no message of its protocol", s.options.name())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch strings.TrimPrefix(e.Type, "conversation.item.input_audio_") {
	case "session.created":
		switch {
		case e.Session == nil:
			s.dialect = ofVLLM
		case e.Session.Type == "":
			s.dialect = ofSpeaches
		default:
			s.dialect = ofOpenAI
		}
		return recognition.Message{Greeting: true}, nil
	case "input_audio_buffer.committed":
		s.items = append(s.items, e.ItemID)
		return recognition.Message{Speech: true}, nil
	case "transcription.delta":
		return s.delta(e), nil
	case "transcription.completed":
		s.forget(e.ItemID)
		s.report(e.Usage)
		return completed(e.Transcript), nil
	case "transcription.done":
		s.pending = false
		s.report(nil)
		delete(s.partial, "")
		return completed(e.Text), nil
	case "transcription.failed", "error":
		return s.failed(e)
	}
	return recognition.Message{}, nil
}

// report reports what was billed for an utterance: what the server says, otherwise the audio that was sent.
func (s *session) report(u *TranscriptionUsage) {
	used := u.Speech()
	if used == (dialogue.SpeechUsage{}) {
		used.Audio = audio.Duration(s.unbilled/2, dialogue.ListenRate)
	}
	s.unbilled = 0
	used.Model = s.model
	s.used.Report(used)
}

// delta returns the interim text of the oldest utterance without a transcript.
func (s *session) delta(e realtimeEvent) recognition.Message {
	s.partial[e.ItemID] += e.Delta
	if len(s.items) > 0 && s.items[0] != e.ItemID {
		return recognition.Message{}
	}
	return recognition.Message{Results: true, Text: trimmed(s.partial[e.ItemID])}
}

// forget drops an utterance that has its transcript.
func (s *session) forget(item string) {
	delete(s.partial, item)
	for i, id := range s.items {
		if id == item {
			s.items = append(s.items[:i], s.items[i+1:]...)
			return
		}
	}
}

// failed returns the error of the server, nil for those that do not matter.
func (s *session) failed(e realtimeEvent) (recognition.Message, error) {
	report := vendorerror.Read(0, e.Error)
	var words string // of vLLM, in place of an object
	if json.Unmarshal(e.Error, &words) == nil {
		report.Message = words
	}
	if e.Code == "model_not_found" || e.Code == "model_not_validated" { // vLLM's
		report.Status = http.StatusNotFound
	}
	switch {
	case strings.Contains(report.Message, "prefix_padding_ms"): // of speaches, which applies the rest of the update
		return recognition.Message{}, nil
	case strings.Contains(report.Message, "buffer is empty"), strings.Contains(report.Message, "buffer too small"):
		return recognition.Message{Results: true, Final: true, Answer: true}, nil
	}
	return recognition.Message{}, report.Err(s.options.Key)
}

// utterances is a Stream that gets the caller's utterances alone.
type utterances struct {
	*recognition.Stream
	session *session

	mu      sync.Mutex
	gate    *recognition.Gate
	waiting []waitingUtterance // for vLLM's transcript of the one before
}

// waitingUtterance is audio that is sent later.
type waitingUtterance struct {
	pcm   []int16
	ended bool
}

// Write implements dialogue.Recognition.
func (u *utterances) Write(pcm []int16) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := u.sendWaiting(); err != nil {
		return err
	}
	spoken, begins := u.gate.Push(pcm)
	switch {
	case len(spoken) == 0:
		return u.Stream.Write(nil)
	case begins && u.session.busy():
		u.waiting = append(u.waiting, waitingUtterance{pcm: spoken})
		return nil
	case len(u.waiting) > 0:
		last := &u.waiting[len(u.waiting)-1]
		last.pcm = append(last.pcm, spoken...)
		return nil
	case begins:
		if err := u.begin(); err != nil {
			return err
		}
	}
	return u.Stream.Write(spoken)
}

// Finalize implements dialogue.Recognition.
func (u *utterances) Finalize() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case !u.gate.End():
		return u.FinalizeNothing()
	case len(u.waiting) > 0:
		u.waiting[len(u.waiting)-1].ended = true
		return nil
	}
	return u.end()
}

// sendWaiting sends the next utterance that waits, once it may be sent.
func (u *utterances) sendWaiting() error {
	if len(u.waiting) == 0 || u.session.busy() {
		return nil
	}
	next := u.waiting[0]
	u.waiting = u.waiting[1:]
	if err := u.begin(); err != nil {
		return err
	}
	if err := u.Stream.Write(next.pcm); err != nil || !next.ended {
		return err
	}
	return u.end()
}

// begin sends the start of an utterance to the server.
func (u *utterances) begin() error {
	if !u.session.isVLLM() {
		return nil
	}
	return u.Send(`{"type":"input_audio_buffer.commit"}`)
}

// end asks for the utterance's transcript.
func (u *utterances) end() error {
	if !u.session.isVLLM() {
		return u.FinalizeSpeech(`{"type":"input_audio_buffer.commit"}`)
	}
	u.session.mu.Lock()
	u.session.pending = true
	u.session.mu.Unlock()
	return u.FinalizeSpeech(`{"type":"input_audio_buffer.commit","final":true}`)
}

// busy reports whether the server does not accept audio yet.
func (s *session) busy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pending
}

func (s *session) isVLLM() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dialect == ofVLLM
}
