package voice

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/agent"
	"parley/internal/dialogue"
	"parley/internal/tool"
	"parley/internal/voice/generation"
	"parley/internal/workflow"
)

// fakeTools runs tools with the real actions, after a delay for each.
type fakeTools struct {
	*tool.Runner
	takes  map[string]time.Duration
	begins func() // called when one begins; may be nil

	mu  sync.Mutex
	log []string // what began and ended
	ran int
}

func (w *fakeTools) Run(ctx context.Context, c tool.Call) tool.Outcome {
	if w.begins != nil {
		w.begins()
	}
	w.note(c.Name + "(")
	w.mu.Lock()
	w.ran++
	w.mu.Unlock()
	if c.Name == "panics" {
		panic("index out of range")
	}
	select {
	case <-time.After(w.takes[c.Name]):
	case <-ctx.Done():
	}
	defer w.note(")" + c.Name)
	return w.Runner.Run(ctx, c)
}

func (w *fakeTools) note(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = append(w.log, what)
}

// does is a tool of some actions.
func does(actions ...tool.Action) tool.Definition {
	return tool.Definition{Description: "Does it.", Config: tool.Config{Parameters: []tool.Parameter{{Name: "v", Type: "string"}}, Actions: actions}}
}

func respond(text string) tool.Action { return tool.Action{Type: tool.Respond, Message: text} }
func flag(name string) tool.Action    { return tool.Action{Type: tool.SetFlag, Name: name} }
func remember(key, value string) tool.Action {
	return tool.Action{Type: tool.SetContext, Key: key, Value: []byte(`"` + value + `"`)}
}

// equip gives the agents tools and has the model follow a script: what it does
// when the last message is of the caller (by its words), of a function (by its
// answer), or a cue.
func equip(tools map[string]tool.Definition, takes map[string]time.Duration, script map[string][]step) func(*scenario) {
	return func(s *scenario) {
		runner := tool.NewRunner(true)
		s.tools = &fakeTools{Runner: runner, takes: takes}
		s.options.Tools, s.options.Plan.Tools = s.tools, tools
		names := make([]string, 0, len(tools))
		for name := range tools {
			names = append(names, name)
		}
		slices.Sort(names)
		for name, config := range s.options.Plan.Agents {
			config.Tools = names
			s.options.Plan.Agents[name] = config
		}
		s.model.reply = func(p dialogue.Prompt) []step {
			last := p.Messages[len(p.Messages)-1]
			key := string(last.Role)
			if last.Role == dialogue.RoleUser || last.Role == dialogue.RoleTool {
				key = last.Content
			}
			if steps, ok := script[key]; ok {
				return steps
			}
			return []step{{after: 10 * ms, text: "Unscripted: " + key}}
		}
	}
}

func says(text string) []step { return []step{{after: 100 * ms, text: text}} }
func calls(names ...string) (steps []step) {
	for _, name := range names {
		steps = append(steps, step{after: 100 * ms, call: name})
	}
	return steps
}

// messages prints a prompt's messages but for the greeting and its cue.
func messages(p dialogue.Prompt) (lines []string) {
	for _, m := range p.Messages[min(2, len(p.Messages)):] {
		line := string(m.Role) + ": " + m.Content
		for _, c := range m.ToolCalls {
			line += " " + c.Name + string(c.Arguments)
		}
		lines = append(lines, line)
	}
	return lines
}

func (s *scenario) wantMessages(prompt int, want ...string) {
	s.Helper()
	if asked := s.model.asked(); len(asked) <= prompt {
		s.Errorf("the model was asked %d times", len(asked))
	} else if diff := cmp.Diff(want, messages(asked[prompt])); diff != "" {
		s.Errorf("prompt %d (-want +got):\n%s", prompt, diff)
	}
}

func (s *scenario) wantRuns(want ...string) {
	s.Helper()
	for n := 1; n < len(s.tools.log); n++ { // what begins at once, begins in any order
		if a, b := s.tools.log[n-1], s.tools.log[n]; strings.HasSuffix(a, "(") && strings.HasSuffix(b, "(") && a > b {
			s.tools.log[n-1], s.tools.log[n] = b, a
		}
	}
	if diff := cmp.Diff(want, s.tools.log); diff != "" {
		s.Errorf("tools (-want +got):\n%s", diff)
	}
}

func TestToolAnswers(t *testing.T) {
	perform(t, func(s *scenario) {
		s.options.UserContext = map[string]any{"name": "Adalbert"}
		equip(map[string]tool.Definition{"look_up": does(respond("order {{params.v}} of {{user.name}} is shipped"))}, map[string]time.Duration{"look_up": 500 * ms}, map[string][]step{
			"where is it": {{after: 100 * ms, text: "Let me see."}, {call: "look_up", args: `{"v":"Adalbert 17"}`}},
			"order Adalbert 17 of Adalbert is shipped": says("It is shipped."),
			"thanks": says("Bye."),
		})(s)
	}, func(s *scenario) {
		s.question("where is it")
		s.wait(4 * time.Second)
		s.say("thanks", 500*ms)
		s.wait(4 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: where is it", "anna calls look_up", "assistant: Let me see. It is shipped.", "user: thanks", "assistant: Bye.")
		s.wantMessages(1, "user: where is it", `assistant: Let me see. look_up{"v":"Adalbert 17"}`, "tool: order Adalbert 17 of Adalbert is shipped")
		s.wantMessages(2, "user: where is it", `assistant:  look_up{"v":"Adalbert 17"}`, "tool: order Adalbert 17 of Adalbert is shipped", "assistant: Let me see. It is shipped.", "user: thanks")
		s.wantProblems()
		for _, e := range s.journal.entries {
			if e.Tool != nil && (string(e.Tool.Arguments) != `{"v":"*** 17"}` || e.Duration != 500*ms || e.Answer != "order *** 17 of *** is shipped") {
				s.Errorf("kept as %s, %v, %q", e.Tool.Arguments, e.Duration, e.Answer)
			}
		}
		if got := s.model.asked()[0].Tools; len(got) != 2 || got[0].Name != "look_up" || got[0].Description != "Does it." || !strings.Contains(string(got[0].Parameters), `"v":{"type":"string"}`) {
			s.Errorf("offered %+v", got)
		}
		// What was said before the tool was spoken as an utterance of its own.
		if len(s.journal.turns) != 2 || s.journal.turns[0].LLM != 100*ms {
			s.Errorf("turns are %+v", s.journal.turns)
		}
	})
}

// Tools may refer to the prompt library.
func TestToolWithAPrompt(t *testing.T) {
	perform(t, func(s *scenario) {
		s.options.UserContext = map[string]any{"name": "Ada"}
		s.options.Plan.Prompts = library
		equip(map[string]tool.Definition{"greet": does(respond("Say: {{prompt.hello}} {{prompt.hello.tone}}"))}, nil, map[string][]step{"go": calls("greet")})(s)
	}, func(s *scenario) {
		s.question("go")
		s.wait(4 * time.Second)
	}, func(s *scenario) {
		if got := s.journal.lines[len(s.journal.lines)-1]; got != "assistant: Unscripted: Say: Hello Ada, today. warm" {
			s.Errorf("%q", got)
		}
	})
}

func TestToolsAtOnce(t *testing.T) {
	tools := map[string]tool.Definition{
		"slow":   does(remember("order", "first"), respond("slow done")),
		"fast":   does(remember("order", "second"), respond("fast done")),
		"reader": does(respond("order is {{workflow.order}}")),
	}
	takes := map[string]time.Duration{"slow": 1000 * ms, "fast": 400 * ms, "reader": 100 * ms}
	t.Run("together, their effects in order", func(t *testing.T) {
		perform(t, equip(tools, takes, map[string][]step{"go": calls("slow", "fast"), "fast done": says("Done.")}), func(s *scenario) {
			s.question("go")
			s.wait(4 * time.Second)
			if context, _ := s.session.router.Position(); context.Newest["order"] != "second" {
				s.Errorf("order is %v: the effects were not in order", context.Newest["order"])
			}
		}, func(s *scenario) {
			s.wantRuns("fast(", "slow(", ")fast", ")slow")
			s.wantMessages(1, "user: go", "assistant:  slow{} fast{}", "tool: slow done", "tool: fast done")
			s.wantLines("assistant: Hello there.", "user: go", "anna calls fast", "anna calls slow", "assistant: Done.")
		})
	})
	t.Run("one that reads what another sets waits for it", func(t *testing.T) {
		perform(t, equip(tools, takes, map[string][]step{"go": calls("slow", "reader", "fast"), "fast done": says("Done.")}), func(s *scenario) {
			s.question("go")
			s.wait(5 * time.Second)
		}, func(s *scenario) {
			s.wantRuns("fast(", "slow(", ")fast", ")slow", "reader(", ")reader")
			s.wantMessages(1, "user: go", "assistant:  slow{} reader{} fast{}", "tool: slow done", "tool: order is first", "tool: fast done")
		})
	})
}

// A model that calls a tool twice at once with the same arguments has it run
// once, and its result is sent twice.
func TestToolCalledTwiceAtOnce(t *testing.T) {
	tools := map[string]tool.Definition{"book": does(flag("booked"), respond("booked")), "pay": does(respond("paid"))}
	takes := map[string]time.Duration{"book": 500 * ms, "pay": 100 * ms}
	script := map[string][]step{
		"book it": {{after: 100 * ms, call: "book", args: `{"v":"1"}`}, {call: "pay"}, {call: "book", args: ` { "v": "1" }`}, {call: "book", args: `{"v":"2"}`}},
		"booked":  says("It is booked."),
	}
	perform(t, equip(tools, takes, script), func(s *scenario) {
		s.question("book it")
		s.wait(4 * time.Second)
	}, func(s *scenario) {
		if n := s.tools.ran; n != 3 {
			s.Errorf("%d tools ran, want 3: %v", n, s.tools.log)
		}
		s.wantMessages(1, "user: book it", `assistant:  book{"v":"1"} pay{} book { "v": "1" } book{"v":"2"}`, "tool: booked", "tool: paid", "tool: booked", "tool: booked")
		s.wantLines("assistant: Hello there.", "user: book it", "anna calls pay", "anna calls book", "anna calls book", "assistant: It is booked.")
		s.wantProblems()
	})
}

// Arguments that differ in the last digit of a long number are not the same.
func TestToolCalledWithLongNumbers(t *testing.T) {
	pay := does(respond("paid {{params.n}}"))
	pay.Config.Parameters = []tool.Parameter{{Name: "n", Type: "integer"}}
	script := map[string][]step{"pay": {{after: 100 * ms, call: "pay", args: `{"n":9007199254740993}`}, {call: "pay", args: `{"n":9007199254740992}`}, {call: "pay", args: `{"n":9007199254740993.0}`}}}
	perform(t, equip(map[string]tool.Definition{"pay": pay}, map[string]time.Duration{"pay": 500 * ms}, script), func(s *scenario) {
		s.question("pay")
		s.wait(4 * time.Second)
	}, func(s *scenario) {
		if n := s.tools.ran; n != 2 {
			s.Errorf("%d tools ran, want 2: %v", n, s.tools.log)
		}
		s.wantMessages(1, "user: pay", `assistant:  pay{"n":9007199254740993} pay{"n":9007199254740992} pay{"n":9007199254740993.0}`,
			"tool: paid 9007199254740993", "tool: paid 9007199254740992", "tool: paid 9007199254740993")
	})
}

// The caller interrupts while a tool runs: it goes on, its result is in the
// history, and the agent speaks of it when nobody else does.
func TestInterruptionDuringATool(t *testing.T) {
	tools := map[string]tool.Definition{"book": does(flag("booked"), respond("booked"))}
	takes := map[string]time.Duration{"book": 6 * time.Second}
	script := map[string][]step{
		"book it":          calls("book"),
		"how much is that": says("Ten."),
		"system":           says("It is booked."),
		"thanks":           says("Bye."),
	}
	act := func(then string) func(*scenario) {
		return func(s *scenario) {
			s.question("book it")
			s.wait(1500 * ms)
			s.say(then, 600*ms)
			s.wait(12 * time.Second)
			s.say("thanks", 500*ms)
			s.wait(4 * time.Second)
		}
	}
	t.Run("its result comes when it ends", func(t *testing.T) {
		perform(t, equip(tools, takes, script), act("how much is that"), func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: book it", "user: how much is that", "assistant: Ten.", "anna calls book",
				"assistant: It is booked.", "user: thanks", "assistant: Bye.")
			s.wantRuns("book(", ")book")
			s.wantMessages(1, "user: book it", "assistant:  book{}", "tool: "+generation.StillRunning, "user: how much is that")
			s.wantMessages(2, "user: book it", "assistant:  book{}", "tool: booked", "user: how much is that", "assistant: Ten.", "system: "+lateResult)
			if len(s.journal.turns) != 3 || !s.journal.turns[0].Interrupted {
				s.Errorf("turns are %+v", s.journal.turns)
			}
		})
	})
	t.Run("the model calls it again", func(t *testing.T) {
		again := map[string][]step{"book it": calls("book"), "how much is that": {{after: 100 * ms, call: "book", args: " { } "}}, "booked": says("It is booked."), "thanks": says("Bye.")}
		perform(t, equip(tools, takes, again), act("how much is that"), func(s *scenario) {
			s.wantRuns("book(", ")book")
			s.wantLines("assistant: Hello there.", "user: book it", "user: how much is that", "anna calls book", "assistant: One moment, please. It is booked.", "user: thanks", "assistant: Bye.")
			s.wantMessages(2, "user: book it", "assistant:  book{}", "tool: "+generation.StillRunning, "user: how much is that", "assistant:  book { } ", "tool: booked")
		})
	})
	t.Run("a cough is none", func(t *testing.T) {
		perform(t, equip(tools, takes, map[string][]step{"book it": calls("book"), "booked": says("It is booked."), "thanks": says("Bye.")}), func(s *scenario) {
			s.question("book it")
			s.wait(3000 * ms)
			s.say("", 250*ms)
			s.wait(8 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: book it", "anna calls book", "assistant: One moment, please. It is booked.")
		})
	})
	t.Run("what was to follow is not done", func(t *testing.T) {
		tools := map[string]tool.Definition{"book": does(respond("booked"), tool.Action{Type: tool.EndCall, Message: "Goodbye."})}
		perform(t, equip(tools, takes, script), act("how much is that"), func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: book it", "user: how much is that", "assistant: Ten.", "anna calls book",
				"assistant: It is booked.", "user: thanks", "assistant: Bye.")
			s.wantMessages(2, "user: book it", "assistant:  book{}", "tool: booked\nThe caller interrupted: end_call was not done. If it is still wanted, it has to be asked for again.",
				"user: how much is that", "assistant: Ten.", "system: "+lateResult)
		})
	})
	t.Run("the caller hangs up", func(t *testing.T) {
		perform(t, equip(tools, takes, script), func(s *scenario) {
			s.question("book it")
			s.wait(1500 * ms)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: book it", "anna calls book")
			if e := s.journal.entries; e[len(e)-1].Duration != 0 {
				s.Errorf("a tool that did not end took %v", e[len(e)-1].Duration)
			}
		})
	})
}

func TestFiller(t *testing.T) {
	line := func(text string) map[string]tool.Definition {
		d := does(respond("done"))
		d.Config.Filler = &text
		return map[string]tool.Definition{"work": d}
	}
	script := map[string][]step{"go": calls("work"), "go on": {{after: 100 * ms, text: "I will."}, {call: "work"}}, "done": says("Done.")}
	for _, c := range []struct {
		name, said string
		tools      map[string]tool.Definition
		takes      time.Duration
		turn       string
		want       string
	}{
		{"quick", "go", map[string]tool.Definition{"work": does(respond("done"))}, 1100 * ms, "", "Done."},
		{"slow", "go", map[string]tool.Definition{"work": does(respond("done"))}, 5 * time.Second, "", "One moment, please. Done."},
		{"its own line", "go", line("I look it up."), 5 * time.Second, "", "I look it up. Done."},
		{"none", "go", line(""), 5 * time.Second, "", "Done."},
		{"the agent waits longer", "go", map[string]tool.Definition{"work": does(respond("done"))}, 5 * time.Second, `{"filler_after_ms": 10000}`, "Done."},
		{"after what the model said", "go on", map[string]tool.Definition{"work": does(respond("done"))}, 5 * time.Second, "", "I will. One moment, please. Done."},
	} {
		t.Run(c.name, func(t *testing.T) {
			perform(t, func(s *scenario) {
				anna := s.options.Plan.Agents["anna"]
				anna.Turn = []byte(c.turn)
				s.options.Plan.Agents["anna"] = anna
				equip(c.tools, map[string]time.Duration{"work": c.takes}, script)(s)
			}, func(s *scenario) {
				s.question(c.said)
				s.wait(12 * time.Second)
			}, func(s *scenario) {
				s.wantLines("assistant: Hello there.", "user: "+c.said, "anna calls work", "assistant: "+c.want)
				if len(s.journal.turns) != 1 || s.journal.turns[0].Interrupted {
					s.Errorf("turns are %+v", s.journal.turns)
				}
			})
		})
	}
	t.Run("when", func(t *testing.T) {
		perform(t, equip(map[string]tool.Definition{"work": does(respond("done"))}, map[string]time.Duration{"work": 5 * time.Second}, script), func(s *scenario) {
			s.question("go") // committed 600 ms after its last sound, when the call is known already
			s.wait(10 * time.Second)
		}, func(s *scenario) {
			// The tool begins with the commit; 1.2 s later the line is
			// synthesised, which takes 80 ms.
			if got, want := s.journal.turns[0].VoiceToVoice, 600*ms+1200*ms+80*ms; got != want {
				s.Errorf("heard after %v, want %v", got, want)
			}
			want := []State{Speaking, Listening, Thinking, Speaking, Thinking, Speaking, Listening}
			if diff := cmp.Diff(want, s.line.states); diff != "" {
				s.Error(diff)
			}
		})
	})
}

// An answer that is only drafted runs nothing.
func TestDraftRunsNoTool(t *testing.T) {
	perform(t, equip(map[string]tool.Definition{"book": does(respond("booked"))}, nil, map[string][]step{
		"book": calls("book"), "book a table": calls("book"), "booked": says("Done."),
	}), func(s *scenario) {
		s.question("book")
		s.wait(500 * ms) // drafted 300 ms after the last sound
		if n := len(s.model.asked()); n != 1 || s.tools.ran != 0 {
			s.Errorf("asked the model %d times, ran %d tools before the turn was over", n, s.tools.ran)
		}
		s.say("a table", 600*ms)
		s.wait(5 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: book a table", "anna calls book", "assistant: Done.")
		s.wantRuns("book(", ")book")
	})
}

// A model that fails after a tool ran is asked again; the tool is not run
// again.
func TestToolIsNotRunAgainForTheModel(t *testing.T) {
	perform(t, func(s *scenario) {
		equip(map[string]tool.Definition{"book": does(respond("booked"))}, nil, nil)(s)
		failed := 0
		s.model.reply = func(p dialogue.Prompt) []step {
			switch last := p.Messages[len(p.Messages)-1]; {
			case last.Content == "booked" && failed < 2:
				failed++
				return []step{{after: 10 * ms, err: dialogue.NewError("overloaded")}}
			case last.Content == "booked":
				return says("Done.")
			default:
				return calls("book")
			}
		}
	}, func(s *scenario) {
		s.question("book")
		s.wait(8 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: book", "anna calls book", "assistant: Done.")
		s.wantRuns("book(", ")book")
	})
}

func TestTooManyRounds(t *testing.T) {
	perform(t, func(s *scenario) {
		equip(map[string]tool.Definition{"work": does(respond("go on"))}, nil, nil)(s)
		s.model.reply = func(p dialogue.Prompt) []step {
			if last := p.Messages[len(p.Messages)-1]; strings.HasPrefix(last.Content, "Not run") {
				return says("That is all.")
			}
			return calls("work")
		}
	}, func(s *scenario) {
		s.question("go")
		s.wait(8 * time.Second)
	}, func(s *scenario) {
		if s.tools.ran != 5 {
			s.Errorf("%d rounds were run, want 5", s.tools.ran)
		}
		if got := s.journal.lines[len(s.journal.lines)-1]; got != "assistant: That is all." {
			s.Errorf("ended with %q", got)
		}
		s.wantProblems("warning tool the model called functions more than 5 times in a turn")
	})
}

func TestToolFails(t *testing.T) {
	unreachable := tool.Action{Type: tool.APICall, URL: "ftp://nowhere/{{user.token}}", OnFailure: []tool.Action{respond("failed: {{result.error}}")}}
	perform(t, func(s *scenario) {
		equip(map[string]tool.Definition{"look_up": does(unreachable, respond("{{user.absent}}")), "panics": does()}, nil, map[string][]step{
			"look": calls("look_up"), "failed: the URL must be an https URL\n": says("Sorry."), "break": calls("panics"), "The function broke.": says("Oh."),
			"wrong": {{call: "look_up", args: `{"v":5}`}},
		})(s)
		s.options.UserContext = map[string]any{"token": "secret-token"}
	}, func(s *scenario) {
		s.question("look")
		s.wait(3 * time.Second)
		s.say("break", 500*ms)
		s.wait(3 * time.Second)
		s.say("wrong", 500*ms)
		s.wait(9 * time.Second)
	}, func(s *scenario) {
		s.wantProblems("error tool tool look_up: GET ftp://nowhere/{{user.token}}: the URL must be an https URL",
			"warning tool tool look_up: names {{user.absent}}, which this call does not have",
			"error tool tool panics: broke",
			"warning tool tool look_up: called with arguments that do not fit: v must be of type string")
		if got := s.journal.lines; !slices.Contains(got, "assistant: Sorry.") || !slices.Contains(got, "assistant: Oh.") || !strings.Contains(got[len(got)-1], "v must be of type string") {
			s.Errorf("transcript %q", got)
		}
	})
}

// two adds bert, who may be handed the call by tools alone.
func two(s *scenario) {
	second := config("Bert here.")
	second.Prompt.System = "You sell {{workflow.item}} to {{workflow.customer}}."
	s.options.Plan.Agents["bert"] = second
}

func TestToolHandsOff(t *testing.T) {
	hand := map[string]tool.Definition{"pass_on": does(remember("item", "cars"), tool.Action{Type: tool.Handoff, TargetAgent: "bert"})}
	t.Run("without a workflow", func(t *testing.T) {
		perform(t, func(s *scenario) {
			two(s)
			equip(hand, nil, map[string][]step{"a car": {{after: 100 * ms, text: "I pass you on."}, {call: "pass_on"}}, "yes": says("Sold.")})(s)
			anna := s.options.Plan.Agents["anna"]
			anna.Handoffs = []agent.Handoff{{TargetAgent: "bert", ContextPass: []string{"item"}, Condition: "flags.never"}}
			s.options.Plan.Agents["anna"] = anna
		}, func(s *scenario) {
			s.question("a car")
			s.wait(5 * time.Second)
			s.say("yes", 500*ms)
			s.wait(4 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: a car", "anna calls pass_on", "assistant: I pass you on.", "assistant: Bert here.", "user: yes", "assistant: Sold.")
			if diff := cmp.Diff([]string{"anna → bert"}, s.journal.changes); diff != "" {
				s.Error(diff)
			}
			asked := s.model.asked()
			if got := asked[len(asked)-1].System; got != "You sell cars to ." {
				s.Errorf("bert received %q", got)
			}
			if len(asked) != 2 {
				s.Errorf("the model was asked %d times, want 2: it has nothing to say after a handoff", len(asked))
			}
		})
	})
	t.Run("without a word", func(t *testing.T) {
		perform(t, func(s *scenario) { two(s); equip(hand, nil, map[string][]step{"a car": calls("pass_on")})(s) }, func(s *scenario) {
			s.question("a car")
			s.wait(4 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: a car", "anna calls pass_on", "assistant: Bert here.")
			if len(s.model.asked()) != 1 {
				s.Errorf("the model was asked %d times, want once", len(s.model.asked()))
			}
		})
	})
	t.Run("nowhere", func(t *testing.T) {
		perform(t, equip(hand, nil, map[string][]step{"a car": calls("pass_on"), "Done.\na handoff to bert is not possible here": says("I cannot.")}), func(s *scenario) {
			s.question("a car")
			s.wait(5 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: a car", "anna calls pass_on", "assistant: I cannot.")
			s.wantProblems("warning tool tool pass_on: a handoff to bert is not possible here")
		})
	})
	t.Run("interrupted", func(t *testing.T) {
		perform(t, func(s *scenario) {
			two(s)
			equip(hand, nil, map[string][]step{"a car": {{after: 100 * ms, text: long}, {call: "pass_on"}}, "wait": says("Yes?")})(s)
		}, func(s *scenario) {
			s.question("a car")
			s.wait(1200 * ms)
			s.say("wait", 600*ms)
			s.wait(5 * time.Second)
		}, func(s *scenario) {
			if len(s.journal.changes) != 0 {
				s.Errorf("handed over: %v", s.journal.changes)
			}
			s.wantMessages(1, "user: a car", "assistant:  pass_on{}", "tool: Done.", "assistant: One two three four",
				"system: The caller interrupted: handoff was not done. If it is still wanted, it has to be asked for again.", "user: wait")
		})
	})
}

func TestToolEndsTheCall(t *testing.T) {
	perform(t, equip(map[string]tool.Definition{"finish": does(tool.Action{Type: tool.EndCall, Message: "Goodbye {{user.name}}."})}, nil,
		map[string][]step{"bye": calls("finish")}), func(s *scenario) {
		s.question("bye")
		s.waitEnd(AgentEnded)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: bye", "anna calls finish", "assistant: Goodbye .")
	})
}

// A tool of the tenant's goes before a function of the engine's by that name.
func TestToolNamedLikeAFunction(t *testing.T) {
	perform(t, equip(map[string]tool.Definition{"end_call": does(respond("not yet"))}, nil, map[string][]step{"bye": calls("end_call"), "not yet": says("Stay.")}), func(s *scenario) {
		s.question("bye")
		s.wait(4 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: bye", "anna calls end_call", "assistant: Stay.")
		if got := s.model.asked()[0].Tools; len(got) != 2 || got[1].Name != "end_call_2" {
			s.Errorf("offered %+v", got)
		}
	})
}

// In a workflow, tools open connections and set the inputs of the next agent.
func TestToolsInAWorkflow(t *testing.T) {
	perform(t, func(s *scenario) {
		two(s)
		s.options.Plan.Agent = ""
		s.options.Plan.Workflow = &workflow.Config{SharedContext: []string{"item"},
			Nodes: []workflow.Node{{ID: "1", AgentName: "anna", IsEntry: true},
				{ID: "2", AgentName: "bert", IsExit: true, ContextMapping: map[string]string{"customer": "workflow.name", "age": "workflow.age"}}},
			Connections: []workflow.Connection{{SourceID: "1", TargetID: "2", Condition: "flags.verified && workflow.name == 'Ada'"}}}
		equip(map[string]tool.Definition{"verify": does(flag("verified"), remember("name", "Ada"), remember("item", "cars"), respond("verified"))}, nil, map[string][]step{
			"I am Ada": calls("verify"), "verified": {{after: 100 * ms, text: "Right."}, {call: "handoff_to_bert"}}, "yes": says("Sold."),
		})(s)
	}, func(s *scenario) {
		s.question("I am Ada")
		s.wait(5 * time.Second)
		s.say("yes", 500*ms)
		s.wait(4 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: I am Ada", "anna calls verify", "assistant: Right.", "anna calls handoff_to_bert",
			"assistant: Bert here.", "user: yes", "assistant: Sold.")
		var offered [][]string
		for _, p := range s.model.asked() {
			var names []string
			for _, f := range p.Tools {
				names = append(names, f.Name)
			}
			offered = append(offered, names)
		}
		if diff := cmp.Diff([][]string{{"verify"}, {"verify", "handoff_to_bert"}, {"verify", "end_call"}}, offered); diff != "" {
			s.Error(diff)
		}
		if got := s.model.asked()[2].System; got != "You sell cars to Ada." {
			s.Errorf("bert received %q", got)
		}
		s.wantProblems("warning workflow an input comes from {{workflow.age}}, which this call does not have")
	})
}

type fakePhone struct {
	sent, to []string
	err      error
}

func (p *fakePhone) SendDTMF(_ context.Context, digits string) error {
	p.sent = append(p.sent, digits)
	return nil
}

func (p *fakePhone) Transfer(ctx context.Context, number string) error {
	p.to = append(p.to, number)
	select {
	case <-time.After(2 * time.Second):
	case <-ctx.Done():
	}
	return p.err
}

func TestTransfer(t *testing.T) {
	tools := map[string]tool.Definition{"connect": does(tool.Action{Type: tool.SendDTMF, Digits: "1w2"}, tool.Action{Type: tool.TransferCall, PhoneNumber: "+4930123456", Message: "I connect you."})}
	script := map[string][]step{"a person": calls("connect"), "system": says("It did not work.")}
	t.Run("a phone call", func(t *testing.T) {
		phone := &fakePhone{}
		perform(t, func(s *scenario) { equip(tools, nil, script)(s); s.options.Phone = phone }, func(s *scenario) {
			s.question("a person")
			s.wait(1500 * ms)
			s.say("hello", 600*ms) // while it is being connected nobody answers
			s.waitEnd(Transferred)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: a person", "anna calls connect", "assistant: I connect you.", "user: hello")
			if !slices.Equal(phone.sent, []string{"1w2"}) || !slices.Equal(phone.to, []string{"+4930123456"}) {
				s.Errorf("sent %q, transferred to %q", phone.sent, phone.to)
			}
		})
	})
	t.Run("that cannot be transferred", func(t *testing.T) {
		perform(t, func(s *scenario) {
			equip(tools, nil, script)(s)
			s.options.Phone = &fakePhone{err: errors.New("603 declined")}
		}, func(s *scenario) {
			s.question("a person")
			s.wait(8 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: a person", "anna calls connect", "assistant: I connect you.", "assistant: It did not work.")
			s.wantProblems("error tool the call could not be transferred: 603 declined")
		})
	})
	t.Run("no phone call", func(t *testing.T) {
		perform(t, equip(tools, nil, map[string][]step{"a person": calls("connect"),
			"Tones cannot be sent: this is no phone call.\nThe call cannot be transferred: it is no phone call.": says("I cannot.")}), func(s *scenario) {
			s.question("a person")
			s.wait(4 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: a person", "anna calls connect", "assistant: I cannot.")
			if len(s.journal.problems) != 2 || s.journal.problems[0].Critical {
				s.Errorf("problems are %+v", s.journal.problems)
			}
		})
	})
}

// waitingPhone transfers a call when the test allows it.
type waitingPhone struct {
	fakePhone
	may chan struct{}
}

func (p *waitingPhone) Transfer(ctx context.Context, _ string) error {
	select {
	case <-p.may:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A transfer and the end of the call may come at the same moment: one that was
// made is why the call ended, one that was broken off did not fail.
func TestTransferAtTheEnd(t *testing.T) {
	tools := map[string]tool.Definition{"connect": does(tool.Action{Type: tool.TransferCall, PhoneNumber: "+4930123456"})}
	for name, want := range map[string]End{"made": Transferred, "broken off": ""} {
		t.Run(name, func(t *testing.T) {
			for range 10 { // which of the two the session receives first is random
				var phone *waitingPhone
				perform(t, with(equip(tools, nil, map[string][]step{"a person": calls("connect")}), func(s *scenario) {
					phone = &waitingPhone{may: make(chan struct{})}
					s.options.Phone = phone
				}), func(s *scenario) {
					s.question("a person")
					s.wait(1500 * ms)
					var once sync.Once
					s.recognizer.mu.Lock()
					s.recognizer.given = func() { // the session is busy meanwhile
						once.Do(func() {
							if want == Transferred {
								close(phone.may)
								time.Sleep(time.Millisecond)
							}
							s.cancel(errHungUp)
							time.Sleep(time.Millisecond)
						})
					}
					s.recognizer.mu.Unlock()
					<-s.ended
				}, func(s *scenario) {
					s.wantProblems()
					if s.end != want {
						s.Errorf("ended with %q, %v; want %q", s.end, s.err, want)
					}
				})
			}
		})
	}
}

// A tool that takes longer than callers may be silent does not end the call.
func TestSlowToolIsNoSilence(t *testing.T) {
	perform(t, func(s *scenario) {
		anna := s.options.Plan.Agents["anna"]
		anna.Turn = []byte(`{"silence_prompts": 0}`)
		s.options.Plan.Agents["anna"] = anna
		equip(map[string]tool.Definition{"work": does(respond("done"))}, map[string]time.Duration{"work": 30 * time.Second}, map[string][]step{"go": calls("work"), "done": says("Done.")})(s)
		s.options.SilenceTimeout = 10 * time.Second
	}, func(s *scenario) {
		s.question("go")
		s.waitEnd(Silence)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: go", "anna calls work", "assistant: One moment, please. "+strings.Join([]string{longer, wait, longer, "Done."}, " "))
	})
}
