package webhook

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/event"
	"parley/internal/fault"
)

const (
	// maxReplay is the maximum number of deliveries per request.
	maxReplay = 1000
	// replayPause is the interval at which replayed deliveries become due, so that new events are delivered between them.
	replayPause = 100 * time.Millisecond
)

// ReplayQuery filters failed deliveries.
type ReplayQuery struct {
	After, Before time.Time // of their creation, the first moment included, the last not
	EventType     string    // "" for all
	WebhookID     string    // "" for all that are enabled
	TestOnly      bool      // events of test keys alone
}

// Replayed is the result of a request to replay failed deliveries.
type Replayed struct {
	Count   int
	HasMore bool // there are more than a request replays
}

// ReplayFailed queues the events of up to maxReplay failed deliveries again, each to its webhook, oldest first, except
// call.test events and events with a later delivery to the webhook. A second request therefore continues where the first
// ended. Errors are those of Replay.
func (q *Queue) ReplayFailed(ctx context.Context, tenantID string, query ReplayQuery, readsCalls bool) (replayed Replayed, err error) {
	types := slices.DeleteFunc(slices.Clone(DeliveryQuery{EventType: query.EventType}.types()), func(t string) bool { return t == event.CallTest })
	err = q.db.Tenant(tenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		receivers, err := q.enabledWebhooks(ctx, tx, query.WebhookID)
		if err != nil {
			return err
		}
		mode := ""
		if query.TestOnly {
			mode = " AND EXISTS (SELECT 1 FROM events AS e WHERE e.id = d.event_id AND NOT e.livemode)"
		}
		type delivery struct{ EventID, EventType, CallID, WebhookID string }
		var failed []delivery
		if len(types) == 0 {
			return nil
		}
		if err := tx.NewRaw(`SELECT d.event_id, d.event_type, d.call_id, w.id AS webhook_id FROM webhook_deliveries d
			JOIN webhooks w ON w.tenant_id = d.tenant_id AND (w.id = d.webhook_id OR d.webhook_id IS NULL AND w.ordinal = 0)
			WHERE w.id IN (?) AND d.tenant_id = ? AND d.event_type IN (?) AND d.status = 'failed' AND d.created_at >= ? AND d.created_at < ? AND d.call_id IS NOT NULL
			AND NOT EXISTS (SELECT 1 FROM webhook_deliveries n WHERE n.tenant_id = d.tenant_id AND n.call_id = d.call_id AND n.id > d.id AND n.event_id = d.event_id AND (n.webhook_id = w.id OR n.webhook_id IS NULL AND w.ordinal = 0))`+mode+`
			ORDER BY d.id LIMIT ?`, bun.List(slices.Collect(maps.Keys(receivers))), tenantID, bun.List(types), query.After.UTC().Truncate(time.Microsecond), query.Before.UTC().Truncate(time.Microsecond), maxReplay+1).Scan(ctx, &failed); err != nil {
			return fmt.Errorf("find failed webhook deliveries: %w", err)
		}
		if replayed.HasMore = len(failed) > maxReplay; replayed.HasMore {
			failed = failed[:maxReplay]
		}
		if replayed.Count = len(failed); replayed.Count == 0 {
			return nil
		}
		if !readsCalls && slices.ContainsFunc(failed, func(d delivery) bool { return receivers[d.WebhookID].includesCallContent(d.EventType) }) {
			return ErrCallsRead
		}
		rows := make([]deliveryRow, len(failed))
		for i, f := range failed {
			rows[i] = deliveryRow{ID: tx.NewID("dlv_"), TenantID: tenantID, WebhookID: f.WebhookID, EventID: f.EventID, EventType: f.EventType, CallID: f.CallID, Status: Pending,
				MaxAttempts: receivers[f.WebhookID].maxAttempts(), DueAt: tx.Now().Add(time.Duration(i) * replayPause), CreatedAt: tx.Now()}
		}
		if _, err := tx.NewInsert().Model(&rows).Exec(ctx); err != nil {
			return fmt.Errorf("replay webhook deliveries: %w", err)
		}
		tx.AfterCommit(func() { q.bus.Publish(event.Deliveries, "") })
		return nil
	})
	return replayed, err
}

// enabledWebhooks locks the enabled webhooks of the transaction's tenant, or the one with an id, until the transaction
// ends. not_found without a webhook; conflict if all are disabled.
func (q *Queue) enabledWebhooks(ctx context.Context, tx database.Tx, id string) (map[string]*configRow, error) {
	condition, args := "", []any{tx.TenantID()}
	if id != "" {
		condition, args = " AND w.id = ?", append(args, id)
	}
	var rows []*configRow
	err := tx.NewRaw("SELECT "+rowColumns+" FROM webhooks w WHERE w.tenant_id = ?"+condition+" ORDER BY w.id"+q.store.lockWebhook(), args...).Scan(ctx, &rows)
	switch {
	case err != nil && !database.NoRows(err):
		return nil, fmt.Errorf("read webhook configurations: %w", err)
	case len(rows) == 0:
		return nil, fault.Missing("webhook configuration")
	}
	enabled := map[string]*configRow{}
	for _, r := range rows {
		if r.Enabled {
			enabled[r.ID] = r
		}
	}
	if len(enabled) == 0 {
		return nil, fault.New(fault.Conflict, "the webhook is disabled")
	}
	return enabled, nil
}

// maxAttempts returns how often a delivery is attempted.
func (r *configRow) maxAttempts() int {
	if r.RetryPolicy == RetryExtended {
		return extendedAttempts
	}
	return r.MaxRetries
}

// includesCallContent reports whether events of a type are sent with transcript or context, or with a link to a page that shows them.
func (r *configRow) includesCallContent(eventType string) bool {
	return event.Terminal(eventType) && (r.IncludeTranscript || r.IncludeContext) || event.HasPage(eventType) && r.IncludePage
}

// deliveryRow is the row of a new delivery.
type deliveryRow struct {
	bun.BaseModel `bun:"table:webhook_deliveries"`

	ID          string
	TenantID    string
	WebhookID   string
	EventID     string
	EventType   string
	CallID      string
	Status      Status
	Attempts    int
	MaxAttempts int
	DueAt       time.Time
	CreatedAt   time.Time
}
