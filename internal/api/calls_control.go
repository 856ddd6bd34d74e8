package api

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/call"
	"parley/internal/control"
	"parley/internal/fault"
	"parley/internal/template"
	"parley/internal/tool"
)

type controlBody struct {
	ID        string    `json:"id" format:"uuid"`
	CallID    string    `json:"call_id" format:"uuid"`
	Type      string    `json:"type" enum:"say,message,context,mute,transfer" doc:"What the request asks of the call."`
	Status    string    `json:"status" enum:"pending,applied" doc:"pending: the agent does it when neither side speaks, or its worker has not received it yet; the outcome is in the timeline. applied: it is done, or has begun." example:"applied"`
	CreatedAt wire.Time `json:"created_at"`
}

// controlIn is a request to control a call.
type controlIn[T any] struct {
	ID wire.ID `path:"id" doc:"Unique identifier of the call."`
	IdempotencyKey
	Body T
}

type sayBody struct {
	Text          string `json:"text" minLength:"1" maxLength:"4000" doc:"What the agent says, in its voice; it is part of the transcript." example:"A technician is on the way."`
	Interrupt     bool   `json:"interrupt,omitempty" doc:"Say it at once, in place of what the agent says now. Default: when neither side speaks."`
	Interruptible *bool  `json:"interruptible,omitempty" doc:"Whether the caller can interrupt it. Default: true."`
}

func (b *sayBody) Faults() []fault.Detail { return textFaults(b.Text) }

type messageBody struct {
	Text    string `json:"text" minLength:"1" maxLength:"4000" doc:"A fact, or an instruction, for the agent's language model. The caller does not hear it." example:"The customer has paid the invoice."`
	Respond bool   `json:"respond,omitempty" doc:"Have the agent speak about it when neither side speaks. Default: it considers it in its next answer."`
}

func (b *messageBody) Faults() []fault.Detail { return textFaults(b.Text) }

func textFaults(text string) []fault.Detail {
	if text != "" && strings.TrimSpace(text) == "" {
		return []fault.Detail{{Field: "text", Message: "must not be blank"}}
	}
	return nil
}

type contextBody struct {
	UserContext object `json:"user_context" nullable:"false" doc:"A JSON Merge Patch of the call's user_context, for templates and conditions from now on: null removes a key. At most 64 KiB." example:"{\"plan\":\"gold\"}"`
}

func (b *contextBody) Faults() []fault.Detail { return contextFaults(b.UserContext, nil) }

type muteBody struct {
	Muted bool `json:"muted" doc:"true: the agent listens and says nothing by itself; say still has it speak. false: it answers again."`
}

// transferBody is a transfer_call of a tool, without templates.
type transferBody struct {
	Mode          string            `json:"mode" enum:"refer,bridge,announce,consult" doc:"How the caller is handed over, as in the transfer_call of a tool." example:"consult"`
	To            []string          `json:"to" minItems:"1" maxItems:"5" nullable:"false" doc:"Phone numbers in E.164 format, or SIP URIs of a trunk with allow_uris, which are dialled one after the other until one accepts. With mode refer one number." example:"[\"+4930123456\"]"`
	RingSeconds   *int              `json:"ring_seconds,omitempty" minimum:"5" maximum:"120" doc:"How long each phone rings, in seconds. Default: 30. Not with mode refer." example:"30"`
	AcceptSeconds *int              `json:"accept_seconds,omitempty" minimum:"5" maximum:"120" doc:"With mode consult: how long the person may consider after the summary, in seconds. Default: 30." example:"30"`
	CallerID      string            `json:"caller_id,omitempty" enum:"own,caller" doc:"Number that the person sees: own (the trunk's) or caller (the caller's, where the trunk allows it). Default: own. Not with mode refer." example:"own"`
	After         string            `json:"after,omitempty" enum:"leave,listen" doc:"What the agent does once caller and person are connected. leave: it hears nothing of them. listen: it is silent and goes on with the transcript, of what both say. Default: leave. Not with mode refer." example:"listen"`
	Headers       map[string]string `json:"headers,omitempty" doc:"SIP headers of the INVITE: X-… or User-to-User. Not with mode refer." example:"{\"X-Order\":\"4711\"}"`
	Summary       string            `json:"summary,omitempty" maxLength:"2000" doc:"With modes announce and consult: what the person hears, or auto for a summary by the language model; with page also in mode bridge: what the page shows. Default: auto." example:"auto"`
	Page          bool              `json:"page,omitempty" doc:"Make a page with the summary, the live transcript and the user_context for each person who is dialled; webhooks with filter.include_page carry its link. Not with mode refer." example:"true"`
	Message       string            `json:"message,omitempty" maxLength:"4000" doc:"What the agent says to the caller before." example:"I will connect you with a colleague."`
}

// next returns the transfer; the error is a validation error.
func (b transferBody) next() (*tool.Next, error) {
	action := tool.Action{Headers: b.Headers, Message: b.Message, Connection: tool.Connection{
		RingSeconds: b.RingSeconds, AcceptSeconds: b.AcceptSeconds, CallerID: b.CallerID, After: b.After, Summary: b.Summary, Page: b.Page}}
	return tool.ParseTransfer(action, b.Mode, b.To)
}

func (s *Server) registerCallControls() {
	const outcome = " The call must be active: 409 otherwise, and where the agent cannot do it now. The response comes when it is done or has begun, after 3 s at the latest; each request is in the call's timeline with its outcome.\n\nAn `Idempotency-Key` is valid for the same call: the same request has no second effect, a different one with the same key is rejected."
	operation := func(kind control.Kind, summary, description string) wire.Operation {
		return wire.Operation{ID: string(kind) + "-call", Method: http.MethodPost, Unaudited: true, Path: "/api/v1/calls/{id}/" + string(kind), Tag: "Calls", Scope: "calls:control",
			Summary: summary, Description: description + outcome, Errors: []fault.Code{fault.NotFound, fault.Conflict}}
	}
	wire.Register(s.router, operation(control.Say, "Say something in a call", "Has the agent say a text in its voice."),
		func(ctx context.Context, who auth.Principal, in *controlIn[sayBody]) (*wire.Answer[controlBody], error) {
			b := in.Body
			return controlCall(ctx, s, who, in, control.Request{Kind: control.Say, Text: b.Text, Interrupt: b.Interrupt, Uninterruptible: b.Interruptible != nil && !*b.Interruptible})
		})
	wire.Register(s.router, operation(control.Message, "Send a message to a call's agent", "Gives the agent's language model a fact or an instruction, which the caller does not hear."),
		func(ctx context.Context, who auth.Principal, in *controlIn[messageBody]) (*wire.Answer[controlBody], error) {
			return controlCall(ctx, s, who, in, control.Request{Kind: control.Message, Text: in.Body.Text, Respond: in.Body.Respond})
		})
	wire.Register(s.router, operation(control.Context, "Update a call's user context", "Updates what templates and conditions see as `{{user.*}}`."),
		func(ctx context.Context, who auth.Principal, in *controlIn[contextBody]) (*wire.Answer[controlBody], error) {
			patch, err := template.DecodeObject(json.RawMessage(in.Body.UserContext))
			if err != nil {
				return nil, fault.Invalid([]fault.Detail{{Field: "user_context", Message: "must be a JSON object"}})
			}
			return controlCall(ctx, s, who, in, control.Request{Kind: control.Context, UserContext: patch})
		})
	wire.Register(s.router, operation(control.Mute, "Mute a call's agent", "Has the agent listen without speaking, or speak again. What the caller says meanwhile is in the transcript."),
		func(ctx context.Context, who auth.Principal, in *controlIn[muteBody]) (*wire.Answer[controlBody], error) {
			return controlCall(ctx, s, who, in, control.Request{Kind: control.Mute, Muted: in.Body.Muted})
		})
	wire.Register(s.router, operation(control.Transfer, "Transfer a call's caller", "Hands the caller over to a person, as `transfer_call` of a tool does."),
		func(ctx context.Context, who auth.Principal, in *controlIn[transferBody]) (*wire.Answer[controlBody], error) {
			next, err := in.Body.next()
			if err != nil {
				return nil, err
			}
			return controlCall(ctx, s, who, in, control.Request{Kind: control.Transfer, Next: next})
		})
}

// controlCall has a call execute a request.
func controlCall[T any](ctx context.Context, s *Server, who auth.Principal, in *controlIn[T], r control.Request) (*wire.Answer[controlBody], error) {
	if err := s.maySee(ctx, who, in.ID); err != nil {
		return nil, err
	}
	once, err := in.of(string(r.Kind), who.Livemode, in.Body)
	if err != nil {
		return nil, err
	}
	x, err := s.deps.Calls.Control(ctx, who.TenantID, in.ID.String(), r, once)
	if err != nil {
		return nil, err
	}
	s.auditRequest(ctx, who, "call."+string(r.Kind), x.CallID, "")
	return wire.NewAnswer(wireControl(x)), nil
}

func wireControl(x *call.Control) controlBody {
	return controlBody{ID: x.ID, CallID: x.CallID, Type: string(x.Kind), Status: string(x.Status), CreatedAt: wire.Time(x.CreatedAt)}
}
