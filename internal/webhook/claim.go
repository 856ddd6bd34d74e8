package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
)

// perEndpoint is how many deliveries of one tenant are in flight at once. A
// tenant whose endpoint hangs holds as many slots and no more.
const perEndpoint = 2

// lease is how long a delivery stays claimed without being renewed.
const lease = 15 * time.Second

// waiting lists the tenants that have open deliveries. It leaps from one to
// the next in the index of due deliveries (hence its whole order, which no
// other index has), so that it costs the same however many wait or are done.
const waiting = `WITH RECURSIVE waiting (tenant_id) AS (
	SELECT (SELECT d.tenant_id FROM webhook_deliveries d WHERE d.due_at IS NOT NULL ORDER BY d.tenant_id, d.due_at LIMIT 1)
	UNION ALL
	SELECT (SELECT d.tenant_id FROM webhook_deliveries d WHERE d.due_at IS NOT NULL AND d.tenant_id > q.tenant_id ORDER BY d.tenant_id, d.due_at LIMIT 1)
	FROM waiting q WHERE q.tenant_id IS NOT NULL) `

// free says that no other holder has deliveries of a tenant under a lease: an
// endpoint is one holder's at a time, who sees to it that no more than
// perEndpoint are in flight. It takes the holder and the time.
const free = `NOT EXISTS (SELECT 1 FROM webhook_deliveries f WHERE f.tenant_id = w.tenant_id AND f.status = 'in_flight' AND f.due_at > ? AND f.leased_by <> ?)`

// queueing is what the queue's transactions are set to on PostgreSQL, which is
// to answer their questions from the ends of its indexes: a queue's statistics
// are always old, the planner takes a backlog for a few rows, and would read
// and sort all of it to find the first two. (A plan that is left no choice
// looks so costly that it would be compiled.) And nobody waits for the disk:
// what a crash of the database forgets of the queue's own writes is done again.
var queueing = []string{"synchronous_commit=off", "jit=off", "enable_seqscan=off", "enable_bitmapscan=off", "enable_sort=off"}

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

	// When it was claimed, by the database's clock and by this machine's.
	claimed, here time.Time
}

// now is the database's time: the clocks of nodes may differ, and receivers
// look at the time of a signature.
func (j *job) now() time.Time { return j.claimed.Add(time.Since(j.here)) }

// wish is how much of the queue a holder can take.
type wish struct {
	most   int            // deliveries in all
	sound  bool           // only of endpoints whose last attempt did not fail
	window int            // of one endpoint, unless rooms has another number
	rooms  map[string]int // by tenant, of those that the holder has deliveries of
}

// claim leases due deliveries to a holder, of the endpoints that have waited
// longest first and of each as many as wished, and loads what they need. more
// names the tenants of which there may be more that are due.
//
// On PostgreSQL the configuration's row is the endpoint's lock: two nodes
// never claim for the same tenant at once, and no event that is being written
// is in their way (see owe). The lock is a statement of its own
// because a statement sees what was committed before it began: claiming in the
// same statement could miss the other node's claims.
func claim(ctx context.Context, tx database.Tx, holder string, w wish) (jobs []job, more map[string]bool, err error) {
	now := tx.Now()
	locking := ""
	if tx.Postgres() {
		locking = " FOR NO KEY UPDATE OF w SKIP LOCKED"
	}
	tenants, err := endpoints(ctx, tx, holder, w, w.most, locking)
	if err != nil {
		return nil, nil, err
	}
	var ids []string
	more, left := map[string]bool{}, w.most
	for _, part := range w.parts(tenants) {
		found, err := due(ctx, tx, holder, part)
		if err != nil {
			return nil, nil, err
		}
		for _, tenant := range part.tenants {
			of := found[tenant]
			more[tenant] = len(of) >= part.room || len(of) > left
			of = of[:min(len(of), left)]
			ids, left = append(ids, of...), left-len(of)
		}
	}
	if len(ids) == 0 {
		return nil, nil, nil
	}
	// due_at once more: a delivery whose lease has lapsed may be settled by its
	// old holder at this moment, and must not come back to life. In COALESCE
	// it is no reason to leave the primary key.
	var claimed []string
	if err := tx.NewRaw("UPDATE webhook_deliveries SET status = 'in_flight', leased_by = ?, due_at = ? WHERE id IN (?) AND COALESCE(due_at <= ?, false) RETURNING id",
		holder, now.Add(lease), bun.List(ids), now).Scan(ctx, &claimed); err != nil {
		return nil, nil, fmt.Errorf("claim deliveries: %w", err)
	}
	err = tx.NewRaw(`SELECT d.id AS delivery__id, d.attempts AS delivery__attempts, d.max_attempts AS delivery__max_attempts, d.created_at AS delivery__created_at,
			e.id AS event__id, e.type AS event__type, e.call_id AS event__call_id, e.livemode AS event__livemode, e.data AS event__data, e.created_at AS event__created_at, `+rowColumns+`
		FROM webhook_deliveries d JOIN events e ON e.id = d.event_id JOIN webhooks w ON w.tenant_id = d.tenant_id
		WHERE d.id IN (?)`, bun.List(claimed)).Scan(ctx, &jobs)
	if err != nil {
		return nil, nil, fmt.Errorf("read claimed deliveries: %w", err)
	}
	slices.SortFunc(jobs, func(a, b job) int { return strings.Compare(a.Delivery.ID, b.Delivery.ID) })
	here := time.Now()
	for i := range jobs {
		jobs[i].claimed, jobs[i].here = now, here
	}
	return jobs, more, nil
}

// endpoints finds the tenants, at most so many, that have due deliveries, which
// nobody else holds and of which the holder wishes some, those that have waited
// longest first.
func endpoints(ctx context.Context, tx database.Tx, holder string, w wish, most int, locking string) (tenants []string, err error) {
	full := []string{"00000000-0000-0000-0000-000000000000"} // an empty list is no list
	for tenant, room := range w.rooms {
		if room <= 0 {
			full = append(full, tenant)
		}
	}
	query := waiting + `SELECT w.tenant_id FROM waiting q JOIN webhooks w ON w.tenant_id = q.tenant_id
		WHERE w.enabled AND w.failures <= ? AND w.tenant_id NOT IN (?) AND EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.tenant_id = w.tenant_id AND d.due_at <= ?) AND ` + free + `
		ORDER BY (SELECT d.due_at FROM webhook_deliveries d WHERE d.tenant_id = w.tenant_id AND d.due_at <= ? ORDER BY d.due_at, d.id LIMIT 1) LIMIT ?` + locking
	failures := math.MaxInt32
	if w.sound {
		failures = 0
	}
	now := tx.Now()
	if err := tx.NewRaw(query, failures, bun.List(full), now, now, holder, now, most).Scan(ctx, &tenants); err != nil {
		return nil, fmt.Errorf("find endpoints with due deliveries: %w", err)
	}
	return tenants, nil
}

// passedBy tells, after a claim that found nothing, whether it passed an
// endpoint by because its configuration was locked for a moment.
func passedBy(ctx context.Context, tx database.Tx, holder string, w wish) (bool, error) {
	if !tx.Postgres() {
		return false, nil
	}
	tenants, err := endpoints(ctx, tx, holder, w, 1, "")
	return len(tenants) > 0, err
}

// part is tenants with the same room.
type part struct {
	room    int
	tenants []string
}

// parts sorts tenants by their room, in order.
func (w wish) parts(tenants []string) (parts []part) {
	for _, tenant := range tenants {
		room, known := w.rooms[tenant]
		if !known {
			room = w.window
		}
		i := slices.IndexFunc(parts, func(p part) bool { return p.room == room })
		if i < 0 {
			i, parts = len(parts), append(parts, part{room: room})
		}
		parts[i].tenants = append(parts[i].tenants, tenant)
	}
	return parts
}

// due finds the first due deliveries of tenants, by tenant, in order.
func due(ctx context.Context, tx database.Tx, holder string, p part) (map[string][]string, error) {
	const first = `(SELECT d.id FROM webhook_deliveries d WHERE d.tenant_id = w.tenant_id AND d.due_at <= ? ORDER BY d.due_at, d.id LIMIT ?)`
	now := tx.Now()
	type row struct{ TenantID, ID string }
	var rows []row
	if tx.Postgres() {
		err := tx.NewRaw("SELECT w.tenant_id, d.id FROM webhooks w CROSS JOIN LATERAL "+first+" d WHERE w.tenant_id IN (?) AND "+free,
			now, p.room, bun.List(p.tenants), now, holder).Scan(ctx, &rows)
		if err != nil {
			return nil, fmt.Errorf("find due deliveries: %w", err)
		}
	} else { // which has one writer, and no LATERAL
		for _, tenant := range p.tenants {
			var ids []string
			if err := tx.NewRaw("SELECT d.id FROM webhook_deliveries d WHERE d.tenant_id = ? AND d.due_at <= ? ORDER BY d.due_at, d.id LIMIT ?", tenant, now, p.room).Scan(ctx, &ids); err != nil {
				return nil, fmt.Errorf("find due deliveries: %w", err)
			}
			for _, id := range ids {
				rows = append(rows, row{tenant, id})
			}
		}
	}
	found := map[string][]string{}
	for _, r := range rows {
		found[r.TenantID] = append(found[r.TenantID], r.ID)
	}
	return found, nil
}

// nextDue is when the next delivery that is not due yet will be, a lease's end
// included; zero when there is none.
func nextDue(ctx context.Context, tx database.Tx) (time.Time, error) {
	var next bun.NullTime
	err := tx.NewRaw(waiting+`SELECT (SELECT d.due_at FROM webhook_deliveries d WHERE d.tenant_id = q.tenant_id AND d.due_at > ? ORDER BY d.due_at LIMIT 1) AS due
		FROM waiting q ORDER BY due NULLS LAST LIMIT 1`, tx.Now()).Scan(ctx, &next)
	if err != nil {
		return time.Time{}, fmt.Errorf("find the next due delivery: %w", err)
	}
	return next.Time, nil
}
