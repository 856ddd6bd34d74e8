package dialogue

import (
	"context"
	"encoding/json"
	"iter"
)

// LanguageModel generates answers.
type LanguageModel interface {
	// Generate streams the answer to a prompt. The stream ends after the first error. Cancelling the context ends
	// it with the context's error.
	Generate(ctx context.Context, p Prompt) iter.Seq2[Delta, error]
}

// Prompt is the input of a language model.
type Prompt struct {
	Model       string
	System      string
	Messages    []Message
	Tools       []Tool
	Temperature *float64
	MaxTokens   int // 0: the provider's default
}

// Role is the author of a message.
type Role string

// The roles of messages. System marks events of the conversation, such as the start of a call or a handoff.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one entry of the conversation.
type Message struct {
	Role    Role
	Content string
	// ToolCalls are the calls in an assistant message.
	ToolCalls []ToolCall
	// ToolCallID is the id of the call that a tool message answers.
	ToolCallID string
}

// Tool is a function that the model may call.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON Schema of an object
}

// ToolCall is a model's request to call a tool.
type ToolCall struct {
	ID        string
	Name      string
	Arguments json.RawMessage // a JSON object
}

// Delta is the next part of an answer.
type Delta struct {
	Text string
	// ToolCalls are complete calls; providers assemble their fragments.
	ToolCalls []ToolCall
	// Usage is set in the last delta.
	Usage *Usage
}

// Usage counts tokens.
type Usage struct {
	InputTokens, OutputTokens int
}
