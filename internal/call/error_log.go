package call

import (
	"context"
	"encoding/json"
	"fmt"

	"parley/internal/database"
)

// ErrorLog writes error log entries for components outside a call, such as webhook delivery.
type ErrorLog struct{}

// WebhookDisabled records that a tenant's webhook was disabled. Entries belong to a call: without a call, or if it
// was deleted, nothing is written.
func (ErrorLog) WebhookDisabled(ctx context.Context, tx database.Tx, tenantID, callID, message string, details map[string]any) error {
	if callID == "" {
		return nil
	}
	return writeWebhookError(ctx, tx, tenantID, callID, message, details)
}

// DeliveryFailed records that a delivery of a call's event failed permanently, unless the call already has a
// webhook entry.
func (ErrorLog) DeliveryFailed(ctx context.Context, tx database.Tx, tenantID, callID, message string, details map[string]any) error {
	logged, err := tx.NewSelect().Model((*ErrorItem)(nil)).Where("tenant_id = ? AND call_id = ? AND service = ?", tenantID, callID, webhookService).Exists(ctx)
	if err != nil {
		return fmt.Errorf("read errors of call: %w", err)
	}
	if logged {
		return nil
	}
	return writeWebhookError(ctx, tx, tenantID, callID, message, details)
}

// webhookService is the service of entries about event delivery.
const webhookService = "webhook"

func writeWebhookError(ctx context.Context, tx database.Tx, tenantID, callID, message string, details map[string]any) error {
	c := new(Call)
	err := tx.NewSelect().Model(c).Column("id", "tenant_id", "livemode").Where("id = ? AND tenant_id = ?", callID, tenantID).Scan(ctx)
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
	items := []ErrorItem{{Service: webhookService, Level: LevelError, Message: message, Details: encoded, CreatedAt: tx.Now()}}
	if err := writeErrors(ctx, tx, c, items); err != nil {
		return fmt.Errorf("write error: %w", err)
	}
	return nil
}
