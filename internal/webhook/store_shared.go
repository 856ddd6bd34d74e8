package webhook

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
)

// insertDelivery inserts deliveries of an event; %[1]s casts a parameter to a UUID and %[2]s one to a time, %[3]s is
// newDelivery.receivers and %[4]s a locking clause.
const insertDelivery = `INSERT INTO webhook_deliveries (id, tenant_id, webhook_id, event_id, event_type, call_id, status, attempts, max_attempts, due_at, created_at)
	SELECT CASE WHEN w.ordinal = 0 OR w.id = ? THEN ? ELSE ? || CAST(w.ordinal AS text) END, w.tenant_id, w.id, ?, ?, %[1]s, 'pending', 0,
		CASE w.retry_policy WHEN 'extended' THEN ? ELSE w.max_retries END, %[2]s, %[2]s
	FROM webhooks w WHERE w.tenant_id = ? AND w.enabled AND %[3]s%[4]s`

// insert writes the deliveries of an event.
func (d newDelivery) insert(ctx context.Context, tx database.Tx, id, moment, callHas, lock string) (bool, error) {
	condition, args := d.receivers(callHas)
	return enqueued(tx.ExecContext(ctx, fmt.Sprintf(insertDelivery, id, moment, condition, lock),
		append([]any{d.webhookID, d.id, d.id + "_", d.event.ID, d.event.Type, d.callID(), extendedAttempts, tx.Now(), tx.Now(), d.event.TenantID}, args...)...))
}

// enqueued reports whether an INSERT wrote a row.
func enqueued(result sql.Result, err error) (bool, error) {
	if err != nil {
		return false, fmt.Errorf("write webhook delivery: %w", err)
	}
	written, err := result.RowsAffected()
	if err != nil {
		return false, fmt.Errorf("write webhook delivery: %w", err)
	}
	return written > 0, nil
}

// dueAndFinished returns when the delivery is next due and when it finished; one of them is nil.
func (r result) dueAndFinished(now time.Time) (due, finished *time.Time) {
	switch {
	case r.status != Pending:
		return nil, &now
	case r.unstarted && r.job.Delivery.Attempts == 0:
		return &r.job.Delivery.CreatedAt, nil // it keeps its place
	}
	return new(now.Add(r.wait)), nil
}

// attemptRow returns the attempt row of a result.
func (r result) attemptRow(now time.Time) attemptRow {
	a := attemptRow{DeliveryID: r.job.Delivery.ID, Number: r.job.Delivery.Attempts + 1, TenantID: r.job.TenantID,
		StartedAt: now.Add(-time.Since(r.started)), DurationMS: r.duration.Milliseconds(), ResponseBody: r.body, Error: r.err}
	if r.code != 0 {
		a.ResponseStatus = &r.code
	}
	return a
}

// attemptRow is the row of an attempt.
type attemptRow struct {
	bun.BaseModel  `bun:"table:webhook_attempts"`
	DeliveryID     string
	Number         int
	TenantID       string
	StartedAt      time.Time
	DurationMS     int64 `bun:"duration_ms"`
	ResponseStatus *int
	ResponseBody   string
	Error          string
}

// failOpen sets a webhook's open deliveries to failed, selected with an order and a locking clause.
func failOpen(ctx context.Context, tx database.Tx, webhookID, lock string) error {
	var kinds []deliveryKind
	err := tx.NewRaw(`WITH open AS (SELECT id FROM webhook_deliveries WHERE webhook_id = ? AND due_at IS NOT NULL `+lock+`)
		UPDATE webhook_deliveries AS d SET status = 'failed', due_at = NULL, leased_by = NULL, finished_at = ? FROM open WHERE d.id = open.id RETURNING tenant_id, event_type, status`,
		webhookID, tx.Now()).Scan(ctx, &kinds)
	if err != nil {
		return fmt.Errorf("end open deliveries of a webhook: %w", err)
	}
	failed := deliveryCounts{}
	for _, kind := range kinds {
		failed[kind]++
	}
	return failed.add(ctx, tx)
}

// oldestFinished selects deliveries to prune.
const oldestFinished = "SELECT id FROM webhook_deliveries WHERE finished_at < ? ORDER BY finished_at LIMIT ?"

// prune deletes the deliveries selected by a condition with oldestFinished.
func prune(ctx context.Context, tx database.Tx, condition string, before time.Time, limit int) (int, error) {
	var removed []deliveryKind
	if err := tx.NewRaw("DELETE FROM webhook_deliveries WHERE "+condition+" RETURNING tenant_id, event_type, status", before, limit).Scan(ctx, &removed); err != nil {
		return 0, err
	}
	counts := deliveryCounts{}
	for _, kind := range removed {
		counts[kind]++
	}
	return len(removed), counts.subtract(ctx, tx)
}
