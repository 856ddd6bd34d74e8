package plan

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/internal/agent"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/prompt"
	"parley/internal/tool"
	"parley/internal/workflow"
)

const acme = "0193a6f0-0000-7000-8000-000000000001"

// What agents read and set is found in their texts, the templates that these name, and their tools.
func TestContextUses(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		databasetest.Tenant(t, db, acme, "acme")
		config := func(text string, into any) {
			t.Helper()
			if err := json.Unmarshal([]byte(text), into); err != nil {
				t.Fatal(err)
			}
		}
		a := agent.Agent{TenantID: acme, ID: "0193a6f0-0000-7000-8000-0000000000a1", Name: "book"}
		config(`{"prompt":{"system":"For {{workflow.patient.name}}: {{prompt.rules}} {{workflow.note | \"-\"}}","greeting":"{{flags.known}}"},"tools":["save","gone"],
			"handoffs":[{"target_agent":"x","condition":"{{workflow.handoff}}"}]}`, &a.Config)
		save := tool.Tool{TenantID: acme, ID: "0193a6f0-0000-7000-8000-0000000000a2", Name: "save"}
		config(`{"actions":[{"type":"api_call","url":"https://a.example/{{workflow.id}}","required":["workflow.day"],"on_success":[{"type":"set_context","key":"booking","value":"x"},{"type":"set_flag","name":"done"}]}]}`, &save.Config)
		rules := prompt.Draft{Slug: "rules", Body: prompt.Body{Name: "Rules", Category: "instruction", Content: map[string]string{"en": "{{workflow.rule}} {{workflow.city}}"},
			Variables: []prompt.Variable{{Name: "workflow.city", Type: "string", Default: json.RawMessage(`"Berlin"`)}}}}
		if _, err := prompt.In(db.Tenant(acme)).Create(t.Context(), rules); err != nil {
			t.Fatal(err)
		}
		err := db.Tenant(acme).Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
			a.CreatedAt, a.UpdatedAt, save.CreatedAt, save.UpdatedAt = tx.Now(), tx.Now(), tx.Now(), tx.Now()
			if _, err := tx.NewInsert().Model(&a).Exec(ctx); err != nil {
				return err
			}
			_, err := tx.NewInsert().Model(&save).Exec(ctx)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]workflow.ContextUse
		err = db.Tenant(acme).Read(t.Context(), func(ctx context.Context, tx database.Tx) (err error) {
			got, err = Contexts{}.ContextUses(ctx, tx, []string{"book", "nobody"})
			return err
		})
		want := map[string]workflow.ContextUse{"book": {
			Reads: []workflow.ContextRead{{In: "the agent book", Path: "workflow.patient"}, {In: "the agent book", Path: "flags.known"}, {In: "the prompt template rules", Path: "workflow.rule"},
				{In: "the tool save", Path: "workflow.id"}, {In: "the tool save", Path: "workflow.day"}},
			Sets: []string{"workflow.booking", "flags.done"},
		}}
		byPath := cmpopts.SortSlices(func(a, b workflow.ContextRead) bool { return a.In+a.Path < b.In+b.Path })
		if d := cmp.Diff(want, got, byPath); err != nil || d != "" {
			t.Errorf("%v (-want +got):\n%s", err, d)
		}
	})
}
