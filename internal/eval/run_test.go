package eval

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"iter"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/agent"
	"parley/internal/chat"
	"parley/internal/dialogue"
	"parley/internal/leaktest"
	"parley/internal/provider/offline"
	"parley/internal/voice"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func turnOf(replied, agent string, tools ...string) chat.Turn {
	t := chat.Turn{Replied: replied, Agent: agent}
	for _, name := range tools {
		t.Tools = append(t.Tools, chat.Tool{Name: name})
	}
	return t
}

// desk opens conversations with one scripted agent, and counts how many are
// open at once.
type desk struct{ open, most atomic.Int32 }

func (d *desk) Open(ctx context.Context, _, name string, user map[string]any) (*chat.Conversation, []string, error) {
	if name != "desk" && name != "stuck" {
		return nil, nil, errors.New("agent not found")
	}
	c, err := chat.Open(ctx, voice.Options{
		Plan: voice.Plan{Agent: name, Agents: map[string]agent.Config{
			"desk": {Prompt: agent.Prompt{Greeting: "Hello {{user.name}}.", System: "- hours => From nine.\n- bye => Goodbye. [end_call]"},
				LLM: agent.LLM{Provider: "offline"}},
			"stuck": {Prompt: agent.Prompt{Greeting: "Hello."}, LLM: agent.LLM{Provider: "stuck"}},
		}},
		Providers: d, UserContext: user, Log: slog.New(slog.DiscardHandler),
	})
	return c, nil, err
}

func (d *desk) LanguageModel(name string) (dialogue.LanguageModel, error) {
	if name == "stuck" {
		return stuck{}, nil
	}
	return counting{d, offline.Script{}}, nil
}
func (*desk) Recognizer(string) (dialogue.Recognizer, error)   { return nil, errors.New("deaf") }
func (*desk) Synthesizer(string) (dialogue.Synthesizer, error) { return nil, errors.New("mute") }

// counting counts the answers in the making, each of which takes its time.
type counting struct {
	d *desk
	offline.Script
}

func (c counting) Generate(ctx context.Context, p dialogue.Prompt) iter.Seq2[dialogue.Delta, error] {
	now := c.d.open.Add(1)
	defer c.d.open.Add(-1)
	for most := c.d.most.Load(); now > most && !c.d.most.CompareAndSwap(most, now); most = c.d.most.Load() {
	}
	time.Sleep(50 * time.Millisecond)
	return c.Script.Generate(ctx, p)
}

type stuck struct{}

func (stuck) Generate(ctx context.Context, _ dialogue.Prompt) iter.Seq2[dialogue.Delta, error] {
	return func(yield func(dialogue.Delta, error) bool) {
		<-ctx.Done()
		yield(dialogue.Delta{}, ctx.Err())
	}
}

// run runs a suite, in virtual time.
func run(t *testing.T, content string, o Options) (r *Report, d *desk) {
	t.Helper()
	suite, err := Parse("suite.yaml", []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	d = new(desk)
	synctest.Test(t, func(t *testing.T) { r = Run(t.Context(), suite, d, o) })
	return r, d
}

const mixed = `
- name: as expected
  agent: desk
  user_context: {name: Ada}
  greeting: {words: hello ada}
  turns:
    - {say: your hours, expect: {words: nine, tools: [], ended: false, agent: desk}}
    - {say: bye, expect: {tool: end_call, ended: true}}
- name: <otherwise> & "so"
  agent: desk
  greeting: {words: good morning}
  turns:
    - {say: your hours, expect: {words: ten}}
- name: over too soon
  agent: desk
  turns: [{say: bye}, {say: your hours}]
- name: nobody there
  agent: nobody
  turns: [{say: hi}]
- name: no answer
  agent: stuck
  turns: [{say: hi}]
`

func TestRun(t *testing.T) {
	r, _ := run(t, mixed, Options{Parallel: 5, Patience: time.Second})
	type verdict struct {
		Name, Broken string
		Failures     []string
	}
	var got []verdict
	for _, c := range r.Conversations {
		got = append(got, verdict{c.Name, c.Broken, c.Failures})
	}
	want := []verdict{
		{"as expected", "", []string{}},
		{`<otherwise> & "so"`, "", []string{`greeting: want "good morning" said, got "Hello ."`, `"your hours": want "ten" said, got "From nine."`}},
		{"over too soon", `"your hours" was not said: the agent had ended the conversation before`, []string{}},
		{"nobody there", "agent not found", []string{}},
		{"no answer", `"hi": no answer within 1s`, []string{}},
	}
	if d := cmp.Diff(want, got); d != "" || r.Failed != 4 {
		t.Errorf("%d failed; want (-), got (+):\n%s", r.Failed, d)
	}
}

func TestRunIsBounded(t *testing.T) {
	var content strings.Builder
	for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
		content.WriteString("- {name: " + name + ", agent: desk, turns: [{say: your hours}]}\n")
	}
	r, d := run(t, content.String(), Options{Parallel: 2, Patience: 30 * time.Second})
	if r.Failed != 0 {
		t.Errorf("%+v", r)
	}
	if most := d.most.Load(); most != 2 {
		t.Errorf("%d conversations at once, want 2", most)
	}
}

func TestPrint(t *testing.T) {
	r := &Report{Suite: "s", Failed: 1, Conversations: []Outcome{
		{Name: "good", Seconds: 0.25}, {Name: "bad", Seconds: 1, Failures: []string{"first", "second"}, Broken: "third"},
	}}
	var b bytes.Buffer
	if err := r.Print(&b); err != nil {
		t.Fatal(err)
	}
	const want = `ok    good (0.2 s)
FAIL  bad (1.0 s)
      first
      second
      third
1 of 2 conversations as expected
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}

func TestJUnit(t *testing.T) {
	r, _ := run(t, mixed, Options{Parallel: 5, Patience: time.Second})
	var b bytes.Buffer
	if err := r.JUnit(&b, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	type problem struct {
		Message string `xml:"message,attr"`
	}
	var got struct {
		XMLName xml.Name `xml:"testsuites"`
		Suites  []struct {
			Name      string `xml:"name,attr"`
			Tests     int    `xml:"tests,attr"`
			Failures  int    `xml:"failures,attr"`
			Errors    int    `xml:"errors,attr"`
			Timestamp string `xml:"timestamp,attr"`
			Cases     []struct {
				Name    string   `xml:"name,attr"`
				Failure *problem `xml:"failure"`
				Error   *problem `xml:"error"`
				Out     string   `xml:"system-out"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	s := got.Suites[0]
	if len(got.Suites) != 1 || s.Name != "suite.yaml" || s.Tests != 5 || s.Failures != 1 || s.Errors != 3 || s.Timestamp != "2026-01-02T03:04:05" || len(s.Cases) != 5 {
		t.Fatalf("%+v", got)
	}
	if c := s.Cases[0]; c.Failure != nil || c.Error != nil || !strings.Contains(c.Out, "caller  your hours\n  desk    From nine.") {
		t.Errorf("%+v", c)
	}
	if c := s.Cases[1]; c.Name != `<otherwise> & "so"` || c.Failure == nil || !strings.HasPrefix(c.Failure.Message, "greeting:") || c.Error != nil {
		t.Errorf("%+v", c)
	}
	if c := s.Cases[3]; c.Failure != nil || c.Error == nil || c.Error.Message != "agent not found" {
		t.Errorf("%+v", c)
	}
}
