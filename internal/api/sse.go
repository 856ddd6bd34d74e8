package api

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"parley/internal/auth"
	"parley/internal/fault"
	"parley/internal/live"
)

// Live is what the API needs of the live streams.
type Live interface {
	Calls(who live.Viewer, resume string) (*live.Stream, error)
	Call(who live.Viewer, callID, resume string) (*live.Stream, error)
}

// The specification's poll intervals: streams are told of changes at once, and
// send a heartbeat this often.
const (
	callsHeartbeat = 2 * time.Second
	callHeartbeat  = time.Second
)

// messageTimeout is how long a client may take to receive a message.
const messageTimeout = 10 * time.Second

type streamCallsIn struct {
	Resume string `header:"Last-Event-ID" doc:"The id of the last message that an earlier stream sent: the calls that ended since are told as well."`
}

type streamCallIn struct {
	ID     ID     `path:"call_id" doc:"The call's call_id."`
	Resume string `header:"Last-Event-ID" doc:"The id of the last message that an earlier stream sent: only what came later of the conversation is told."`
}

const aboutStreams = `

Changes are sent when they happen, and a heartbeat in between. Each message has an id; one who comes again with it in
Last-Event-ID gets what was missed. A client that does not read is cut. The stream ends with an error message when its
credential expires or is revoked.`

func (s *Server) registerStreams() {
	calls := operation{
		ID: "stream-calls", Method: http.MethodGet, Path: "/api/v1/sse/calls/stream", Tag: "Live", Scope: "calls:read",
		Summary: "Watch all calls", Errors: []fault.Code{fault.RateLimitExceeded, fault.ServiceUnavailable},
		Description: "Begins with all calls that are not over; later only those that changed." + aboutStreams,
	}
	register(s.router, calls, func(_ context.Context, who auth.Principal, in *streamCallsIn) (*huma.StreamResponse, error) {
		st, err := s.deps.Live.Calls(viewer(who), in.Resume)
		if err != nil {
			return nil, err
		}
		return s.stream(st, callsHeartbeat), nil
	})
	s.describeStream(calls, live.Connected{}, live.ActiveCount{}, live.CallsUpdate{}, live.Heartbeat{}, live.CallsProblem{})

	call := operation{
		ID: "stream-call", Method: http.MethodGet, Path: "/api/v1/sse/calls/{call_id}/stream", Tag: "Live", Scope: "calls:read",
		Summary: "Watch a call", Errors: []fault.Code{fault.RateLimitExceeded, fault.ServiceUnavailable},
		Description: "Begins with the call's status and its conversation so far, and closes after the message that it ended. " +
			"There being no such call is told by an error message." + aboutStreams,
	}
	register(s.router, call, func(_ context.Context, who auth.Principal, in *streamCallIn) (*huma.StreamResponse, error) {
		st, err := s.deps.Live.Call(viewer(who), in.ID.String(), in.Resume)
		if err != nil {
			return nil, err
		}
		return s.stream(st, callHeartbeat), nil
	})
	s.describeStream(call, live.CallConnected{}, live.CallStatus{}, live.Transcript{}, live.AgentChanged{}, live.Ended{}, live.Heartbeat{}, live.CallProblem{})
}

// viewer is who watches, for a credential.
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
		h := w.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("Cache-Control", "no-store")
		h.Set("X-Accel-Buffering", "no") // nginx would gather messages
		control := http.NewResponseController(w)
		st.OnCut(func() { _ = control.SetWriteDeadline(time.Now()) })
		id := live.FirstID
		send := func(message []byte) bool {
			// A test's recorder has no deadlines.
			_ = control.SetWriteDeadline(time.Now().Add(messageTimeout))
			if _, err := w.Write(message); err != nil {
				return false
			}
			return control.Flush() == nil
		}
		w.WriteHeader(http.StatusOK)
		if !send(nil) || r.Method == http.MethodHead { // who asked for the head alone goes on with the connection
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
				going = send(frame.Text)
			case <-beat.C:
				going = send(st.Heartbeat(id))
			case <-watched.refused:
				send(st.Problem(id, watched.why()))
				return
			}
		}
	}}
}

// describeStream adds to an operation's description the messages that it
// sends, each given by its data.
func (s *Server) describeStream(op operation, data ...any) {
	registry := s.huma.OpenAPI().Components.Schemas
	messages := make([]*huma.Schema, len(data))
	for i, d := range data {
		messages[i] = &huma.Schema{
			Type: huma.TypeObject, Title: live.Name(d), Required: []string{"id", "event", "data"},
			Properties: map[string]*huma.Schema{
				"id":    {Type: huma.TypeString, Description: "Where the stream stands, for Last-Event-ID.", Examples: []any{"17"}},
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
