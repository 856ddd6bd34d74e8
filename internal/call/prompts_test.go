package call_test

import (
	"context"
	"testing"

	"parley/internal/agent"
	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/prompt"
	"parley/internal/provider/catalogtest"
	"parley/internal/workflow"
)

// A call's prompts are those of its dispatch, while it is open and when it has ended, of the agents that held it alone.
func TestPrompts(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		const system = "Be brief. {{prompt.house}}"
		agents := agent.Registry{Providers: catalogtest.Any{}, Usage: workflow.Usage{}}.In(h.db.Tenant(acme))
		prompts := prompt.In(h.db.Tenant(acme))
		for _, slug := range []string{"house", "unused"} {
			if _, err := prompts.Create(t.Context(), prompt.Draft{Slug: slug, Body: prompt.Body{Name: slug, Category: prompt.DefaultCategory, Content: map[string]string{"en": "The " + slug + " rules."}}}); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := agents.Create(t.Context(), agent.Draft{Name: "greeter", Config: agent.Config{
			Prompt: agent.Prompt{System: system, Greeting: "{{prompt.unused}}"}, STT: agent.STT{Provider: "offline", Model: "pocketsphinx"},
			TTS: agent.TTS{Provider: "offline", VoiceID: "rms"}, LLM: agent.LLM{Provider: "offline", Model: "scripted"}, Handoffs: []agent.Handoff{{TargetAgent: "desk"}},
		}}); err != nil {
			t.Fatal(err)
		}
		c, _, err := h.calls.Dispatch(t.Context(), call.Request{TenantID: acme, AgentName: "greeter", CallType: call.VoIP, Livemode: true})
		if err != nil {
			t.Fatal(err)
		}
		check := func(when string, held bool) {
			t.Helper()
			got, templates, err := h.calls.Prompts(t.Context(), acme, c.ID)
			switch {
			case err != nil:
				t.Fatal(err)
			case !held && (len(got) != 0 || len(templates) != 0):
				t.Errorf("%s: %v, %v; want none", when, got, templates)
			case held && (len(got) != 1 || got[0] != call.AgentPrompt{Agent: "greeter", System: system}):
				t.Errorf("%s: prompts %v", when, got)
			case held && (len(templates) != 1 || templates[0].Slug != "house" || templates[0].Content["en"] != "The house rules."):
				t.Errorf("%s: templates %v", when, templates)
			}
		}
		check("before any agent", false)
		lease := h.claim("w1")
		if err := h.calls.MarkConnecting(t.Context(), lease); err != nil {
			t.Fatal(err)
		}
		if err := h.calls.MarkActive(t.Context(), lease); err != nil {
			t.Fatal(err)
		}
		if err := h.calls.Record(t.Context(), lease, call.Records{Handoffs: []call.Handoff{{Agent: "greeter"}}}); err != nil {
			t.Fatal(err)
		}
		if err := h.db.Tenant(acme).Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
			_, err := tx.ExecContext(ctx, "DELETE FROM agents WHERE name = 'greeter'")
			return err
		}); err != nil {
			t.Fatal(err)
		}
		check("while the call is active, without the agent", true)
		if _, err := h.calls.Finish(t.Context(), lease, call.AgentEnded); err != nil {
			t.Fatal(err)
		}
		check("after the end", true)
		if _, _, err := h.calls.Prompts(t.Context(), "0190a000-0000-7000-8000-000000000000", c.ID); err == nil {
			t.Error("another tenant reads the prompts")
		}
		if err := h.db.Tenant(acme).Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
			return call.Purge(ctx, tx, []string{c.ID}, nil)
		}); err != nil {
			t.Fatal(err)
		}
		check("after the purge", false)
	})
}
