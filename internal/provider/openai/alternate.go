package openai

import "strings"

// Text for a caller who has said nothing: many chat templates require the first and the last message to be the user's.
const (
	opening = "<system>The call begins.</system>"
	silence = "<system>The caller says nothing.</system>"
)

// alternate converts messages to what the strictest chat templates accept: a system message at the beginning only
// (Qwen: https://github.com/vllm-project/vllm/issues/41114), then turns of user and assistant that alternate (Gemma:
// https://github.com/suitenumerique/conversations/issues/197), the user's first and, without a tool's result, last.
// Later system messages become marked text in the user's turns.
func alternate(list []message) []message {
	var turns []message
	add := func(m message) {
		if n := len(turns); n > 0 && turns[n-1].Role == m.Role && m.Role != "tool" && len(turns[n-1].ToolCalls) == 0 && turns[n-1].Content != nil {
			text := *turns[n-1].Content
			if m.Content != nil {
				text = strings.TrimSpace(text + "\n" + *m.Content)
			}
			turns[n-1].Content, turns[n-1].ToolCalls = &text, m.ToolCalls
			return
		}
		turns = append(turns, m)
	}
	note := func(text string) { add(message{Role: "user", Content: &text}) }
	for i, m := range list {
		switch {
		case m.Role == "system" && i == 0:
			add(m)
		case m.Role == "system":
			note("<system>" + *m.Content + "</system>")
		case m.Role == "assistant" && (len(turns) == 0 || turns[len(turns)-1].Role == "system"):
			note(opening)
			add(m)
		default:
			add(m)
		}
	}
	switch {
	case len(turns) == 0 || turns[len(turns)-1].Role == "system":
		note(opening)
	case turns[len(turns)-1].Role == "assistant":
		note(silence)
	}
	return turns
}
