package webhook

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/event"
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
	TestOnly      bool      // events of test keys alone
}

// Replayed is the result of a request to replay failed deliveries.
type Replayed struct {
	Count   int
	HasMore bool // there are more than a request replays
}

// ReplayFailed queues the events of up to maxReplay failed deliveries again, oldest first, except call.test events and
// events with a later delivery. A second request therefore continues where the first ended. Errors are those of Replay.
func (q *Queue) ReplayFailed(ctx context.Context, tenantID string, query ReplayQuery, readsCalls bool) (replayed Replayed, err error) {
	types := slices.DeleteFunc(slices.Clone(DeliveryQuery{EventType: query.EventType}.types()), func(t string) bool { return t == event.CallTest })
	err = q.db.Tenant(tenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		r, err := q.requireEnabled(ctx, tx)
		if err != nil {
			return err
		}
		mode := ""
		if query.TestOnly {
			mode = " AND EXISTS (SELECT 1 FROM events AS e WHERE e.id = d.event_id AND NOT e.livemode)"
		}
		type delivery struct{ EventID, EventType, CallID string }
		var failed []delivery
		if len(types) == 0 {
			return nil
		}
		if err := tx.NewRaw(`SELECT d.event_id, d.event_type, d.call_id FROM webhook_deliveries d
			WHERE d.tenant_id = ? AND d.event_type IN (?) AND d.status = 'failed' AND d.created_at >= ? AND d.created_at < ? AND d.call_id IS NOT NULL
			AND NOT EXISTS (SELECT 1 FROM webhook_deliveries n WHERE n.tenant_id = d.tenant_id AND n.call_id = d.call_id AND n.id > d.id AND n.event_id = d.event_id)`+mode+`
			ORDER BY d.id LIMIT ?`, tenantID, bun.List(types), query.After.UTC().Truncate(time.Microsecond), query.Before.UTC().Truncate(time.Microsecond), maxReplay+1).Scan(ctx, &failed); err != nil {
			return fmt.Errorf("find failed webhook deliveries: %w", err)
		}
		if replayed.HasMore = len(failed) > maxReplay; replayed.HasMore {
			failed = failed[:maxReplay]
		}
		if replayed.Count = len(failed); replayed.Count == 0 {
			return nil
		}
		filter := Filter{IncludeTranscript: r.IncludeTranscript, IncludeContext: r.IncludeContext}
		if filter.includesCallContent() && !readsCalls && slices.ContainsFunc(failed, func(d delivery) bool { return event.Terminal(d.EventType) }) {
			return ErrCallsRead
		}
		attempts := r.MaxRetries
		if r.RetryPolicy == RetryExtended {
			attempts = extendedAttempts
		}
		rows := make([]deliveryRow, len(failed))
		for i, f := range failed {
			rows[i] = deliveryRow{ID: tx.NewID("dlv_"), TenantID: tenantID, EventID: f.EventID, EventType: f.EventType, CallID: f.CallID, Status: Pending,
				MaxAttempts: attempts, DueAt: tx.Now().Add(time.Duration(i) * replayPause), CreatedAt: tx.Now()}
		}
		if _, err := tx.NewInsert().Model(&rows).Exec(ctx); err != nil {
			return fmt.Errorf("replay webhook deliveries: %w", err)
		}
		tx.AfterCommit(func() { q.bus.Publish(event.Deliveries, "") })
		return nil
	})
	return replayed, err
}

// deliveryRow is the row of a new delivery.
type deliveryRow struct {
	bun.BaseModel `bun:"table:webhook_deliveries"`

	ID          string
	TenantID    string
	EventID     string
	EventType   string
	CallID      string
	Status      Status
	Attempts    int
	MaxAttempts int
	DueAt       time.Time
	CreatedAt   time.Time
}
