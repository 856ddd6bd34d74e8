package call

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/workflow"
)

// RoutingDecision is a decision of a call's workflow or handoffs.
type RoutingDecision struct {
	bun.BaseModel `bun:"table:call_routing,alias:r"`

	ID        int64             `bun:"id,pk,autoincrement"`
	TenantID  string            `bun:"tenant_id"`
	CallID    string            `bun:"call_id"`
	Decision  workflow.Decision `bun:"decision,type:jsonb"`
	CreatedAt time.Time         `bun:"created_at"`
}

func writeRouting(ctx context.Context, tx database.Tx, c *Call, decisions []RoutingDecision) error {
	if len(decisions) == 0 {
		return nil
	}
	for i := range decisions {
		d := &decisions[i]
		d.ID, d.TenantID, d.CallID = 0, c.TenantID, c.ID
	}
	_, err := tx.NewInsert().Model(&decisions).Exec(ctx)
	return err
}

// routingBytes returns an estimate of what decisions take.
func routingBytes(decisions []RoutingDecision) (n int64) {
	const item = 120 // its fields' names, and names of usual length
	for _, d := range decisions {
		n += rowBytes
		for _, s := range d.Decision.Set {
			n += item + int64(len(s.Path))
		}
		for _, s := range d.Decision.Skipped {
			n += item + int64(len(s.Condition))
		}
		n += item * int64(len(d.Decision.Offered))
	}
	return n
}
