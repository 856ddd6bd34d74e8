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
	// ReasoningEffort is how much the model shall reason before it answers; "" for the least that it can. A value that a model
	// does not have is not sent.
	ReasoningEffort string
	// JSON requests one JSON object as the answer, as the system prompt says, too.
	JSON bool
	// JSONSchema is the JSON Schema of that object, for providers that restrict the answer to it; nil for none. A provider that does not
	// take the schema refuses the request.
	JSONSchema json.RawMessage
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
	// Reasoning is what the model reasoned before this call and those after it; nil if the vendor returned none.
	Reasoning *Reasoning
	// Extra is what the model's server attached to the call and requires back with it, such as a signature of its
	// thoughts; nil for nothing. Other providers than Origin ignore it.
	Extra  json.RawMessage
	Origin string
}

// Reasoning is the reasoning of a model in its vendor's form, often encrypted. With the results of the calls it goes back unchanged
// to the model that it is of, and to no other.
type Reasoning struct {
	Model string // with the vendor: "anthropic/claude-opus-5-5"
	Items []json.RawMessage
}

// Of returns the items if they are of that model, nil otherwise.
func (r *Reasoning) Of(model string) []json.RawMessage {
	if r == nil || r.Model != model {
		return nil
	}
	return r.Items
}

// Delta is the next part of an answer.
type Delta struct {
	Text string
	// ToolCalls are complete calls; providers assemble their fragments.
	ToolCalls []ToolCall
	// Usage is set in the last delta.
	Usage *Usage
}

// Usage counts tokens. The other fields count those of InputTokens or OutputTokens that have prices of their own.
type Usage struct {
	InputTokens, OutputTokens int
	CachedTokens              int // read from the provider's cache, text and audio
	CacheWriteTokens          int // written to it
	AudioTokens               int // of the input
	CachedAudioTokens         int // of AudioTokens and CachedTokens
	OutputAudioTokens         int
}

// Add adds the tokens of another answer.
func (u *Usage) Add(more Usage) {
	u.InputTokens += more.InputTokens
	u.OutputTokens += more.OutputTokens
	u.CachedTokens += more.CachedTokens
	u.CacheWriteTokens += more.CacheWriteTokens
	u.AudioTokens += more.AudioTokens
	u.CachedAudioTokens += more.CachedAudioTokens
	u.OutputAudioTokens += more.OutputAudioTokens
}
