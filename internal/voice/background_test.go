package voice

import (
	"encoding/json"
	"testing"
	"time"

	"parley/internal/agent"
	"parley/internal/tool"
	"parley/internal/voice/generation"
)

// inBackground makes tools run in the background.
func inBackground(tools map[string]tool.Definition) map[string]tool.Definition {
	for name, definition := range tools {
		definition.Config.Async = true
		tools[name] = definition
	}
	return tools
}

// The agent continues the conversation while a tool runs in the background, and speaks of its result once neither side speaks.
func TestToolInTheBackground(t *testing.T) {
	tools := inBackground(map[string]tool.Definition{"book": does(flag("booked"), respond("booked {{params.v}}"))})
	script := map[string][]step{
		"book it":              {{after: 100 * ms, call: "book", args: `{"v":"a table"}`}},
		generation.Running:     says("I am booking it. Anything else?"),
		generation.RunsAlready: says("It is on its way."),
		"how much is that":     says("Ten dollars for each of you, and the children are free."),
		"again":                {{after: 100 * ms, call: "book", args: `{"v":"a table"}`}},
		"system":               says("It is booked."),
	}
	result := "tool: booked a table"
	t.Run("its result comes when both are silent", func(t *testing.T) {
		perform(t, equip(tools, map[string]time.Duration{"book": 6 * time.Second}, script), func(s *scenario) {
			s.question("book it")
			s.wait(4500 * ms)
			s.say("how much is that", 800*ms) // the tool ends while this is answered
			s.wait(8 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: book it", "anna calls book started", "assistant: I am booking it. Anything else?", "user: how much is that",
				"anna calls book ended", "assistant: Ten dollars for each of you, and the children are free.", "assistant: It is booked.")
			s.wantMessages(1, "user: book it", `assistant:  book{"v":"a table"}`, "tool: "+generation.Running)
			s.wantMessages(3, "user: book it", `assistant:  book{"v":"a table"}`, "tool: "+generation.Running, "assistant: I am booking it. Anything else?", "user: how much is that",
				`assistant:  book{"v":"a table"}`, result, "assistant: Ten dollars for each of you, and the children are free.", "system: "+lateResult)
			s.wantProblems()
			for _, e := range s.journal.entries {
				if e.Phase == ToolEnded && (e.Duration != 6*time.Second || e.Answer != "booked a table") {
					t.Errorf("kept as %v, %q", e.Duration, e.Answer)
				}
			}
		})
	})
	t.Run("the caller's next turn has it", func(t *testing.T) {
		perform(t, equip(tools, map[string]time.Duration{"book": 4500 * ms}, script), func(s *scenario) {
			s.question("book it")
			s.wait(4500 * ms)
			s.say("how much is that", 1200*ms)
			s.wait(8 * time.Second)
		}, func(s *scenario) {
			s.wantMessages(2, "user: book it", `assistant:  book{"v":"a table"}`, "tool: "+generation.Running, "assistant: I am booking it. Anything else?",
				`assistant:  book{"v":"a table"}`, result, "user: how much is that")
			if asked := len(s.model.asked()); asked != 3 {
				t.Errorf("the model was asked %d times", asked)
			}
		})
	})
	t.Run("it is not run again meanwhile", func(t *testing.T) {
		perform(t, equip(tools, map[string]time.Duration{"book": 9 * time.Second}, script), func(s *scenario) {
			s.question("book it")
			s.wait(4500 * ms)
			s.say("again", 600*ms)
			s.wait(12 * time.Second)
		}, func(s *scenario) {
			s.wantRuns("book(", ")book")
			s.wantLines("assistant: Hello there.", "user: book it", "anna calls book started", "assistant: I am booking it. Anything else?", "user: again",
				"assistant: It is on its way.", "anna calls book ended", "assistant: It is booked.")
		})
	})
	t.Run("the end of the call cancels it", func(t *testing.T) {
		perform(t, equip(tools, map[string]time.Duration{"book": time.Minute}, script), func(s *scenario) {
			s.question("book it")
			s.wait(5 * time.Second)
		}, func(s *scenario) {
			s.wantRuns("book(", ")book") // cancelled by its context
			s.wantLines("assistant: Hello there.", "user: book it", "anna calls book started", "assistant: I am booking it. Anything else?", "anna calls book cancelled")
		})
	})
}

// Several run at once, with one that the answer waits for; their changes take effect when they end.
func TestToolsInTheBackgroundAtOnce(t *testing.T) {
	tools := inBackground(map[string]tool.Definition{"one": does(remember("x", "1"), respond("one done")), "two": does(respond("two done")), "after": does(respond("x is {{workflow.y}}"))})
	tools["soon"] = does(remember("y", "2"), respond("soon done"))
	const busy = "I am at it, and I tell you as soon as I know. Meanwhile, please have your number at hand."
	takes := map[string]time.Duration{"one": 2500 * ms, "two": 2900 * ms, "soon": 500 * ms, "after": 100 * ms}
	script := map[string][]step{"go": calls("one", "soon", "two", "after"), generation.Running: says(busy), "system": says("Both are done.")}
	perform(t, equip(tools, takes, script), func(s *scenario) {
		s.question("go")
		s.wait(12 * time.Second)
		if context, _ := s.session.router.Position(); context.Newest["x"] != "1" || context.Newest["y"] != "2" {
			t.Errorf("the context is %v", context.Newest)
		}
	}, func(s *scenario) {
		s.wantMessages(1, "user: go", "assistant:  one{} soon{} two{} after{}", "tool: "+generation.Running, "tool: soon done", "tool: "+generation.Running, "tool: "+generation.Running)
		s.wantLines("assistant: Hello there.", "user: go", "anna calls one started", "anna calls two started", "anna calls soon", "anna calls after started", "anna calls after ended",
			"anna calls one ended", "anna calls two ended", "assistant: "+busy, "assistant: Both are done.")
	})
}

// A failure is a result, too; after a handoff the agent that has the call speaks of it.
func TestToolInTheBackgroundFailsAfterAHandoff(t *testing.T) {
	perform(t, func(s *scenario) {
		s.options.Plan.Agents = map[string]agent.Config{"anna": config("Hello there."), "bert": config("Bert here.")}
		equip(inBackground(map[string]tool.Definition{"panics": does(respond("never"))}), nil, map[string][]step{
			"try it":           calls("panics"),
			generation.Running: {{after: 100 * ms, text: "I try."}, {call: "handoff_to_bert"}},
			"system":           says("It did not work."),
		})(s)
		anna := s.options.Plan.Agents["anna"]
		anna.Handoffs = []agent.Handoff{{TargetAgent: "bert"}}
		s.options.Plan.Agents["anna"] = anna
		s.tools.begins = func() { time.Sleep(6 * time.Second) }
	}, func(s *scenario) {
		s.question("try it")
		s.wait(12 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: try it", "anna calls panics started", "assistant: I try.", "anna calls handoff_to_bert", "assistant: Bert here.",
			"anna calls panics ended", "assistant: It did not work.")
		s.wantProblems("error tool tool panics: broke")
	})
}

// onWait is a tool with texts for the wait.
func onWait(after int, texts ...string) tool.Definition {
	d := does(respond("done"))
	d.Config.OnWait = &tool.OnWait{Text: texts, AfterMS: &after}
	return d
}

func TestTextsOnWait(t *testing.T) {
	script := map[string][]step{"go": {{after: 100 * ms, call: "slow", args: `{"v":"4711"}`}}, "done": says("Done.")}
	texts := []string{"I look for {{params.v}}, {{user.name}}.", "It takes a little longer."}
	for name, c := range map[string]struct {
		takes time.Duration
		want  string
	}{
		"the answer comes first":      {800 * ms, "assistant: Done."},
		"the first":                   {3 * time.Second, "assistant: I look for 4711, Ada. Done."},
		"each once":                   {9 * time.Second, "assistant: I look for 4711, Ada. It takes a little longer. Done."},
		"then the deadline's own one": {16 * time.Second, "assistant: I look for 4711, Ada. It takes a little longer. " + longer + " Done."},
	} {
		t.Run(name, func(t *testing.T) {
			perform(t, func(s *scenario) {
				s.options.UserContext = map[string]any{"name": "Ada"}
				equip(map[string]tool.Definition{"slow": onWait(1000, texts...)}, map[string]time.Duration{"slow": c.takes}, script)(s)
				withTurn(s, `{"answer_deadline_ms":6000}`)
			}, func(s *scenario) {
				s.question("go")
				s.wait(c.takes + 10*time.Second)
			}, func(s *scenario) {
				s.wantLines("assistant: Hello there.", "user: go", "anna calls slow", c.want)
			})
		})
	}
}

// withTurn sets config.turn of the agent anna.
func withTurn(s *scenario, settings string) {
	c := s.options.Plan.Agents["anna"]
	c.Turn = json.RawMessage(settings)
	s.options.Plan.Agents["anna"] = c
}
