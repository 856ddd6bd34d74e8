package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
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

// inFlight counts the running deliveries of a tenant.
const inFlight = `(SELECT count(*) FROM webhook_deliveries f WHERE f.tenant_id = w.tenant_id AND f.status = 'in_flight' AND f.due_at > ?)`

// readInOrder has PostgreSQL answer the queue's questions from the ends of its
// indexes. A queue's statistics are always old: the planner takes a backlog
// for a few rows, and would read and sort all of it to find the first two.
// (A plan that is left no choice looks so costly that it would be compiled.)
func readInOrder(ctx context.Context, tx database.Tx) error {
	if !tx.Postgres() {
		return nil
	}
	_, err := tx.ExecContext(ctx, "SELECT set_config('jit', 'off', true), set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true)")
	if err != nil {
		return fmt.Errorf("set up the queue's plans: %w", err)
	}
	return nil
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
}

// claim leases up to most due deliveries to a holder, oldest endpoints first,
// never more than perEndpoint of one tenant, and loads what they need.
//
// On PostgreSQL the configuration's row is the endpoint's lock: two nodes
// never count and claim for the same tenant at once. The lock is a statement
// of its own because a statement sees what was committed before it began:
// counting in the same statement could miss the other node's claims.
func claim(ctx context.Context, tx database.Tx, holder string, most int) ([]job, error) {
	now := tx.Now()
	query := waiting + `SELECT w.tenant_id FROM waiting q JOIN webhooks w ON w.tenant_id = q.tenant_id
		WHERE w.enabled AND EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.tenant_id = w.tenant_id AND d.due_at <= ?) AND ` + inFlight + ` < ?
		ORDER BY (SELECT d.due_at FROM webhook_deliveries d WHERE d.tenant_id = w.tenant_id AND d.due_at <= ? ORDER BY d.due_at, d.id LIMIT 1) LIMIT ?`
	if tx.Postgres() {
		query += " FOR UPDATE OF w SKIP LOCKED"
	}
	var tenants []string
	if err := tx.NewRaw(query, now, now, perEndpoint, now, most).Scan(ctx, &tenants); err != nil {
		return nil, fmt.Errorf("find endpoints with due deliveries: %w", err)
	}
	if len(tenants) == 0 {
		return nil, nil
	}

	// The n-th free slot of an endpoint takes its n-th due delivery.
	query, args := "", []any{}
	for slot := range perEndpoint {
		if slot > 0 {
			query += " UNION ALL "
		}
		query += `SELECT (SELECT d.id FROM webhook_deliveries d WHERE d.tenant_id = w.tenant_id AND d.due_at <= ? ORDER BY d.due_at, d.id LIMIT 1 OFFSET ?)
			FROM webhooks w WHERE w.tenant_id IN (?) AND ` + inFlight + ` < ?`
		args = append(args, now, slot, bun.List(tenants), now, perEndpoint-slot)
	}
	var ids []*string
	if err := tx.NewRaw(query, args...).Scan(ctx, &ids); err != nil {
		return nil, fmt.Errorf("find due deliveries: %w", err)
	}
	ids = slices.DeleteFunc(ids, func(id *string) bool { return id == nil })
	if len(ids) > most {
		ids = ids[:most]
	}
	if len(ids) == 0 {
		return nil, nil
	}
	// due_at once more: a delivery whose lease has lapsed may be settled by its
	// old holder at this moment, and must not come back to life. In COALESCE
	// it is no reason to leave the primary key.
	var claimed []string
	if err := tx.NewRaw("UPDATE webhook_deliveries SET status = 'in_flight', leased_by = ?, due_at = ? WHERE id IN (?) AND COALESCE(due_at <= ?, false) RETURNING id",
		holder, now.Add(lease), bun.List(ids), now).Scan(ctx, &claimed); err != nil {
		return nil, fmt.Errorf("claim deliveries: %w", err)
	}

	var jobs []job
	err := tx.NewRaw(`SELECT d.id AS delivery__id, d.attempts AS delivery__attempts, d.max_attempts AS delivery__max_attempts, d.created_at AS delivery__created_at,
			e.id AS event__id, e.type AS event__type, e.call_id AS event__call_id, e.livemode AS event__livemode, e.data AS event__data, e.created_at AS event__created_at, `+rowColumns+`
		FROM webhook_deliveries d JOIN events e ON e.id = d.event_id JOIN webhooks w ON w.tenant_id = d.tenant_id
		WHERE d.id IN (?) ORDER BY d.id`, bun.List(claimed)).Scan(ctx, &jobs)
	if err != nil {
		return nil, fmt.Errorf("read claimed deliveries: %w", err)
	}
	return jobs, nil
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

// renew prolongs the leases of a holder.
func renew(ctx context.Context, tx database.Tx, holder string) error {
	if _, err := tx.ExecContext(ctx, "UPDATE webhook_deliveries SET due_at = ? WHERE status = 'in_flight' AND leased_by = ?",
		tx.Now().Add(lease), holder); err != nil {
		return fmt.Errorf("renew leases of deliveries: %w", err)
	}
	return nil
}

// settle records the outcomes of attempts and returns those that counted: one
// whose lease went to another holder meanwhile does not.
func settle(ctx context.Context, tx database.Tx, holder string, outcomes []outcome) ([]outcome, error) {
	byStatus := map[Status][]string{}
	var settled []string
	update := func(ids []string, set string, args ...any) error {
		var done []string
		query := "UPDATE webhook_deliveries SET leased_by = NULL, " + set + " WHERE id IN (?) AND leased_by = ? AND status = 'in_flight' RETURNING id"
		if err := tx.NewRaw(query, append(args, bun.List(ids), holder)...).Scan(ctx, &done); err != nil {
			return fmt.Errorf("record outcome of deliveries: %w", err)
		}
		settled = append(settled, done...)
		return nil
	}
	for _, o := range outcomes {
		var err error
		switch {
		case !o.made:
			err = update([]string{o.job.Delivery.ID}, "status = 'pending', due_at = ?", tx.Now().Add(o.wait))
		case o.status == Pending:
			err = update([]string{o.job.Delivery.ID}, "status = 'pending', attempts = attempts + 1, due_at = ?", tx.Now().Add(o.wait))
		default:
			byStatus[o.status] = append(byStatus[o.status], o.job.Delivery.ID)
		}
		if err != nil {
			return nil, err
		}
	}
	for status, ids := range byStatus {
		if err := update(ids, "status = ?, attempts = attempts + 1, due_at = NULL, finished_at = ?", status, tx.Now()); err != nil {
			return nil, err
		}
	}
	counted := slices.DeleteFunc(slices.Clone(outcomes), func(o outcome) bool { return !slices.Contains(settled, o.job.Delivery.ID) })
	var attempts []attemptRow
	for _, o := range counted {
		if o.made {
			attempts = append(attempts, o.row(tx.Now()))
		}
	}
	if len(attempts) > 0 {
		if _, err := tx.NewInsert().Model(&attempts).Exec(ctx); err != nil {
			return nil, fmt.Errorf("record attempts of deliveries: %w", err)
		}
	}
	return counted, nil
}

// attemptRow is an attempt as the table holds it.
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
