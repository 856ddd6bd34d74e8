package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"parley/internal/api/wire"
	"parley/internal/audit"
	"parley/internal/auth"
	"parley/internal/fault"
	"parley/internal/template"
	"parley/internal/tool"
)

// Trials is what the API needs of the runner of tools.
type Trials interface {
	Try(ctx context.Context, c tool.Call) (tool.Outcome, []tool.Request)
}

// trialTimeout bounds a trial: its answer must come within writeTimeout.
const trialTimeout = 45 * time.Second

type tryToolBody struct {
	Arguments object `json:"arguments,omitempty" doc:"The values of the tool's parameters, as a language model gives them." example:"{\"order_id\":\"4711\"}"`
	Context   object `json:"context,omitempty" doc:"Sample context with user, call, workflow and flags; also vars, in place of the tenant's variables, and now, a time (RFC 3339). At most 64 KiB." example:"{\"user\":{\"name\":\"Ann\"}}"`
}

type tryToolIn struct {
	Name string `path:"name" example:"look_up_order" doc:"Name of the tool."`
	Body tryToolBody
}

type toolTrialBody struct {
	Answer   string            `json:"answer" doc:"Result that the language model receives." example:"The order is on its way."`
	Requests []toolRequestBody `json:"requests" nullable:"false" doc:"The requests that were made, in order."`
	Changes  []toolChangeBody  `json:"changes" nullable:"false" doc:"Flags and keys of the workflow's state that a call would have set, in order."`
	Next     *toolNextBody     `json:"next,omitempty" doc:"Action that would have followed in a call; absent if none."`
	Problems []toolProblemBody `json:"problems" nullable:"false" doc:"Items that a call would have in its error log."`
}

type toolRequestBody struct {
	Method     string            `json:"method" enum:"GET,POST,PUT,PATCH,DELETE" doc:"HTTP method." example:"GET"`
	URL        string            `json:"url" doc:"URL of the request; empty if the request could not be made." example:"https://api.example.com/orders/4711"`
	Headers    map[string]string `json:"headers" nullable:"false" doc:"Headers that the tool configures." example:"{\"Authorization\":\"Bearer ***\"}"`
	Body       object            `json:"body" doc:"Body of the request; null for none." example:"{\"expand\":true}"`
	Status     *int              `json:"status" nullable:"true" doc:"HTTP status of the response; null if there was none." example:"200"`
	Answer     string            `json:"answer" doc:"First 8 KiB of the response body." example:"{\"state\":\"sent\"}"`
	Error      string            `json:"error,omitempty" doc:"Why there was no response; absent if there was one." example:"no answer within 15 s"`
	Attempts   int               `json:"attempts" doc:"Number of attempts." example:"1"`
	DurationMS float64           `json:"duration_ms" doc:"Duration of all attempts, in milliseconds." example:"84"`
}

type toolChangeBody struct {
	Path  string `json:"path" doc:"Path of the flag or key: flags.<name> or workflow.<key>." example:"workflow.order"`
	Value any    `json:"value" doc:"New value of the flag or key." example:"4711"`
}

type toolNextBody struct {
	Action  string `json:"action" enum:"handoff,end_call,transfer_call" doc:"Action that a call would have taken." example:"handoff"`
	Agent   string `json:"agent,omitempty" doc:"For handoff: name of the next agent." example:"billing"`
	Number  string `json:"number,omitempty" doc:"For transfer_call: phone number in E.164 format." example:"+4930123456"`
	Message string `json:"message,omitempty" doc:"Text that the agent would have spoken first." example:"Let me connect you."`
}

type toolProblemBody struct {
	Level   string `json:"level" enum:"error,warning" doc:"Severity. error: the tool failed; warning: it succeeded nevertheless."`
	Message string `json:"message" doc:"Human-readable description of the error." example:"tool look_up_order: names {{user.plan}}, which this call does not have"`
}

func (s *Server) registerToolTrials() {
	wire.Register(s.router, wire.Operation{
		ID: "try-tool", Method: http.MethodPost, Answer: 2 * tool.MaxTrial, Path: "/api/v1/tools/{name}/try", Tag: "Tools", Scope: "tools:write",
		Summary: "Try a tool",
		Description: "Runs the tool's actions as a call does, for at most 45 seconds. Its requests are sent, with their effects. " +
			"There is no call: tones and transfers are not possible, and flags, context and what would follow are only returned. Values of the context's `user`, and secrets, are masked.",
		Errors: []fault.Code{fault.NotFound},
	}, s.tryTool)
}

func (s *Server) tryTool(ctx context.Context, who auth.Principal, in *tryToolIn) (*wire.Answer[toolTrialBody], error) {
	scope := template.Scope{}
	if size := len(in.Body.Context); size > maxContext {
		return nil, fault.Invalid([]fault.Detail{{Field: "context", Message: fmt.Sprintf("has %d bytes, at most %d are allowed", size, maxContext)}})
	} else if in.Body.Context != nil {
		sample, err := template.DecodeObject(in.Body.Context)
		if err != nil {
			return nil, fault.Invalid([]fault.Detail{{Field: "context", Message: "must be an object"}})
		}
		for _, source := range []string{"user", "call", "workflow", "flags", "vars"} {
			if values, ok := sample[source].(map[string]any); ok {
				scope[source] = values
			}
		}
		if now, given := sample["now"]; given {
			scope["now"] = now
		}
	}
	t, err := s.tools(who).Get(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	if e, ok := ctx.Value(auditKey{}).(*audit.Entry); ok {
		e.ResourceID = t.ID
	}
	if err := s.addSettings(ctx, who, scope); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, trialTimeout)
	defer cancel()
	return wire.NewAnswer(wireTrial(s.deps.Trials.Try(ctx, tool.Call{
		Tenant: s.deps.ToolTenant(who.TenantID), Name: t.Name, Tool: tool.Definition{Config: t.Config}, Arguments: json.RawMessage(in.Body.Arguments), Scope: scope,
	}))), nil
}

func wireTrial(o tool.Outcome, requests []tool.Request) toolTrialBody {
	b := toolTrialBody{Answer: o.Answer, Requests: []toolRequestBody{}, Changes: []toolChangeBody{}, Problems: []toolProblemBody{}}
	for _, r := range requests {
		sent := toolRequestBody{Method: r.Method, URL: r.URL, Headers: r.Headers, Body: object(r.Body), Answer: r.Answer, Error: r.Failed, Attempts: r.Attempts, DurationMS: float64(r.Took) / float64(time.Millisecond)}
		if sent.Headers == nil {
			sent.Headers = map[string]string{}
		}
		if r.Status != 0 {
			sent.Status = &r.Status
		}
		b.Requests = append(b.Requests, sent)
	}
	for _, c := range o.Changes {
		path := "workflow." + c.Key
		if c.Flag != "" {
			path = "flags." + c.Flag
		}
		b.Changes = append(b.Changes, toolChangeBody{path, c.Value})
	}
	if o.Next != nil {
		b.Next = &toolNextBody{Action: o.Next.Action, Agent: o.Next.Agent, Number: o.Next.Number, Message: o.Next.Message}
	}
	for _, p := range o.Problems {
		level := "warning"
		if p.Critical {
			level = "error"
		}
		b.Problems = append(b.Problems, toolProblemBody{level, p.Message})
	}
	return b
}
