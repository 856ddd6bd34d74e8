package geminilive

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

const key = "AIza-test"

// limit is how long a test waits for what has to come.
const limit = time.Minute

type fixture struct {
	t *testing.T
	dialogue.Conversation
	server  *emulator.Server
	prompts chan dialogue.Prompt
}

func open(t *testing.T, o dialogue.ConversationOptions, lines []string, answer func(dialogue.Prompt) emulator.Reply) *fixture {
	t.Helper()
	f := &fixture{t: t, prompts: make(chan dialogue.Prompt, 16)}
	f.server = emulator.NewGeminiLive(t, emulator.Options{Key: key}, emulator.RecognizerScript{Lines: lines}, emulator.Script{Answer: func(p dialogue.Prompt) emulator.Reply {
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
				w.usage.InputTokens += p.Usage.InputTokens
				w.usage.OutputTokens += p.Usage.OutputTokens
			}
		case <-timeout:
			t.Fatal("the response does not end")
		}
	}
}

// prompt is what the model was asked next.
func (f *fixture) prompt() dialogue.Prompt {
	f.t.Helper()
	select {
	case p := <-f.prompts:
		return p
	case <-time.After(limit):
		f.t.Fatal("the model is not asked")
		return dialogue.Prompt{}
	}
}

// utter speaks and falls silent.
func (f *fixture) utter(d time.Duration) {
	f.t.Helper()
	for n := range int(d / dialogue.FrameDuration) {
		if err := f.Write(voiced(n)); err != nil {
			f.t.Fatal(err)
		}
	}
	if err := f.Finalize(); err != nil {
		f.t.Fatal(err)
	}
}

// say is utter, and awaits the transcript.
func (f *fixture) say(d time.Duration) string {
	f.t.Helper()
	f.utter(d)
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

// voiced is the nth frame of a sound that the voice activity detector takes for speech.
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

func says(text string) func(dialogue.Prompt) emulator.Reply {
	return func(dialogue.Prompt) emulator.Reply { return emulator.Reply{Text: text} }
}

func TestConversation(t *testing.T) {
	f := open(t, dialogue.ConversationOptions{System: "Be kind.", Language: "en-US", Messages: []dialogue.Message{
		{Role: dialogue.RoleUser, Content: "Hi."}, {Role: dialogue.RoleAssistant, Content: "Hello."},
	}}, []string{"what are your opening hours", "thanks"}, says("We open at nine."))
	if heard := f.say(time.Second); heard != "what are your opening hours" {
		t.Errorf("heard %q", heard)
	}
	w := read(t, f.Respond(dialogue.ResponseOptions{System: "Be kind.", RepliesToCaller: true}))
	if w.err != nil || w.text != "We open at nine." || w.audio < 500*time.Millisecond {
		t.Errorf("answer %+v", w)
	}
	p := f.prompt()
	if !strings.Contains(p.System, "Be kind.") || !strings.Contains(p.System, "You: Hello.") || !strings.Contains(p.System, "en-US") || len(p.Messages) != 1 {
		t.Errorf("prompt %+v", p)
	}
	if heard := f.say(time.Second); heard != "thanks" {
		t.Errorf("heard %q", heard)
	}
	if w := read(t, f.Respond(dialogue.ResponseOptions{System: "Be brief.", RepliesToCaller: true})); w.text != "We open at nine." || w.usage.InputTokens == 0 || w.usage.OutputTokens == 0 {
		t.Errorf("second answer %+v: the usage of the first comes with it", w)
	}
	f.prompt()
	f.Add(dialogue.Message{Role: dialogue.RoleUser, Content: "Are you there?"})
	read(t, f.Respond(dialogue.ResponseOptions{System: "Be brief."}))
	if p := f.prompt(); len(p.Messages) < 2 || p.Messages[len(p.Messages)-1].Content != "Are you there?" && !strings.Contains(p.Messages[len(p.Messages)-1].Content, "Be brief.") {
		t.Errorf("what was typed is not answered: %+v", p.Messages)
	}
}

// An answer that the session asks for twice, as after a preemptive one, is read from its beginning, and made once.
func TestAnswerIsReadAgain(t *testing.T) {
	f := open(t, dialogue.ConversationOptions{}, []string{"hello"}, says("one two three four"))
	f.utter(time.Second)
	first := f.Respond(dialogue.ResponseOptions{RepliesToCaller: true})
	<-first.Events()
	first.Truncate(0)
	if w := read(t, f.Respond(dialogue.ResponseOptions{RepliesToCaller: true})); w.text != "one two three four" || w.err != nil {
		t.Errorf("answer %+v", w)
	}
	f.prompt()
	if len(f.prompts) > 0 {
		t.Error("the model was asked twice")
	}
}

// A preemptive answer that is asked for while the caller speaks is the one to what they said.
func TestPreemptiveAnswer(t *testing.T) {
	f := open(t, dialogue.ConversationOptions{}, []string{"hello there"}, says("Hi."))
	for n := range 30 {
		if err := f.Write(voiced(n)); err != nil {
			t.Fatal(err)
		}
	}
	preemptive := f.Respond(dialogue.ResponseOptions{RepliesToCaller: true})
	if heard := f.say(time.Second); heard != "hello there" {
		t.Errorf("heard %q", heard)
	}
	if w := read(t, preemptive); w.text != "Hi." {
		t.Errorf("answer %+v", w)
	}
	if p := f.prompt(); len(p.Messages) != 1 || p.Messages[0].Content != "hello there" || len(f.prompts) > 0 {
		t.Errorf("the model was asked %+v", p.Messages)
	}
}

// A caller who continues after a pause ends the answer to their first words; the model gets a note that it was not played.
func TestCallerGoesOn(t *testing.T) {
	f := open(t, dialogue.ConversationOptions{}, []string{"I want", "a table"}, says("one two three four five six seven eight nine ten"))
	f.utter(time.Second)
	discarded := f.Respond(dialogue.ResponseOptions{RepliesToCaller: true})
	<-discarded.Events()
	f.prompt()
	f.utter(time.Second)
	discarded.Truncate(0)
	if w := read(t, f.Respond(dialogue.ResponseOptions{RepliesToCaller: true})); w.text != "one two three four five six seven eight nine ten" {
		t.Errorf("answer %+v", w)
	}
	p := f.prompt()
	if last := p.Messages[len(p.Messages)-1]; last.Content != "a table" {
		t.Errorf("the model knows %+v", p.Messages)
	}
}

// The model gets a note of how much of an interrupted answer was played.
func TestInterruptedAnswer(t *testing.T) {
	const story = "one two three four five six seven eight nine ten"
	f := open(t, dialogue.ConversationOptions{}, []string{"hello", "stop"}, says(story))
	f.say(time.Second)
	r := f.Respond(dialogue.ResponseOptions{RepliesToCaller: true})
	w := read(t, r)
	f.prompt()
	r.Truncate(w.audio / 2)
	f.say(time.Second)
	p := f.prompt()
	told := ""
	for _, m := range p.Messages {
		if m.Role == dialogue.RoleSystem {
			told = m.Content
		}
	}
	_, heard, _ := strings.Cut(told, "only: ")
	heard = strings.Trim(heard, `"`)
	if heard == "" || !strings.HasPrefix(story, heard) || len(heard) > len(story)/2+5 {
		t.Errorf("the model is told %q", told)
	}
}

func TestToolCallAndResult(t *testing.T) {
	tools := []dialogue.Tool{{Name: "weather", Description: "Tells the weather.", Parameters: json.RawMessage(
		`{"$schema":"x","type":"object","additionalProperties":false,"properties":{"city":{"type":["string","null"]},"days":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer","enum":[1,2]},"part":{"type":"string","enum":["am","pm"]}},"required":["n"],"additionalProperties":false}}},"required":["city"]}`)}}
	f := open(t, dialogue.ConversationOptions{Tools: tools}, []string{"the weather"}, func(p dialogue.Prompt) emulator.Reply {
		for _, m := range p.Messages {
			if m.Role == dialogue.RoleTool {
				return emulator.Reply{Text: "It is " + m.Content + "."}
			}
		}
		return emulator.Reply{ToolCalls: []dialogue.ToolCall{{ID: "call_1", Name: "weather", Arguments: json.RawMessage(`{"city":"Rome"}`)}}}
	})
	f.say(time.Second)
	w := read(t, f.Respond(dialogue.ResponseOptions{Tools: tools, RepliesToCaller: true}))
	if len(w.calls) != 1 || w.calls[0].Name != "weather" || string(w.calls[0].Arguments) != `{"city":"Rome"}` {
		t.Fatalf("calls %+v", w)
	}
	f.Add(dialogue.Message{Role: dialogue.RoleTool, ToolCallID: w.calls[0].ID, Content: "sunny"})
	f.Add(dialogue.Message{Role: dialogue.RoleSystem, Content: "Be brief."})
	if w := read(t, f.Respond(dialogue.ResponseOptions{Tools: tools, RepliesToCaller: true})); w.text != "It is sunny." {
		t.Errorf("answer %+v", w)
	}
	if p := f.prompt(); len(p.Tools) != 1 || !strings.Contains(string(p.Tools[0].Parameters), `"STRING"`) || !strings.Contains(string(p.Tools[0].Parameters), `"n":{"type":"INTEGER","description":"","nullable":false,"enum":null`) ||
		!strings.Contains(string(p.Tools[0].Parameters), `"enum":["am","pm"]`) {
		t.Errorf("tools %s", p.Tools[0].Parameters)
	}
	if p := f.prompt(); p.Messages[len(p.Messages)-1].Content != "Be brief." {
		t.Errorf("messages %+v", p.Messages)
	}
}

// What holds no speech is not sent, and answered with an empty transcript at once.
func TestSilenceIsNotSent(t *testing.T) {
	f := open(t, dialogue.ConversationOptions{}, []string{"hello"}, says("Hi."))
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

// A noise after the caller's words, which is no speech to the session and does not end, does not lose the answer.
func TestNoiseAfterSpeech(t *testing.T) {
	f := open(t, dialogue.ConversationOptions{}, []string{"hello"}, says("Yes?"))
	f.utter(time.Second)
	for n := range 60 {
		pcm := voiced(n)
		if n > 10 {
			clear(pcm)
		}
		if err := f.Write(pcm); err != nil {
			t.Fatal(err)
		}
	}
	if w := read(t, f.Respond(dialogue.ResponseOptions{RepliesToCaller: true})); w.text != "Yes?" {
		t.Errorf("answer %+v", w)
	}
}

// A model that does not feel addressed says nothing; the transcript comes all the same, and the model can be instructed to answer.
func TestModelStaysSilent(t *testing.T) {
	asked := 0
	f := open(t, dialogue.ConversationOptions{}, []string{"hello"}, func(dialogue.Prompt) emulator.Reply {
		if asked++; asked == 1 {
			return emulator.Reply{}
		}
		return emulator.Reply{Text: "Yes?"}
	})
	if heard := f.say(time.Second); heard != "hello" {
		t.Errorf("heard %q", heard)
	}
	if w := read(t, f.Respond(dialogue.ResponseOptions{RepliesToCaller: true})); w.text != "Yes?" {
		t.Errorf("answer %+v", w)
	}
}

func TestRefusals(t *testing.T) {
	server := emulator.NewGeminiLive(t, emulator.Options{Key: key}, emulator.RecognizerScript{}, emulator.Script{})
	defer server.Close()
	for name, test := range map[string]struct {
		key     string
		options dialogue.ConversationOptions
	}{
		"key":   {"AIza-other", dialogue.ConversationOptions{}},
		"voice": {key, dialogue.ConversationOptions{Voice: "nobody"}},
		"model": {key, dialogue.ConversationOptions{Model: "gemini-3.8-flash"}},
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

// A connection that breaks ends the transcripts and the answer with an error; Close ends them without.
func TestConnectionEnds(t *testing.T) {
	f := open(t, dialogue.ConversationOptions{}, nil, says("one two three"))
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

// The connection is left before the vendor closes it, once nothing is under way.
func TestGoAway(t *testing.T) {
	busy := newConversation(nil, dialogue.ConversationOptions{})
	busy.awaited = new(turn)
	if err := busy.handle([]byte(`{"goAway":{"timeLeft":"50s"}}`)); err != nil {
		t.Errorf("while an answer is awaited: %v", err)
	}
	if err := busy.handle([]byte(`{"serverContent":{"turnComplete":true}}`)); !errors.Is(err, errGoAway) {
		t.Errorf("after the answer: %v", err)
	}
}
