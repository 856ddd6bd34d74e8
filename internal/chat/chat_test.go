package chat_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
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

// minds are providers that can think and have no speech, as a server without
// keys for it.
type minds map[string]dialogue.LanguageModel

func (m minds) LanguageModel(name string) (dialogue.LanguageModel, error) {
	if model, ok := m[name]; ok {
		return model, nil
	}
	return nil, dialogue.NewError("no key for " + name)
}
func (minds) Recognizer(string) (dialogue.Recognizer, error)   { return nil, errors.New("deaf") }
func (minds) Synthesizer(string) (dialogue.Synthesizer, error) { return nil, errors.New("mute") }

// broken fails in the middle of an answer.
type broken struct{}

func (broken) Generate(_ context.Context, p dialogue.Prompt) iter.Seq2[dialogue.Delta, error] {
	return func(yield func(dialogue.Delta, error) bool) {
		goesOn := p.Messages[len(p.Messages)-1].Role == dialogue.RoleSystem
		if goesOn || yield(dialogue.Delta{Text: "I think. "}, nil) {
			yield(dialogue.Delta{}, dialogue.NewError("out of order"))
		}
	}
}

// slow never answers.
type slow struct{}

func (slow) Generate(ctx context.Context, _ dialogue.Prompt) iter.Seq2[dialogue.Delta, error] {
	return func(yield func(dialogue.Delta, error) bool) {
		<-ctx.Done()
		yield(dialogue.Delta{}, ctx.Err())
	}
}

func config(model, system, greeting string, handoffs ...agent.Handoff) agent.Config {
	return agent.Config{
		Prompt: agent.Prompt{System: system, Greeting: greeting}, Handoffs: handoffs,
		STT: agent.STT{Provider: "deepgram", Model: model + "-ear"}, // another for each agent: handoffs open it anew
		TTS: agent.TTS{Provider: "cartesia", VoiceID: "v"}, LLM: agent.LLM{Provider: model, Model: "m"},
		Turn: json.RawMessage(`{"endpoint_complete_ms": 10000, "endpoint_unfinished_ms": 10000, "transcript_wait_ms": 10000}`),
	}
}

func open(t *testing.T, user map[string]any) *chat.Conversation {
	t.Helper()
	c, err := chat.Open(t.Context(), voice.Options{
		Plan: voice.Plan{Agent: "front", Agents: map[string]agent.Config{
			"front": config("offline", `
				- hours => We open at nine. We close at five.
				- and => You are not done?
				- yeah => Fine.
				- table => One moment. [handoff_to_booking]
				- think => I pass you on. [handoff_to_thinker]
				- bye => Goodbye! [end_call]`, "Hello {{user.name}}. How can I help?", agent.Handoff{TargetAgent: "booking"}, agent.Handoff{TargetAgent: "thinker"}),
			"booking": config("offline", "- (start) => For how many?\n- * => Booked. See you. [end_call]", ""),
			"thinker": config("broken", "Think.", "I am the thinker."),
		}},
		Providers: minds{"offline": offline.Script{}, "broken": broken{}}, UserContext: user, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// summary is what tests look at of a reply.
type summary struct {
	Text     string
	Tools    []string
	Agents   []string
	Agent    string
	Problems int
	End      voice.End
}

func summed(r chat.Reply) summary {
	s := summary{Text: r.Text(), Agents: r.Agents, Agent: r.Agent, Problems: len(r.Problems), End: r.End}
	for _, call := range r.Tools() {
		s.Tools = append(s.Tools, call.Name)
	}
	return s
}

func TestConversation(t *testing.T) {
	tests := []struct {
		name string
		say  []string
		want []summary // the greeting's first
	}{
		{"questions", []string{"what are your hours", "and", "Yeah.", "bye"}, []summary{
			{Text: "Hello Ada. How can I help?", Agent: "front"},
			{Text: "We open at nine. We close at five.", Agent: "front"},
			{Text: "You are not done?", Agent: "front"},
			{Text: "Fine.", Agent: "front"},
			{Text: "Goodbye!", Tools: []string{"end_call"}, Agent: "front", End: voice.AgentEnded},
		}},
		{"handoff", []string{"a table please", "four"}, []summary{
			{Text: "Hello Ada. How can I help?", Agent: "front"},
			{Text: "One moment. For how many?", Tools: []string{"handoff_to_booking"}, Agents: []string{"booking"}, Agent: "booking"},
			{Text: "Booked. See you.", Tools: []string{"end_call"}, Agent: "booking", End: voice.AgentEnded},
		}},
		{"broken model", []string{"think", "well"}, []summary{
			{Text: "Hello Ada. How can I help?", Agent: "front"},
			{Text: "I pass you on. I am the thinker.", Tools: []string{"handoff_to_thinker"}, Agents: []string{"thinker"}, Agent: "thinker"},
			{Text: "I think. I am sorry, I have a technical problem. Please call again later.", Agent: "thinker", Problems: 1, End: voice.ProviderError},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := open(t, map[string]any{"name": "Ada"})
				begun := time.Now()
				r, err := c.Greeting(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				got := []summary{summed(r)}
				for _, line := range test.say {
					if r, err = c.Say(t.Context(), line); err != nil {
						t.Fatalf("%q: %v", line, err)
					}
					got = append(got, summed(r))
				}
				if d := cmp.Diff(test.want, got); d != "" {
					t.Errorf("want (-), got (+):\n%s", d)
				}
				if took := time.Since(begun); took > 8*time.Second {
					t.Errorf("took %v: the agents' settings of turn-taking, 10 s, must not hold in writing", took)
				}
			})
		})
	}
}

func TestAfterTheEnd(t *testing.T) {
	c := open(t, map[string]any{"name": "Ada"})
	if _, err := c.Greeting(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Say(t.Context(), " …?! "); !errors.Is(err, chat.ErrWordless) {
		t.Errorf("a line without a word: %v", err)
	}
	if r, err := c.Say(t.Context(), "bye"); err != nil || r.End != voice.AgentEnded {
		t.Errorf("goodbye: %+v, %v", r, err)
	}
	if _, err := c.Say(t.Context(), "are you there"); !errors.Is(err, chat.ErrOver) {
		t.Errorf("a line after the end: %v", err)
	}
	c.Close() // and again when the test ends
}

func TestMissingPlaceholderIsAProblem(t *testing.T) {
	c := open(t, nil)
	r, err := c.Greeting(t.Context())
	if err != nil || len(r.Problems) != 1 || r.Problems[0].Critical {
		t.Errorf("a greeting that names nobody: %+v, %v", r, err)
	}
}

func TestImpatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, err := chat.Open(t.Context(), voice.Options{
			Plan:      voice.Plan{Agent: "a", Agents: map[string]agent.Config{"a": config("slow", "Think.", "")}},
			Providers: minds{"slow": slow{}}, Log: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := c.Greeting(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("an agent that thinks for ever: %v", err)
		}
	})
}

func TestNobodyToTalkTo(t *testing.T) {
	plan := voice.Plan{Agent: "a", Agents: map[string]agent.Config{"a": config("openai", "Be kind.", "")}}
	_, err := chat.Open(t.Context(), voice.Options{Plan: plan, Providers: minds{}, Log: slog.New(slog.DiscardHandler)})
	var problem voice.Problem
	if !errors.As(err, &problem) || problem.Service != voice.LLM || problem.Provider != "openai" {
		t.Errorf("without a key: %v", err)
	}
	plan.Agent = "b"
	if _, err := chat.Open(t.Context(), voice.Options{Plan: plan, Providers: minds{}, Log: slog.New(slog.DiscardHandler)}); err == nil {
		t.Error("an agent that is not in the plan")
	}
}
