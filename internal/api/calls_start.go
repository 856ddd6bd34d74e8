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
	"parley/internal/api/wire"
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
	// ListenerToken signs what lets somebody hear the room, unseen.
	ListenerToken(room, identity string, now time.Time, life time.Duration) (string, error)
	// URL is the media server as callers reach it: ws or wss.
	URL() string
}

// Readiness returns what a provider lacks, as a sentence for the tenant; "" for nothing. ownKey reports that the
// tenant has a key for it.
type Readiness func(kind, name string, ownKey bool) string

const (
	// roomWait bounds how long a dispatch waits for the room to be made.
	roomWait = 250 * time.Millisecond
	// tokenGrace is how long a join token is valid after the join timeout, so that a caller can rejoin a call.
	tokenGrace = 10 * time.Minute
	// maxContext bounds user_context and metadata, in bytes of JSON.
	maxContext = 64 << 10
)

type startCallBody struct {
	WorkflowSlug string            `json:"workflow_slug" minLength:"1" maxLength:"100" example:"demo"`
	UserID       *string           `json:"user_id,omitempty" nullable:"true" maxLength:"255" doc:"Your identifier of the user." example:"customer-4711"`
	CallType     string            `json:"call_type,omitempty" enum:"voip,sip" default:"voip"`
	PhoneNumber  *string           `json:"phone_number,omitempty" nullable:"true" minLength:"1" maxLength:"255" doc:"Phone number to dial, in E.164 format, or as it is dialled in the trunk's default_country. An extension or a SIP URI (sip:alice@pbx.example) if the trunk has allow_uris. Required when call_type is sip; with voip it is stored with the call and not dialled." example:"+4930123456"`
	SIPHeaders   map[string]string `json:"sip_headers,omitempty" doc:"SIP headers added to the call's INVITE, of those in the trunk's headers_out. Only with call_type sip. Encrypted at rest." example:"{\"X-Order\":\"4711\"}"`
	UserContext  object            `json:"user_context,omitempty" doc:"Data about the user, available to templates as {{user.*}}. At most 64 KiB; encrypted at rest."`
	Metadata     object            `json:"metadata,omitempty" doc:"Your own data, stored with the call and sent with its events. At most 64 KiB."`
	CallSettings
}

func (b *startCallBody) Faults() []fault.Detail {
	return append(contextFaults(b.UserContext, b.Metadata), phoneFaults(b.CallType, b.PhoneNumber, b.SIPHeaders, b.CallSettings)...)
}

// phoneFaults checks what a body says of a phone against its call_type.
func phoneFaults(callType string, number *string, headers map[string]string, settings CallSettings) (details []fault.Detail) {
	if callType == call.SIP && number == nil {
		details = append(details, fault.Detail{Field: "phone_number", Message: "is required when call_type is sip"})
	}
	if callType == call.SIP {
		return append(details, settings.faults("")...)
	}
	if len(headers) > 0 {
		details = append(details, fault.Detail{Field: "sip_headers", Message: "are only for calls whose call_type is sip"})
	}
	return append(details, settings.faults("is only for calls whose call_type is sip")...)
}

type testAgentBody struct {
	AgentName   string            `json:"agent_name" minLength:"1" maxLength:"100" example:"demo"`
	Config      *agentConfig      `json:"config,omitempty" doc:"Configuration of the agent for this call only, in place of the stored one. The agent may be inactive, or not exist yet. Also requires the scope agents:write."`
	UserID      *string           `json:"user_id,omitempty" nullable:"true" maxLength:"255" example:"customer-4711"`
	CallType    string            `json:"call_type,omitempty" enum:"voip,sip" default:"voip"`
	PhoneNumber *string           `json:"phone_number,omitempty" nullable:"true" minLength:"1" maxLength:"255" doc:"Phone number to dial, in E.164 format, or as it is dialled in the trunk's default_country. An extension or a SIP URI (sip:alice@pbx.example) if the trunk has allow_uris. Required when call_type is sip; with voip it is stored with the call and not dialled." example:"+4930123456"`
	SIPHeaders  map[string]string `json:"sip_headers,omitempty" doc:"SIP headers added to the call's INVITE, of those in the trunk's headers_out. Only with call_type sip. Encrypted at rest." example:"{\"X-Order\":\"4711\"}"`
	UserContext object            `json:"user_context,omitempty" doc:"Data about the user, available to templates as {{user.*}}. At most 64 KiB; encrypted at rest."`
	Metadata    object            `json:"metadata,omitempty" doc:"Your own data, stored with the call and sent with its events. At most 64 KiB."`
	CallSettings
}

func (b *testAgentBody) Faults() []fault.Detail {
	return append(contextFaults(b.UserContext, b.Metadata), phoneFaults(b.CallType, b.PhoneNumber, b.SIPHeaders, b.CallSettings)...)
}

// ingestBody names its resources by slug, as other platforms do.
type ingestBody struct {
	WorkflowSlug *string           `json:"workflow_slug,omitempty" nullable:"true" minLength:"1" maxLength:"100" doc:"Slug of the workflow to run. Give either this or agent_slug." example:"demo"`
	AgentSlug    *string           `json:"agent_slug,omitempty" nullable:"true" minLength:"1" maxLength:"100" doc:"Name of the agent to run. Give either this or workflow_slug."`
	PhoneNumber  *string           `json:"phone_number,omitempty" nullable:"true" minLength:"1" maxLength:"255" doc:"Phone number to dial, in E.164 format, or as it is dialled in the trunk's default_country. An extension or a SIP URI (sip:alice@pbx.example) if the trunk has allow_uris. With a number the call_type is sip, without one voip." example:"+4930123456"`
	SIPHeaders   map[string]string `json:"sip_headers,omitempty" doc:"SIP headers added to the call's INVITE, of those in the trunk's headers_out. Only with a phone_number. Encrypted at rest." example:"{\"X-Order\":\"4711\"}"`
	UserID       *string           `json:"user_id,omitempty" nullable:"true" maxLength:"255" doc:"Your identifier of the user." example:"customer-4711"`
	UserContext  object            `json:"user_context,omitempty" doc:"Data about the user, available to templates as {{user.*}}. At most 64 KiB; encrypted at rest."`
	Metadata     object            `json:"metadata,omitempty" doc:"Your own data, stored with the call and sent with its events. At most 64 KiB."`
	CallSettings
}

func (b *ingestBody) Faults() []fault.Detail {
	details := contextFaults(b.UserContext, b.Metadata)
	switch {
	case b.WorkflowSlug == nil && b.AgentSlug == nil:
		details = append(details, fault.Detail{Field: "workflow_slug", Message: "either workflow_slug or agent_slug is required"})
	case b.WorkflowSlug != nil && b.AgentSlug != nil:
		details = append(details, fault.Detail{Field: "agent_slug", Message: "cannot stand beside workflow_slug"})
	}
	if b.PhoneNumber != nil {
		return append(details, b.faults("")...)
	}
	if len(b.SIPHeaders) > 0 {
		details = append(details, fault.Detail{Field: "sip_headers", Message: "are only for calls with a phone_number"})
	}
	return append(details, b.faults("is only for calls with a phone_number")...)
}

type startedBody struct {
	CallID   string   `json:"call_id" format:"uuid"`
	RoomName string   `json:"room_name"`
	URL      string   `json:"url" doc:"WebSocket URL of the media server."`
	Token    string   `json:"token" doc:"Join token for the caller, to connect to the call's room at url."`
	Status   string   `json:"status" enum:"pending,connecting,active,completed,failed,disconnected,timeout"`
	Warnings []string `json:"warnings,omitempty" doc:"Problems that the call will have, such as a missing provider key."`
}

const idempotencyHeader = "Idempotency-Key"

// dispatchIn is what a request for a call says: a body, and how often it means
// it.
type dispatchIn[T any] struct {
	IdempotencyKey
	Body T
}

// IdempotencyKey is the header of requests that are executed once.
type IdempotencyKey struct {
	Key string `header:"Idempotency-Key" pattern:"^[!-~]{1,255}$" doc:"Idempotency key. A repeated request with the same key within 24 hours returns the first response and has no second effect." example:"order-4711"`
}

// Resolve rejects an empty key: huma would treat it as absent, without protection against a second call.
func (*IdempotencyKey) Resolve(ctx huma.Context) []error {
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

// of returns the key with the digest of a request; nil without a key.
func (in *IdempotencyKey) of(route string, livemode bool, body any) (*call.Idempotency, error) {
	if in.Key == "" {
		return nil, nil
	}
	asked, err := json.Marshal(struct {
		Route    string
		Livemode bool
		Body     any
	}{route, livemode, body})
	if err != nil {
		return nil, fmt.Errorf("encode request: %w", err)
	}
	digest := sha256.Sum256(asked)
	return &call.Idempotency{Key: in.Key, Request: digest[:]}, nil
}

var errDraftScope = fault.New(fault.ScopeRequired, "the scope agents:write is needed to start a call with a config")

func (s *Server) registerCallStarts() {
	const repeats = "\n\nAn `Idempotency-Key` is valid for 24 hours: the same request gets the same response again, a different request with the same key is rejected, and a repetition while the first request is in progress is a conflict. A rejected request does not use up its key.\n\nWhile more calls are waiting for a worker than can start in time, the response is 503 with `Retry-After`, and no call is created."
	wire.Register(s.router, wire.Operation{
		ID: "start-call", Method: http.MethodPost, Unaudited: true, Path: "/api/v1/calls", Tag: "Calls", Scope: "calls:write", Status: http.StatusCreated,
		Summary:     "Start a call",
		Description: "Starts a call of a workflow. The caller joins the room with `url` and `token`. A missing provider key or trunk is listed in `warnings`; the call then fails when the caller joins." + repeats,
		Errors:      []fault.Code{fault.NotFound, fault.Conflict, fault.BudgetExhausted, fault.ServiceUnavailable},
	}, func(ctx context.Context, who auth.Principal, in *dispatchIn[startCallBody]) (*wire.Answer[startedBody], error) {
		b := in.Body
		return dispatch(ctx, s, who, in, "calls", call.Request{
			WorkflowSlug: b.WorkflowSlug, UserID: b.UserID, CallType: b.CallType, PhoneNumber: b.PhoneNumber, SIPHeaders: b.SIPHeaders,
			UserContext: json.RawMessage(b.UserContext), Metadata: json.RawMessage(b.Metadata), Settings: b.settings(),
		})
	})

	wire.Register(s.router, wire.Operation{
		ID: "test-agent", Method: http.MethodPost, Unaudited: true, Path: "/api/v1/calls/test-agent", Tag: "Calls", Scope: "calls:write", Status: http.StatusCreated,
		Summary: "Test an agent", Description: "Starts a call of a single agent. A `config` replaces the agent's stored configuration for this call only." + repeats,
		Errors: []fault.Code{fault.NotFound, fault.Conflict, fault.BudgetExhausted, fault.ServiceUnavailable},
	}, func(ctx context.Context, who auth.Principal, in *dispatchIn[testAgentBody]) (*wire.Answer[startedBody], error) {
		b := in.Body
		if b.Config != nil {
			if !who.Can("agents:write") {
				return nil, errDraftScope
			}
			config, err := s.agents(who).Prepare(ctx, agent.Config(*b.Config))
			if err != nil {
				return nil, err
			}
			b.Config = (*agentConfig)(&config)
		}
		return dispatch(ctx, s, who, in, "test-agent", call.Request{
			AgentName: b.AgentName, Config: (*agent.Config)(b.Config), UserID: b.UserID, CallType: b.CallType, PhoneNumber: b.PhoneNumber,
			SIPHeaders: b.SIPHeaders, UserContext: json.RawMessage(b.UserContext), Metadata: json.RawMessage(b.Metadata), Settings: b.settings(),
		})
	})

	wire.Register(s.router, wire.Operation{
		ID: "ingest", Method: http.MethodPost, Unaudited: true, Path: "/api/v1/webhooks/ingest", Tag: "Calls", Scope: "calls:write", Status: http.StatusCreated,
		Summary:     "Start a call from another platform",
		Description: "Give exactly one of `workflow_slug` and `agent_slug`. With a `phone_number` the call is sip, without one voip." + repeats,
		Errors:      []fault.Code{fault.NotFound, fault.Conflict, fault.BudgetExhausted, fault.ServiceUnavailable},
	}, func(ctx context.Context, who auth.Principal, in *dispatchIn[ingestBody]) (*wire.Answer[startedBody], error) {
		b := in.Body
		r := call.Request{
			UserID: b.UserID, CallType: call.VoIP, PhoneNumber: b.PhoneNumber, SIPHeaders: b.SIPHeaders,
			UserContext: json.RawMessage(b.UserContext), Metadata: json.RawMessage(b.Metadata), Settings: b.settings(),
		}
		if b.WorkflowSlug != nil {
			r.WorkflowSlug = *b.WorkflowSlug
		} else {
			r.AgentName = *b.AgentSlug
		}
		if b.PhoneNumber != nil {
			r.CallType = call.SIP
		}
		return dispatch(ctx, s, who, in, "ingest", r)
	})
}

// dispatch starts a call and answers with what its caller joins by. A request
// with a key starts it once.
func dispatch[T any](ctx context.Context, s *Server, who auth.Principal, in *dispatchIn[T], route string, r call.Request) (*wire.Answer[startedBody], error) {
	r.TenantID, r.Livemode, r.OnCreate = who.TenantID, who.Livemode, auditStart(ctx, who)
	if err := s.checkDuration(r.Settings); err != nil {
		return nil, err
	}
	dialled, err := s.setDestination(ctx, &r)
	if err != nil {
		return nil, err
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
		return wire.NewAnswer(started), nil
	}
	once, err := in.of(route, r.Livemode, in.Body)
	if err != nil {
		return nil, err
	}
	kept, c, err := s.deps.Calls.DispatchIdempotent(ctx, r, *once, func(c *call.Call, needs call.RequiredProviders) ([]byte, error) {
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
	var first wire.Answer[startedBody]
	if err := json.Unmarshal(kept, &first.Body); err != nil {
		return nil, fmt.Errorf("read kept answer: %w", err)
	}
	return &first, nil
}

// started returns the data with which the caller joins. A phone call without a trunk is not dialled.
func (s *Server) started(c *call.Call, needs call.RequiredProviders, dialled bool) (startedBody, error) {
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

// lacking returns what the providers of a need lack, unless one of them is usable.
func (s *Server) lacking(need call.RequiredProvider) (lacks []string) {
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
		s.deps.Log.WarnContext(ctx, "failed to create a room at dispatch", "call", c.ID, "error", err)
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
