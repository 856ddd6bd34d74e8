package call_test

import (
	"context"
	"strings"
	"testing"

	"parley/internal/agent"
	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/plan"
	"parley/internal/provider/catalogtest"
	"parley/internal/seal"
	"parley/internal/tool"
	"parley/internal/variable"
	"parley/internal/workflow"
)

// Static header values of tools in plans that a version before has stored are sealed, and the plans stay those of their calls. The
// variables that templates see are part of the plan, if anything refers to variables.
func TestPlansHideHeaders(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		ctx := t.Context()
		sealer, err := seal.New(make([]byte, seal.KeySize))
		if err != nil {
			t.Fatal(err)
		}
		action := tool.Action{Type: tool.APICall, URL: "https://api.example.com/", Headers: map[string]string{"X-Key": "sk-live-4711"}}
		if _, _, err := (tool.Registry{Agents: agent.Directory{}, Sealer: sealer}).In(h.db.Tenant(acme)).Create(ctx, tool.Draft{Name: "pay", Config: &tool.Config{Actions: []tool.Action{action}}}); err != nil {
			t.Fatal(err)
		}
		if _, err := variable.Variables(h.db.Tenant(acme)).Create(ctx, "hours", new("9 to 17")); err != nil {
			t.Fatal(err)
		}
		agents := agent.Registry{Providers: catalogtest.Any{}, Tools: tool.Directory{}, Usage: workflow.Usage{}}.In(h.db.Tenant(acme))
		if _, _, err := agents.Update(ctx, "billing", []byte(`{"config": {"tools": ["pay"], "prompt": {"system": "Open {{vars.hours}}."}}}`)); err != nil {
			t.Fatal(err)
		}
		c := h.dispatchAgent(acme, "billing")
		content := func() string { return read[string](h, "SELECT content FROM call_plans") }
		if text := content(); strings.Contains(text, "sk-live") || !strings.Contains(text, "9 to 17") {
			t.Errorf("dispatched with %s", text)
		}
		err = h.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
			p, err := plan.Decode([]byte(content()))
			if err != nil {
				return err
			}
			_, err = tx.ExecContext(ctx, "UPDATE call_plans SET headers_sealed = ?, content = ?", false,
				strings.ReplaceAll(content(), p.Tools["pay"].Config.Actions[0].Headers["X-Key"], "sk-live-4711"))
			return err
		})
		if err != nil || !strings.Contains(content(), "sk-live-4711") {
			t.Fatal(content(), err)
		}
		for range 2 {
			if err := call.SealPlans(ctx, h.db, sealer); err != nil {
				t.Fatal(err)
			}
		}
		if text := content(); strings.Contains(text, "sk-live") {
			t.Errorf("still stored: %s", text)
		}
		claimed, err := h.calls.Claim(ctx, "w1", 10)
		if err != nil || len(claimed) != 1 || claimed[0].ID != c.ID {
			t.Fatal(claimed, err)
		}
		p, err := plan.Decode(claimed[0].Plan)
		if err != nil || len(p.Tools) != 1 || p.Vars["hours"] != "9 to 17" || p.Agents["billing"].Prompt.System == "" {
			t.Errorf("the call has %s, %v", claimed[0].Plan, err)
		}
	})
}
