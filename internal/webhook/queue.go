package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/event"
	"parley/internal/fault"
)

// Status is the current status of a delivery.
//
//	pending → in_flight → delivered
//	   ↑__________|  └──→ failed
type Status string

// Delivery statuses.
const (
	Pending   Status = "pending"   // waits for its next attempt
	InFlight  Status = "in_flight" // an attempt runs, under a lease
	Delivered Status = "delivered" // the receiver answered 2xx
	Failed    Status = "failed"    // rejected permanently, or out of attempts; it can be replayed
)

// Statuses lists the statuses of a delivery.
var Statuses = []Status{Pending, InFlight, Delivered, Failed}

// isFinal reports whether the status is final.
func (s Status) isFinal() bool { return s == Delivered || s == Failed }

// Queue writes deliveries. It implements event.Subscriber.
type Queue struct {
	db    *database.DB
	bus   *event.Bus
	store store
}

// NewQueue returns a queue that publishes notifications of due deliveries on a bus.
func NewQueue(db *database.DB, bus *event.Bus) *Queue {
	return &Queue{db: db, bus: bus, store: newStore(db)}
}

// HandleEvent enqueues a delivery for each enabled webhook of the tenant whose filter
// includes the event, and publishes a notification after the commit.
func (q *Queue) HandleEvent(ctx context.Context, tx database.Tx, e event.Event) error {
	return q.enqueue(ctx, tx, newDelivery{id: tx.NewID("dlv_"), event: e})
}

func (q *Queue) enqueue(ctx context.Context, tx database.Tx, d newDelivery) error {
	written, err := q.store.enqueue(ctx, tx, d)
	if written {
		tx.AfterCommit(func() { q.bus.Publish(event.Deliveries, "") })
	}
	return err
}

// ReleaseHolders ends the leases of holders that are known to have stopped, and
// returns the number of deliveries released.
func (q *Queue) ReleaseHolders(ctx context.Context, gone func(holder string) bool) (n int64, err error) {
	err = q.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		var holders []string
		if err := tx.NewRaw("SELECT DISTINCT leased_by FROM webhook_deliveries WHERE status = 'in_flight'").Scan(ctx, &holders); err != nil {
			return err
		}
		holders = slices.DeleteFunc(holders, func(holder string) bool { return !gone(holder) })
		if len(holders) == 0 {
			return nil
		}
		result, err := tx.ExecContext(ctx, `UPDATE webhook_deliveries SET status = 'pending', leased_by = NULL, due_at = CASE attempts WHEN 0 THEN created_at ELSE ? END
			WHERE status = 'in_flight' AND leased_by IN (?)`, tx.Now(), bun.List(holders))
		if err != nil {
			return err
		}
		n, err = result.RowsAffected()
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("release deliveries of processes that are gone: %w", err)
	}
	return n, nil
}

// Receipt names an event and the delivery that was queued for it.
type Receipt struct {
	EventID    string
	DeliveryID string
}

// testData is the data of a call.test event.
var testData = json.RawMessage(`{"message":"This is a test event. Your endpoint receives Parley's webhooks."}`)

// Test queues a call.test event for a tenant's primary webhook regardless of the filter.
// Errors: not_found without a configuration, conflict while it is disabled.
func (q *Queue) Test(ctx context.Context, tenantID string, livemode bool) (Receipt, error) {
	return q.TestWebhook(ctx, tenantID, primary, livemode)
}

// TestWebhook is Test for any webhook.
func (q *Queue) TestWebhook(ctx context.Context, tenantID, webhookID string, livemode bool) (Receipt, error) {
	var receipt Receipt
	err := q.db.Tenant(tenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		r, err := q.requireEnabled(ctx, tx, webhookID)
		if err != nil {
			return err
		}
		receipt.DeliveryID = tx.NewID("dlv_")
		log := event.NewLog(q.bus, subscriber(func(ctx context.Context, tx database.Tx, e event.Event) error {
			receipt.EventID = e.ID
			return q.enqueue(ctx, tx, newDelivery{id: receipt.DeliveryID, event: e, webhookID: r.ID})
		}))
		return log.Append(ctx, tx, event.Event{TenantID: tenantID, Type: event.CallTest, Livemode: livemode, Data: testData})
	})
	return receipt, err
}

// Replay queues the event of a finished delivery again, as a new delivery to the same
// webhook. Errors:
// not_found without such a delivery or a configuration; conflict while the
// configuration is disabled or the delivery is not finished; ErrCallsRead without
// readsCalls if the event includes transcript or context.
func (q *Queue) Replay(ctx context.Context, tenantID, deliveryID string, readsCalls bool) (Receipt, error) {
	var receipt Receipt
	err := q.db.Tenant(tenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		d, err := findDelivery(ctx, tx, deliveryID)
		if err != nil {
			return err
		}
		r, err := q.requireEnabled(ctx, tx, d.webhook())
		if err != nil {
			return err
		}
		if r.includesCallContent(d.EventType) && !readsCalls {
			return ErrCallsRead
		}
		if !d.Status.isFinal() {
			return fault.New(fault.Conflict, "the delivery is not finished")
		}
		receipt = Receipt{EventID: d.EventID, DeliveryID: tx.NewID("dlv_")}
		e := event.Event{ID: d.EventID, TenantID: tenantID, Type: d.EventType}
		if d.CallID != nil {
			e.CallID = *d.CallID
		}
		return q.enqueue(ctx, tx, newDelivery{id: receipt.DeliveryID, event: e, webhookID: r.ID})
	})
	return receipt, err
}

// requireEnabled locks an enabled configuration until the transaction ends;
// conflict if it is disabled.
func (q *Queue) requireEnabled(ctx context.Context, tx database.Tx, id string) (*configRow, error) {
	r, err := findConfig(ctx, tx, id, q.store.lockWebhook())
	if err != nil {
		return nil, err
	}
	if !r.Enabled {
		return nil, fault.New(fault.Conflict, "the webhook is disabled")
	}
	return r, nil
}

// subscriber adapts a function to event.Subscriber.
type subscriber func(ctx context.Context, tx database.Tx, e event.Event) error

func (f subscriber) HandleEvent(ctx context.Context, tx database.Tx, e event.Event) error {
	return f(ctx, tx, e)
}
