package providertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"parley/internal/dialogue"
	"parley/internal/leaktest"
	"parley/internal/provider/emulator"
)

// LanguageModelWire is a vendor's language model and the emulator of its wire.
type LanguageModelWire struct {
	Model string
	// LeastTokens is the lowest limit of an answer that the vendor accepts; 0 for none.
	LeastTokens int
	New         func(baseURL, key string) dialogue.LanguageModel
	Emulate     func(emulator.Reporter, emulator.Options, emulator.Script) *emulator.Server
}

const llmKey = "sk-test-7f3a9c51e8d24b60"

// LanguageModel checks that a vendor's language model keeps the contract of dialogue.LanguageModel, with and without faults.
func LanguageModel(t *testing.T, w LanguageModelWire) {
	for _, test := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"answers", w.answers},
		{"the first words come before the last", w.streams},
		{"a receiver may leave", w.abandoned},
		{"one tool call and its result", w.oneCall},
		{"two tool calls at once and their results", w.twoCalls},
		{"a call whose result is missing", w.unpaired},
		{"a limit of tokens", w.limited},
		{"a slow first byte", w.slow},
		{"no first byte", w.stalled},
		{"a refused key", w.refusedKey},
		{"faults", w.faults},
		{"a dropped connection", w.dropped},
		{"connections stay warm", w.warm},
		{"connections of many calls stay warm", w.manyWarm},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			t.Cleanup(func() { leaktest.None(t, before) })
			test.run(t)
		})
	}
}

// start runs the emulator and gives the model that speaks to it.
func (w LanguageModelWire) start(t *testing.T, o emulator.Options, script emulator.Script) (dialogue.LanguageModel, *emulator.Server) {
	if script.FirstSentence == 0 {
		script.FirstSentence = time.Millisecond
	}
	o.Key = llmKey
	server := w.Emulate(t, o, script)
	t.Cleanup(server.Close)
	return w.New(server.URL, llmKey), server
}

// always answers every prompt alike.
func always(text string) func(dialogue.Prompt) emulator.Reply {
	return func(dialogue.Prompt) emulator.Reply { return emulator.Reply{Text: text} }
}

func (w LanguageModelWire) prompt(words ...string) dialogue.Prompt {
	p := dialogue.Prompt{Model: w.Model, System: "You are brief."}
	for i, text := range words {
		p.Messages = append(p.Messages, dialogue.Message{Role: []dialogue.Role{dialogue.RoleUser, dialogue.RoleAssistant}[i%2], Content: text})
	}
	return p
}

// collected is the content of one answer.
type collected struct {
	text   string
	pieces int
	calls  []dialogue.ToolCall
	usage  *dialogue.Usage
}

// listen reads an answer to its end and checks the order of its deltas.
func listen(t *testing.T, ctx context.Context, m dialogue.LanguageModel, p dialogue.Prompt) (h collected, failure error) {
	t.Helper()
	for delta, err := range m.Generate(ctx, p) {
		if failure != nil {
			t.Errorf("after the error %v came %+v, %v", failure, delta, err)
		}
		if h.usage != nil {
			t.Errorf("after the usage came %+v, %v", delta, err)
		}
		if err != nil {
			failure = err
			continue
		}
		if delta.Text != "" {
			h.pieces++
		}
		h.text += delta.Text
		h.calls = append(h.calls, delta.ToolCalls...)
		h.usage = delta.Usage
	}
	return h, failure
}

func (w LanguageModelWire) answers(t *testing.T) {
	var got dialogue.Prompt
	const text = "We open at nine, and close at six. \"Grüezi\" \\ – anything else?\n"
	m, _ := w.start(t, emulator.Options{}, emulator.Script{Answer: func(p dialogue.Prompt) emulator.Reply {
		got = p
		return emulator.Reply{Text: text}
	}})
	temperature := 0.4
	p := w.prompt("Hello?", "Hello! How can I help?", "When are you open?")
	p.Temperature = &temperature
	p.Tools = weatherTools
	h, err := listen(t, t.Context(), m, p)
	if err != nil || h.text != text || h.pieces < 5 || len(h.calls) != 0 {
		t.Errorf("heard %+v, %v", h, err)
	}
	if h.usage == nil || h.usage.InputTokens < 10 || h.usage.OutputTokens < 5 {
		t.Errorf("usage %+v", h.usage)
	}
	got.MaxTokens = 0 // a vendor may demand one
	if diff := cmp.Diff(p, got); diff != "" {
		t.Errorf("the prompt arrived otherwise (-sent +arrived):\n%s", diff)
	}
}

// streams reads the first word of an answer whose second would follow an hour later, then cancels.
func (w LanguageModelWire) streams(t *testing.T) {
	ended := make(chan error, 1)
	m, _ := w.start(t, emulator.Options{}, emulator.Script{Answer: always("One two three."), FirstSentence: time.Hour,
		Ended: func(err error) { ended <- err }})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var text string
	var failure error
	for delta, err := range m.Generate(ctx, w.prompt("Count.")) {
		text, failure = text+delta.Text, err
		cancel()
	}
	if text != "One " || !errors.Is(failure, context.Canceled) {
		t.Errorf("heard %q, %v", text, failure)
	}
	if err := <-ended; err == nil {
		t.Error("the vendor's answer was not cancelled")
	}
}

func (w LanguageModelWire) abandoned(t *testing.T) {
	ended := make(chan error, 1)
	m, _ := w.start(t, emulator.Options{}, emulator.Script{Answer: always("One two three."), FirstSentence: time.Hour,
		Ended: func(err error) { ended <- err }})
	for _, err := range m.Generate(t.Context(), w.prompt("Count.")) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	if err := <-ended; err == nil {
		t.Error("the vendor's answer was not cancelled")
	}
}

var weatherTools = []dialogue.Tool{
	{Name: "weather", Description: "Tells the weather.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"town":{"type":"string"},"days":{"type":"integer","default":12345678901234567}},"required":["town"]}`)},
	{Name: "end_call", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)},
}

func (w LanguageModelWire) oneCall(t *testing.T) {
	w.calls(t, "", dialogue.ToolCall{ID: "call_1", Name: "end_call", Arguments: json.RawMessage(`{}`)})
}

func (w LanguageModelWire) twoCalls(t *testing.T) {
	w.calls(t, "One moment, please. ",
		dialogue.ToolCall{ID: "call_1", Name: "weather", Arguments: json.RawMessage(`{"town":"Zürich \"HB\" \\ \u00e9","days":3}`)},
		dialogue.ToolCall{ID: "call_2", Name: "weather", Arguments: json.RawMessage(`{"town":"Genève"}`)})
}

// calls has the model call tools, then gives it their results.
func (w LanguageModelWire) calls(t *testing.T, text string, calls ...dialogue.ToolCall) {
	m, _ := w.start(t, emulator.Options{}, emulator.Script{Answer: func(p dialogue.Prompt) emulator.Reply {
		if last := p.Messages[len(p.Messages)-1]; last.Role == dialogue.RoleTool {
			return emulator.Reply{Text: fmt.Sprintf("%d messages, the last says %s.", len(p.Messages), last.Content)}
		}
		return emulator.Reply{Text: text, ToolCalls: calls}
	}})
	p := w.prompt("What is the weather?")
	p.Tools = weatherTools
	h, err := listen(t, t.Context(), m, p)
	if err != nil || h.text != text || h.usage == nil {
		t.Fatalf("heard %+v, %v", h, err)
	}
	if diff := cmp.Diff(calls, h.calls); diff != "" {
		t.Fatalf("the calls arrived otherwise (-sent +arrived):\n%s", diff)
	}
	p.Messages = append(p.Messages, dialogue.Message{Role: dialogue.RoleAssistant, Content: h.text, ToolCalls: h.calls})
	for _, c := range h.calls {
		p.Messages = append(p.Messages, dialogue.Message{Role: dialogue.RoleTool, ToolCallID: c.ID, Content: "sun for " + c.ID})
	}
	h, err = listen(t, t.Context(), m, p)
	if want := fmt.Sprintf("%d messages, the last says sun for %s.", len(p.Messages), calls[len(calls)-1].ID); err != nil || h.text != want {
		t.Errorf("heard %+v, %v, want %s", h, err, want)
	}
}

// unpaired sends a conversation as interruptions leave it; the emulator would
// refuse it as it is.
func (w LanguageModelWire) unpaired(t *testing.T) {
	m, _ := w.start(t, emulator.Options{}, emulator.Script{})
	p := w.prompt("What is the weather?")
	p.Tools = weatherTools
	p.Messages = append(p.Messages,
		dialogue.Message{Role: dialogue.RoleAssistant, ToolCalls: []dialogue.ToolCall{
			{ID: "a", Name: "weather", Arguments: json.RawMessage(`{"town":"Bern"}`)}, {ID: "b", Name: "end_call"}}},
		dialogue.Message{Role: dialogue.RoleUser, Content: "Wait."},
		dialogue.Message{Role: dialogue.RoleTool, ToolCallID: "a", Content: "rain"},
		dialogue.Message{Role: dialogue.RoleTool, ToolCallID: "lost", Content: "nobody's"},
		dialogue.Message{Role: dialogue.RoleSystem, Content: "The caller was silent."},
		dialogue.Message{Role: dialogue.RoleAssistant, Content: ""})
	if h, err := listen(t, t.Context(), m, p); err != nil || h.text != "All right." {
		t.Errorf("heard %+v, %v", h, err)
	}
	p.Tools = nil // as after a handoff to an agent without any
	if h, err := listen(t, t.Context(), m, p); err != nil || h.text != "All right." {
		t.Errorf("without tools: heard %+v, %v", h, err)
	}
}

func (w LanguageModelWire) limited(t *testing.T) {
	limit := max(2, w.LeastTokens)
	m, _ := w.start(t, emulator.Options{}, emulator.Script{Answer: always(strings.Repeat("One ", limit+2) + "two.")})
	p := w.prompt("Count.")
	p.MaxTokens = limit
	if h, err := listen(t, t.Context(), m, p); err != nil || h.text != strings.Repeat("One ", limit) || h.usage == nil {
		t.Errorf("heard %+v, %v", h, err)
	}
}

func (w LanguageModelWire) slow(t *testing.T) {
	const delay = 300 * time.Millisecond
	m, _ := w.start(t, emulator.Options{Delay: delay}, emulator.Script{})
	begun := time.Now()
	h, err := listen(t, t.Context(), m, w.prompt("Hello?"))
	if err != nil || h.text != "All right." || time.Since(begun) < delay {
		t.Errorf("heard %+v, %v after %v", h, err, time.Since(begun))
	}
}

func (w LanguageModelWire) stalled(t *testing.T) {
	m, server := w.start(t, emulator.Options{}, emulator.Script{})
	server.Fail(emulator.Stall)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if h, err := listen(t, ctx, m, w.prompt("Hello?")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("heard %+v, %v", h, err)
	}
}

func (w LanguageModelWire) refusedKey(t *testing.T) {
	_, server := w.start(t, emulator.Options{}, emulator.Script{})
	const wrong = "sk-test-0000000000000000"
	h, err := listen(t, t.Context(), w.New(server.URL, wrong), w.prompt("Hello?"))
	if !errors.Is(err, dialogue.ErrRefused) {
		t.Fatalf("heard %+v, %v", h, err)
	}
	if strings.Contains(err.Error(), wrong) || !strings.Contains(err.Error(), "the key is refused") {
		t.Errorf("the error says %q", err)
	}
}

func (w LanguageModelWire) faults(t *testing.T) {
	m, server := w.start(t, emulator.Options{}, emulator.Script{})
	for name, fault := range map[string]emulator.Fault{"rate limit": emulator.RateLimit, "broken": emulator.Broken, "garbage": emulator.Garbage} {
		server.Fail(fault)
		if h, err := listen(t, t.Context(), m, w.prompt("Hello?")); err == nil || errors.Is(err, dialogue.ErrRefused) || h.text != "" {
			t.Errorf("%s: heard %+v, %v", name, h, err)
		}
		server.Fail(emulator.None)
		if h, err := listen(t, t.Context(), m, w.prompt("Hello?")); err != nil || h.text != "All right." {
			t.Errorf("after %s: heard %+v, %v", name, h, err)
		}
	}
}

func (w LanguageModelWire) dropped(t *testing.T) {
	m, server := w.start(t, emulator.Options{}, emulator.Script{})
	server.Fail(emulator.Drop)
	h, err := listen(t, t.Context(), m, w.prompt("Hello?"))
	if err == nil || errors.Is(err, dialogue.ErrRefused) || h.text != "All " {
		t.Errorf("heard %+v, %v", h, err)
	}
}

func (w LanguageModelWire) warm(t *testing.T) {
	m, server := w.start(t, emulator.Options{}, emulator.Script{})
	const turns = 8
	for range turns {
		if h, err := listen(t, t.Context(), m, w.prompt("Hello?")); err != nil || h.text != "All right." {
			t.Errorf("heard %+v, %v", h, err)
		}
	}
	// One, and others where the machine was too busy to see an answer's end.
	if n := server.Connections(); n > turns/2 {
		t.Errorf("%d turns took %d connections", turns, n)
	}
}

// manyWarm generates concurrent answers twice: the second time no new connections are opened.
func (w LanguageModelWire) manyWarm(t *testing.T) {
	const calls, rounds = 20, 2
	var arrived atomic.Int32
	all := [rounds]chan struct{}{make(chan struct{}), make(chan struct{})}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	m, server := w.start(t, emulator.Options{}, emulator.Script{Answer: func(dialogue.Prompt) emulator.Reply {
		n := arrived.Add(1) - 1
		if n%calls == calls-1 {
			close(all[n/calls])
		}
		select {
		case <-all[n/calls]:
		case <-ctx.Done():
		}
		return emulator.Reply{Text: "All right."}
	}})
	for range rounds {
		var round sync.WaitGroup
		for range calls {
			round.Go(func() {
				if h, err := listen(t, ctx, m, w.prompt("Hello?")); err != nil || h.text != "All right." {
					t.Errorf("heard %+v, %v", h, err)
				}
			})
		}
		round.Wait()
	}
	// More where the machine was too busy to see an answer's end.
	if n := server.Connections(); n > calls+calls/2 {
		t.Errorf("%d calls at once took %d connections in %d rounds", calls, n, rounds)
	}
}

// LocalLanguageModel proves what is to be proved of a model without a wire: it
// answers the prompt in several pieces, usage last, calls complete, and ends
// with the context.
func LocalLanguageModel(t *testing.T, m dialogue.LanguageModel, p dialogue.Prompt, text string, calls ...string) {
	h, err := listen(t, t.Context(), m, p)
	if err != nil || strings.TrimSpace(h.text) != text || h.pieces < 2 || h.usage == nil || h.usage.InputTokens == 0 || h.usage.OutputTokens == 0 {
		t.Errorf("heard %+v, %v", h, err)
	}
	var names []string
	for _, c := range h.calls {
		names = append(names, c.Name)
		if c.ID == "" || !json.Valid(c.Arguments) || c.Arguments[0] != '{' {
			t.Errorf("call %+v", c)
		}
	}
	if diff := cmp.Diff(calls, names); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var failure error
	for _, err := range m.Generate(ctx, p) {
		failure = err
		cancel()
	}
	if !errors.Is(failure, context.Canceled) {
		t.Errorf("cancelled, it ended with %v", failure)
	}
}
