package api

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/fault"
	"parley/internal/live"
)

// Live is what the API needs of the live streams.
type Live interface {
	Calls(who live.Viewer, resume string) (*live.Stream, error)
	Call(who live.Viewer, callID, resume string) (*live.Stream, error)
}

// The poll intervals of the API's contract: streams send changes immediately, and a heartbeat at this interval.
const (
	callsHeartbeat = 2 * time.Second
	callHeartbeat  = time.Second
)

// messageTimeout bounds the transmission of a message.
const messageTimeout = 10 * time.Second

type streamCallsIn struct {
	Resume string `header:"Last-Event-ID" doc:"Id of the last message received from an earlier stream. The stream then also sends the calls that have ended since."`
}

type streamCallIn struct {
	ID     wire.ID `path:"call_id" doc:"Unique identifier of the call."`
	Resume string  `header:"Last-Event-ID" doc:"Id of the last message received from an earlier stream. The stream then sends only later parts of the conversation."`
}

const aboutStreams = `

Changes are sent immediately, with heartbeats in between. Each message has an id: a client that reconnects with it in
Last-Event-ID gets the messages that it missed. A client that does not read is disconnected. The stream ends with an error message when its
credential expires or is revoked.`

func (s *Server) registerStreams() {
	calls := wire.Operation{
		ID: "stream-calls", Method: http.MethodGet, Path: "/api/v1/sse/calls/stream", Tag: "Live", Scope: "calls:read",
		Summary: "Stream all calls", Errors: []fault.Code{fault.RateLimitExceeded, fault.ServiceUnavailable},
		Description: "Starts with all open calls, followed by calls as they change." + aboutStreams,
	}
	wire.Register(s.router, calls, func(_ context.Context, who auth.Principal, in *streamCallsIn) (*huma.StreamResponse, error) {
		st, err := s.deps.Live.Calls(viewer(who), in.Resume)
		if err != nil {
			return nil, err
		}
		return s.stream(st, callsHeartbeat), nil
	})
	s.describeStream(calls, live.Connected{}, live.ActiveCount{}, live.CallsUpdate{}, live.Heartbeat{}, live.CallsProblem{})

	call := wire.Operation{
		ID: "stream-call", Method: http.MethodGet, Path: "/api/v1/sse/calls/{call_id}/stream", Tag: "Live", Scope: "calls:read",
		Summary: "Stream a call", Errors: []fault.Code{fault.RateLimitExceeded, fault.ServiceUnavailable},
		Description: "Starts with the call's status and its conversation so far, and closes after the message that the call has ended. " +
			"If the call does not exist, the stream sends an error message." + aboutStreams,
	}
	wire.Register(s.router, call, func(_ context.Context, who auth.Principal, in *streamCallIn) (*huma.StreamResponse, error) {
		st, err := s.deps.Live.Call(viewer(who), in.ID.String(), in.Resume)
		if err != nil {
			return nil, err
		}
		return s.stream(st, callHeartbeat), nil
	})
	s.describeStream(call, live.CallConnected{}, live.CallStatus{}, live.Transcript{}, live.AgentChanged{}, live.TransferStep{}, live.Ended{}, live.Heartbeat{}, live.CallProblem{})
}

// viewer returns the tenant and mode of a credential.
func viewer(who auth.Principal) live.Viewer {
	return live.Viewer{TenantID: who.TenantID, Test: !who.Livemode}
}

// stream answers with a stream's messages until it ends or the client leaves.
func (s *Server) stream(st *live.Stream, heartbeat time.Duration) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		defer st.Close()
		r, w := humago.Unwrap(ctx)
		watched := s.credentials.watch(r, "calls:read")
		defer watched.leave()
		out := newEventWriter(w)
		st.OnSlow(out.abort)
		id := live.FirstID
		if !out.begin() || r.Method == http.MethodHead { // who asked for the head alone continues with the connection
			return
		}
		beat := time.NewTicker(heartbeat)
		defer beat.Stop()
		for going := true; going; {
			select {
			case <-r.Context().Done():
				return
			case frame, more := <-st.Frames():
				if !more {
					return
				}
				id = frame.ID
				going = out.send(frame.Text)
			case <-beat.C:
				going = out.send(st.Heartbeat(id))
			case <-watched.refused:
				out.send(st.Problem(id, watched.why()))
				return
			}
		}
	}}
}

// eventWriter writes the messages of a stream (server-sent events). Its methods report whether the client is there.
type eventWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func newEventWriter(w http.ResponseWriter) *eventWriter {
	return &eventWriter{w, http.NewResponseController(w)}
}

// begin sends the head of the answer.
func (e *eventWriter) begin() bool {
	h := e.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // nginx would buffer messages
	e.w.WriteHeader(http.StatusOK)
	return e.send(nil)
}

// send sends messages that are encoded.
func (e *eventWriter) send(messages []byte) bool {
	// A test's recorder has no deadlines.
	_ = e.control.SetWriteDeadline(time.Now().Add(messageTimeout))
	if _, err := e.w.Write(messages); err != nil {
		return false
	}
	return e.control.Flush() == nil
}

// abort ends a write to a client that does not read.
func (e *eventWriter) abort() { _ = e.control.SetWriteDeadline(time.Now()) }

// describeStream adds to an operation's description the messages that it
// sends, each given by its data.
func (s *Server) describeStream(op wire.Operation, data ...any) {
	registry := s.huma.OpenAPI().Components.Schemas
	messages := make([]*huma.Schema, len(data))
	for i, d := range data {
		messages[i] = &huma.Schema{
			Type: huma.TypeObject, Title: live.Name(d), Required: []string{"id", "event", "data"},
			Properties: map[string]*huma.Schema{
				"id":    {Type: huma.TypeString, Description: "Position in the stream, for Last-Event-ID.", Examples: []any{"17"}},
				"event": {Type: huma.TypeString, Enum: []any{live.Name(d)}},
				"data":  registry.Schema(reflect.TypeOf(d), true, ""),
			},
		}
	}
	s.huma.OpenAPI().Paths[op.Path].Get.Responses["200"] = &huma.Response{
		Description: "A stream of messages (server-sent events) until it is closed.",
		Content: map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{
			Type: huma.TypeArray, Items: &huma.Schema{OneOf: messages},
			Description: "Each item is a message: the lines `id: …`, `event: …` and `data: …` with a JSON object, and an empty line.",
		}}},
	}
}
