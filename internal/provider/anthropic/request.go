package anthropic

import (
	"encoding/json"
	"regexp"
	"strings"

	"parley/internal/dialogue"
	"parley/internal/provider"
	"parley/internal/provider/llm"
)

// defaultMaxTokens is the required token limit for agents without one: several minutes of speech.
const defaultMaxTokens = 1024

// thinkingRoom is added to an answer's token limit where the model may think: thinking counts towards it.
const thinkingRoom = 1024

// betweenTools is the type of thinking after a tool's result only.
const betweenTools = "between_tools"

// thinking says when the model thinks before it answers; the caller waits meanwhile.
type thinking struct {
	Type string `json:"type"`
}

// output says how much effort goes into an answer.
type output struct {
	Effort string `json:"effort"`
}

// request is the body of a request.
// https://docs.anthropic.com/en/api/messages
type request struct {
	MaxTokens   int       `json:"max_tokens"`
	Messages    []message `json:"messages"`
	Model       string    `json:"model"`
	Temperature *float64  `json:"temperature,omitempty"`
	Thinking    *thinking `json:"thinking,omitempty"`
	Output      *output   `json:"output_config,omitempty"`
	System      []block   `json:"system,omitempty"`
	Tools       []tool    `json:"tools,omitempty"`
	Choice      *choice   `json:"tool_choice,omitempty"`
	Stream      bool      `json:"stream"`
}

// choice makes the model call a tool.
type choice struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

// answerTool is the tool whose arguments are an answer in JSON. The vendor's own structured outputs take a subset of JSON Schema without
// optional properties; a tool takes all of it.
// https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use#forcing-tool-use
const answerTool = "answer"

type message struct {
	Content []block `json:"content"`
	Role    string  `json:"role"`
}

// block is a content block; its type determines its fields.
type block struct {
	Text         string          `json:"text,omitempty"`        // text
	ID           string          `json:"id,omitempty"`          // tool_use
	Input        json.RawMessage `json:"input,omitempty"`       // tool_use
	Name         string          `json:"name,omitempty"`        // tool_use
	ToolUseID    string          `json:"tool_use_id,omitempty"` // tool_result
	CacheControl *cacheControl   `json:"cache_control,omitempty"`
	Content      []block         `json:"content,omitempty"` // tool_result
	Type         string          `json:"type"`

	returned json.RawMessage // a block of thinking, sent as it was returned
}

// MarshalJSON implements json.Marshaler.
func (b block) MarshalJSON() ([]byte, error) {
	if b.returned != nil {
		return b.returned, nil
	}
	type plain block
	return llm.JSON(plain(b))
}

// thinker names a model in dialogue.Reasoning.
func thinker(model string) string { return "anthropic/" + model }

// cacheControl marks the end of a prefix that the vendor caches.
type cacheControl struct {
	Type string `json:"type"`
}

// tool is a function. The schema is sent with its properties in their original order.
type tool struct {
	InputSchema json.RawMessage `json:"input_schema"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
}

// The roles of messages.
const (
	user      = "user"
	assistant = "assistant"
)

// newRequest converts a prompt to a request.
func newRequest(p dialogue.Prompt) request {
	r := request{Model: p.Model, MaxTokens: defaultMaxTokens, Messages: messages(p), Stream: true}
	if p.MaxTokens > 0 {
		r.MaxTokens = p.MaxTokens
	}
	f, _ := provider.FamilyOf(provider.LLM, "anthropic", p.Model)
	if f.Thinking != "" {
		r.Thinking = &thinking{f.Thinking}
	}
	effort := f.Effort
	if p.ReasoningEffort != "" && provider.Supports(provider.LLM, "anthropic", p.Model, provider.ReasoningEffort, p.ReasoningEffort) {
		effort = p.ReasoningEffort
	}
	if effort != "" {
		r.Output = &output{effort}
	}
	if f.Reasons || f.Thinking == betweenTools && len(p.Tools) > 0 {
		r.MaxTokens += thinkingRoom
	}
	if p.Temperature != nil {
		if t, takes := provider.Nearest(provider.LLM, "anthropic", p.Model, provider.Temperature, *p.Temperature); takes {
			r.Temperature = &t
		}
	}
	for _, t := range p.Tools {
		offered := tool{InputSchema: t.Parameters, Name: t.Name, Description: t.Description}
		if len(t.Parameters) == 0 {
			offered.InputSchema = json.RawMessage(`{"type":"object"}`)
		}
		r.Tools = append(r.Tools, offered)
	}
	if p.JSONSchema != nil && len(p.Tools) == 0 && !f.Reasons && f.Thinking != betweenTools { // a model that thinks cannot be made to call
		r.Tools = []tool{{InputSchema: p.JSONSchema, Name: answerTool, Description: "Records the answer."}}
		r.Choice = &choice{Type: "tool", Name: answerTool}
	}
	// The vendor caches the prefix up to a mark for five minutes; the next turn reads it faster and at a tenth of
	// the price. Marked are the tools with the system prompt, and the conversation so far. Prefixes below the
	// minimum (1,024 tokens or more, by model) are billed as if unmarked.
	// https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching
	mark := &cacheControl{Type: "ephemeral"}
	if strings.TrimSpace(p.System) != "" {
		r.System = []block{{Type: "text", Text: p.System, CacheControl: mark}}
	}
	last := r.Messages[len(r.Messages)-1].Content
	last[len(last)-1].CacheControl = mark
	return r
}

// Text for a caller who has said nothing: the API requires the first and the last message to be the user's.
const (
	opening = "The call begins."
	silence = "The caller says nothing."
)

// messages converts the conversation to alternating turns of user and assistant. System messages become marked text
// in the user's turns. Tool results come first in the turn after their calls, as the API requires.
func messages(p dialogue.Prompt) []message {
	var t turns
	for _, m := range llm.Paired(p.Messages) {
		switch m.Role {
		case dialogue.RoleSystem:
			t.note(m.Content)
		case dialogue.RoleUser:
			t.text(user, m.Content)
		case dialogue.RoleAssistant:
			for _, c := range m.ToolCalls {
				for _, returned := range c.Reasoning.Of(thinker(p.Model)) { // before all else of the message, as the API requires
					if len(p.Tools) > 0 {
						t.add(assistant, block{returned: returned})
					}
				}
			}
			t.text(assistant, m.Content)
			for _, c := range m.ToolCalls {
				t.call(c, len(p.Tools) > 0)
			}
		case dialogue.RoleTool:
			t.result(m, len(p.Tools) > 0)
		}
	}
	switch {
	case len(t.list) == 0:
		t.note(opening)
	case t.list[len(t.list)-1].Role == assistant:
		t.note(silence)
	}
	return t.list
}

// turns is a conversation of alternating turns, starting with the user's.
type turns struct{ list []message }

// add adds a block to the last turn if it is of the role, else to a new one.
func (t *turns) add(role string, b block) {
	if len(t.list) == 0 && role == assistant {
		t.note(opening)
	}
	if len(t.list) == 0 || t.list[len(t.list)-1].Role != role {
		t.list = append(t.list, message{Role: role})
	}
	last := &t.list[len(t.list)-1]
	last.Content = append(last.Content, b)
}

// text adds a text block. The API rejects blank text, and trailing white space in assistant text.
func (t *turns) text(role, text string) {
	if text = strings.TrimSpace(text); text != "" {
		t.add(role, block{Type: "text", Text: text})
	}
}

// note adds a system message.
func (t *turns) note(text string) {
	if text = strings.TrimSpace(text); text != "" {
		t.text(user, "<system>"+text+"</system>")
	}
}

// call adds a tool call of the assistant. Without tools, as after a handoff to an agent without any, the API
// rejects earlier calls; they are then left out, and their results become text.
func (t *turns) call(c dialogue.ToolCall, tools bool) {
	if !tools {
		return
	}
	arguments := c.Arguments
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	t.add(assistant, block{Type: "tool_use", ID: identifier(c.ID), Name: c.Name, Input: arguments})
}

// result adds a tool's result.
func (t *turns) result(m dialogue.Message, tools bool) {
	if !tools {
		t.note("A function was called. Its result: " + m.Content)
		return
	}
	b := block{Type: "tool_result", ToolUseID: identifier(m.ToolCallID)}
	if strings.TrimSpace(m.Content) != "" {
		b.Content = []block{{Type: "text", Text: m.Content}}
	}
	t.add(user, b)
}

var notInIdentifier = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

// identifier converts a call id, which may be another vendor's after a failover, to the permitted form
// ^[a-zA-Z0-9_-]+$.
func identifier(id string) string { return notInIdentifier.ReplaceAllString(id, "_") }
