package workflow

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/database"
)

// uses is what agents do with the context.
type uses map[string]ContextUse

func (u uses) ContextUses(context.Context, database.Tx, []string) (map[string]ContextUse, error) {
	return u, nil
}

// Saving a workflow warns of keys that no agent before can have set, and of those that another agent has set and does not share.
func TestContextKeys(t *testing.T) {
	in := func(paths string) (reads []ContextRead) {
		for path := range strings.FieldsSeq(paths) {
			reads = append(reads, ContextRead{In: "the tool t", Path: path})
		}
		return reads
	}
	agents := uses{
		"front": {Sets: []string{"workflow.patient", "workflow.note", "workflow.day", "flags.known"}, Reads: in("workflow.note workflow.booking")},
		"book":  {Sets: []string{"workflow.booking", "workflow.patient"}, Reads: in("workflow.patient workflow.note workflow.day workflow.topic workflow.typo flags.known flags.never")},
		"bye":   {Reads: in("workflow.booking flags.known")},
	}
	const graph = `{"nodes":[
		{"id":"1","agent_name":"front","is_entry":true,"skip_condition":"flags.known"},
		{"id":"2","agent_name":"book","context_mapping":{"topic":"workflow.note","other":"workflow.booking","with":"{{workflow.none | 'x'}}"}},
		{"id":"3","agent_name":"bye","is_exit":true,"skip_condition":"workflow.booking == 1"}],
		"connections":[{"source_id":"1","target_id":"2","condition":"flags.known && workflow.patient != ''"},{"source_id":"2","target_id":"3","condition":"workflow.topic == 'x'"}],
		"shared_context":["workflow.day"]}`
	c := configOf(t, graph)
	i := &validation{}
	i.config(c)
	if len(i.Faults) > 0 || len(i.Warnings) > 0 {
		t.Fatal(i.Faults, i.Warnings)
	}
	i.context(c, agents)
	want := []string{
		"config.nodes[0].skip_condition: refers to flags.known, which no agent before can have set",
		"config.nodes[0].agent_name: the tool t refers to workflow.booking, which no agent before can have set",
		"config.nodes[1].context_mapping.other: refers to workflow.booking, which no agent before can have set",
		"config.nodes[1].agent_name: the tool t refers to workflow.note, which the agent front does not share: list it in shared_context, or map it in context_mapping",
		"config.nodes[1].agent_name: the tool t refers to workflow.typo, which no agent before can have set",
		"config.nodes[1].agent_name: the tool t refers to flags.never, which no agent before can have set",
		"config.nodes[2].agent_name: the tool t refers to workflow.booking, which the agent book does not share: list it in shared_context, or map it in context_mapping",
		"config.connections[1].condition: refers to workflow.topic, which no agent before can have set",
	}
	if d := cmp.Diff(want, i.Warnings); d != "" {
		t.Errorf("warnings (-want +got):\n%s", d)
	}
	each(t, func(t *testing.T, ctx context.Context, db *database.DB, _, _ Store) {
		s := Registry{Agents: roster{"front": true, "book": true, "bye": true}, Contexts: agents}.In(db.Tenant(acme))
		if _, warnings, err := s.Create(ctx, Draft{Slug: "clinic", Name: "Clinic", Config: c}); err != nil || len(warnings) != len(want) {
			t.Errorf("created: %v, %q", err, warnings)
		}
	})
}
