package call

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"parley/internal/database"
)

// ErrorLog takes entries for the tenants' error logs from what is no part of a
// call, such as the delivery of its events.
type ErrorLog struct{}

// WebhookDisabled writes that a tenant's webhook was disabled. The log's entries
// are of calls: without one, or when it is gone, there is none.
func (ErrorLog) WebhookDisabled(ctx context.Context, tx database.Tx, tenantID, callID, message string, details map[string]any) error {
	if callID == "" {
		return nil
	}
	c := new(Call)
	err := tx.NewSelect().Model(c).Column("id", "livemode").Where("id = ? AND tenant_id = ?", callID, tenantID).Scan(ctx)
	if database.NoRows(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read call: %w", err)
	}
	encoded, err := json.Marshal(details)
	if err != nil {
		return fmt.Errorf("encode details of an error: %w", err)
	}
	items := []ErrorItem{{ID: uuid.Must(uuid.NewV7()).String(), TenantID: tenantID, CallID: c.ID, Service: "webhook", Level: LevelError,
		Message: message, Details: encoded, Livemode: c.Livemode, CreatedAt: tx.Now()}}
	if _, err := tx.NewInsert().Model(&items).Exec(ctx); err != nil {
		return fmt.Errorf("write error: %w", err)
	}
	return countErrors(ctx, tx, items)
}
