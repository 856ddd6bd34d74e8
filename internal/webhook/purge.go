package webhook

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"parley/internal/database"
)

// Purge removes the response bodies of deliveries of calls of the transaction's
// tenant, because a response may echo the event. The log entries remain.
func Purge(ctx context.Context, tx database.Tx, callIDs []string) error {
	if _, err := tx.ExecContext(ctx, `UPDATE webhook_attempts SET response_body = '' WHERE tenant_id = ? AND response_body <> ''
		AND delivery_id IN (SELECT id FROM webhook_deliveries WHERE tenant_id = ? AND call_id IN (?))`, tx.TenantID(), tx.TenantID(), bun.List(callIDs)); err != nil {
		return fmt.Errorf("purge answers to webhooks: %w", err)
	}
	return nil
}
