package generation

import (
	"fmt"
	"strings"
	"testing"

	"parley/internal/dialogue"
)

// Of the results of tools the newest stay.
func TestOldResultsAreForgotten(t *testing.T) {
	result := func(text string) dialogue.Message { return dialogue.Message{Role: dialogue.RoleTool, Content: text} }
	long := strings.Repeat("x", 400)
	history := []dialogue.Message{result(long), {Role: dialogue.RoleUser, Content: long}, result(long), result("short"), result(long)}
	if !forgetResults(history, 1000) || history[0].Content != forgotten || history[1].Content != long || history[2].Content != long || history[4].Content != long {
		t.Errorf("history %v", history)
	}
	if forgetResults(history, 1000) {
		t.Error("forgotten again")
	}
	if forgetResults(history[4:], 10) {
		t.Error("the last result is forgotten")
	}
}

// A window has whole turns: no result of a tool without its call, no call without its result, and a note of what was called before it.
func TestWindow(t *testing.T) {
	var h History
	h.Add(dialogue.RoleAssistant, "Hello.")
	turn := func(n int) {
		h.Add(dialogue.RoleUser, strings.Repeat("u", 100))
		h.addRound([]dialogue.ToolCall{{ID: fmt.Sprint(n), Name: "look"}, {ID: fmt.Sprint(n, "b"), Name: "book"}})
		h.Add(dialogue.RoleAssistant, strings.Repeat("a", 100))
	}
	for n := range 50 {
		turn(n)
		messages, first := h.Window(1000)
		if size := characters(messages[1:]); size > 1000 {
			t.Fatalf("turn %d: %d characters", n, size)
		}
		if first != (n == 3) { // each turn has 276 characters
			t.Errorf("turn %d: left out for the first time: %v", n, first)
		}
		if n < 3 {
			continue
		}
		if note := messages[0]; note.Role != dialogue.RoleSystem || !strings.Contains(note.Content, "look, book") || messages[1].Role != dialogue.RoleUser {
			t.Fatalf("turn %d begins with %+v, %+v", n, note, messages[1])
		}
		open := map[string]bool{}
		for _, m := range messages {
			for _, call := range m.ToolCalls {
				open[call.ID] = true
			}
			if m.Role == dialogue.RoleTool && !open[m.ToolCallID] {
				t.Fatalf("turn %d: a result without its call: %+v", n, m)
			}
			delete(open, m.ToolCallID)
		}
		if len(open) > 0 {
			t.Fatalf("turn %d: calls without results: %v", n, open)
		}
	}
	if all := h.Messages(); len(all) != 251 {
		t.Errorf("the history has %d messages, want all", len(all))
	}
}

// A turn that alone is longer than the limit stays, without its oldest results of tools.
func TestWindowOfOneLongTurn(t *testing.T) {
	var h History
	h.Add(dialogue.RoleUser, "look")
	for n := range 5 {
		at := h.addRound([]dialogue.ToolCall{{ID: fmt.Sprint(n), Name: "look"}})
		h.messages[at].Content = strings.Repeat("r", 500)
	}
	messages, first := h.Window(1200)
	if size := characters(messages); size > 1200 || !first || len(messages) != 11 || messages[0].Content != "look" || messages[2].Content != forgotten || len(messages[10].Content) != 500 {
		t.Errorf("%d characters, %v: %+v", size, first, messages)
	}
	if h.messages[2].Content == forgotten {
		t.Error("the history itself lost a result")
	}
}
