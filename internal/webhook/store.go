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

// perEndpoint is how many deliveries of one endpoint are in flight at once, over all nodes.
const perEndpoint = 2

// lease is how long a delivery stays claimed without being renewed.
const lease = 15 * time.Second

// store is the queue of deliveries in one database: what PostgreSQL and SQLite do differently, each in a file of its own
// (store_postgres.go, store_sqlite.go). store_test.go holds what both guarantee. A method's writes belong to the
// transaction that it is given.
//
// Whoever writes several deliveries locks the webhook first and then the deliveries in the order of their ids.
type store interface {
	// enqueue writes a pending delivery that is due now, if the tenant has an enabled webhook whose filter lets the event
	// through. It reports whether it did. The webhook is not deleted until tx ends.
	enqueue(ctx context.Context, tx database.Tx, d newDelivery) (written bool, err error)

	// claim leases due deliveries to a holder within a budget, those of the endpoints that have waited longest first, and
	// loads what attempts of them need, in the order of their ids. An endpoint has one holder at a time. more holds the
	// tenants that deliveries were sought of, true for those that may have more.
	claim(ctx context.Context, tx database.Tx, holder string, b claimBudget) (jobs []job, more map[string]bool, err error)
	// skipped reports, after a claim that found nothing, whether it skipped an endpoint that another transaction had
	// locked.
	skipped(ctx context.Context, tx database.Tx, holder string, b claimBudget) (bool, error)
	// nextDue is the earliest time after now at which a delivery is due or a lease ends; zero when there is none.
	nextDue(ctx context.Context, tx database.Tx) (time.Time, error)

	// renew extends the leases that a holder has of deliveries.
	renew(ctx context.Context, tx database.Tx, holder string, ids []string) error
	// record writes results of claimed deliveries, with their attempts, and returns the ids of those that were recorded: a
	// result whose lease went to another holder meanwhile is not.
	record(ctx context.Context, tx database.Tx, holder string, results []result) (ids []string, err error)

	// failOpen ends a tenant's deliveries that are not over as failed.
	failOpen(ctx context.Context, tx database.Tx, tenantID string) error
	// prune removes up to limit deliveries that finished before a time, the oldest first, and returns how many it removed.
	prune(ctx context.Context, tx database.Tx, before time.Time, limit int) (removed int, err error)

	// lockWebhook is the clause of a SELECT of webhooks that keeps others from changing the row until the transaction
	// ends, but not from writing deliveries.
	lockWebhook() string
}

// storeOf is the store of a database.
func storeOf(db *database.DB) store {
	if db.Postgres() {
		return postgresStore{}
	}
	return sqliteStore{}
}

// newDelivery is a delivery to be enqueued.
type newDelivery struct {
	id         string
	event      event.Event
	unfiltered bool // whatever events the webhook's filter names
}

// callID is the id of the event's call, nil for none.
func (d newDelivery) callID() *string {
	if d.event.CallID == "" {
		return nil
	}
	return &d.event.CallID
}

// eventsLike is what the events of a filter that lets the event through are LIKE.
func (d newDelivery) eventsLike() string {
	if d.unfiltered {
		return "%"
	}
	return `%"` + d.event.Type + `"%`
}

// claimBudget is how many deliveries a holder claims at most.
type claimBudget struct {
	total       int            // in all
	unheld      int            // of an endpoint that is not in held
	held        map[string]int // by tenant, of endpoints that the holder has deliveries of
	healthyOnly bool           // of endpoints whose last attempt did not fail
}

// of is the budget of a tenant's endpoint.
func (b claimBudget) of(tenantID string) int {
	if n, held := b.held[tenantID]; held {
		return n
	}
	return b.unheld
}

// exhausted are the tenants of which nothing is claimed; not empty, for SQL has no empty lists.
func (b claimBudget) exhausted() []string {
	tenants := []string{"00000000-0000-0000-0000-000000000000"}
	for tenant, n := range b.held {
		if n <= 0 {
			tenants = append(tenants, tenant)
		}
	}
	return tenants
}

// job is a claimed delivery with all that an attempt needs.
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
	row `bun:",extend"`

	claimedAt      time.Time // by the database's clock
	localClaimedAt time.Time // by this machine's
}

// now is the database's time: the clocks of nodes may differ, and receivers check the time of a signature.
func (j *job) now() time.Time { return j.claimedAt.Add(time.Since(j.localClaimedAt)) }

// jobColumns are what a job is read from: deliveries d, events e, webhooks w.
const jobColumns = `d.id AS delivery__id, d.attempts AS delivery__attempts, d.max_attempts AS delivery__max_attempts, d.created_at AS delivery__created_at,
	e.id AS event__id, e.type AS event__type, e.call_id AS event__call_id, e.livemode AS event__livemode, e.data AS event__data, e.created_at AS event__created_at, ` + rowColumns

// openTenants lists the tenants that have open deliveries. It seeks from one to the next in the index of due deliveries
// (hence its whole order, which no other index has), so that its cost does not depend on how many are open or over.
const openTenants = `WITH RECURSIVE open (tenant_id) AS (
	SELECT (SELECT d.tenant_id FROM webhook_deliveries d WHERE d.due_at IS NOT NULL ORDER BY d.tenant_id, d.due_at LIMIT 1)
	UNION ALL
	SELECT (SELECT d.tenant_id FROM webhook_deliveries d WHERE d.due_at IS NOT NULL AND d.tenant_id > o.tenant_id ORDER BY d.tenant_id, d.due_at LIMIT 1)
	FROM open o WHERE o.tenant_id IS NOT NULL) `

// claimed completes the answer of a claim of tenants.
func claimed(tx database.Tx, b claimBudget, tenants []string, jobs []job) ([]job, map[string]bool) {
	slices.SortFunc(jobs, func(a, b job) int { return strings.Compare(a.Delivery.ID, b.Delivery.ID) })
	local := time.Now()
	count := map[string]int{}
	for i := range jobs {
		jobs[i].claimedAt, jobs[i].localClaimedAt = tx.Now(), local
		count[jobs[i].TenantID]++
	}
	more := map[string]bool{}
	for _, tenant := range tenants {
		more[tenant] = count[tenant] >= b.of(tenant) || len(jobs) >= b.total
	}
	return jobs, more
}
