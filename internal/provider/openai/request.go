package openai

import (
	"encoding/json"
	"strings"

	"parley/internal/dialogue"
	"parley/internal/provider"
	"parley/internal/provider/llm"
)

// request is the body of a request.
// https://platform.openai.com/docs/api-reference/chat/create
type request struct {
	Messages            []message `json:"messages,omitempty"`
	Model               string    `json:"model"`
	MaxCompletionTokens int       `json:"max_completion_tokens,omitempty"`
	MaxTokens           int       `json:"max_tokens,omitempty"`
	Temperature         *float64  `json:"temperature,omitempty"`
	ReasoningEffort     string    `json:"reasoning_effort,omitempty"`
	StreamOptions       struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Tools          []tool          `json:"tools,omitempty"`
	ResponseFormat *responseFormat `json:"response_format,omitempty"`
	Stream         bool            `json:"stream"`
}

// responseFormat restricts the answer to a JSON Schema. https://developers.openai.com/api/docs/guides/structured-outputs
type responseFormat struct {
	Type       string       `json:"type"`
	JSONSchema schemaFormat `json:"json_schema"`
}

// schemaFormat is a named schema. Strict accepts a subset without optional properties only.
type schemaFormat struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Strict bool            `json:"strict"`
}

// schemaName names the schema of an answer.
const schemaName = "answer"

type message struct {
	Content    *string    `json:"content,omitempty"` // nil for calls alone
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
	Role       string     `json:"role"`
}

type toolCall struct {
	ID       string `json:"id"`
	Function struct {
		Arguments string `json:"arguments"`
		Name      string `json:"name"`
	} `json:"function"`
	Type  string          `json:"type"`
	extra json.RawMessage // see toolCallDelta
}

type tool struct {
	Function function `json:"function"`
	Type     string   `json:"type"`
}

// function is a tool's function. The schema is sent with its properties in their original order.
type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

// request converts a prompt to a request.
//
// OpenAI's reasoning models reject max_tokens, many compatible servers reject max_completion_tokens: models
// with the names of OpenAI's reasoning models get the latter, others the former.
func (m *LanguageModel) request(p dialogue.Prompt) request {
	r := request{Messages: m.messages(p), Model: p.Model, Stream: true}
	r.StreamOptions.IncludeUsage = true
	for _, t := range p.Tools {
		r.Tools = append(r.Tools, tool{Function: function(t), Type: "function"})
	}
	if p.JSONSchema != nil {
		r.ResponseFormat = &responseFormat{"json_schema", schemaFormat{Name: schemaName, Schema: p.JSONSchema}}
	}
	effort, reasons := effort(p)
	r.ReasoningEffort, r.Temperature = effort, temperature(p)
	if limit := max(p.MaxTokens, 0); reasons {
		r.MaxCompletionTokens = limit
	} else {
		r.MaxTokens = limit
	}
	return r
}

// effort returns the reasoning effort for a request, "" for none, and whether the model reasons before it answers. The
// agent's is sent if the model supports it, otherwise the lowest, for the sake of latency.
func effort(p dialogue.Prompt) (effort string, reasons bool) {
	f, _ := provider.FamilyOf(provider.LLM, "openai", p.Model)
	if p.ReasoningEffort != "" && provider.Supports(provider.LLM, "openai", p.Model, provider.ReasoningEffort, p.ReasoningEffort) {
		return p.ReasoningEffort, f.Reasons
	}
	return f.Effort, f.Reasons
}

// temperature returns the agent's, or nil for a model without the parameter.
func temperature(p dialogue.Prompt) *float64 {
	if p.Temperature == nil {
		return nil
	}
	value, takes := provider.Nearest(provider.LLM, "openai", p.Model, provider.Temperature, *p.Temperature)
	if !takes {
		return nil
	}
	return &value
}

// messages converts the conversation. System messages keep their role and position, unless the provider serves models
// of all kinds; "system" is supported by all servers, "developer" is not.
func (m *LanguageModel) messages(p dialogue.Prompt) []message {
	var list []message
	if strings.TrimSpace(p.System) != "" {
		list = append(list, message{Role: "system", Content: &p.System})
	}
	for _, said := range llm.Paired(p.Messages) {
		switch said.Role {
		case dialogue.RoleSystem, dialogue.RoleUser:
			list = append(list, message{Role: string(said.Role), Content: &said.Content})
		case dialogue.RoleTool:
			list = append(list, message{Role: "tool", Content: &said.Content, ToolCallID: said.ToolCallID})
		case dialogue.RoleAssistant:
			if said.Content != "" || len(said.ToolCalls) > 0 {
				list = append(list, assistant(said, m.provider))
			}
		}
	}
	if m.provider == provider.Compatible {
		return alternate(list)
	}
	return list
}

// assistant converts a message of the agent: text, tool calls or both. What the provider attached to a call goes back
// with it.
func assistant(m dialogue.Message, provider string) message {
	said := message{Role: "assistant"}
	if m.Content != "" {
		said.Content = &m.Content
	}
	for _, c := range m.ToolCalls {
		call := toolCall{ID: c.ID, Type: "function"}
		call.Function.Name, call.Function.Arguments = c.Name, string(c.Arguments)
		if len(c.Arguments) == 0 {
			call.Function.Arguments = "{}"
		}
		if c.Origin == provider {
			call.extra = c.Extra
		}
		said.ToolCalls = append(said.ToolCalls, call)
	}
	return said
}
