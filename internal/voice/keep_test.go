package voice

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"parley/internal/dialogue"
	"parley/internal/tool"
	"parley/internal/voice/generation"
	"parley/internal/workflow"
)

// A worker that takes over a call has its flags and keys, is at its node
// and knows which tools were run.
func TestKeptContext(t *testing.T) {
	tools := map[string]tool.Definition{"verify": does(flag("verified"), remember("name", "Ada"), remember("age", "{{params.v}}"), respond("verified")), "slow": does()}
	begin := func(s *scenario) {
		two(s)
		third := s.options.Plan.Agents["bert"]
		third.Prompt.System = "{{workflow.name}} {{workflow.who}} {{workflow.age}} {{flags.verified}}"
		s.options.Plan.Agents["bert"] = third
		s.options.Plan.Agent = ""
		s.options.Plan.Workflow = &workflow.Config{SharedContext: []string{"name"},
			Nodes: []workflow.Node{{ID: "1", AgentName: "anna", IsEntry: true}, {ID: "2", AgentName: "bert"},
				{ID: "3", AgentName: "bert", IsExit: true, ContextMapping: map[string]string{"who": "workflow.name"}}},
			Connections: []workflow.Connection{{SourceID: "1", TargetID: "2", Condition: "flags.never"}, {SourceID: "1", TargetID: "3", Condition: "flags.verified"}}}
	}
	var kept json.RawMessage
	perform(t, func(s *scenario) {
		begin(s)
		equip(tools, map[string]time.Duration{"slow": time.Hour}, map[string][]step{
			"I am Ada": {{after: 100 * ms, call: "verify", args: `{"v":"36"}`}}, "verified": {{after: 100 * ms, text: "Right."}, {call: "handoff_to_bert"}}, "go": calls("slow"),
		})(s)
		s.options.SaveSnapshot = func(context json.RawMessage) <-chan struct{} { kept = context; return saved }
	}, func(s *scenario) {
		s.question("I am Ada")
		s.wait(5 * time.Second)
		s.say("go", 500*ms)
		s.wait(3 * time.Second)
	}, func(s *scenario) {})

	perform(t, func(s *scenario) {
		begin(s)
		equip(tools, nil, map[string][]step{"system": says("I am back.")})(s)
		s.options.History = []dialogue.Message{{Role: dialogue.RoleUser, Content: "I am Ada"}}
		s.options.ResumeAgent, s.options.Snapshot = "bert", kept
	}, func(s *scenario) { s.wait(3 * time.Second) }, func(s *scenario) {
		s.wantLines("assistant: I am back.")
		p := s.model.asked()[0]
		if p.System != "Ada Ada  true" {
			s.Errorf("bert received %q", p.System)
		}
		if got := p.Messages[1].Content; !strings.HasSuffix(got, "\nverify {\"v\":\"36\"}: verified\nslow {}: not known: it may have been done or not") {
			s.Errorf("of the tools it received %q", got)
		}
		if names := p.Tools; names[len(names)-1].Name != "end_call" {
			s.Errorf("it does not stand at its node: offered %+v", names)
		}
	})

	for _, broken := range []string{``, `{`, `[]`, `null`} {
		perform(t, func(s *scenario) { s.options.Snapshot = json.RawMessage(broken) }, func(s *scenario) { s.wait(2 * time.Second) }, func(s *scenario) {
			s.wantLines("assistant: Hello there.")
		})
	}
}

// A tool begins when its beginning is saved, unless saving is slow.
func TestToolWaitsForItsNote(t *testing.T) {
	for name, tc := range map[string]struct{ takes, want time.Duration }{
		"quick": {300 * ms, 300 * ms},
		"never": {time.Hour, generation.SaveTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			var noted, begun time.Time
			perform(t, with(equip(map[string]tool.Definition{"book": does(respond("booked"))}, nil, map[string][]step{"book it": calls("book"), "booked": says("Done.")}), func(s *scenario) {
				s.options.SaveSnapshot = func(json.RawMessage) <-chan struct{} {
					if noted.IsZero() {
						noted = time.Now()
					}
					kept := make(chan struct{})
					time.AfterFunc(tc.takes, func() { close(kept) })
					return kept
				}
				s.tools.begins = func() { begun = time.Now() }
			}), func(s *scenario) {
				s.question("book it")
				s.wait(8 * time.Second)
			}, func(s *scenario) {
				if got := begun.Sub(noted); got != tc.want {
					s.Errorf("the tool began after %v, want %v", got, tc.want)
				}
				if last := s.journal.lines[len(s.journal.lines)-1]; !strings.HasSuffix(last, "Done.") {
					s.Errorf("ended with %q", last)
				}
			})
		})
	}
	t.Run("but the call ends", func(t *testing.T) {
		perform(t, with(equip(map[string]tool.Definition{"book": does(respond("booked"))}, nil, map[string][]step{"book it": calls("book")}), func(s *scenario) {
			s.options.SaveSnapshot = func(json.RawMessage) <-chan struct{} { return nil }
		}), func(s *scenario) {
			s.question("book it")
			s.wait(1500 * ms)
		}, func(s *scenario) {
			if s.tools.ran != 0 {
				s.Error("the tool began all the same")
			}
		})
	})
}
