package workflow

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"parley/internal/database"
)

// usedAgent records that a workflow has a node with an agent.
type usedAgent struct {
	bun.BaseModel `bun:"table:workflow_agents"`

	TenantID   string `bun:"tenant_id"`
	WorkflowID string `bun:"workflow_id"`
	AgentName  string `bun:"agent_name"`
}

// keepAgents stores which agents a workflow uses.
func keepAgents(ctx context.Context, tx database.Tx, w *Workflow) error {
	if _, err := tx.NewDelete().Model((*usedAgent)(nil)).Where("tenant_id = ? AND workflow_id = ?", w.TenantID, w.ID).Exec(ctx); err != nil {
		return fmt.Errorf("keep the agents of a workflow: %w", err)
	}
	var used []usedAgent
	for _, name := range w.Config.agents() {
		used = append(used, usedAgent{TenantID: w.TenantID, WorkflowID: w.ID, AgentName: name})
	}
	if _, err := tx.NewInsert().Model(&used).Exec(ctx); err != nil {
		return fmt.Errorf("keep the agents of a workflow: %w", err)
	}
	return nil
}

// Usage looks up which workflows use an agent or an analysis.
type Usage struct{}

// WorkflowsUsing returns the slugs of the active workflows of the transaction's tenant that have a node with an
// agent.
func (Usage) WorkflowsUsing(ctx context.Context, tx database.Tx, agentName string) ([]string, error) {
	var slugs []string
	err := tx.NewSelect().Model((*Workflow)(nil)).Column("w.slug").
		Join("JOIN workflow_agents AS used ON used.tenant_id = w.tenant_id AND used.workflow_id = w.id").
		Where("w.tenant_id = ? AND w.is_active AND used.agent_name = ?", tx.TenantID(), agentName).
		OrderExpr("w.slug").Scan(ctx, &slugs)
	if err != nil {
		return nil, fmt.Errorf("look for workflows with an agent: %w", err)
	}
	return slugs, nil
}

// UsingAnalysis returns the slugs of the active workflows of the transaction's tenant to which an analysis is attached.
func (Usage) UsingAnalysis(ctx context.Context, tx database.Tx, analysis string) (slugs []string, err error) {
	lists := "EXISTS (SELECT 1 FROM json_each(config, '$.analyses') WHERE value = ?)"
	if tx.Postgres() {
		lists = "config -> 'analyses' @> to_jsonb(?::text)"
	}
	err = tx.NewSelect().Model((*Workflow)(nil)).Column("slug").Where("tenant_id = ? AND is_active", tx.TenantID()).Where(lists, analysis).
		OrderExpr("slug").Scan(ctx, &slugs)
	if err != nil {
		return nil, fmt.Errorf("look for workflows with an analysis: %w", err)
	}
	return slugs, nil
}
