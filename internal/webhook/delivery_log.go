package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/event"
	"parley/internal/fault"
)

// Delivery is one entry of a tenant's delivery log.
type Delivery struct {
	ID             string  // dlv_…
	WebhookID      *string // whk_…; nil when it finished before there were several webhooks
	EventID        string
	EventType      string
	CallID         *string
	Livemode       bool // of the event: false for those of test keys
	Status         Status
	Attempts       int // made so far
	MaxAttempts    int
	NextAttemptAt  *time.Time // of a pending one
	ResponseStatus *int       // of the last attempt; null when there was no answer
	Error          *string    // why the last attempt had no answer
	CreatedAt      time.Time
	FinishedAt     *time.Time
	// EventData is the event's payload without the optional parts, which are added
	// on delivery and not stored. Delivery sets it; lists do not.
	EventData json.RawMessage `bun:"-"`
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

// DeliveryQuery filters the log; empty fields match all.
type DeliveryQuery struct {
	Status    Status
	EventType string
	CallID    string // a uuid
	WebhookID string
	TestOnly  bool // events of test keys alone
	Limit     int
	Offset    int
}

// selectDeliveries selects entries of the log with their last attempts.
const selectDeliveries = `SELECT d.id, d.webhook_id, d.event_id, d.event_type, d.call_id, d.status, d.attempts, d.max_attempts,
	CASE WHEN d.status = 'pending' THEN d.due_at END AS next_attempt_at,
	a.response_status, NULLIF(a.error, '') AS error, d.created_at, d.finished_at,
	COALESCE((SELECT e.livemode FROM events AS e WHERE e.id = d.event_id), true) AS livemode
	FROM webhook_deliveries d LEFT JOIN webhook_attempts a ON a.delivery_id = d.id AND a.number = d.attempts`

// openCounted limits the open deliveries that a total includes, and all of one webhook: an
// endpoint that is down accumulates them, and counting costs a second per few millions.
const openCounted = 10_000

// Deliveries returns a page of a tenant's log, newest first, and the number of
// matching entries, which includes at most openCounted open ones.
func (q *Queue) Deliveries(ctx context.Context, tenantID string, query DeliveryQuery) (page []Delivery, total int, err error) {
	page = []Delivery{}
	err = q.db.Tenant(tenantID).With(logSettings...).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		count, args := query.selectTotal(tenantID)
		if err := tx.NewRaw(count, args...).Scan(ctx, &total); err != nil {
			return fmt.Errorf("count webhook deliveries: %w", err)
		}
		ids, args := query.selectPage(tenantID)
		if err := tx.NewRaw(selectDeliveries+" JOIN ("+ids+") AS page ON page.id = d.id ORDER BY d.id DESC", args...).Scan(ctx, &page); err != nil {
			return fmt.Errorf("list webhook deliveries: %w", err)
		}
		return nil
	})
	for i := range page {
		page[i].utc()
	}
	return page, total, err
}

// types and statuses return the selected values, or all.
func (q DeliveryQuery) types() []string {
	if q.EventType != "" {
		return []string{q.EventType}
	}
	return event.Types
}

func (q DeliveryQuery) statuses() []Status {
	if q.Status != "" {
		return []Status{q.Status}
	}
	return slices.Clone(Statuses)
}

// selectFew selects the entries of a call, of a webhook or of test keys.
func (q DeliveryQuery) selectFew(tenantID string) (from string, args []any) {
	from = "FROM webhook_deliveries AS d WHERE d.tenant_id = ? AND d.event_type IN (?) AND d.status IN (?)"
	args = []any{tenantID, bun.List(q.types()), bun.List(q.statuses())}
	if q.CallID != "" {
		from, args = from+" AND d.call_id = ?", append(args, q.CallID)
	}
	if q.WebhookID != "" {
		from, args = from+" AND d.webhook_id = ?", append(args, q.WebhookID)
	}
	if q.TestOnly {
		from += " AND EXISTS (SELECT 1 FROM events AS e WHERE e.id = d.event_id AND NOT e.livemode)"
	}
	return from, args
}

// selectNewest selects the ids of the newest entries of each selected kind, up to a limit
// each. A single kind is an index range; a condition on several is not.
func (q DeliveryQuery) selectNewest(tenantID string, statuses []Status, most int) (query string, args []any) {
	var kinds []string
	for _, eventType := range q.types() {
		for _, status := range statuses {
			kinds = append(kinds, "SELECT id FROM (SELECT id FROM webhook_deliveries WHERE tenant_id = ? AND event_type = ? AND status = ? ORDER BY id DESC LIMIT ?) AS kind")
			args = append(args, tenantID, eventType, status, most)
		}
	}
	return strings.Join(kinds, " UNION ALL "), args
}

// few reports whether selectFew selects the entries.
func (q DeliveryQuery) few() bool { return q.CallID != "" || q.WebhookID != "" || q.TestOnly }

// selectPage selects the ids of a page.
func (q DeliveryQuery) selectPage(tenantID string) (query string, args []any) {
	switch {
	case q.few():
		query, args = q.selectFew(tenantID)
		query = "SELECT id " + query
	case q.Status == "" && q.EventType == "":
		query, args = "SELECT id FROM webhook_deliveries WHERE tenant_id = ?", []any{tenantID}
	default:
		query, args = q.selectNewest(tenantID, q.statuses(), q.Offset+q.Limit)
		query = "SELECT id FROM (" + query + ") AS kinds"
	}
	return query + " ORDER BY id DESC LIMIT ? OFFSET ?", append(args, q.Limit, q.Offset)
}

// selectTotal counts the matching entries, finished ones by the stored counts.
func (q DeliveryQuery) selectTotal(tenantID string) (query string, args []any) {
	if q.few() {
		from, args := q.selectFew(tenantID)
		return "SELECT count(*) FROM (SELECT 1 " + from + " LIMIT ?) AS few", append(args, openCounted)
	}
	query = "SELECT COALESCE(SUM(n), 0) AS n FROM webhook_delivery_counts WHERE tenant_id = ? AND event_type IN (?) AND status IN (?)"
	args = []any{tenantID, bun.List(q.types()), bun.List(q.statuses())}
	if open := slices.DeleteFunc(q.statuses(), Status.isFinal); len(open) > 0 {
		newest, of := q.selectNewest(tenantID, open, openCounted)
		query, args = query+" UNION ALL SELECT count(*) FROM (SELECT id FROM ("+newest+") AS kinds LIMIT ?) AS open", append(append(args, of...), openCounted)
	}
	return "SELECT CAST(SUM(n) AS BIGINT) FROM (" + query + ") AS parts", args
}

// webhook returns the webhook of a delivery. Those from before there were several were for the primary one.
func (d *Delivery) webhook() string {
	if d.WebhookID == nil {
		return primary
	}
	return *d.WebhookID
}

// utc converts the times of a database driver to UTC.
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
		var event struct{ Data json.RawMessage }
		if err := tx.NewRaw("SELECT data FROM events WHERE tenant_id = ? AND id = ?", tenantID, d.EventID).Scan(ctx, &event); err != nil {
			return fmt.Errorf("read event of webhook delivery %s: %w", id, err)
		}
		d.EventData = event.Data
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
