package call_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/agent"
	"parley/internal/call"
	"parley/internal/provider/catalogtest"
	"parley/internal/workflow"
)

// Each agent that a call can reach is loaded once, however many handoffs lead to it; a handoff to an agent that does not
// exist is ignored.
func TestReach(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		agents := agent.Registry{Providers: catalogtest.Any{}, Usage: workflow.Usage{}}.In(h.db.Tenant(acme))
		add := func(name string, targets ...string) {
			var handoffs []agent.Handoff
			for _, target := range targets {
				handoffs = append(handoffs, agent.Handoff{TargetAgent: target})
			}
			if _, _, err := agents.Create(t.Context(), agent.Draft{Name: name, Config: agent.Config{
				Prompt: agent.Prompt{System: "You are " + name + "."}, Handoffs: handoffs,
				STT: agent.STT{Provider: "offline", Model: "pocketsphinx"},
				TTS: agent.TTS{Provider: "offline", VoiceID: "rms"},
				LLM: agent.LLM{Provider: "offline", Model: "scripted"},
			}}); err != nil {
				t.Fatal(err)
			}
		}
		const floors = 20 // 2²⁰ ways to the top
		add("door", "l1", "r1")
		for n := 1; n < floors; n++ {
			for _, side := range []string{"l", "r"} {
				add(fmt.Sprint(side, n), fmt.Sprint("l", n+1), fmt.Sprint("r", n+1), "door", fmt.Sprint(side, n))
			}
		}
		add(fmt.Sprint("l", floors), "roof")
		add(fmt.Sprint("r", floors), "roof", "l1")
		_, absent, err := call.ReadPlan(t.Context(), h.db.Tenant(acme), "", "door")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, item := range absent {
			got = append(got, *item.Agent+": "+item.Message)
		}
		const gone = ": a handoff leads to the agent roof, which does not exist or is not active; it is not offered"
		if diff := cmp.Diff([]string{"l20" + gone, "r20" + gone}, got); diff != "" {
			t.Errorf("absent (-want +got):\n%s", diff)
		}
	})
}
