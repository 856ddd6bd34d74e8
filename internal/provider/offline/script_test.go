package offline

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/dialogue"
)

const demoPrompt = `You are the receptionist of a small restaurant. Be brief.

- (start) => Welcome to the demo. What can I do for you?
- opening hours | when do you open => We are open from nine to five, Monday to Friday.
- open on sunday => On Sunday we are closed.
- book | table => I will connect you with our booking desk. [handoff_to_booking]
- weather => Let me look. [get_weather {"city": "Berlin", "days": [1, 2]}] [log_it]
- goodbye | bye => Goodbye! [end_call]
* a line that is no rule
- neither is this
- * => I can tell you our opening hours or book a table.
`

func user(text string) dialogue.Message {
	return dialogue.Message{Role: dialogue.RoleUser, Content: text}
}

func assistant(text string) dialogue.Message {
	return dialogue.Message{Role: dialogue.RoleAssistant, Content: text}
}

// collect gathers an answer: its text, its calls as name and arguments.
func collect(t *testing.T, p dialogue.Prompt) (text string, calls []string, usage *dialogue.Usage) {
	t.Helper()
	clock := Script{Now: func() time.Time { return time.Date(2026, 1, 2, 15, 4, 0, 0, time.UTC) }}
	for d, err := range clock.Generate(context.Background(), p) {
		if err != nil {
			t.Fatal(err)
		}
		if usage != nil {
			t.Error("a delta follows the usage")
		}
		text += d.Text
		for _, c := range d.ToolCalls {
			if c.ID == "" {
				t.Errorf("call of %s has no id", c.Name)
			}
			calls = append(calls, c.Name+" "+string(c.Arguments))
		}
		usage = d.Usage
	}
	if usage == nil {
		t.Error("no usage")
	}
	return text, calls, usage
}

func TestScriptFollowsItsRules(t *testing.T) {
	tools := []dialogue.Tool{{Name: "end_call"}, {Name: "handoff_to_booking"}, {Name: "get_weather"}}
	afterCall := func(said, tool, result string) []dialogue.Message {
		return []dialogue.Message{
			user("do it"),
			{Role: dialogue.RoleAssistant, Content: said, ToolCalls: []dialogue.ToolCall{{ID: "c1", Name: tool}}},
			{Role: dialogue.RoleTool, ToolCallID: "c1", Content: result},
		}
	}
	for name, c := range map[string]struct {
		system    string
		messages  []dialogue.Message
		want      string
		wantCalls []string
	}{
		"start":                 {demoPrompt, nil, "Welcome to the demo. What can I do for you?", nil},
		"after a handoff":       {demoPrompt, []dialogue.Message{user("hi"), {Role: dialogue.RoleSystem, Content: "handed over"}}, "Welcome to the demo. What can I do for you?", nil},
		"a late result":         {demoPrompt, append(afterCall("", "book", `{"message":"It is booked."}`), user("hm"), assistant("Yes?"), dialogue.Message{Role: dialogue.RoleSystem, Content: "It has ended; its result is above. Tell the caller."}), "It is booked.", nil},
		"rule":                  {demoPrompt, []dialogue.Message{user("What are your opening hours?")}, "We are open from nine to five, Monday to Friday.", nil},
		"second alternative":    {demoPrompt, []dialogue.Message{user("tell me when do you open")}, "We are open from nine to five, Monday to Friday.", nil},
		"words, not letters":    {demoPrompt, []dialogue.Message{user("a notebook")}, "I can tell you our opening hours or book a table.", nil},
		"longest match":         {demoPrompt, []dialogue.Message{user("is the table open on Sunday")}, "On Sunday we are closed.", nil},
		"handoff":               {demoPrompt, []dialogue.Message{user("book a table for two")}, "I will connect you with our booking desk.", []string{"handoff_to_booking {}"}},
		"arguments, no such":    {demoPrompt, []dialogue.Message{user("the weather")}, "Let me look.", []string{`get_weather {"city": "Berlin", "days": [1, 2]}`}},
		"end":                   {demoPrompt, []dialogue.Message{user("thank you very much goodbye")}, "Goodbye!", []string{"end_call {}"}},
		"fallback":              {demoPrompt, []dialogue.Message{user("what time is it")}, "I can tell you our opening hours or book a table.", nil},
		"repeat":                {demoPrompt, []dialogue.Message{assistant("The word is tulip."), user("can you repeat that please")}, "The word is tulip.", nil},
		"nothing to repeat":     {"", []dialogue.Message{user("repeat")}, "I have not said anything yet.", nil},
		"own opening":           {"You are helpful.", nil, "Hello! How can I help you?", nil},
		"own opening, later":    {"You are helpful.", []dialogue.Message{assistant("One moment."), {Role: dialogue.RoleSystem, Content: "x"}}, "I am here now. How can I help you?", nil},
		"own greeting":          {"You are helpful.", []dialogue.Message{user("Hello.")}, "Hello! How can I help you?", nil},
		"own clock":             {"You are helpful.", []dialogue.Message{user("what time is it")}, "It is 3:04 PM.", nil},
		"own goodbye":           {"You are helpful.", []dialogue.Message{user("thank you goodbye")}, "Thank you for calling. Goodbye!", []string{"end_call {}"}},
		"own bye":               {"", []dialogue.Message{user("goodbye")}, "Thank you for calling. Goodbye!", []string{"end_call {}"}},
		"own echo":              {"", []dialogue.Message{user("I have lost my blue shoes.")}, "I heard you say: I have lost my blue shoes. I am only a demo with a script, so I have no answer to that. Is there anything else?", nil},
		"heard nothing":         {"", []dialogue.Message{user(" … ")}, "I am sorry, I did not hear you. Could you say that again?", nil},
		"nothing to answer":     {"", []dialogue.Message{user("x"), assistant("y")}, "", nil},
		"result of a silent":    {"", afterCall("", "get_weather", `{"message": "It rains."}`), "It rains.", nil},
		"result after words":    {"", afterCall("Let me look.", "get_weather", `{"message": "It rains."}`), "It rains.", nil},
		"empty after words":     {"", afterCall("Done so.", "get_weather", `{"ok": true}`), "", nil},
		"empty, silent":         {"", afterCall("", "get_weather", `{"ok": true}`), "That is done.", nil},
		"failure":               {"", afterCall("Let me look.", "get_weather", `{"error": "503"}`), "I am sorry, that did not work.", nil},
		"plain text":            {"", afterCall("", "get_weather", "Sunny today."), "Sunny today.", nil},
		"number":                {"", afterCall("", "add", "42"), "The result is 42.", nil},
		"long number":           {"", afterCall("", "add", "9007199254740993"), "The result is 9007199254740993.", nil},
		"scientific number":     {"", afterCall("", "add", "1.5E3"), "The result is 1500.", nil},
		"after the end":         {"", afterCall("Goodbye!", "end_call", `{"message": "ended"}`), "", nil},
		"broken rule arguments": {`- x => Hm [tool {"a":]`, []dialogue.Message{user("x")}, `Hm [tool {"a":]`, nil},
		"two with arguments": {`- x => Both. [get_weather {"city": "[Bonn]"}] [get_weather {"days": [1]}]`, []dialogue.Message{user("x")}, "Both.",
			[]string{`get_weather {"city": "[Bonn]"}`, `get_weather {"days": [1]}`}},
		"windows lines": {"- x => Yes\r\n- y => No\r\n", []dialogue.Message{user("y")}, "No", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, calls, _ := collect(t, dialogue.Prompt{System: c.system, Messages: c.messages, Tools: tools})
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.wantCalls, calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
		})
	}
}

func TestScriptStreamsAndCounts(t *testing.T) {
	p := dialogue.Prompt{System: "one two - x\n- hi => a b c [t]", Messages: []dialogue.Message{user("hi")}, Tools: []dialogue.Tool{{Name: "t"}}}
	var pieces []string
	for d := range (Script{}).Generate(t.Context(), p) {
		pieces = append(pieces, d.Text)
	}
	if diff := cmp.Diff([]string{"a ", "b ", "c", ""}, pieces); diff != "" {
		t.Errorf("deltas (-want +got):\n%s", diff)
	}
	_, _, usage := collect(t, p)
	if *usage != (dialogue.Usage{InputTokens: len(strings.Fields(p.System)) + 1, OutputTokens: 4}) {
		t.Errorf("usage %+v", *usage)
	}
	p.MaxTokens = 2
	if text, _, _ := collect(t, p); text != "a b " {
		t.Errorf("with at most two tokens it said %q", text)
	}
}

func TestScriptStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	heard := 0
	for _, err := range (Script{}).Generate(ctx, dialogue.Prompt{Messages: []dialogue.Message{user("hello")}}) {
		heard++
		if heard == 2 && !errors.Is(err, context.Canceled) || heard > 2 {
			t.Fatalf("delta %d after the end: %v", heard, err)
		}
		cancel()
	}
	if heard != 2 {
		t.Errorf("got %d deltas, want one and the context's error", heard)
	}
}

func TestScriptAsksTheSilent(t *testing.T) {
	silent := []dialogue.Message{assistant("Hello."), {Role: dialogue.RoleSystem, Content: "The caller has been silent for a while."}}
	for system, want := range map[string]string{"- (start) => Hi.": "Are you still there?", "- (silence) => Hm? [end_call]": "Hm?"} {
		if text, calls, _ := collect(t, dialogue.Prompt{System: system, Messages: silent}); text != want || len(calls) != 0 {
			t.Errorf("%s: said %q, called %v", system, text, calls)
		}
	}
}
