package openairealtime

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"parley/internal/dialogue"
	"parley/internal/leaktest"
	"parley/internal/provider/emulator"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const key = "sk-test"

// limit is how long a test waits for what has to come.
const limit = time.Minute

type fixture struct {
	t *testing.T
	dialogue.Conversation
	server  *emulator.Server
	prompts chan dialogue.Prompt
}

func open(t *testing.T, o dialogue.ConversationOptions, h emulator.RecognizerScript, answer func(dialogue.Prompt) emulator.Reply) *fixture {
	t.Helper()
	f := &fixture{t: t, prompts: make(chan dialogue.Prompt, 16)}
	f.server = emulator.NewOpenAIRealtime(t, emulator.Options{Key: key}, h, emulator.Script{Answer: func(p dialogue.Prompt) emulator.Reply {
		f.prompts <- p
		return answer(p)
	}})
	t.Cleanup(f.server.Close)
	var err error
	if f.Conversation, err = New(Options{Key: key, BaseURL: f.server.URL}).Converse(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// whole is a response that has ended.
type whole struct {
	text  string
	audio time.Duration
	calls []dialogue.ToolCall
	usage dialogue.Usage
	err   error
}

func read(t *testing.T, r dialogue.Response) (w whole) {
	t.Helper()
	timeout := time.After(limit)
	for {
		select {
		case p, more := <-r.Events():
			if !more {
				w.err = r.Err()
				return w
			}
			w.text += p.Text
			w.audio += time.Duration(len(p.PCM)) * time.Second / dialogue.SpeakRate
			w.calls = append(w.calls, p.ToolCalls...)
			if p.Usage != nil {
				w.usage = *p.Usage
			}
		case <-timeout:
			t.Fatal("the response does not end")
		}
	}
}

// say speaks to the conversation and awaits the transcript.
func (f *fixture) say(d time.Duration) string {
	f.t.Helper()
	for n := range int(d / dialogue.FrameDuration) {
		if err := f.Write(voiced(n)); err != nil {
			f.t.Fatal(err)
		}
	}
	if err := f.Finalize(); err != nil {
		f.t.Fatal(err)
	}
	for timeout := time.After(limit); ; {
		select {
		case x := <-f.Transcripts():
			if x.Final {
				return x.Text
			}
		case <-timeout:
			f.t.Fatal("no transcript")
		}
	}
}

// voiced is the nth frame of a sound that the voice activity detector classifies as speech.
func voiced(n int) []int16 {
	pcm := make([]int16, dialogue.ListenRate/50)
	loud := int16(8000)
	if n%13 >= 10 {
		loud = 20
	}
	for i := range pcm {
		if (n*len(pcm)+i)/40%2 == 0 {
			pcm[i] = loud
		} else {
			pcm[i] = -loud
		}
	}
	return pcm
}

func TestConversation(t *testing.T) {
	f := open(t, dialogue.ConversationOptions{System: "Be kind.", Language: "en-US", Messages: []dialogue.Message{
		{Role: dialogue.RoleUser, Content: "Hi."}, {Role: dialogue.RoleAssistant, Content: "Hello."},
	}}, emulator.RecognizerScript{Lines: []string{"what are your opening hours"}}, func(dialogue.Prompt) emulator.Reply {
		return emulator.Reply{Text: "We open at nine."}
	})
	if heard := f.say(time.Second); heard != "what are your opening hours" {
		t.Errorf("heard %q", heard)
	}
	w := read(t, f.Respond(dialogue.ResponseOptions{System: "Be kind.", Tools: nil}))
	if w.err != nil || w.text != "We open at nine." || w.audio < 500*time.Millisecond || w.usage.InputTokens == 0 || w.usage.OutputTokens == 0 {
		t.Errorf("answer %+v", w)
	}
	p := <-f.prompts
	if p.System != "Be kind." || len(p.Messages) != 3 || p.Messages[1].Content != "Hello." || p.Messages[2].Role != dialogue.RoleUser {
		t.Errorf("prompt %+v", p)
	}
}

// What was not played of an answer is not in the conversation any more, whether the answer was complete or not.
func TestAnswerIsTruncatedAtWhatWasPlayed(t *testing.T) {
	const story = "one two three four five six seven eight nine ten"
	f := open(t, dialogue.ConversationOptions{}, emulator.RecognizerScript{}, func(dialogue.Prompt) emulator.Reply { return emulator.Reply{Text: story} })
	whole := read(t, f.Respond(dialogue.ResponseOptions{}))
	<-f.prompts
	r := f.Respond(dialogue.ResponseOptions{})
	w := read(t, r)
	r.Truncate(w.audio / 2)
	cut := f.Respond(dialogue.ResponseOptions{})
	<-f.prompts
	p := <-f.prompts
	if len(p.Messages) != 2 || p.Messages[0].Content != story || p.Messages[1].Content == "" || !strings.HasPrefix(story, p.Messages[1].Content) || len(p.Messages[1].Content) > len(story)/2+5 {
		t.Errorf("after the truncation of a whole answer the model knows %+v (%v)", p.Messages, whole.audio)
	}
	if part := <-cut.Events(); part.Text == "" && len(part.PCM) == 0 {
		t.Errorf("part %+v", part)
	}
	cut.Truncate(0) // discarded while it comes
	next := f.Respond(dialogue.ResponseOptions{})
	if w := read(t, cut); w.err != nil || w.usage == (dialogue.Usage{}) {
		t.Errorf("the discarded answer ended with %+v", w)
	}
	if p := <-f.prompts; len(p.Messages) != 2 {
		t.Errorf("after an answer was discarded the model knows %+v", p.Messages)
	}
	if w := read(t, next); w.text != story || w.err != nil {
		t.Errorf("next answer %+v", w)
	}
}

func TestToolCallAndResult(t *testing.T) {
	tools := []dialogue.Tool{{Name: "weather", Description: "Tells the weather.", Parameters: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}}}`)}}
	f := open(t, dialogue.ConversationOptions{Tools: tools}, emulator.RecognizerScript{}, func(p dialogue.Prompt) emulator.Reply {
		if last := p.Messages; len(last) > 0 && last[len(last)-1].Role == dialogue.RoleTool {
			return emulator.Reply{Text: "It is " + last[len(last)-1].Content + "."}
		}
		return emulator.Reply{ToolCalls: []dialogue.ToolCall{{ID: "call_1", Name: "weather", Arguments: json.RawMessage(`{"city":"Rome"}`)}}}
	})
	w := read(t, f.Respond(dialogue.ResponseOptions{Tools: tools}))
	if len(w.calls) != 1 || w.calls[0].Name != "weather" || string(w.calls[0].Arguments) != `{"city":"Rome"}` {
		t.Fatalf("calls %+v", w)
	}
	f.Add(dialogue.Message{Role: dialogue.RoleTool, ToolCallID: w.calls[0].ID, Content: "sunny"})
	if w := read(t, f.Respond(dialogue.ResponseOptions{System: "Now be brief.", Tools: tools})); w.text != "It is sunny." {
		t.Errorf("answer %+v", w)
	}
	<-f.prompts
	if p := <-f.prompts; p.System != "Now be brief." || len(p.Tools) != 1 {
		t.Errorf("prompt %+v", p)
	}
}

// Silence is not sent, and a segment without speech is answered immediately with an empty transcript.
func TestSilenceIsNotSent(t *testing.T) {
	f := open(t, dialogue.ConversationOptions{}, emulator.RecognizerScript{Lines: []string{"hello"}}, func(dialogue.Prompt) emulator.Reply { return emulator.Reply{} })
	for range 100 {
		if err := f.Write(make([]int16, dialogue.ListenRate/50)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Finalize(); err != nil {
		t.Fatal(err)
	}
	if x := <-f.Transcripts(); !x.Final || x.Text != "" {
		t.Errorf("transcript %+v", x)
	}
	if heard := f.say(time.Second); heard != "hello" {
		t.Errorf("heard %q", heard)
	}
}

// When the model that transcribes callers is switched off, the next one does.
func TestTranscriberIsReplaced(t *testing.T) {
	server := emulator.NewOpenAIRealtime(t, emulator.Options{Key: key, NoTranscribers: transcriptionModels[:1]}, emulator.RecognizerScript{}, emulator.Script{})
	defer server.Close()
	c, err := New(Options{Key: key, BaseURL: server.URL}).Converse(t.Context(), dialogue.ConversationOptions{Language: "de-DE"})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}

func TestRefusals(t *testing.T) {
	server := emulator.NewOpenAIRealtime(t, emulator.Options{Key: key}, emulator.RecognizerScript{}, emulator.Script{})
	defer server.Close()
	for name, test := range map[string]struct {
		key     string
		options dialogue.ConversationOptions
	}{
		"key":   {"sk-other", dialogue.ConversationOptions{}},
		"voice": {key, dialogue.ConversationOptions{Voice: "nobody"}},
		"model": {key, dialogue.ConversationOptions{Model: "gpt-4.1"}},
	} {
		c, err := New(Options{Key: test.key, BaseURL: server.URL}).Converse(t.Context(), test.options)
		if err == nil {
			c.Close()
		}
		if !errors.Is(err, dialogue.ErrRefused) || strings.Contains(err.Error(), test.key) {
			t.Errorf("%s: %v", name, err)
		}
	}
	server.Fail(emulator.Broken)
	if _, err := New(Options{Key: key, BaseURL: server.URL}).Converse(t.Context(), dialogue.ConversationOptions{}); err == nil || errors.Is(err, dialogue.ErrRefused) {
		t.Errorf("a broken vendor: %v", err)
	}
}

// A configuration that the vendor refuses in the middle of a conversation ends it.
func TestRefusedUpdateEndsConversation(t *testing.T) {
	f := open(t, dialogue.ConversationOptions{}, emulator.RecognizerScript{}, func(dialogue.Prompt) emulator.Reply { return emulator.Reply{Text: "one two three"} })
	tools := []dialogue.Tool{{Name: emulator.RefusedFunction, Parameters: json.RawMessage(`{"type":"object"}`)}}
	f.Respond(dialogue.ResponseOptions{Tools: tools})
	for range f.Transcripts() {
	}
	if !errors.Is(f.Err(), dialogue.ErrRefused) {
		t.Errorf("ended with %v", f.Err())
	}
}

// A connection that breaks ends the transcripts and the answer with an error; Close ends them without.
func TestConnectionEnds(t *testing.T) {
	f := open(t, dialogue.ConversationOptions{}, emulator.RecognizerScript{}, func(dialogue.Prompt) emulator.Reply { return emulator.Reply{Text: "one two three"} })
	f.server.Fail(emulator.Drop)
	if w := read(t, f.Respond(dialogue.ResponseOptions{})); w.err == nil {
		t.Errorf("answer %+v", w)
	}
	for range f.Transcripts() {
	}
	if f.Err() == nil || f.Write(voiced(0)) == nil {
		t.Errorf("the conversation ended with %v", f.Err())
	}
	f.server.Fail(emulator.None)
	ctx, cancel := context.WithCancel(t.Context())
	c, err := New(Options{Key: key, BaseURL: f.server.URL}).Converse(ctx, dialogue.ConversationOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	for range c.Transcripts() {
	}
	if !errors.Is(c.Err(), context.Canceled) {
		t.Errorf("ended with %v", c.Err())
	}
	c.Close()
}
