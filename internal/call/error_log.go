package call

import (
	"context"
	"encoding/json"
	"fmt"

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
	return writeWebhookError(ctx, tx, tenantID, callID, message, details)
}

// DeliveryFailed writes that a delivery of a call's event failed for good,
// unless the call has an entry of its webhook already.
func (ErrorLog) DeliveryFailed(ctx context.Context, tx database.Tx, tenantID, callID, message string, details map[string]any) error {
	told, err := tx.NewSelect().Model((*ErrorItem)(nil)).Where("tenant_id = ? AND call_id = ? AND service = ?", tenantID, callID, webhookService).Exists(ctx)
	if err != nil {
		return fmt.Errorf("read errors of call: %w", err)
	}
	if told {
		return nil
	}
	return writeWebhookError(ctx, tx, tenantID, callID, message, details)
}

// webhookService is the service of entries about the delivery of events.
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
