package tenant

import (
	"context"
	"fmt"

	"parley/internal/database"
)

// maxCounted is how far Usage counts.
const maxCounted = 100_000

// calls are the queries for the limits of calls.
var calls = map[Limit]string{
	WaitingCalls: "calls WHERE tenant_id = ? AND status = 'pending' AND claimed_by IS NULL",
	ActiveCalls:  "calls WHERE tenant_id = ? AND ended_at IS NULL",
}

// Use is a limit and its usage.
type Use struct {
	Name  Limit
	Limit *int64 // nil for none
	Used  *int64 // at most maxCounted, except of StoredBytes; nil if not counted
}

// Usage returns the limits of the transaction's tenant in the order of LimitNames. those are its limits other than
// of records.
func Usage(ctx context.Context, tx database.Tx, those Limits) ([]Use, error) {
	own, err := ownLimits(ctx, tx)
	if err != nil {
		return nil, err
	}
	uses := make([]Use, len(LimitNames))
	for i, name := range LimitNames {
		use := Use{Name: name}
		rows, counted := calls[name]
		if record, ok := records[name]; ok {
			rows, counted = record.rows, true
			use.Limit = new(record.usual)
		}
		if most, ok := those[name]; ok {
			use.Limit = new(most)
		}
		if most, ok := own[name]; ok {
			use.Limit = new(most)
		}
		if counted {
			use.Used = new(int64)
			if err := tx.NewRaw("SELECT COUNT(*) FROM (SELECT 1 FROM "+rows+" LIMIT ?) AS counted", tx.TenantID(), maxCounted).Scan(ctx, use.Used); err != nil {
				return nil, fmt.Errorf("count %s: %w", name, err)
			}
		}
		if name == StoredBytes {
			stored, err := Stored(ctx, tx, tx.TenantID())
			if err != nil {
				return nil, err
			}
			use.Used = &stored
		}
		uses[i] = use
	}
	return uses, nil
}
