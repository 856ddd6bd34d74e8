package voice

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/agent"
	"parley/internal/dialogue"
	"parley/internal/workflow"
)

// A caller who interrupts an agent that is about to hand over keeps it: what
// they say goes before what it had in mind.
func TestHandoffDuringInterruption(t *testing.T) {
	handsOver := func(s *scenario) {
		sales(s)
		s.model.reply = func(p dialogue.Prompt) []step {
			switch {
			case p.System == "You sell.":
				return []step{{after: 10 * ms, text: "Sold."}}
			case lastUser(p) == "wait":
				return []step{{after: 10 * ms, text: "Yes?"}}
			}
			return []step{{after: 10 * ms, text: "One moment please I pass you on."}, {call: "handoff_to_bert"}}
		}
	}
	t.Run("while the agent announces it", func(t *testing.T) {
		perform(t, with(handsOver, func(s *scenario) { s.synthesizer.timed = true }), func(s *scenario) {
			s.question("I want to buy")
			s.wait(1290 * ms)
			s.say("wait", 700*ms)
			s.wait(6 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: I want to buy", "assistant: One moment please I", "user: wait", "assistant: Yes?")
			if len(s.journal.changes) != 0 {
				s.Errorf("handed over: %v", s.journal.changes)
			}
		})
	})
	t.Run("while the next agent introduces itself", func(t *testing.T) {
		perform(t, with(handsOver, func(s *scenario) {
			bert := s.options.Plan.Agents["bert"]
			bert.Prompt.Greeting = long
			s.options.Plan.Agents["bert"] = bert
			s.synthesizer.timed = true
		}), func(s *scenario) {
			s.question("I want to buy")
			s.wait(3200 * ms)
			s.say("a car", 700*ms)
			s.wait(6 * time.Second)
		}, func(s *scenario) {
			s.wantLines("assistant: Hello there.", "user: I want to buy", "assistant: One moment please I pass you on.", "anna calls handoff_to_bert",
				"assistant: One two three four five six", "user: a car", "assistant: Sold.")
			if diff := cmp.Diff([]string{"anna → bert"}, s.journal.changes); diff != "" {
				s.Error(diff)
			}
		})
	})
}

// A workflow whose nodes are all skipped but the last begins there, and the
// agent of an exit node ends the call.
func TestSkipToTheExit(t *testing.T) {
	perform(t, func(s *scenario) {
		s.options.UserContext = map[string]any{"known": true}
		s.options.Plan = Plan{
			Workflow: &workflow.Config{
				Nodes: []workflow.Node{
					{ID: "in", AgentName: "anna", IsEntry: true, SkipCondition: "user.known"},
					{ID: "ask", AgentName: "carl", SkipCondition: "user.known"},
					{ID: "out", AgentName: "bert", IsExit: true},
				},
				Connections: []workflow.Connection{{SourceID: "in", TargetID: "ask"}, {SourceID: "ask", TargetID: "out"}, {SourceID: "in", TargetID: "out", Condition: "user.nobody"}},
			},
			Agents: map[string]agent.Config{"anna": config("Anna here."), "carl": config("Carl here."), "bert": config("Bert here.")},
		}
		replying(step{after: 10 * ms, text: "Goodbye."}, step{call: "end_call"})(s)
	}, func(s *scenario) {
		s.question("thank you")
		s.waitEnd(AgentEnded)
	}, func(s *scenario) {
		s.wantLines("assistant: Bert here.", "user: thank you", "assistant: Goodbye.", "bert calls end_call")
		s.wantProblems()
	})
}
