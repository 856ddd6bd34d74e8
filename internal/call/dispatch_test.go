package call_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/agent"
	"parley/internal/call"
	"parley/internal/prompt"
	"parley/internal/provider/catalogtest"
	"parley/internal/workflow"
)

// A call's plan has the templates that its agents refer to, unrendered: the call's context is stored encrypted, and must not
// be readable in the plan.
func TestPlanHoldsPrompts(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		tenant := h.db.Tenant(acme)
		library := prompt.In(tenant)
		for slug, text := range map[string]string{"welcome": "Hello {{user.name}}", "error": "Oh dear.", "wait": "Hold on.", "other": "Not needed."} {
			if _, err := library.Create(t.Context(), prompt.Draft{Slug: slug, Body: prompt.Body{Name: slug, Category: prompt.DefaultCategory, Content: map[string]string{"en": text}}}); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := (agent.Registry{Providers: catalogtest.Any{}, Usage: workflow.Usage{}}).In(tenant).Create(t.Context(), agent.Draft{Name: "host", Config: agent.Config{
			Prompt: agent.Prompt{System: "Be kind. {{prompt.gone}}", Greeting: "{{prompt.welcome}}"}, STT: agent.STT{Provider: "p", Model: "m"},
			TTS: agent.TTS{Provider: "p", VoiceID: "v"}, LLM: agent.LLM{Provider: "p", Model: "m"},
			Turn: json.RawMessage(`{"silence_prompt": "{{prompt.closing}}"}`),
		}}); err != nil {
			t.Fatal(err)
		}
		c, _, err := h.calls.Dispatch(t.Context(), call.Request{TenantID: acme, AgentName: "host", CallType: call.VoIP, UserContext: json.RawMessage(`{"name":"Ada Lovelace"}`)})
		if err != nil {
			t.Fatal(err)
		}
		var plan struct{ Prompts prompt.Bodies }
		if err := json.Unmarshal(c.Plan, &plan); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"closing", "error", "wait", "welcome"}, slices.Sorted(maps.Keys(plan.Prompts))); diff != "" {
			t.Errorf("prompts (-want +got):\n%s", diff)
		}
		if plan.Prompts["error"].Content["en"] != "Oh dear." || plan.Prompts["welcome"].Content["en"] != "Hello {{user.name}}" || strings.Contains(string(c.Plan), "Lovelace") {
			t.Errorf("plan %s", c.Plan)
		}
	})
}
