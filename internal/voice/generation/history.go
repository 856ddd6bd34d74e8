package generation

import (
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/dialogue"
)

// Placeholders for the result of a tool.
const (
	StillRunning = "Still running. Its result will follow."

	// Running is that of a tool that runs in the background, RunsAlready that of a second call of it meanwhile.
	Running = "The function runs in the background, and its result will follow. Tell the caller in a few words what you are doing, " +
		"and go on with the conversation. Do not call it again for the same reason, and do not guess its result."
	RunsAlready = "The function runs in the background already, and its result will follow."
	forgotten   = "This result is no longer kept."
)

// History is the messages of a conversation, in the form for language models.
type History struct {
	messages []dialogue.Message
	forgot   bool // results of tools have been replaced by forgotten
	start    int  // the first message of prompts; those before are left out
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

// Window returns the messages of a prompt: all, or, once they have more than limit characters, the newest whole turns with at most three
// quarters of that, so that many prompts begin alike, after a note of what is left out. The last turn is kept; where it alone is longer,
// its oldest results of tools are left out. firstLeftOut: something is left out for the first time. 0 is no limit.
func (h *History) Window(limit int) (messages []dialogue.Message, firstLeftOut bool) {
	if limit <= 0 {
		return h.Messages(), false
	}
	first := h.start == 0
	size := characters(h.messages[h.start:])
	if size > limit {
		for next := h.nextTurn(); next > 0 && size > limit*3/4; next = h.nextTurn() {
			size -= characters(h.messages[h.start:next])
			h.start = next
		}
	}
	messages = h.messages[h.start:len(h.messages):len(h.messages)]
	shortened := false
	if size > limit {
		messages = slices.Clone(messages)
		shortened = forgetResults(messages, limit/2)
	}
	if h.start > 0 {
		messages = append([]dialogue.Message{{Role: dialogue.RoleSystem, Content: describeLeftOut(h.messages[:h.start])}}, messages...)
	}
	return slices.Clip(messages), first && (h.start > 0 || shortened)
}

// withheld replaces words that a model's vendor rejects.
const withheld = "(The words of the caller are left out: a filter rejected them.)"

// Withhold leaves the caller's last words out of later prompts: the vendor of the model rejects each prompt that has them. all leaves
// out everything before them, too.
func (h *History) Withhold(all bool) {
	h.messages = slices.Clone(h.messages) // prompts share the old ones
	for n, m := range slices.Backward(h.messages) {
		if m.Role != dialogue.RoleUser {
			continue
		}
		h.messages[n].Content = withheld
		if all {
			h.start = n
		}
		return
	}
}

// nextTurn returns the index of the caller's first message after start; 0 for none. A call of a tool and its result are in one turn.
func (h *History) nextTurn() int {
	for n := h.start + 1; n < len(h.messages); n++ {
		if h.messages[n].Role == dialogue.RoleUser {
			return n
		}
	}
	return 0
}

// maxNamed is the most functions that describeLeftOut names.
const maxNamed = 20

// describeLeftOut returns the note, for a model, about messages that its prompt does not have.
func describeLeftOut(messages []dialogue.Message) string {
	var called []string
	for _, m := range messages {
		for _, call := range m.ToolCalls {
			if len(called) < maxNamed && !slices.Contains(called, call.Name) {
				called = append(called, call.Name)
			}
		}
	}
	note := "The beginning of this conversation is left out because it is long. If the caller refers to it, ask."
	if len(called) > 0 {
		note += " Functions that were called in it: " + strings.Join(called, ", ") + "."
	}
	return note
}

// characters counts the characters of messages, with the arguments of calls.
func characters(messages []dialogue.Message) (n int) {
	for _, m := range messages {
		n += utf8.RuneCountInString(m.Content)
		for _, call := range m.ToolCalls {
			n += len(call.Arguments)
		}
	}
	return n
}

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

// AddLateResult adds the result of a tool that ran in the background as a call of its own, because its first one has a result already.
// It returns its messages, and whether results were forgotten for the first time.
func (h *History) AddLateResult(call dialogue.ToolCall, result string, most int) (messages []dialogue.Message, firstForgotten bool) {
	call = dialogue.ToolCall{ID: newCallID(), Name: call.Name, Arguments: call.Arguments}
	h.messages = append(slices.Clone(h.messages), dialogue.Message{Role: dialogue.RoleAssistant, ToolCalls: []dialogue.ToolCall{call}},
		dialogue.Message{Role: dialogue.RoleTool, ToolCallID: call.ID, Content: result})
	firstForgotten = forgetResults(h.messages, most) && !h.forgot
	h.forgot = h.forgot || firstForgotten
	return h.messages[len(h.messages)-2:], firstForgotten
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
