package anthropic

import (
	"encoding/json"
	"regexp"
	"strings"

	"parley/internal/dialogue"
	"parley/internal/provider/llm"
)

// defaultMaxTokens bounds an answer where the agent sets no bound; the API
// wants one. It is several minutes of speech.
const defaultMaxTokens = 1024

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
	Stream      bool      `json:"stream"`
}

type message struct {
	Content []block `json:"content"`
	Role    string  `json:"role"`
}

// block is a piece of content; its type says which fields it has.
type block struct {
	Text         string          `json:"text,omitempty"`        // text
	ID           string          `json:"id,omitempty"`          // tool_use
	Input        json.RawMessage `json:"input,omitempty"`       // tool_use
	Name         string          `json:"name,omitempty"`        // tool_use
	ToolUseID    string          `json:"tool_use_id,omitempty"` // tool_result
	CacheControl *cacheControl   `json:"cache_control,omitempty"`
	Content      []block         `json:"content,omitempty"` // tool_result
	Type         string          `json:"type"`
}

// cacheControl marks the end of what the vendor keeps for the next turn.
type cacheControl struct {
	Type string `json:"type"`
}

// tool offers a function. The schema goes out with its properties in their
// order, which the model reads.
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

// newRequest makes the request of a prompt.
func newRequest(p dialogue.Prompt) request {
	r := request{Model: p.Model, MaxTokens: defaultMaxTokens, Messages: messages(p), Stream: true}
	if p.MaxTokens > 0 {
		r.MaxTokens = p.MaxTokens
	}
	f := familyOf(p.Model)
	if f.thinking != "" {
		r.Thinking = &thinking{f.thinking}
	}
	if f.thinks {
		r.Output = &output{"low"}
		r.MaxTokens += thinkingRoom
	}
	if p.Temperature != nil && !f.noSampling { // from 0 to 1 here, where others go to 2
		t := min(*p.Temperature, 1)
		r.Temperature = &t
	}
	for _, t := range p.Tools {
		offered := tool{InputSchema: t.Parameters, Name: t.Name, Description: t.Description}
		if len(t.Parameters) == 0 {
			offered.InputSchema = json.RawMessage(`{"type":"object"}`)
		}
		r.Tools = append(r.Tools, offered)
	}
	// What comes before a mark is kept by the vendor for five minutes and read
	// from there by the next turn, faster and at a tenth of the price: the tools
	// and the system prompt, and the conversation so far. What is too short to be
	// kept (1,024 tokens or more, by model) costs as if it were not marked.
	// https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching
	mark := &cacheControl{Type: "ephemeral"}
	if strings.TrimSpace(p.System) != "" {
		r.System = []block{{Type: "text", Text: p.System, CacheControl: mark}}
	}
	last := r.Messages[len(r.Messages)-1].Content
	last[len(last)-1].CacheControl = mark
	return r
}

// What stands in for a caller who has said nothing: the API wants a
// conversation to begin and to end with the user.
const (
	opening = "The call begins."
	silence = "The caller says nothing."
)

// messages are the conversation in turns of user and assistant. System messages
// are put into the user's turns, marked as none of the caller's. Results of
// tools come first in the turn after their calls, as the API demands.
func messages(p dialogue.Prompt) []message {
	var t turns
	for _, m := range llm.Paired(p.Messages) {
		switch m.Role {
		case dialogue.RoleSystem:
			t.note(m.Content)
		case dialogue.RoleUser:
			t.text(user, m.Content)
		case dialogue.RoleAssistant:
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

// turns is a conversation whose turns alternate, beginning with the user's.
type turns struct{ list []message }

// add puts a block into the turn of a role: the last one, or a new one.
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

// text adds a block of text. The API refuses blank ones, and blank space at the
// end of the assistant's.
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

// call adds a call of the assistant. Where no tools are offered, as after a
// handoff to an agent without, the API refuses calls of the past; then they are
// left out, and their results become text.
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

// identifier fits the identifier of a call, which may be another vendor's after
// a failover, to what this API takes: ^[a-zA-Z0-9_-]+$.
func identifier(id string) string { return notInIdentifier.ReplaceAllString(id, "_") }
