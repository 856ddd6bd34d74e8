package api

import (
	"context"
	"net/http"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/fault"
)

type callPromptsBody struct {
	Agents  []agentPromptBody `json:"agents" nullable:"false" doc:"System prompts of the agents that have handled the call, in the order in which they first did."`
	Prompts []promptTextsBody `json:"prompts" nullable:"false" doc:"Prompt templates that these system prompts refer to, by slug."`
}

type agentPromptBody struct {
	Agent  string `json:"agent" doc:"Name of the agent." example:"front-desk"`
	System string `json:"system" doc:"System prompt, with its {{path}} references." example:"You are the front desk of {{prompt.company}}."`
}

type promptTextsBody struct {
	Slug    string            `json:"slug" doc:"Unique identifier of the template within the tenant." example:"company"`
	Content map[string]string `json:"content" doc:"Texts by language code." example:"{\"en\":\"Parley Inc.\"}"`
}

func (s *Server) registerCallPrompts() {
	wire.Register(s.router, wire.Operation{
		ID: "get-call-prompts", Method: http.MethodGet, Path: "/api/v1/calls/{id}/prompts", Tag: "Calls", Scope: "agents:read",
		Summary: "Get a call's prompts",
		Description: "Returns the system prompts of the call's agents as they were when the call was created, whatever has changed since. " +
			"Both lists are empty for a call that no agent has held, and once its content was deleted.",
		AlsoScope: "prompts:read", Errors: []fault.Code{fault.NotFound},
	}, func(ctx context.Context, who auth.Principal, in *callInput) (*wire.Answer[callPromptsBody], error) {
		if err := s.maySee(ctx, who, in.ID); err != nil {
			return nil, err
		}
		agents, templates, err := s.deps.Calls.Prompts(ctx, who.TenantID, in.ID.String())
		if err != nil {
			return nil, err
		}
		body := callPromptsBody{Agents: []agentPromptBody{}, Prompts: []promptTextsBody{}}
		for _, a := range agents {
			body.Agents = append(body.Agents, agentPromptBody{a.Agent, a.System})
		}
		for _, t := range templates {
			body.Prompts = append(body.Prompts, promptTextsBody{t.Slug, t.Content})
		}
		return &wire.Answer[callPromptsBody]{Body: body}, nil
	})
}
