package voice

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"parley/internal/agent"
	"parley/internal/dialogue"
	"parley/internal/provider/realtime"
	"parley/internal/tool"
	"parley/internal/voice/generation"
)

// duplex is a realtime model that answers by a script. Its recogniser is the scenario's.
type duplex struct {
	*scenario
	reply func(n int, last dialogue.Message) duplexReply // to the nth request, after the last message that was added
	shut  int                                            // openings that fail

	mu     sync.Mutex
	events []string
	opened []dialogue.ConversationOptions
	asked  []dialogue.ResponseOptions
	last   dialogue.Message
}

// duplexReply is what a realtime model does.
type duplexReply struct {
	text  string
	calls []string
	err   error
}

func (s *scenario) RealtimeModel(string) (dialogue.RealtimeModel, error) { return s.duplex, nil }

func (d *duplex) note(format string, args ...any) {
	d.events = append(d.events, fmt.Sprintf(format, args...))
}

func (d *duplex) Converse(ctx context.Context, o dialogue.ConversationOptions) (dialogue.Conversation, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.shut > 0 {
		d.shut--
		return nil, dialogue.NewError("no conversation")
	}
	d.opened = append(d.opened, o)
	recognition, err := d.recognizer.Recognize(ctx, dialogue.RecognizeOptions{})
	if err != nil {
		return nil, err
	}
	return &duplexConversation{recognition, d}, nil
}

type duplexConversation struct {
	dialogue.Recognition
	d *duplex
}

func (c *duplexConversation) Add(messages ...dialogue.Message) {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	for _, m := range messages {
		c.d.note("%s: %s", m.Role, m.Content)
		c.d.last = m
	}
}

func (c *duplexConversation) Respond(o dialogue.ResponseOptions) dialogue.Response {
	d := c.d
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, o)
	n := len(d.asked)
	d.note("respond")
	cut := make(chan struct{})
	once := sync.Once{}
	r := realtime.NewResponse(func(played time.Duration) {
		once.Do(func() { close(cut) })
		d.mu.Lock()
		defer d.mu.Unlock()
		d.note("truncate %v", played)
	})
	reply := d.reply(n, d.last)
	d.last = dialogue.Message{}
	go func() {
		defer func() {
			r.Put(dialogue.ResponseEvent{Usage: &dialogue.Usage{InputTokens: 10, OutputTokens: 1}})
			r.Finish(reply.err)
		}()
		select {
		case <-time.After(100 * ms):
		case <-cut:
			return
		}
		for i, word := range strings.SplitAfter(reply.text, " ") {
			if word == "" {
				continue
			}
			r.Put(dialogue.ResponseEvent{Text: word, NewItem: i == 0})
			r.Put(dialogue.ResponseEvent{PCM: make([]int16, int(wordLength.Seconds()*dialogue.SpeakRate))})
			select {
			case <-time.After(10 * ms):
			case <-cut:
				return
			}
		}
		for i, name := range reply.calls {
			r.Put(dialogue.ResponseEvent{ToolCalls: []dialogue.ToolCall{{ID: fmt.Sprintf("c%d_%d", n, i), Name: name, Arguments: []byte("{}")}}})
		}
	}()
	return r
}

// converses plays a conversation of an agent with a realtime model.
func converses(t *testing.T, reply func(n int, last dialogue.Message) duplexReply, prepare func(s *scenario), act, check func(s *scenario)) {
	t.Helper()
	perform(t, func(s *scenario) {
		s.duplex = &duplex{scenario: s, reply: reply}
		c := config("Hello there.")
		c.STT, c.LLM, c.TTS = agent.STT{}, agent.LLM{}, agent.TTS{}
		c.Realtime = &agent.Realtime{Provider: "duplex", Model: "d1", Voice: "dora"}
		s.options.Plan.Agents["anna"] = c
		if prepare != nil {
			prepare(s)
		}
	}, act, check)
}

// wantEvents compares the messages that the realtime model received.
func (s *scenario) wantEvents(want ...string) {
	s.Helper()
	if got := strings.Join(s.duplex.events, "\n"); got != strings.Join(want, "\n") {
		s.Errorf("the model received\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

const greetCaller = "system: The call begins. Greet the caller."

// verbatim answers with the text of a Verbatim instruction, and otherwise as given.
func verbatim(answer duplexReply) func(int, dialogue.Message) duplexReply {
	return func(_ int, last dialogue.Message) duplexReply {
		if text, ok := strings.CutPrefix(last.Content, generation.Verbatim("")); ok {
			return duplexReply{text: text}
		}
		return answer
	}
}

// A tool in the background: the model gets a result at once, and later a call with the tool's own result.
func TestRealtimeToolInTheBackground(t *testing.T) {
	converses(t, func(_ int, last dialogue.Message) duplexReply {
		switch last.Content {
		case generation.Verbatim("Hello there."):
			return duplexReply{text: "Hello there."}
		case "":
			return duplexReply{calls: []string{"lookup"}}
		case generation.Running:
			return duplexReply{text: "I look it up."}
		}
		return duplexReply{text: "At nine."}
	}, func(s *scenario) {
		equip(inBackground(map[string]tool.Definition{"lookup": does(respond("nine"))}), map[string]time.Duration{"lookup": 4 * time.Second}, nil)(s)
	}, func(s *scenario) {
		s.wait(2 * time.Second)
		s.say("when do you open", 1000*ms)
		s.wait(9 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: when do you open", "anna calls lookup started", "assistant: I look it up.", "anna calls lookup ended", "assistant: At nine.")
		if diff := gocmp.Diff([]string{"tool: " + generation.Running, "respond", "truncate 800ms", "truncate 800ms", "assistant: ", "tool: nine", "system: " + lateResult, "respond"}, s.duplex.events[5:13]); diff != "" {
			s.Errorf("the model received (-want +got):\n%s", diff)
		}
	})
}

func TestRealtimeQuestionAndAnswer(t *testing.T) {
	converses(t, verbatim(duplexReply{text: "We open at nine."}), nil, func(s *scenario) {
		s.wait(2 * time.Second)
		s.say("when do you open", 1000*ms)
		s.wait(5 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: We open at nine.")
		s.wantTurns(Turn{Agent: "anna", Endpointing: 600 * ms, STT: 300 * ms, LLM: 100 * ms, VoiceToVoice: 600 * ms, Usage: dialogue.Usage{InputTokens: 10, OutputTokens: 1}})
		s.wantProblems()
		s.wantEvents(greetCaller, "system: "+generation.Verbatim("Hello there."), "respond", "truncate 400ms", "respond", "truncate 800ms")
		if o := s.duplex.opened; len(o) != 1 || o[0].Voice != "dora" || o[0].System != "You are kind." || len(o[0].Tools) == 0 {
			s.Errorf("opened with %+v", o)
		}
		if p := s.journal.turns[0].Providers; p != (ProviderNames{"duplex", "duplex", "duplex"}) {
			s.Errorf("providers %+v", p)
		}
	})
}

// Barge-in: the model's answer is truncated at what was played, and the transcript at the words of it.
func TestRealtimeBargeIn(t *testing.T) {
	converses(t, verbatim(duplexReply{text: "one two three four five six seven eight nine ten"}), nil, func(s *scenario) {
		s.wait(2 * time.Second)
		s.say("count", 400*ms)
		s.wait(2 * time.Second)
		s.say("stop now", 600*ms)
		s.wait(2 * time.Second)
	}, func(s *scenario) {
		if lines := s.journal.lines; len(lines) < 4 || !strings.HasPrefix(lines[2], "assistant: one two") || strings.Contains(lines[2], "ten") || lines[3] != "user: stop now" {
			s.Fatalf("transcript %q", lines)
		}
		heard := len(strings.Fields(s.journal.lines[2])) - 1
		cut, err := time.ParseDuration(strings.TrimPrefix(s.duplex.events[5], "truncate "))
		if err != nil || cut < time.Duration(heard-1)*wordLength || cut > time.Duration(heard+1)*wordLength {
			s.Errorf("%d words were heard, and the answer was cut at %q", heard, s.duplex.events)
		}
	})
}

// A caller who goes on discards the answer that was generated preemptively.
func TestRealtimeDiscardsPreemptiveAnswer(t *testing.T) {
	converses(t, verbatim(duplexReply{text: "We open at nine."}), nil, func(s *scenario) {
		s.wait(2 * time.Second)
		s.say("when do you", 600*ms)
		s.wait(1000 * ms)
		s.say("open", 600*ms)
		s.wait(4 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: We open at nine.")
		s.wantEvents(greetCaller, "system: "+generation.Verbatim("Hello there."), "respond", "truncate 400ms", "respond", "truncate 0s", "respond", "truncate 800ms")
		if spent := s.journal.spent["anna"]; spent.InputTokens != 20 { // the greeting's and the discarded answer's
			s.Errorf("spent %+v", spent)
		}
	})
}

// answers is Tools that answer with a text.
type answers string

func (a answers) Run(context.Context, tool.Call) tool.Outcome { return tool.Outcome{Answer: string(a)} }

func TestRealtimeRunsTools(t *testing.T) {
	converses(t, func(_ int, last dialogue.Message) duplexReply {
		switch last.Role {
		case dialogue.RoleTool:
			return duplexReply{text: "It is " + last.Content}
		case dialogue.RoleSystem:
			return duplexReply{text: "Hello there."}
		default:
			return duplexReply{text: "Let me see.", calls: []string{"lookup"}}
		}
	}, func(s *scenario) {
		anna := s.options.Plan.Agents["anna"]
		anna.Tools = []string{"lookup"}
		s.options.Plan.Agents["anna"] = anna
		s.options.Plan.Tools = map[string]tool.Definition{"lookup": {Description: "Looks it up.", Config: tool.Config{}}}
		s.options.Tools = answers("nine.")
	}, func(s *scenario) {
		s.wait(2 * time.Second)
		s.say("when do you open", 1000*ms)
		s.wait(5 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: when do you open", "anna calls lookup", "assistant: Let me see. It is nine.")
		if e := s.duplex.events; len(e) < 7 || e[4] != "respond" || e[5] != "tool: nine." || e[6] != "respond" {
			s.Errorf("the model received %q", e)
		}
		s.wantProblems()
	})
}

// A call goes from a realtime model to an agent without one, and back.
func TestRealtimeHandsOff(t *testing.T) {
	converses(t, func(n int, last dialogue.Message) duplexReply {
		switch {
		case n == 2:
			return duplexReply{text: "One moment.", calls: []string{"handoff_to_bert"}}
		case last.Role == dialogue.RoleSystem:
			return duplexReply{text: "Hello there."}
		}
		return duplexReply{text: "Anna again."}
	}, func(s *scenario) {
		anna := s.options.Plan.Agents["anna"]
		anna.Handoffs = []agent.Handoff{{TargetAgent: "bert"}}
		s.options.Plan.Agents["anna"] = anna
		bert := config("Bert here.")
		bert.Handoffs = []agent.Handoff{{TargetAgent: "anna"}}
		s.options.Plan.Agents["bert"] = bert
		s.model.reply = func(dialogue.Prompt) []step { return []step{{after: 100 * ms, call: "handoff_to_anna"}} }
	}, func(s *scenario) {
		s.wait(2 * time.Second)
		s.say("bert please", 600*ms)
		s.wait(5 * time.Second)
		s.say("anna please", 600*ms)
		s.wait(5 * time.Second)
		s.say("anna", 600*ms)
		s.wait(5 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: bert please", "assistant: One moment.", "anna calls handoff_to_bert", "assistant: Bert here.",
			"user: anna please", "bert calls handoff_to_anna", "assistant: Hello there.", "user: anna", "assistant: Anna again.")
		if o := s.duplex.opened; len(o) != 2 || len(o[1].Messages) < 5 {
			s.Errorf("opened with %+v", o)
		}
		s.wantProblems()
	})
}

// A conversation that breaks is opened again with what was said, and the answer is made anew.
func TestRealtimeReopens(t *testing.T) {
	converses(t, func(n int, last dialogue.Message) duplexReply {
		if last.Role == dialogue.RoleSystem {
			return duplexReply{text: "Hello there."}
		}
		if n == 2 {
			return duplexReply{err: dialogue.NewError("the vendor is unavailable")}
		}
		return duplexReply{text: "We open at nine."}
	}, nil, func(s *scenario) {
		s.wait(2 * time.Second)
		s.say("when do you open", 1000*ms)
		s.wait(5 * time.Second)
		s.recognizer.snap(dialogue.NewError("cut"))
		s.wait(time.Second)
		s.say("and close", 600*ms)
		s.wait(5 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: We open at nine.", "user: and close", "assistant: We open at nine.")
		s.wantProblems("warning llm realtime provider duplex: the vendor is unavailable", "warning llm realtime provider duplex: cut")
		if o := s.duplex.opened; len(o) != 3 || len(o[2].Messages) < 4 {
			s.Errorf("opened with %+v", o)
		}
	})
}

// The cascade replaces a realtime model that refuses, at the beginning and in the middle of a call; without
// one the call ends.
func TestRealtimeFallsBack(t *testing.T) {
	cascade := func(s *scenario) {
		c := config("Hello there.")
		c.Realtime = s.options.Plan.Agents["anna"].Realtime
		s.options.Plan.Agents["anna"] = c
	}
	refused := func(n int, last dialogue.Message) duplexReply {
		if n == 1 {
			return duplexReply{text: "Hello there."}
		}
		return duplexReply{err: dialogue.Errorf("the account is %w", dialogue.ErrRefused)}
	}
	act := func(s *scenario) {
		s.wait(2 * time.Second)
		s.say("when do you open", 1000*ms)
		s.wait(5 * time.Second)
	}
	converses(t, refused, cascade, act, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: We open at nine.")
		s.wantProblems("warning llm realtime provider duplex: the account is refused by the provider; the fallback takes its place")
	})
	converses(t, refused, func(s *scenario) { cascade(s); s.duplex.shut = 9 }, act, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: We open at nine.")
		s.wantProblems("warning llm realtime provider duplex: no conversation; the fallback takes its place")
	})
	converses(t, refused, nil, func(s *scenario) { act(s); s.waitEnd(ProviderError) }, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: when do you open")
		s.wantProblems("error llm realtime provider duplex: the account is refused by the provider")
	})
	converses(t, refused, func(s *scenario) { s.duplex.shut = 9 }, nil, func(s *scenario) {
		var p Problem
		if !errors.As(s.err, &p) || cmp.Or(string(p.Cause), "") == "" || p.Service != LLM {
			s.Errorf("prepared with %v", s.err)
		}
	})
}
