package offline

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"parley/internal/dialogue"
	"parley/internal/template"
)

// Script is a dialogue.LanguageModel that follows the rules in its system prompt, and built-in ones without any. It
// is deterministic. The zero value is ready.
type Script struct {
	// Now is the clock for "what time is it"; nil for time.Now.
	Now func() time.Time
}

// answer is the script's decision.
type answer struct {
	say   string
	calls []directive
}

// builtin is the fallback of prompts that have none.
var builtin = parseRules(`
- hello | hi | hey | good morning | good afternoon | good evening | can you hear me => Hello! How can I help you?
- how are you => I am well, thank you. How can I help you?
- what is your name | what's your name | who are you => I am the demo assistant. I follow a script, so that I work without any key.
- what can you do | help | can you help me => I am a demo with a script. You can ask me my name or the time, ask me to repeat, or say goodbye.
- thank you | thanks => You are welcome. Is there anything else?
- that is all | no thank you => Thank you for calling. Goodbye! [end_call]
- yes | correct => Good.
- no => All right.
`)

var leaving = parseRules("- goodbye | good bye | bye => Thank you for calling. Goodbye! [end_call]")

// Generate answers the conversation word by word, followed by tool calls and usage.
func (s Script) Generate(ctx context.Context, p dialogue.Prompt) iter.Seq2[dialogue.Delta, error] {
	return func(yield func(dialogue.Delta, error) bool) {
		a := s.decide(p)
		used := 0
		for piece := range strings.SplitAfterSeq(a.say, " ") {
			if piece == "" {
				continue
			}
			if err := ctx.Err(); err != nil {
				yield(dialogue.Delta{}, err)
				return
			}
			if p.MaxTokens > 0 && used >= p.MaxTokens {
				break
			}
			used++
			if !yield(dialogue.Delta{Text: piece}, nil) {
				return
			}
		}
		var last dialogue.Delta
		for i, d := range a.calls {
			last.ToolCalls = append(last.ToolCalls, dialogue.ToolCall{
				ID:   fmt.Sprintf("call_%d_%d", len(p.Messages), i+1),
				Name: d.tool, Arguments: d.arguments,
			})
			used++
		}
		if err := ctx.Err(); err != nil {
			yield(dialogue.Delta{}, err)
			return
		}
		last.Usage = &dialogue.Usage{InputTokens: size(p), OutputTokens: used}
		yield(last, nil)
	}
}

// size counts a prompt's words in place of tokens.
func size(p dialogue.Prompt) int {
	n := len(strings.Fields(p.System))
	for _, m := range p.Messages {
		n += len(strings.Fields(m.Content))
	}
	return n
}

// decide returns the answer, without calls of tools that are not offered.
func (s Script) decide(p dialogue.Prompt) answer {
	if p.JSON {
		return answer{say: analyse(p)}
	}
	rules := parseRules(p.System)
	var a answer
	switch last := lastMessage(p); last.Role {
	case dialogue.RoleTool:
		a = afterTool(p)
	case dialogue.RoleUser:
		a = s.reply(rules, p, last.Content)
	case dialogue.RoleAssistant:
		// The agent spoke last: there is nothing to answer.
	default:
		a = opening(rules, p)
	}
	a.calls = slices.DeleteFunc(a.calls, func(d directive) bool { return !offered(p.Tools, d.tool) })
	return a
}

// lastMessage returns the zero Message for an empty conversation.
func lastMessage(p dialogue.Prompt) dialogue.Message {
	if len(p.Messages) == 0 {
		return dialogue.Message{Role: dialogue.RoleSystem}
	}
	return p.Messages[len(p.Messages)-1]
}

func offered(tools []dialogue.Tool, name string) bool {
	return slices.ContainsFunc(tools, func(t dialogue.Tool) bool { return t.Name == name })
}

func follow(r *rule) answer { return answer{r.say, slices.Clone(r.calls)} }

// opening returns the agent's first text: at the start of a call, after a handoff, after silence, or after a late
// tool result.
func opening(rules []rule, p dialogue.Prompt) answer {
	if strings.Contains(lastMessage(p).Content, "silent") {
		if r := special(rules, silenceWord); r != nil {
			return follow(r)
		}
		return answer{say: "Are you still there?"}
	}
	if strings.Contains(lastMessage(p).Content, "result is above") {
		return late(p)
	}
	if r := special(rules, startWord); r != nil {
		return follow(r)
	}
	if slices.ContainsFunc(p.Messages, func(m dialogue.Message) bool { return m.Role == dialogue.RoleAssistant }) {
		return answer{say: "I am here now. How can I help you?"}
	}
	return answer{say: "Hello! How can I help you?"}
}

// reply answers the caller: by the prompt's rules, by repeating on request, by the prompt's fallback, by built-in
// answers, and finally by echoing.
func (s Script) reply(rules []rule, p dialogue.Prompt, said string) answer {
	heard := words(said)
	if r := match(rules, heard); r != nil {
		return follow(r)
	}
	if holds(heard, []string{"repeat"}) || holds(heard, []string{"say", "that", "again"}) {
		return repeat(p)
	}
	if r := special(rules, fallbackWord); r != nil {
		return follow(r)
	}
	if a, ok := s.own(heard); ok {
		return a
	}
	if len(heard) == 0 {
		return answer{say: "I am sorry, I did not hear you. Could you say that again?"}
	}
	return answer{say: fmt.Sprintf("I heard you say: %s. I am only a demo with a script, so I have no answer to that. Is there anything else?",
		strings.TrimRight(shorten(said, 200), ".!?, "))}
}

// repeat repeats the agent's last text.
func repeat(p dialogue.Prompt) answer {
	for _, m := range slices.Backward(p.Messages) {
		if m.Role == dialogue.RoleAssistant && strings.TrimSpace(m.Content) != "" {
			return answer{say: strings.TrimSpace(m.Content)}
		}
	}
	return answer{say: "I have not said anything yet."}
}

// own returns a built-in answer.
func (s Script) own(heard []string) (answer, bool) {
	if holds(heard, []string{"what", "time"}) || holds(heard, []string{"the", "time"}) {
		now := time.Now
		if s.Now != nil {
			now = s.Now
		}
		return answer{say: "It is " + now().Format("3:04 PM") + "."}, true
	}
	// A closing phrase ends the call, whatever else was said.
	if r := match(leaving, heard); r != nil {
		return follow(r), true
	}
	if r := match(builtin, heard); r != nil {
		return follow(r), true
	}
	return answer{}, false
}

// afterTool speaks about a tool's result. If text preceded the call it adds only the result's own text.
func afterTool(p dialogue.Prompt) answer {
	last := len(p.Messages) - 1
	spoken, name := false, ""
	for i := last; i >= 0; i-- {
		m := p.Messages[i]
		if m.Role == dialogue.RoleTool {
			continue
		}
		for _, c := range m.ToolCalls {
			if c.ID == p.Messages[last].ToolCallID {
				name = c.Name
			}
		}
		spoken = m.Role == dialogue.RoleAssistant && strings.TrimSpace(m.Content) != ""
		break
	}
	if closing(name) && spoken {
		return answer{}
	}
	text, telling := result(p.Messages[last].Content)
	if spoken && !telling {
		return answer{}
	}
	return answer{say: text}
}

// late speaks about a tool result that arrived after the answer.
func late(p dialogue.Prompt) answer {
	for _, m := range slices.Backward(p.Messages) {
		if m.Role == dialogue.RoleTool {
			text, _ := result(m.Content)
			return answer{say: text}
		}
	}
	return answer{say: "That is done."}
}

// closing reports tools after which another agent, or nobody, speaks.
func closing(tool string) bool {
	switch tool {
	case "end_call", "transfer_call", "complete_step":
		return true
	}
	return strings.HasPrefix(tool, "handoff_to_")
}

// result puts a tool's result into words: its message or error, a plain value, or else that it is done. It reports
// whether the words are the result's own.
func result(content string) (text string, telling bool) {
	content = strings.TrimSpace(content)
	switch {
	case content == "":
		return "That is done.", false
	case strings.Contains(content, "runs in the background"):
		return "I am working on it. What else can I do for you?", false
	}
	value, err := template.Decode([]byte(content))
	if err != nil {
		return shorten(content, 300), true
	}
	switch v := value.(type) {
	case string:
		if v != "" {
			return shorten(v, 300), true
		}
	case json.Number:
		plain, _ := template.PlainNumber(v.String())
		return "The result is " + plain + ".", true
	case map[string]any:
		if failed, ok := v["error"]; ok && failed != nil && failed != false && failed != "" {
			return "I am sorry, that did not work.", true
		}
		for _, key := range []string{"message", "say", "text", "answer", "result"} {
			if text, ok := v[key].(string); ok && text != "" {
				return shorten(text, 300), true
			}
		}
	}
	return "That is done.", false
}

// shorten cuts text to at most n bytes, between words.
func shorten(text string, n int) string {
	text = strings.TrimSpace(text)
	if len(text) <= n {
		return text
	}
	cut := strings.ToValidUTF8(text[:n], "")
	if at := strings.LastIndexByte(cut, ' '); at > 0 {
		cut = cut[:at]
	}
	return cut
}
