package webhook

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley/internal/database"
	"parley/internal/fault"
)

// Delivery is one entry of a tenant's delivery log.
type Delivery struct {
	ID             string // dlv_…
	EventID        string
	EventType      string
	CallID         *string
	Status         Status
	Attempts       int // made so far
	MaxAttempts    int
	NextAttemptAt  *time.Time // of a pending one
	ResponseStatus *int       // of the last attempt; null when there was no answer
	Error          *string    // why the last attempt had no answer
	CreatedAt      time.Time
	FinishedAt     *time.Time
}

// Attempt is one try of a delivery.
type Attempt struct {
	Number         int
	StartedAt      time.Time
	DurationMS     int64  `bun:"duration_ms"`
	ResponseStatus *int   // null when there was no answer
	ResponseBody   string // its first 16 KiB
	Error          string // why there was no answer, or ""
}

// DeliveryQuery chooses entries of the log; empty fields choose all.
type DeliveryQuery struct {
	Status    Status
	EventType string
	CallID    string // a uuid
	Limit     int
	Offset    int
}

// selectDeliveries reads entries of the log with their last attempts.
const selectDeliveries = `SELECT d.id, d.event_id, d.event_type, d.call_id, d.status, d.attempts, d.max_attempts,
	CASE WHEN d.status = 'pending' THEN d.due_at END AS next_attempt_at,
	a.response_status, NULLIF(a.error, '') AS error, d.created_at, d.finished_at
	FROM webhook_deliveries d LEFT JOIN webhook_attempts a ON a.delivery_id = d.id AND a.number = d.attempts`

// Deliveries returns a page of a tenant's log, newest first, and how many
// entries match.
func (q *Queue) Deliveries(ctx context.Context, tenantID string, query DeliveryQuery) (page []Delivery, total int, err error) {
	where, args := []string{"d.tenant_id = ?"}, []any{tenantID}
	for _, f := range []struct{ column, value string }{{"d.status", string(query.Status)}, {"d.event_type", query.EventType}, {"d.call_id", query.CallID}} {
		if f.value != "" {
			where, args = append(where, f.column+" = ?"), append(args, f.value)
		}
	}
	condition := strings.Join(where, " AND ")
	page = []Delivery{}
	err = q.db.Tenant(tenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		if err := tx.NewRaw("SELECT count(*) FROM webhook_deliveries d WHERE "+condition, args...).Scan(ctx, &total); err != nil {
			return fmt.Errorf("count webhook deliveries: %w", err)
		}
		err := tx.NewRaw(selectDeliveries+" WHERE "+condition+" ORDER BY d.id DESC LIMIT ? OFFSET ?",
			append(args, query.Limit, query.Offset)...).Scan(ctx, &page)
		if err != nil {
			return fmt.Errorf("list webhook deliveries: %w", err)
		}
		return nil
	})
	for i := range page {
		page[i].utc()
	}
	return page, total, err
}

// utc sets the times of a driver in UTC.
func (d *Delivery) utc() {
	d.CreatedAt = d.CreatedAt.UTC()
	for _, t := range []*time.Time{d.NextAttemptAt, d.FinishedAt} {
		if t != nil {
			*t = t.UTC()
		}
	}
}

// Delivery returns one entry of a tenant's log with its attempts, in order.
// not_found when the tenant has no such delivery.
func (q *Queue) Delivery(ctx context.Context, tenantID, id string) (d Delivery, attempts []Attempt, err error) {
	attempts = []Attempt{}
	err = q.db.Tenant(tenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		if d, err = findDelivery(ctx, tx, id); err != nil {
			return err
		}
		err := tx.NewRaw(`SELECT number, started_at, duration_ms, response_status, response_body, error
			FROM webhook_attempts WHERE tenant_id = ? AND delivery_id = ? ORDER BY number`, tenantID, id).Scan(ctx, &attempts)
		if err != nil {
			return fmt.Errorf("read attempts of webhook delivery %s: %w", id, err)
		}
		return nil
	})
	for i := range attempts {
		attempts[i].StartedAt = attempts[i].StartedAt.UTC()
	}
	return d, attempts, err
}

func findDelivery(ctx context.Context, tx database.Tx, id string) (d Delivery, err error) {
	err = tx.NewRaw(selectDeliveries+" WHERE d.tenant_id = ? AND d.id = ?", tx.TenantID(), id).Scan(ctx, &d)
	if database.NoRows(err) {
		return d, fault.Missing("webhook delivery")
	}
	if err != nil {
		return d, fmt.Errorf("read webhook delivery: %w", err)
	}
	d.utc()
	return d, nil
}
