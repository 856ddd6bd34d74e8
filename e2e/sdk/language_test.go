package sdk

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
)

// weather has the tool called, and answers with its result.
var weather = emulator.Script{Answer: func(p dialogue.Prompt) emulator.Reply {
	if last := p.Messages[len(p.Messages)-1]; last.Role == dialogue.RoleTool {
		return emulator.Reply{Text: "It is " + last.Content + "."}
	}
	return emulator.Reply{ToolCalls: []dialogue.ToolCall{{ID: "call_1", Name: "weather", Arguments: json.RawMessage(`{"city":"Rome"}`)}}}
}}

// slowAnswer streams an answer for a minute. awaitAbort waits until the client has left one before its end.
func slowAnswer(t *testing.T) (script emulator.Script, awaitAbort func()) {
	t.Helper()
	ended := make(chan error, 1)
	script = emulator.Script{
		Answer: func(dialogue.Prompt) emulator.Reply {
			return emulator.Reply{Text: "It is sunny today. It will rain tomorrow."}
		},
		FirstSentence: time.Minute,
		Ended:         func(err error) { ended <- err },
	}
	return script, func() {
		t.Helper()
		select {
		case err := <-ended:
			if err == nil {
				t.Error("the answer was streamed to its end")
			}
		case <-time.After(patience):
			t.Error("the emulator does not see that the client has left")
		}
	}
}

// answer is what a client read of an answer.
type answer struct {
	Text, Status string
	Tokens       int
	Types        []string
	Call         *struct{ ID, Name, Arguments string }
}

// calls reports whether the answer is a call of the tool.
func (a answer) calls() bool {
	return a.Text == "" && a.Call != nil && a.Call.ID != "" && a.Call.Name == "weather" && a.Call.Arguments == `{"city":"Rome"}`
}

func TestOpenAISDK(t *testing.T) {
	responses := emulator.NewOpenAIResponses(t, emulator.Options{Key: key}, weather)
	defer responses.Close()
	completions := emulator.NewOpenAI(t, emulator.Options{Key: key}, weather)
	defer completions.Close()
	slow, awaitAbort := slowAnswer(t)
	slowResponses := emulator.NewOpenAIResponses(t, emulator.Options{Key: key}, slow)
	defer slowResponses.Close()
	slow, awaitChatAbort := slowAnswer(t)
	slowCompletions := emulator.NewOpenAI(t, emulator.Options{Key: key}, slow)
	defer slowCompletions.Close()
	var got struct {
		First, Second, ChatFirst, ChatSecond answer
		Refused                              int
		Aborted, ChatAborted                 string
	}
	run(t, &got, "openai.mjs", responses.URL, completions.URL, key, slowResponses.URL, slowCompletions.URL)
	if got.Aborted != "APIUserAbortError" || got.ChatAborted != "APIUserAbortError" {
		t.Errorf("aborted answers: %s, %s", got.Aborted, got.ChatAborted)
	}
	awaitAbort()
	awaitChatAbort()
	if !got.First.calls() || !got.ChatFirst.calls() {
		t.Errorf("tool calls: %+v, %+v", got.First, got.ChatFirst)
	}
	if got.Second.Text != "It is sunny." || got.Second.Status != "completed" || got.Second.Tokens == 0 || got.ChatSecond.Text != "It is sunny." || got.ChatSecond.Tokens == 0 {
		t.Errorf("answers: %+v, %+v", got.Second, got.ChatSecond)
	}
	for _, event := range []string{"response.created", "response.output_item.added", "response.content_part.added", "response.output_text.delta", "response.output_text.done", "response.content_part.done", "response.output_item.done", "response.completed"} {
		if !slices.Contains(got.Second.Types, event) {
			t.Errorf("no event %s: %v", event, got.Second.Types)
		}
	}
	if got.Refused != 401 {
		t.Errorf("another key: %d", got.Refused)
	}
}

func TestAnthropicSDK(t *testing.T) {
	server := emulator.NewAnthropic(t, emulator.Options{Key: key}, weather)
	defer server.Close()
	script, awaitAbort := slowAnswer(t)
	slow := emulator.NewAnthropic(t, emulator.Options{Key: key}, script)
	defer slow.Close()
	var got struct {
		First, Second answer
		Refused       int
		Aborted       string
	}
	run(t, &got, "anthropic.mjs", server.URL, key, slow.URL)
	if got.Aborted != "APIUserAbortError" {
		t.Errorf("aborted answer: %s", got.Aborted)
	}
	awaitAbort()
	if !got.First.calls() || got.First.Status != "tool_use" {
		t.Errorf("tool call: %+v", got.First)
	}
	if got.Second.Text != "It is sunny." || got.Second.Status != "end_turn" || got.Second.Tokens == 0 {
		t.Errorf("answer: %+v", got.Second)
	}
	if got.Refused != 401 {
		t.Errorf("another key: %d", got.Refused)
	}
}

func TestGoogleSDK(t *testing.T) {
	server := emulator.NewGoogle(t, emulator.Options{Key: key}, weather)
	defer server.Close()
	script, awaitAbort := slowAnswer(t)
	slow := emulator.NewGoogle(t, emulator.Options{Key: key}, script)
	defer slow.Close()
	var got struct {
		First, Second          answer
		Refused, SpokenRefused int
		Aborted                string
		Spoken, CutShort       struct {
			Bytes   int
			Types   []string
			Aborted string
		}
	}
	run(t, &got, "google.mjs", server.URL, key, slow.URL)
	if got.Aborted != "AbortError" {
		t.Errorf("aborted answer: %s", got.Aborted)
	}
	awaitAbort()
	if !got.First.calls() || got.First.Status != "STOP" {
		t.Errorf("tool call: %+v", got.First)
	}
	if got.Second.Text != "It is sunny." || got.Second.Status != "STOP" || got.Second.Tokens == 0 {
		t.Errorf("answer: %+v", got.Second)
	}
	if got.Refused != 400 || got.SpokenRefused != 400 { // a wrong key is an invalid argument
		t.Errorf("another key: %d, for speech %d", got.Refused, got.SpokenRefused)
	}
	if got.Spoken.Bytes < dialogue.SpeakRate || !slices.Equal(got.Spoken.Types, []string{"audio/l16; rate=24000; channels=1"}) {
		t.Errorf("spoke %+v", got.Spoken)
	}
	if got.CutShort.Bytes == 0 || got.CutShort.Aborted != "AbortError" {
		t.Errorf("aborted speech: %+v", got.CutShort)
	}
	awaitReleased(t, server)
}
