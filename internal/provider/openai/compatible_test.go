package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/dialogue"
	"parley/internal/provider"
	"parley/internal/provider/llm"
)

func compatible() *LanguageModel {
	return New(Options{Provider: provider.Compatible, BaseURL: "http://127.0.0.1:8000"})
}

// What the strictest chat templates reject is not sent.
func TestMessagesAlternate(t *testing.T) {
	says := func(role dialogue.Role, text string) dialogue.Message {
		return dialogue.Message{Role: role, Content: text}
	}
	call := dialogue.Message{Role: dialogue.RoleAssistant, ToolCalls: []dialogue.ToolCall{{ID: "c1", Name: "hours"}}}
	result := dialogue.Message{Role: dialogue.RoleTool, ToolCallID: "c1", Content: "{}"}
	for name, test := range map[string]struct {
		said []dialogue.Message
		want string
	}{
		"nothing":           {nil, "system: You wait. | user: <system>The call begins.</system>"},
		"a greeting":        {[]dialogue.Message{says("assistant", "Hi."), says("user", "Hours?")}, "system: You wait. | user: <system>The call begins.</system> | assistant: Hi. | user: Hours?"},
		"a note":            {[]dialogue.Message{says("user", "A"), says("assistant", "B"), says("system", "N"), says("user", "C")}, "system: You wait. | user: A | assistant: B | user: <system>N</system>\nC"},
		"nobody answers":    {[]dialogue.Message{says("user", "A"), says("assistant", "B"), says("assistant", "C")}, "system: You wait. | user: A | assistant: B\nC | user: <system>The caller says nothing.</system>"},
		"a tool":            {[]dialogue.Message{says("user", "A"), call, result}, "system: You wait. | user: A | assistant: calls | tool: {}"},
		"a tool, then text": {[]dialogue.Message{says("user", "A"), call, result, says("assistant", "B"), says("user", "C")}, "system: You wait. | user: A | assistant: calls | tool: {} | assistant: B | user: C"},
	} {
		var got []string
		for _, m := range compatible().request(dialogue.Prompt{System: "You wait.", Messages: test.said}).Messages {
			text := "calls"
			if m.Content != nil {
				text = *m.Content
			}
			got = append(got, m.Role+": "+text)
		}
		if diff := cmp.Diff(test.want, strings.Join(got, " | ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Fields that the protocol does not have go back with the call, and to no other provider.
func TestUnknownFieldsOfCallsGoBack(t *testing.T) {
	const signed = `{"index":0,"id":"c1","type":"function","function":{"name":"hours","arguments":"{}"},"extra_content":{"google":{"thought_signature":"c2ln"}},"other":null}`
	var delta toolCallDelta
	if err := json.Unmarshal([]byte(signed), &delta); err != nil {
		t.Fatal(err)
	}
	var calls llm.Calls
	calls.Add(delta.Index, delta.ID, delta.Function.Name, string(delta.Function.Arguments))
	calls.Attach(delta.Index, provider.Compatible, delta.extra)
	complete, err := calls.Finish()
	if err != nil {
		t.Fatal(err)
	}
	p := dialogue.Prompt{Messages: []dialogue.Message{{Role: dialogue.RoleUser, Content: "A"}, {Role: dialogue.RoleAssistant, ToolCalls: complete}}}
	for name, want := range map[string]string{provider.Compatible: `"extra_content":{"google":{"thought_signature":"c2ln"}}`, "groq": ""} {
		body, err := json.Marshal(New(Options{Provider: name, BaseURL: "http://127.0.0.1:8000"}).request(p))
		if err != nil {
			t.Fatal(err)
		}
		if has := strings.Contains(string(body), "thought_signature"); has != (want != "") || !strings.Contains(string(body), want) || strings.Contains(string(body), "other") {
			t.Errorf("%s gets %s", name, body)
		}
		if !strings.Contains(string(body), `"function":{"arguments":"{}","name":"hours"}`) {
			t.Errorf("%s gets %s", name, body)
		}
	}
}

func TestThoughtsAreNotSpoken(t *testing.T) {
	for answer, want := range map[string]string{
		"We are open.":                         "We are open.",
		"<think>Hm, hours?</think>\n\nAt ten.": "At ten.",
		"\n<think>\n</think>At ten.":           "At ten.",
		"<think>for ever":                      "",
		"<thin ice":                            "<thin ice",
		"<":                                    "<",
		"5 < 6 </think>":                       "5 < 6 </think>",
	} {
		for size := 1; size <= len(answer); size++ {
			var filter thoughts
			got := ""
			for text := answer; text != ""; {
				n := min(size, len(text))
				got += filter.strip(text[:n])
				text = text[n:]
			}
			if got += filter.remainder(); got != want {
				t.Errorf("%q by %d: %q", answer, size, got)
			}
		}
	}
}
