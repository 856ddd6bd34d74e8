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

// queueing is what the queue's transactions are set to on PostgreSQL, which is
// to answer their questions from the ends of its indexes: a queue's statistics
// are always old, the planner takes a backlog for a few rows, and would read
// and sort all of it to find the first two. (A plan that is left no choice
// looks so costly that it would be compiled.) And nobody waits for the disk:
// what a crash of the database forgets of the queue's own writes is done again.
var queueing = []string{"synchronous_commit=off", "jit=off", "enable_seqscan=off", "enable_bitmapscan=off", "enable_sort=off", "plan_cache_mode=force_generic_plan"}

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
	tenants, err := endpoints(ctx, tx, holder, w, w.most, true)
	if err != nil || len(tenants) == 0 {
		return nil, nil, err
	}
	take := takePostgres
	if !tx.Postgres() {
		take = takeSQLite
	}
	rooms := make([]int, len(tenants))
	for i, tenant := range tenants {
		room, known := w.rooms[tenant]
		if !known {
			room = w.window
		}
		rooms[i] = room
	}
	if jobs, err = take(ctx, tx, holder, tenants, rooms, w.most); err != nil {
		return nil, nil, fmt.Errorf("claim deliveries: %w", err)
	}
	slices.SortFunc(jobs, func(a, b job) int { return strings.Compare(a.Delivery.ID, b.Delivery.ID) })
	here := time.Now()
	taken := map[string]int{}
	for i := range jobs {
		jobs[i].claimed, jobs[i].here = tx.Now(), here
		taken[jobs[i].TenantID]++
	}
	more = map[string]bool{}
	for i, tenant := range tenants {
		more[tenant] = taken[tenant] >= rooms[i] || len(jobs) >= w.most
	}
	return jobs, more, nil
}

// jobColumns are what a job is read from: deliveries d, events e, webhooks w.
const jobColumns = `d.id AS delivery__id, d.attempts AS delivery__attempts, d.max_attempts AS delivery__max_attempts, d.created_at AS delivery__created_at,
	e.id AS event__id, e.type AS event__type, e.call_id AS event__call_id, e.livemode AS event__livemode, e.data AS event__data, e.created_at AS event__created_at, ` + rowColumns

// takePostgres claims due deliveries of tenants, in order, up to a number of
// each and of all, and reads what they need. A delivery that is locked is passed
// by: its lease has lapsed, and its old holder records what came of it after
// all. So a claim waits for nobody.
func takePostgres(ctx context.Context, tx database.Tx, holder string, tenants []string, rooms []int, most int) (jobs []job, err error) {
	err = tx.Prepared(ctx, &jobs, `WITH due AS (
			SELECT d.id FROM unnest($3::text[]::uuid[], $4::bigint[]) WITH ORDINALITY AS w (tenant_id, room, place)
			CROSS JOIN LATERAL (
				SELECT d.id, d.due_at FROM webhook_deliveries d WHERE d.tenant_id = w.tenant_id AND d.due_at <= $2 ORDER BY d.due_at, d.id LIMIT w.room FOR UPDATE SKIP LOCKED
			) d
			WHERE NOT EXISTS (SELECT 1 FROM webhook_deliveries f WHERE f.tenant_id = w.tenant_id AND f.status = 'in_flight' AND f.due_at > $2 AND f.leased_by <> $1)
			ORDER BY w.place, d.due_at, d.id LIMIT $6
		), d AS (
			UPDATE webhook_deliveries AS d SET status = 'in_flight', leased_by = $1, due_at = $5 FROM due WHERE d.id = due.id
			RETURNING d.id, d.tenant_id, d.event_id, d.attempts, d.max_attempts, d.created_at
		)
		SELECT `+jobColumns+` FROM d JOIN events e ON e.id = d.event_id JOIN webhooks w ON w.tenant_id = d.tenant_id`,
		holder, tx.Now(), tenants, rooms, tx.Now().Add(lease), most)
	return jobs, err
}

// takeSQLite does the same, in as many statements as it takes; there is one
// writer, who locks nothing.
func takeSQLite(ctx context.Context, tx database.Tx, holder string, tenants []string, rooms []int, most int) (jobs []job, err error) {
	var due []string
	for i, tenant := range tenants {
		var ids []string
		if err := tx.NewRaw("SELECT d.id FROM webhook_deliveries d WHERE d.tenant_id = ? AND d.due_at <= ? ORDER BY d.due_at, d.id LIMIT ?",
			tenant, tx.Now(), min(rooms[i], most-len(due))).Scan(ctx, &ids); err != nil {
			return nil, err
		}
		due = append(due, ids...)
	}
	if _, err := tx.ExecContext(ctx, "UPDATE webhook_deliveries SET status = 'in_flight', leased_by = ?, due_at = ? WHERE id IN (?)", holder, tx.Now().Add(lease), bun.List(due)); err != nil {
		return nil, err
	}
	err = tx.NewRaw("SELECT "+jobColumns+" FROM webhook_deliveries d JOIN events e ON e.id = d.event_id JOIN webhooks w ON w.tenant_id = d.tenant_id WHERE d.id IN (?)",
		bun.List(due)).Scan(ctx, &jobs)
	return jobs, err
}

// endpoints finds the tenants, at most so many, that have due deliveries, which
// nobody else holds and of which the holder wishes some, those that have waited
// longest first. With lock it passes by those whose configuration is locked, and
// locks the others'.
//
// An endpoint is one holder's at a time, who sees to it that no more than
// perEndpoint are in flight: nobody else has deliveries of it under a lease.
func endpoints(ctx context.Context, tx database.Tx, holder string, w wish, most int, lock bool) (tenants []string, err error) {
	full := []string{"00000000-0000-0000-0000-000000000000"} // an empty list is no list
	for tenant, room := range w.rooms {
		if room <= 0 {
			full = append(full, tenant)
		}
	}
	failures := math.MaxInt32
	if w.sound {
		failures = 0
	}
	among, except, locking := "w.tenant_id NOT IN (?)", any(bun.List(full)), ""
	if tx.Postgres() {
		among, except = "w.tenant_id <> ALL (?::text[]::uuid[])", full
		if lock {
			locking = " FOR NO KEY UPDATE OF w SKIP LOCKED"
		}
	}
	err = prepared(ctx, tx, &tenants, waiting+`SELECT w.tenant_id FROM waiting q JOIN webhooks w ON w.tenant_id = q.tenant_id
		WHERE w.enabled AND w.failures <= ? AND `+among+` AND EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.tenant_id = w.tenant_id AND d.due_at <= ?)
		AND NOT EXISTS (SELECT 1 FROM webhook_deliveries f WHERE f.tenant_id = w.tenant_id AND f.status = 'in_flight' AND f.due_at > ? AND f.leased_by <> ?)
		ORDER BY (SELECT d.due_at FROM webhook_deliveries d WHERE d.tenant_id = w.tenant_id AND d.due_at <= ? ORDER BY d.due_at, d.id LIMIT 1) LIMIT ?`+locking,
		failures, except, tx.Now(), tx.Now(), holder, tx.Now(), most)
	if err != nil {
		return nil, fmt.Errorf("find endpoints with due deliveries: %w", err)
	}
	return tenants, nil
}

// prepared runs a query that is the same text each time, on PostgreSQL prepared.
func prepared(ctx context.Context, tx database.Tx, dest any, query string, args ...any) error {
	if !tx.Postgres() {
		return tx.NewRaw(query, args...).Scan(ctx, dest)
	}
	var b strings.Builder
	n := 0
	for part := range strings.SplitSeq(query, "?") {
		if n > 0 {
			fmt.Fprintf(&b, "$%d", n)
		}
		b.WriteString(part)
		n++
	}
	return tx.Prepared(ctx, dest, b.String(), args...)
}

// passedBy tells, after a claim that found nothing, whether it passed an
// endpoint by because its configuration was locked for a moment.
func passedBy(ctx context.Context, tx database.Tx, holder string, w wish) (bool, error) {
	if !tx.Postgres() {
		return false, nil
	}
	tenants, err := endpoints(ctx, tx, holder, w, 1, false)
	return len(tenants) > 0, err
}

// nextDue is when the next delivery that is not due yet will be, a lease's end
// included; zero when there is none.
func nextDue(ctx context.Context, tx database.Tx) (time.Time, error) {
	var next bun.NullTime
	err := prepared(ctx, tx, &next, waiting+`SELECT (SELECT d.due_at FROM webhook_deliveries d WHERE d.tenant_id = q.tenant_id AND d.due_at > ? ORDER BY d.due_at LIMIT 1) AS due
		FROM waiting q ORDER BY due NULLS LAST LIMIT 1`, tx.Now())
	if err != nil {
		return time.Time{}, fmt.Errorf("find the next due delivery: %w", err)
	}
	return next.Time, nil
}
