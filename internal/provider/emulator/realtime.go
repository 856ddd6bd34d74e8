package emulator

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"parley/internal/dialogue"
)

// realtimeVoices and the prefixes of models are those of openai-node 6.49.0, src/resources/realtime/realtime.ts.
var (
	realtimeVoices = strings.Fields("alloy ash ballad coral echo sage shimmer verse marin cedar")
	realtimeModels = strings.Fields("gpt-realtime gpt-4o-realtime-preview gpt-4o-mini-realtime-preview gpt-audio")
)

// RefusedFunction is a function whose schema the emulated Realtime API refuses.
const RefusedFunction = "refused_function"

const (
	// realtimePause is the silence after which the next audio that is committed is another line of the script, rather than the
	// rest of one.
	realtimePause = time.Second
	// realtimeLeast is the least audio that can be committed: "buffer too small. Expected at least 100ms of audio",
	// https://community.openai.com/t/openai-realtime-api-buffer-too-small-error/1081264
	realtimeLeast = 100 * time.Millisecond
	// Speech is sent in pieces, ten times as fast as it is spoken.
	realtimePiece, realtimePace = 100 * time.Millisecond, 10 * time.Millisecond
)

// NewOpenAIRealtime emulates the conversations of OpenAI's Realtime API, with turn detection switched off:
// https://developers.openai.com/api/reference/resources/realtime/client-events and …/server-events.
func NewOpenAIRealtime(report Reporter, o Options, h RecognizerScript, script Script) *Server {
	return start(report, o, func(s *Server) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v1/models" {
				s.checkKey(w, r.Header.Get("Authorization") == "Bearer "+s.o.Key, `{"object":"list","data":[]}`, realtimeUnauthorized)
				return
			}
			s.serveRealtime(w, r, h, script)
		})
	})
}

// NewOpenAIWithRealtime is NewOpenAI and NewOpenAIRealtime on one server.
func NewOpenAIWithRealtime(report Reporter, o Options, h RecognizerScript, script Script) *Server {
	s := start(report, o, func(s *Server) http.Handler {
		completions := s.serve(script, openAICompletions)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/realtime") {
				s.serveRealtime(w, r, h, script)
				return
			}
			completions.ServeHTTP(w, r)
		})
	})
	s.URL += "/v1"
	return s
}

const realtimeUnauthorized = `{"error":{"message":"Incorrect API key provided.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`

func (s *Server) serveRealtime(w http.ResponseWriter, r *http.Request, h RecognizerScript, script Script) {
	if r.URL.Path != "/v1/realtime" {
		s.breach("%s %s is not GET /v1/realtime", r.Method, r.URL.Path)
		http.NotFound(w, r)
		return
	}
	protocols := strings.Split(strings.ReplaceAll(r.Header.Get("Sec-WebSocket-Protocol"), " ", ""), ",")
	switch {
	case s.Fault() == Broken:
		http.Error(w, `{"error":{"message":"The server had an error.","type":"server_error"}}`, http.StatusInternalServerError)
		return
	case s.Fault() == RateLimit:
		http.Error(w, `{"error":{"message":"Rate limit reached.","type":"rate_limit_error","code":"rate_limit_exceeded"}}`, http.StatusTooManyRequests)
		return
	case r.Header.Get("Authorization") != "Bearer "+s.o.Key && !slices.Contains(protocols, "openai-insecure-api-key."+s.o.Key):
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(realtimeUnauthorized))
		return
	}
	s.sockets.Add(1)
	defer s.sockets.Done()
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"realtime"}})
	if err != nil {
		s.breach("no WebSocket handshake: %v", err)
		return
	}
	s.accepted()
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(16 << 20)
	c := &realtimeConversation{s: s, model: r.URL.Query().Get("model"), h: h, script: script, calls: map[string]bool{}}
	c.serve(s.ctx, conn)
}

// realtimeConversation is one connection.
type realtimeConversation struct {
	s             *Server
	model         string
	h             RecognizerScript
	script        Script
	messageSender *messageSender

	mu          sync.Mutex
	session     map[string]json.RawMessage
	voice       string
	spoke       bool // audio was sent: the voice stays
	listens     bool // input is transcribed
	transcriber string
	set         bool // the session was configured

	buffer  []byte
	line    int
	closing time.Time // when audio was last committed
	fresh   time.Time // when the buffer began

	ids    int
	items  []*realtimeItem
	calls  map[string]bool // ids of function calls
	active context.CancelFunc
	stop   *bool // the active response is cancelled
}

// realtimeItem is an item of the conversation.
type realtimeItem struct {
	id      string
	message dialogue.Message
	audio   time.Duration // of an assistant's message
}

func (c *realtimeConversation) id(prefix string) string {
	c.ids++
	return fmt.Sprintf("%s_%04d", prefix, c.ids)
}

// send sends an event that is no part of an answer.
func (c *realtimeConversation) send(kind string, fields map[string]any) {
	c.messageSender.greet(c.event(kind, fields))
}

func (c *realtimeConversation) event(kind string, fields map[string]any) string {
	if fields == nil {
		fields = map[string]any{}
	}
	fields["type"], fields["event_id"] = kind, c.id("event")
	return encode(fields)
}

// refuse answers a client event with an error, which leaves the session open.
func (c *realtimeConversation) refuse(eventID, code, format string, args ...any) {
	c.send("error", map[string]any{"error": map[string]any{
		"type": "invalid_request_error", "code": code, "message": fmt.Sprintf(format, args...), "param": nil, "event_id": eventID,
	}})
}

// violate is refuse for what no client may do.
func (c *realtimeConversation) violate(eventID, code, format string, args ...any) {
	c.s.breach("OpenAI Realtime: "+format, args...)
	c.refuse(eventID, code, format, args...)
}

func (c *realtimeConversation) serve(ctx context.Context, conn *websocket.Conn) {
	c.messageSender = newMessageSender(ctx, c.s, conn)
	defer c.messageSender.dropQueue()
	defer c.cancel()
	if !slices.ContainsFunc(realtimeModels, func(prefix string) bool { return strings.HasPrefix(c.model, prefix) }) {
		c.refuse("", "model_not_found", "The model `%s` does not exist or you do not have access to it.", c.model)
		c.messageSender.sendClose(4000, "invalid_request_error.model_not_found")
		return
	}
	c.send("session.created", map[string]any{"session": map[string]any{"type": "realtime", "object": "realtime.session", "id": "sess_1", "model": c.model}})
	for {
		kind, message, err := conn.Read(ctx)
		if err != nil {
			return
		}
		if kind != websocket.MessageText {
			c.s.breach("OpenAI Realtime takes no binary messages")
			return
		}
		c.mu.Lock()
		c.handle(ctx, message)
		c.mu.Unlock()
	}
}

// realtimeFields are the fields of each client event besides type and event_id; true for required.
var realtimeFields = map[string]map[string]bool{
	"session.update":             {"session": true},
	"input_audio_buffer.append":  {"audio": true},
	"input_audio_buffer.commit":  {},
	"input_audio_buffer.clear":   {},
	"conversation.item.create":   {"item": true, "previous_item_id": false},
	"conversation.item.delete":   {"item_id": true},
	"conversation.item.truncate": {"item_id": true, "content_index": true, "audio_end_ms": true},
	"response.create":            {"response": false},
	"response.cancel":            {"response_id": false},
}

func (c *realtimeConversation) handle(ctx context.Context, message []byte) {
	var e struct {
		Type         string `json:"type"`
		EventID      string `json:"event_id"`
		Session      map[string]json.RawMessage
		Audio        string
		Item         realtimeClientItem
		ItemID       string `json:"item_id"`
		AudioEndMS   int64  `json:"audio_end_ms"`
		ContentIndex int    `json:"content_index"`
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(message, &fields); err != nil {
		c.violate("", "invalid_json", "the message is no JSON: %v", err)
		return
	}
	if err := json.Unmarshal(message, &e); err != nil {
		c.violate("", "invalid_type", "%s: %v", fields["type"], err)
		return
	}
	known, exists := realtimeFields[e.Type]
	if !exists {
		c.violate(e.EventID, "invalid_value", "there is no event %q", e.Type)
		return
	}
	for name := range fields {
		if _, ok := known[name]; !ok && name != "type" && name != "event_id" {
			c.violate(e.EventID, "unknown_parameter", "Unknown parameter: '%s' of %s", name, e.Type)
			return
		}
	}
	for name, required := range known {
		if _, ok := fields[name]; required && !ok {
			c.violate(e.EventID, "missing_required_parameter", "Missing required parameter: '%s' of %s", name, e.Type)
			return
		}
	}
	switch e.Type {
	case "session.update":
		c.update(e.EventID, e.Session)
	case "input_audio_buffer.append":
		c.append(e.EventID, e.Audio)
	case "input_audio_buffer.clear":
		c.buffer = nil
		c.send("input_audio_buffer.cleared", nil)
	case "input_audio_buffer.commit":
		c.commit(e.EventID)
	case "conversation.item.create":
		c.create(e.EventID, e.Item)
	case "conversation.item.delete":
		n := c.index(e.ItemID)
		if n < 0 {
			c.refuse(e.EventID, "item_delete_invalid_item_id", "Error deleting item: the item with id '%s' does not exist.", e.ItemID)
			return
		}
		c.items = slices.Delete(c.items, n, n+1)
		c.send("conversation.item.deleted", map[string]any{"item_id": e.ItemID})
	case "conversation.item.truncate":
		c.truncate(e.EventID, e.ItemID, e.ContentIndex, time.Duration(e.AudioEndMS)*time.Millisecond)
	case "response.create":
		if c.active != nil {
			c.violate(e.EventID, "conversation_already_has_active_response", "Conversation already has an active response in progress")
			return
		}
		c.respond(ctx)
	case "response.cancel":
		if c.active == nil {
			c.refuse(e.EventID, "response_cancel_not_active", "Cancellation failed: no active response found")
			return
		}
		*c.stop = true
		c.active()
	}
}

func (c *realtimeConversation) index(id string) int {
	return slices.IndexFunc(c.items, func(i *realtimeItem) bool { return i.id == id })
}

func (c *realtimeConversation) append(eventID, audio string) {
	pcm, err := base64.StdEncoding.DecodeString(audio)
	if err != nil || len(pcm)%2 != 0 {
		c.violate(eventID, "invalid_value", "Invalid 'audio'. Expected base64-encoded audio bytes of whole samples")
		return
	}
	if len(c.buffer) == 0 {
		c.fresh = time.Now()
	}
	c.buffer = append(c.buffer, pcm...)
}

// commit makes the buffer an item, and transcribes it by the script.
func (c *realtimeConversation) commit(eventID string) {
	length := time.Duration(len(c.buffer)/2) * time.Second / dialogue.SpeakRate
	if length < realtimeLeast {
		c.refuse(eventID, "input_audio_buffer_commit_empty", "Error committing input audio buffer: buffer too small. Expected at least 100ms of audio, but buffer only has %.2fms of audio.", float64(length)/1e6)
		return
	}
	text := ""
	if c.fresh.Sub(c.closing) >= realtimePause {
		if c.line > 0 || len(c.h.Lines) > 0 {
			text = c.h.Lines[c.line%len(c.h.Lines)]
		}
		c.line++
	}
	c.buffer, c.closing = nil, time.Now()
	i := &realtimeItem{id: c.id("item"), message: dialogue.Message{Role: dialogue.RoleUser, Content: text}}
	c.send("input_audio_buffer.committed", map[string]any{"item_id": i.id, "previous_item_id": c.previous()})
	c.add(i, map[string]any{"type": "message", "role": "user", "content": []any{map[string]any{"type": "input_audio"}}})
	if !c.listens {
		return
	}
	for _, word := range strings.SplitAfter(text, " ") {
		if word != "" {
			c.send("conversation.item.input_audio_transcription.delta", map[string]any{"item_id": i.id, "content_index": 0, "delta": word})
		}
	}
	c.send("conversation.item.input_audio_transcription.completed", map[string]any{"item_id": i.id, "content_index": 0, "transcript": text,
		"usage": c.s.transcriptionUsage(c.transcriber, length, len(strings.Fields(text)))})
}

// prompt returns what the model knows.
func (c *realtimeConversation) prompt() dialogue.Prompt {
	p := dialogue.Prompt{Model: c.model}
	var session realtimeSession
	_ = json.Unmarshal([]byte(encode(c.session)), &session) // it was checked
	if session.Instructions != nil {
		p.System = *session.Instructions
	}
	for _, t := range session.Tools {
		p.Tools = append(p.Tools, dialogue.Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters})
	}
	for _, i := range c.items {
		p.Messages = append(p.Messages, i.message)
	}
	return p
}

func (c *realtimeConversation) cancel() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.active != nil {
		c.active()
	}
}
