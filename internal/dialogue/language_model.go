package dialogue

import (
	"context"
	"encoding/json"
	"iter"
)

// LanguageModel answers.
type LanguageModel interface {
	// Generate streams the answer to a prompt. The stream ends after the
	// first error; cancelling the context ends it with the context's error.
	Generate(ctx context.Context, p Prompt) iter.Seq2[Delta, error]
}

// Prompt is all that a language model is told.
type Prompt struct {
	Model       string
	System      string
	Messages    []Message
	Tools       []Tool
	Temperature *float64
	MaxTokens   int // 0: the provider's default
}

// Role says whose words a message holds.
type Role string

// The roles of a conversation. System marks what is neither the caller's nor
// the agent's: the opening of a call, a handoff.
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
	// ToolCalls are the calls an assistant message made.
	ToolCalls []ToolCall
	// ToolCallID names the call that a tool message answers.
	ToolCallID string
}

// Tool is a function that the model may call.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON Schema of an object
}

// ToolCall is a model's wish to call a tool.
type ToolCall struct {
	ID        string
	Name      string
	Arguments json.RawMessage // a JSON object
}

// Delta is the next piece of an answer.
type Delta struct {
	Text string
	// ToolCalls are complete calls; a provider gathers their fragments.
	ToolCalls []ToolCall
	// Usage comes with the last delta.
	Usage *Usage
}

// Usage counts tokens.
type Usage struct {
	InputTokens, OutputTokens int
}
