package openai

import (
	"encoding/json"
	"regexp"
	"strings"

	"parley/internal/dialogue"
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
	Tools  []tool `json:"tools,omitempty"`
	Stream bool   `json:"stream"`
}

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
	Type string `json:"type"`
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
	r := request{Messages: messages(p), Model: p.Model, Stream: true}
	r.StreamOptions.IncludeUsage = true
	for _, t := range p.Tools {
		r.Tools = append(r.Tools, tool{Function: function(t), Type: "function"})
	}
	effort, reasons := reasoning(p.Model)
	r.ReasoningEffort = effort
	if !reasons {
		r.Temperature = p.Temperature
	}
	if limit := max(p.MaxTokens, 0); reasons {
		r.MaxCompletionTokens = limit
	} else {
		r.MaxTokens = limit
	}
	return r
}

var (
	oSeries = regexp.MustCompile(`^o[0-9]`)
	gpt     = regexp.MustCompile(`^gpt-([5-9])(\.[0-9]+)?(-.*)?$`)
)

// reasoning reports whether a model reasons before it answers, and its lowest effort, because the caller waits;
// from GPT-5.6 on, chat completions support functions with the effort none only. Such models reject every
// temperature but the default. https://developers.openai.com/api/docs/guides/deployment-checklist
func reasoning(model string) (effort string, reasons bool) {
	name := model[strings.LastIndexByte(model, '/')+1:] // without a router's prefix
	version := gpt.FindStringSubmatch(name)
	switch {
	case oSeries.MatchString(name):
		return "low", true
	case version == nil || strings.Contains(version[3], "-chat"):
		return "", false
	case strings.Contains(version[3], "-pro") || strings.Contains(version[3], "-codex"):
		return "", true // they have a least of their own
	case version[1]+version[2] == "5":
		return "minimal", true
	default:
		return "none", true
	}
}

// messages converts the conversation. System messages keep their role and position; "system" is supported by all
// servers, "developer" is not.
func messages(p dialogue.Prompt) []message {
	var list []message
	if strings.TrimSpace(p.System) != "" {
		list = append(list, message{Role: "system", Content: &p.System})
	}
	for _, m := range llm.Paired(p.Messages) {
		switch m.Role {
		case dialogue.RoleSystem, dialogue.RoleUser:
			list = append(list, message{Role: string(m.Role), Content: &m.Content})
		case dialogue.RoleTool:
			list = append(list, message{Role: "tool", Content: &m.Content, ToolCallID: m.ToolCallID})
		case dialogue.RoleAssistant:
			if m.Content != "" || len(m.ToolCalls) > 0 {
				list = append(list, assistant(m))
			}
		}
	}
	return list
}

// assistant converts a message of the agent: text, tool calls or both.
func assistant(m dialogue.Message) message {
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
		said.ToolCalls = append(said.ToolCalls, call)
	}
	return said
}
