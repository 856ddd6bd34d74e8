package api

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"parley/internal/agent"
	"parley/internal/auth"
	"parley/internal/call"
	"parley/internal/fault"
)

// Media is what the API needs of the media server.
type Media interface {
	// Open makes the call's room. It is tried once, and briefly: the worker
	// makes the room as well.
	Open(ctx context.Context, room string) error
	// Delete ends the room.
	Delete(ctx context.Context, room string) error
	// CallerToken signs what lets a caller join the room; now is the database's
	// time.
	CallerToken(room, identity string, now time.Time, life time.Duration) (string, error)
	// URL is the media server as callers reach it: ws or wss.
	URL() string
}

// Readiness says what a provider lacks, in words for the tenant; "" for
// nothing. ownKey tells that the tenant has a key for it.
type Readiness func(kind, name string, ownKey bool) string

const (
	// roomWait bounds how long a dispatch waits for the room to be made.
	roomWait = 250 * time.Millisecond
	// tokenGrace is how long a join token outlives the join timeout, so that a
	// caller can come back into a call.
	tokenGrace = 10 * time.Minute
	// maxContext bounds user_context and metadata, in bytes of JSON.
	maxContext = 64 << 10
)

type startCallBody struct {
	WorkflowSlug string  `json:"workflow_slug" minLength:"1" maxLength:"100" example:"demo"`
	UserID       *string `json:"user_id,omitempty" nullable:"true" maxLength:"255" doc:"Your name for the user." example:"customer-4711"`
	CallType     string  `json:"call_type,omitempty" enum:"voip,sip" default:"voip"`
	PhoneNumber  *string `json:"phone_number,omitempty" nullable:"true" pattern:"^\\+[1-9][0-9]{6,14}$" doc:"E.164: the number that is dialled, required when call_type is sip. With voip it is kept with the call and nobody dials it." example:"+4930123456"`
	UserContext  object  `json:"user_context,omitempty" doc:"Available to templates as {{user.*}}; at most 64 KiB, encrypted at rest."`
	Metadata     object  `json:"metadata,omitempty" doc:"Stored with the call and sent with its events; at most 64 KiB."`
}

func (b *startCallBody) faults() []fault.Detail {
	details := contextFaults(b.UserContext, b.Metadata)
	if b.CallType == call.SIP && b.PhoneNumber == nil {
		details = append(details, fault.Detail{Field: "phone_number", Message: "is required when call_type is sip"})
	}
	return details
}

type testAgentBody struct {
	AgentName   string       `json:"agent_name" minLength:"1" maxLength:"100" example:"demo"`
	Config      *agentConfig `json:"config,omitempty" doc:"Configuration of the agent for this call alone, in place of the saved one. The agent may be inactive, or not exist yet. Needs the scope agents:write too."`
	UserID      *string      `json:"user_id,omitempty" nullable:"true" maxLength:"255" example:"customer-4711"`
	UserContext object       `json:"user_context,omitempty" doc:"Available to templates as {{user.*}}; at most 64 KiB, encrypted at rest."`
}

func (b *testAgentBody) faults() []fault.Detail { return contextFaults(b.UserContext, nil) }

// ingestBody names its resources by slug, as other platforms do.
type ingestBody struct {
	WorkflowSlug *string `json:"workflow_slug,omitempty" nullable:"true" minLength:"1" maxLength:"100" doc:"The workflow to run; either this or agent_slug." example:"demo"`
	AgentSlug    *string `json:"agent_slug,omitempty" nullable:"true" minLength:"1" maxLength:"100" doc:"The name of the agent to call with; either this or workflow_slug."`
	PhoneNumber  *string `json:"phone_number,omitempty" nullable:"true" pattern:"^\\+[1-9][0-9]{6,14}$" doc:"E.164. With it the call is sip, without it voip." example:"+4930123456"`
	UserID       *string `json:"user_id,omitempty" nullable:"true" maxLength:"255" doc:"Your name for the user." example:"customer-4711"`
	UserContext  object  `json:"user_context,omitempty" doc:"Available to templates as {{user.*}}; at most 64 KiB, encrypted at rest."`
	Metadata     object  `json:"metadata,omitempty" doc:"Stored with the call and sent with its events; at most 64 KiB."`
}

func (b *ingestBody) faults() []fault.Detail {
	details := contextFaults(b.UserContext, b.Metadata)
	switch {
	case b.WorkflowSlug == nil && b.AgentSlug == nil:
		details = append(details, fault.Detail{Field: "workflow_slug", Message: "either workflow_slug or agent_slug is required"})
	case b.WorkflowSlug != nil && b.AgentSlug != nil:
		details = append(details, fault.Detail{Field: "agent_slug", Message: "cannot stand beside workflow_slug"})
	}
	return details
}

type startedBody struct {
	CallID   string   `json:"call_id" format:"uuid"`
	RoomName string   `json:"room_name"`
	URL      string   `json:"url" doc:"The media server's WebSocket address."`
	Token    string   `json:"token" doc:"Lets one caller join the call's room."`
	Status   string   `json:"status" enum:"pending,connecting,active,completed,failed,disconnected,timeout"`
	Warnings []string `json:"warnings,omitempty" doc:"What the call will lack, such as a provider's key."`
}

const idempotencyHeader = "Idempotency-Key"

// dispatchIn is what a request for a call says: a body, and how often it means
// it.
type dispatchIn[T any] struct {
	Key  string `header:"Idempotency-Key" pattern:"^[!-~]{1,255}$" doc:"Repeats of the request within 24 hours, with the same key, get the first answer and start no second call." example:"order-4711"`
	Body T
}

// Resolve refuses a key that is empty: huma takes it for absent, and the client
// would have no protection from a second call.
func (in *dispatchIn[T]) Resolve(ctx huma.Context) []error {
	r, _ := humago.Unwrap(ctx)
	keys := r.Header.Values(idempotencyHeader)
	problem := ""
	switch {
	case len(keys) > 1:
		problem = "must be given only once"
	case len(keys) == 1 && keys[0] == "":
		problem = "must not be empty: send 1 to 255 printable ASCII characters without spaces, or leave the header out"
	default:
		return nil
	}
	return []error{&huma.ErrorDetail{Location: "header." + idempotencyHeader, Message: problem}}
}

var errDraftScope = fault.New(fault.ScopeRequired, "the scope agents:write is needed to start a call with a config")

func (s *Server) registerCallStarts() {
	const repeats = "\n\nThe key of an `Idempotency-Key` header is yours for 24 hours: the same request gets the same answer again, another one with the same key is refused, and one whose twin is still in progress is a conflict. A refused request leaves its key free.\n\nWhile more calls wait for a worker than could begin in time, the answer is 503 with `Retry-After`, and no call is made."
	register(s.router, operation{
		ID: "start-call", Method: http.MethodPost, Unaudited: true, Path: "/api/v1/calls", Tag: "Calls", Scope: "calls:write", Status: http.StatusCreated,
		Summary:     "Start a call of a workflow",
		Description: "The caller joins the room with `url` and `token`. A missing provider key or trunk is told under `warnings`; the call then fails when the caller joins." + repeats,
		Errors:      []fault.Code{fault.NotFound, fault.Conflict, fault.ServiceUnavailable},
	}, func(ctx context.Context, who auth.Principal, in *dispatchIn[startCallBody]) (*answer[startedBody], error) {
		b := in.Body
		return dispatch(ctx, s, in, "calls", call.Request{
			TenantID: who.TenantID, WorkflowSlug: b.WorkflowSlug, UserID: b.UserID, CallType: b.CallType, PhoneNumber: b.PhoneNumber,
			UserContext: json.RawMessage(b.UserContext), Metadata: json.RawMessage(b.Metadata), Livemode: who.Livemode,
		})
	})

	register(s.router, operation{
		ID: "test-agent", Method: http.MethodPost, Unaudited: true, Path: "/api/v1/calls/test-agent", Tag: "Calls", Scope: "calls:write", Status: http.StatusCreated,
		Summary: "Start a call of a single agent", Description: "Always voip. With a `config` the call uses it in place of the agent's saved configuration, which stays as it is." + repeats,
		Errors: []fault.Code{fault.NotFound, fault.Conflict, fault.ServiceUnavailable},
	}, func(ctx context.Context, who auth.Principal, in *dispatchIn[testAgentBody]) (*answer[startedBody], error) {
		b := in.Body
		if b.Config != nil {
			if !who.Can("agents:write") {
				return nil, errDraftScope
			}
			if err := s.agents(who).Check(ctx, agent.Config(*b.Config)); err != nil {
				return nil, err
			}
		}
		return dispatch(ctx, s, in, "test-agent", call.Request{
			TenantID: who.TenantID, AgentName: b.AgentName, Config: (*agent.Config)(b.Config), UserID: b.UserID, CallType: call.VoIP,
			UserContext: json.RawMessage(b.UserContext), Livemode: who.Livemode,
		})
	})

	register(s.router, operation{
		ID: "ingest", Method: http.MethodPost, Unaudited: true, Path: "/api/v1/webhooks/ingest", Tag: "Calls", Scope: "calls:write", Status: http.StatusCreated,
		Summary:     "Start a call from another platform",
		Description: "Exactly one of `workflow_slug` and `agent_slug`. With a `phone_number` the call is sip, without it voip." + repeats,
		Errors:      []fault.Code{fault.NotFound, fault.Conflict, fault.ServiceUnavailable},
	}, func(ctx context.Context, who auth.Principal, in *dispatchIn[ingestBody]) (*answer[startedBody], error) {
		b := in.Body
		r := call.Request{
			TenantID: who.TenantID, UserID: b.UserID, CallType: call.VoIP, PhoneNumber: b.PhoneNumber,
			UserContext: json.RawMessage(b.UserContext), Metadata: json.RawMessage(b.Metadata), Livemode: who.Livemode,
		}
		if b.WorkflowSlug != nil {
			r.WorkflowSlug = *b.WorkflowSlug
		} else {
			r.AgentName = *b.AgentSlug
		}
		if b.PhoneNumber != nil {
			r.CallType = call.SIP
		}
		return dispatch(ctx, s, in, "ingest", r)
	})
}

// dispatch starts a call and answers with what its caller joins by. A request
// with a key starts it once.
func dispatch[T any](ctx context.Context, s *Server, in *dispatchIn[T], route string, r call.Request) (*answer[startedBody], error) {
	dialled := true
	if r.CallType == call.SIP {
		var err error
		if dialled, err = s.deps.SIP.HasTrunk(ctx, s.deps.DB, r.TenantID, r.Livemode); err != nil {
			return nil, err
		}
	}
	if in.Key == "" {
		c, needs, err := s.deps.Calls.Dispatch(ctx, r)
		if err != nil {
			return nil, err
		}
		started, err := s.started(c, needs, dialled)
		if err != nil {
			return nil, err
		}
		s.openRoom(ctx, c)
		return &answer[startedBody]{started}, nil
	}
	asked, err := json.Marshal(struct {
		Route    string
		Livemode bool
		Body     T
	}{route, r.Livemode, in.Body})
	if err != nil {
		return nil, fmt.Errorf("encode request: %w", err)
	}
	digest := sha256.Sum256(asked)
	kept, c, err := s.deps.Calls.DispatchIdempotent(ctx, r, call.Idempotency{Key: in.Key, Request: digest[:]}, func(c *call.Call, needs call.Needs) ([]byte, error) {
		started, err := s.started(c, needs, dialled)
		if err != nil {
			return nil, err
		}
		return json.Marshal(started)
	})
	if err != nil {
		return nil, err
	}
	if c != nil {
		s.openRoom(ctx, c)
	}
	var first answer[startedBody]
	if err := json.Unmarshal(kept, &first.Body); err != nil {
		return nil, fmt.Errorf("read kept answer: %w", err)
	}
	return &first, nil
}

// started is what the caller of a call joins by. A phone call that there is no
// trunk for is not dialled.
func (s *Server) started(c *call.Call, needs call.Needs, dialled bool) (startedBody, error) {
	started := startedBody{CallID: c.ID, RoomName: c.RoomName, URL: s.deps.Media.URL(), Status: string(c.Status)}
	for _, need := range needs {
		for _, lack := range s.lacking(need) {
			if !slices.Contains(started.Warnings, lack) {
				started.Warnings = append(started.Warnings, lack)
			}
		}
	}
	if !dialled {
		started.Warnings = append(started.Warnings, "no SIP trunk is configured: the number cannot be dialled")
	}
	var err error
	started.Token, err = s.deps.Media.CallerToken(c.RoomName, "caller-"+c.ID, c.CreatedAt, s.deps.Calls.JoinTimeout()+tokenGrace)
	if err != nil {
		return started, fmt.Errorf("sign join token: %w", err)
	}
	return started, nil
}

// lacking tells what the providers of a need lack, unless one of them can do.
func (s *Server) lacking(need call.Need) (lacks []string) {
	for _, candidate := range need.Candidates {
		lack := s.deps.Lacks(need.Kind, candidate.Name, candidate.OwnKey)
		if lack == "" {
			return nil
		}
		lacks = append(lacks, lack)
	}
	return lacks
}

// openRoom makes a call's room, if the media server answers soon.
func (s *Server) openRoom(ctx context.Context, c *call.Call) {
	brief, cancel := context.WithTimeout(ctx, roomWait)
	defer cancel()
	if err := s.deps.Media.Open(brief, c.RoomName); err != nil {
		s.deps.Log.WarnContext(ctx, "make room at dispatch", "call", c.ID, "error", err)
	}
}

// contextFaults checks the sizes of what is stored with a call.
func contextFaults(userContext, metadata object) (details []fault.Detail) {
	for _, o := range []struct {
		field string
		value object
	}{{"user_context", userContext}, {"metadata", metadata}} {
		if len(o.value) > maxContext {
			details = append(details, fault.Detail{Field: o.field, Message: fmt.Sprintf("has %d bytes, at most %d are allowed", len(o.value), maxContext)})
		}
	}
	return details
}
