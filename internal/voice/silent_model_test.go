package voice

import (
	"regexp"
	"testing"
	"time"

	"parley/internal/dialogue"
)

// A model that sends something but no word is given up for the fallback: after the time to the first token that the agent
// sets, or after 8 s.
func TestFirstTokenTimeout(t *testing.T) {
	alive := func() (steps []step) { // it sends empty pieces
		for range 60 {
			steps = append(steps, step{after: time.Second})
		}
		return steps
	}
	for name, test := range map[string]struct {
		set     int
		said    string
		problem []string
	}{
		"as a rule": {0, wait + " ", []string{late, "warning llm model: no answer for 8s; the fallback takes its place"}},
		"as set":    {3000, "", []string{"warning llm model: no answer for 3s; the fallback takes its place"}},
	} {
		t.Run(name, func(t *testing.T) {
			perform(t, with(fallbacks, replying(alive()...), func(s *scenario) {
				c := s.options.Plan.Agents["anna"]
				if test.set > 0 {
					c.LLM.FirstTokenTimeoutMS = &test.set
				}
				s.options.Plan.Agents["anna"] = c
			}), func(s *scenario) {
				s.question("when do you open")
				s.wait(12 * time.Second)
			}, func(s *scenario) {
				s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: "+test.said+"The other one says ten.")
				s.wantProblems(test.problem...)
				s.wantAsked(1, 1)
			})
		})
	}
}

// A caller who leaves while the model is silent leaves a warning behind, if the turn's budget was over.
func TestSilentModelIsReported(t *testing.T) {
	for name, test := range map[string]struct {
		waits time.Duration
		want  []string
	}{
		"over the budget":   {5 * time.Second, []string{"warning llm the caller waited 5 s and heard no answer, over the budget of 2500 ms; the language model had said nothing yet"}},
		"within the budget": {time.Second, nil},
	} {
		t.Run(name, func(t *testing.T) {
			perform(t, func(s *scenario) {
				s.model.reply = func(dialogue.Prompt) []step { return []step{{after: time.Hour}} }
			}, func(s *scenario) {
				s.question("when do you open")
				s.wait(test.waits)
			}, func(s *scenario) {
				for i, p := range s.journal.problems { // the question ends within a frame or two of its last sound
					s.journal.problems[i].Message = aboutFiveSeconds.ReplaceAllString(p.Message, "5 s")
				}
				s.wantProblems(test.want...)
			})
		})
	}
}

var aboutFiveSeconds = regexp.MustCompile(`50[0-9]0 ms`)

// late is the warning about a model that has sent nothing by the answer deadline.
const late = "warning llm the caller has heard no answer by the answer deadline; the language model had said nothing yet"

// A caller who speaks again and again while the model is silent does not keep it in use: its silences count together.
func TestSilentModelIsInterrupted(t *testing.T) {
	for name, test := range map[string]struct {
		prepare func(*scenario)
		problem string
	}{
		"a fallback": {fallbacks, "warning llm model: no answer for 2s; the fallback takes its place"},
		"no other":   {func(*scenario) {}, "error llm model: no answer for 2s"},
	} {
		t.Run(name, func(t *testing.T) {
			perform(t, with(test.prepare, replying(step{after: time.Hour}), func(s *scenario) {
				anna := s.options.Plan.Agents["anna"]
				anna.Turn = []byte(`{"answer_deadline_ms": 0, "budget_ms": 0}`)
				s.options.Plan.Agents["anna"] = anna
			}), func(s *scenario) {
				s.question("when do you open")
				for range 8 {
					s.say("hello are you there", 1000*ms)
					s.wait(3 * time.Second)
				}
				s.wait(4 * time.Second)
			}, func(s *scenario) { s.wantProblems(test.problem) })
		})
	}
}
