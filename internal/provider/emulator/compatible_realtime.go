package emulator

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"

	"parley/internal/audio"
)

// realtime serves a WebSocket of streamed transcription.
func (v *compatible) realtime(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	switch {
	case !v.admit(w, r):
		return
	case v.Realtime == "":
		http.NotFound(w, r)
		return
	// speaches requires a model in the query; with the intent it is the transcription's: routers/realtime_ws.py, 870e1e1.
	case v.Realtime == "speaches" && (query.Get("model") == "" || query.Get("intent") != "transcription"):
		v.breach("speaches gets the query %s", r.URL.RawQuery)
		http.Error(w, "missing model or intent", http.StatusForbidden)
		return
	// "omit model from the URL": https://developers.openai.com/api/docs/guides/realtime-transcription
	case v.Realtime == "openai" && (query.Has("model") || query.Get("intent") != "transcription"):
		v.breach("OpenAI gets the query %s", r.URL.RawQuery)
		refuseOpenAI(w, http.StatusBadRequest, "You must not provide a model parameter for transcription sessions.")
		return
	}
	v.socket(w, r, func(ctx context.Context, conn *websocket.Conn) {
		t := &realtimeStream{v: v, messageSender: newMessageSender(ctx, v.Server, conn), threshold: 0.9}
		defer t.messageSender.dropQueue()
		t.greet()
		for {
			kind, message, err := conn.Read(ctx)
			if err != nil {
				return
			}
			if v.Fault() == Stall {
				continue
			}
			if kind != websocket.MessageText {
				v.breach("a binary message")
				return
			}
			t.handleMessage(message)
		}
	})
}

// realtimeStream is one connection.
type realtimeStream struct {
	v             *compatible
	messageSender *messageSender

	configured bool
	rate       int     // of the audio, in hertz
	threshold  float64 // of speaches' turn detection
	pcm        []int16 // of the utterance
	generating bool    // vLLM: between the two commits
	items      int
	model      string // that transcribes
}

func (t *realtimeStream) greet() {
	switch t.v.Realtime {
	case "vllm":
		t.rate = 16000
		t.messageSender.greet(`{"type":"session.created","id":"sess-1","created":1771000000}`)
	case "speaches":
		t.rate, t.configured = 24000, true
		t.messageSender.greet(`{"type":"session.created","event_id":"event_1","session":{"id":"sess_1","modalities":["audio","text"],"input_audio_format":"pcm16","turn_detection":{"type":"server_vad","threshold":0.9}}}`)
	default:
		t.rate = 24000
		t.messageSender.greet(`{"type":"session.created","event_id":"event_1","session":{"type":"transcription","object":"realtime.transcription_session","id":"sess_1"}}`)
	}
}

// clientEvent is a message of the client.
type clientEvent struct {
	Type     string          `json:"type"`
	Model    string          `json:"model"`
	Language string          `json:"language"`
	Audio    string          `json:"audio"`
	Final    bool            `json:"final"`
	Session  json.RawMessage `json:"session"`
}

func (t *realtimeStream) handleMessage(message []byte) {
	var e clientEvent
	if err := strictly(message, &e); err != nil {
		t.v.breach("/v1/realtime understands no %.100q: %v", message, err)
		return
	}
	switch e.Type {
	case "session.update":
		t.update(e)
	case "input_audio_buffer.append":
		t.pushAudio(e.Audio)
	case "input_audio_buffer.commit":
		t.commit(e.Final)
	default:
		t.v.breach("/v1/realtime has no message of type %q", e.Type)
	}
}

// update configures the session.
func (t *realtimeStream) update(e clientEvent) {
	t.configured = true
	switch t.v.Realtime {
	case "vllm":
		if e.Model == "" {
			t.v.breach("vLLM's session.update has no model")
		}
		if e.Model == UnknownModel {
			t.messageSender.greet("{\"type\":\"error\",\"error\":\"The model `unknown-model` does not exist.\",\"code\":\"model_not_found\"}")
		}
	case "speaches":
		var session struct {
			TurnDetection *struct {
				Type            string   `json:"type"`
				Threshold       *float64 `json:"threshold"`
				PrefixPadding   *int     `json:"prefix_padding_ms"`
				SilenceDuration *int     `json:"silence_duration_ms"`
				CreateResponse  *bool    `json:"create_response"`
			} `json:"turn_detection"`
		}
		// An incomplete turn_detection counts as none: types/realtime.py (PartialSession), 870e1e1.
		d := session.TurnDetection
		if err := strictly(e.Session, &session); err != nil {
			t.v.breach("speaches gets the session %s: %v", e.Session, err)
		} else if d = session.TurnDetection; d == nil || d.Threshold == nil || *d.Threshold > 1 || d.PrefixPadding == nil || d.SilenceDuration == nil || d.CreateResponse == nil {
			t.v.breach("speaches takes no turn_detection of %s", e.Session)
			return
		}
		t.threshold = *d.Threshold
		t.messageSender.greet(`{"type":"error","error":{"type":"invalid_request_error","message":"Specifying ` + "`session.turn_detection.prefix_padding_ms`" + ` is not supported. The server either does not support this field or it is not configurable."}}`)
		t.messageSender.greet(`{"type":"session.updated","session":{}}`)
	default:
		t.updateOpenAI(e.Session)
	}
}

// updateOpenAI checks https://developers.openai.com/api/reference/resources/realtime/client-events.
func (t *realtimeStream) updateOpenAI(data []byte) {
	var session struct {
		Type  string `json:"type"`
		Audio struct {
			Input struct {
				Format struct {
					Type string `json:"type"`
					Rate int    `json:"rate"`
				} `json:"format"`
				Transcription struct {
					Model    string `json:"model"`
					Language string `json:"language"`
					// Of gpt-live-transcribe and gpt-transcribe, in place of Language.
					Languages []string `json:"languages"`
					Keywords  []string `json:"keywords"`
				} `json:"transcription"`
				TurnDetection *json.RawMessage `json:"turn_detection"`
			} `json:"input"`
		} `json:"audio"`
	}
	err := strictly(data, &session)
	in := session.Audio.Input
	switch {
	case err != nil:
	case session.Type != "transcription":
		err = fmt.Errorf("session type %q", session.Type)
	case in.Format.Type != "audio/pcm" || in.Format.Rate != 24000:
		err = fmt.Errorf("only a 24kHz sample rate is supported")
	case in.Transcription.Model == "":
		err = fmt.Errorf("no model")
	case !takesHints(in.Transcription.Model, in.Transcription.Language != "", len(in.Transcription.Languages)+len(in.Transcription.Keywords) > 0):
		err = fmt.Errorf("hints that the model does not take: %+v", in.Transcription)
	case in.Transcription.Language != "" && !languageCode.MatchString(in.Transcription.Language):
		err = fmt.Errorf("language %q", in.Transcription.Language)
	}
	t.model = in.Transcription.Model
	if err != nil {
		t.v.breach("OpenAI gets the session %s: %v", data, err)
		t.messageSender.greet(encode(map[string]any{"type": "error", "error": map[string]any{"type": "invalid_request_error", "message": err.Error()}}))
		return
	}
	t.messageSender.greet(`{"type":"session.updated","session":{"type":"transcription"}}`)
}

func (t *realtimeStream) pushAudio(encoded string) {
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(data) == 0 || len(data)%2 != 0 {
		t.v.breach("/v1/realtime gets audio of %d bytes: %v", len(data), err)
		return
	}
	if !t.configured {
		t.v.breach("/v1/realtime gets audio before session.update")
	}
	if t.v.Realtime == "vllm" && !t.generating {
		// "Clear queue for next utterance": connection.py discards it with the one before.
		t.v.breach("vLLM gets audio outside an utterance")
	}
	pcm := make([]int16, len(data)/2)
	for i := range pcm {
		pcm[i] = int16(binary.LittleEndian.Uint16(data[2*i:]))
	}
	t.pcm = append(t.pcm, audio.NewResampler(t.rate, recognizerRate).Process(pcm, nil)...)
}

// commit asks for the transcript of the audio so far; of vLLM, unless it is final, it begins an utterance.
func (t *realtimeStream) commit(final bool) {
	pcm := t.pcm
	switch {
	case t.v.Realtime == "vllm" && !final:
		if t.generating {
			t.v.breach("vLLM: Generation already in progress, ignoring commit")
		}
		t.generating = true
		return
	case t.v.Realtime == "vllm":
		if !t.generating {
			t.v.breach("vLLM: a final commit without an utterance")
		}
		t.generating, t.pcm = false, nil
		t.v.chargeSeconds(audio.Duration(len(pcm), recognizerRate))
		text := t.v.nextLine(t.v.Recognizer, pcm)
		for i, word := range strings.SplitAfter(text, " ") {
			t.messageSender.answer(encode(map[string]any{"type": "transcription.delta", "delta": word}), i == 0, 0)
		}
		t.messageSender.answer(encode(map[string]any{"type": "transcription.done", "text": text, "usage": map[string]any{"total_tokens": 9}}), false, 50*time.Millisecond)
		return
	case final:
		t.v.breach("/v1/realtime takes no final commit")
	case audio.Duration(len(pcm), recognizerRate) < 90*time.Millisecond:
		t.messageSender.answer(`{"type":"error","error":{"type":"invalid_request_error","code":"input_audio_buffer_commit_empty","message":"Error committing input audio buffer: buffer too small. Expected at least 100ms of audio."}}`, true, 0)
		return
	case t.v.Realtime == "speaches" && t.threshold < 1 && speaks(pcm):
		// realtime/input_audio_buffer.py asserts that its own detection has seen the end: 870e1e1.
		t.v.breach("speaches fails on a commit while its turn detection hears speech")
		return
	}
	t.pcm = nil
	t.items++
	item, text := fmt.Sprint("item_", t.items), t.v.nextLine(t.v.Recognizer, pcm)
	t.messageSender.greet(encode(map[string]any{"type": "input_audio_buffer.committed", "item_id": item, "previous_item_id": nil}))
	first := true
	if t.v.Realtime == "openai" {
		for _, word := range strings.SplitAfter(text, " ") {
			t.messageSender.answer(encode(map[string]any{"type": "conversation.item.input_audio_transcription.delta", "item_id": item, "content_index": 0, "delta": word}), first, 0)
			first = false
		}
	}
	completed := map[string]any{"type": "conversation.item.input_audio_transcription.completed", "item_id": item, "content_index": 0, "transcript": text}
	if t.v.Realtime == "openai" {
		completed["usage"] = t.v.transcriptionUsage(t.model, audio.Duration(len(pcm), recognizerRate), len(strings.Fields(text)))
	}
	t.messageSender.answer(encode(completed), first, 50*time.Millisecond)
}
