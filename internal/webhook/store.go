package webhook

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"parley/internal/database"
	"parley/internal/event"
)

// perEndpoint is the maximum number of deliveries of one endpoint in flight, over all nodes.
const perEndpoint = 2

// lease is the duration of a claim without renewal.
const lease = 15 * time.Second

// store is the delivery queue in a database. PostgreSQL and SQLite implement it in store_postgres.go and store_sqlite.go;
// store_test.go tests both. Methods write in the transaction they are given.
//
// Lock order: the webhook, then deliveries by id.
type store interface {
	// enqueue writes a pending delivery that is due now for each enabled webhook of the tenant whose filter includes the
	// event, and reports whether it wrote any. These webhooks cannot be deleted until tx ends.
	enqueue(ctx context.Context, tx database.Tx, d newDelivery) (written bool, err error)

	// claim leases due deliveries to a holder within a budget, endpoints that have waited longest first, and returns them
	// by id with all data of an attempt. An endpoint has one holder at a time. more has a key for each webhook searched,
	// true if it may have more due deliveries.
	claim(ctx context.Context, tx database.Tx, holder string, b claimBudget) (jobs []job, more map[string]bool, err error)
	// skipped reports, after a claim that found nothing, whether it skipped an endpoint locked by another transaction.
	skipped(ctx context.Context, tx database.Tx, holder string, b claimBudget) (bool, error)
	// nextDue returns the earliest time after now at which a delivery is due or a lease ends; zero if there is none.
	nextDue(ctx context.Context, tx database.Tx) (time.Time, error)

	// renew extends a holder's leases of deliveries.
	renew(ctx context.Context, tx database.Tx, holder string, ids []string) error
	// record writes results and attempts of claimed deliveries and returns the ids of those recorded: results whose lease
	// has passed to another holder are not.
	record(ctx context.Context, tx database.Tx, holder string, results []result) (ids []string, err error)

	// failOpen sets a webhook's open deliveries to failed.
	failOpen(ctx context.Context, tx database.Tx, webhookID string) error
	// prune removes up to limit deliveries finished before a time, oldest first, and returns the number removed.
	prune(ctx context.Context, tx database.Tx, before time.Time, limit int) (removed int, err error)

	// lockWebhook returns the locking clause of a SELECT of webhooks: until the transaction ends others cannot change the
	// row, but can write deliveries.
	lockWebhook() string
}

// newStore returns the store for a database.
func newStore(db *database.DB) store {
	if db.Postgres() {
		return postgresStore{}
	}
	return sqliteStore{}
}

// newDelivery is a delivery to enqueue.
type newDelivery struct {
	id    string // of the first webhook's; those of further ones have their ordinal, too
	event event.Event
	// webhookID is the only webhook to deliver to, regardless of its filter; "" for all whose filters include the event.
	webhookID string
}

// callID returns the call id of the event, or nil.
func (d newDelivery) callID() *string {
	if d.event.CallID == "" {
		return nil
	}
	return &d.event.CallID
}

// receivers returns the condition on webhooks w that receive the event. A filter by workflow or agent compares with the
// call's row, whose agents are those of callAgents.
func (d newDelivery) receivers(callHas string) (condition string, args []any) {
	if d.webhookID != "" {
		return "w.id = ?", []any{d.webhookID}
	}
	return `(w.events IS NULL OR w.events LIKE ?) AND (w.workflows IS NULL AND w.agents IS NULL OR EXISTS (
		SELECT 1 FROM calls c WHERE c.tenant_id = w.tenant_id AND c.id = ? AND ` + callHas + `))`, []any{`%"` + d.event.Type + `"%`, d.callID()}
}

// claimBudget limits how many deliveries a holder claims.
type claimBudget struct {
	total          int            // in all
	otherEndpoints int            // of an endpoint that is not in byWebhook
	byWebhook      map[string]int // of the endpoints of which the holder has deliveries
	healthyOnly    bool           // of endpoints whose last attempt did not fail
}

// forWebhook returns the budget of a webhook's endpoint.
func (b claimBudget) forWebhook(id string) int {
	if n, exists := b.byWebhook[id]; exists {
		return n
	}
	return b.otherEndpoints
}

// exhausted returns the webhooks without budget; never empty, because SQL has no empty lists.
func (b claimBudget) exhausted() []string {
	webhooks := []string{""}
	for id, n := range b.byWebhook {
		if n <= 0 {
			webhooks = append(webhooks, id)
		}
	}
	return webhooks
}

// job is a claimed delivery with all data of an attempt.
type job struct {
	Delivery struct {
		ID          string
		Attempts    int // made before this one
		MaxAttempts int
		CreatedAt   time.Time
	} `bun:"embed:delivery__"`
	Event struct {
		ID        string
		Type      string
		CallID    *string
		Livemode  bool
		Data      json.RawMessage `bun:"type:text"`
		CreatedAt time.Time
	} `bun:"embed:event__"`
	configRow `bun:",extend"`

	claimedAt      time.Time // by the database's clock
	localClaimedAt time.Time // by this machine's
}

// now returns the database's time: clocks of nodes may differ, and receivers check the time of a signature.
func (j *job) now() time.Time { return j.claimedAt.Add(time.Since(j.localClaimedAt)) }

// jobColumns are the columns of a job: deliveries d, events e, webhooks w.
const jobColumns = `d.id AS delivery__id, d.attempts AS delivery__attempts, d.max_attempts AS delivery__max_attempts, d.created_at AS delivery__created_at,
	e.id AS event__id, e.type AS event__type, e.call_id AS event__call_id, e.livemode AS event__livemode, e.data AS event__data, e.created_at AS event__created_at, ` + rowColumns

// openWebhooks lists the webhooks with open deliveries. It skips from one to the next in the index of due deliveries (hence
// the full ORDER BY, which only that index has), so that its cost is independent of the number of deliveries.
const openWebhooks = `WITH RECURSIVE open (webhook_id) AS (
	SELECT (SELECT d.webhook_id FROM webhook_deliveries d WHERE d.due_at IS NOT NULL AND d.webhook_id > '' ORDER BY d.webhook_id, d.due_at LIMIT 1)
	UNION ALL
	SELECT (SELECT d.webhook_id FROM webhook_deliveries d WHERE d.due_at IS NOT NULL AND d.webhook_id > o.webhook_id ORDER BY d.webhook_id, d.due_at LIMIT 1)
	FROM open o WHERE o.webhook_id IS NOT NULL) `

// completeClaim sorts the jobs of a claim and sets their times, and returns which webhooks may have more due deliveries.
func completeClaim(tx database.Tx, b claimBudget, webhooks []string, jobs []job) ([]job, map[string]bool) {
	slices.SortFunc(jobs, func(a, b job) int { return strings.Compare(a.Delivery.ID, b.Delivery.ID) })
	local := time.Now()
	count := map[string]int{}
	for i := range jobs {
		jobs[i].claimedAt, jobs[i].localClaimedAt = tx.Now(), local
		count[jobs[i].ID]++
	}
	more := map[string]bool{}
	for _, id := range webhooks {
		more[id] = count[id] >= b.forWebhook(id) || len(jobs) >= b.total
	}
	return jobs, more
}
