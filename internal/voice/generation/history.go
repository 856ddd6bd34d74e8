package generation

import (
	"slices"

	"parley/internal/dialogue"
)

// Placeholders for the result of a tool.
const (
	StillRunning = "Still running. Its result will follow."
	forgotten    = "This result is no longer kept."
)

// History is the messages of a conversation, in the form for language models.
type History struct {
	messages []dialogue.Message
	forgot   bool // results of tools have been replaced by forgotten
}

// NewHistory returns a history that begins with earlier messages of the call.
func NewHistory(messages []dialogue.Message) History { return History{messages: messages} }

// Add adds a message of the caller or the agent, or an instruction of the engine.
func (h *History) Add(role dialogue.Role, text string) {
	h.messages = append(h.messages, dialogue.Message{Role: role, Content: text})
}

// IsEmpty reports whether there is no message.
func (h *History) IsEmpty() bool { return len(h.messages) == 0 }

// Messages returns all messages; later additions do not change the result.
func (h *History) Messages() []dialogue.Message { return h.messages[:len(h.messages):len(h.messages)] }

// addRound adds the calls of a round, with placeholders for their results. It returns the index of the first of these.
func (h *History) addRound(calls []dialogue.ToolCall) (at int) {
	h.messages = append(h.messages, dialogue.Message{Role: dialogue.RoleAssistant, ToolCalls: calls})
	at = len(h.messages)
	for _, call := range calls {
		h.messages = append(h.messages, dialogue.Message{Role: dialogue.RoleTool, ToolCallID: call.ID, Content: StillRunning})
	}
	return at
}

// SetResults sets the results of a round, and forgets the oldest results of tools,
// so that the rest have at most so many bytes. It returns the round's messages,
// and whether results were forgotten for the first time.
func (h *History) SetResults(r *Round, results []string, most int) (messages []dialogue.Message, firstForgotten bool) {
	h.messages = slices.Clone(h.messages) // prompts share the old ones
	for n, result := range results {
		h.messages[r.historyIndex+n].Content = result
	}
	firstForgotten = forgetResults(h.messages, most) && !h.forgot
	h.forgot = h.forgot || firstForgotten
	end := r.historyIndex + len(results)
	return h.messages[r.historyIndex:end:end], firstForgotten
}

// forgetResults replaces the oldest results of tools by a placeholder, so that the
// rest have at most so many bytes, and reports whether it did. The last result is
// kept.
func forgetResults(messages []dialogue.Message, most int) (did bool) {
	size := 0
	for n, m := range slices.Backward(messages) {
		if m.Role != dialogue.RoleTool {
			continue
		}
		before := size
		if size += len(m.Content); size > most && before > 0 && len(m.Content) > len(forgotten) {
			messages[n].Content, did = forgotten, true
		}
	}
	return did
}
