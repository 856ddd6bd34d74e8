package webhook

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
)

// queueSettings are the PostgreSQL settings of queue transactions. Sorts and sequential scans are disabled: the statistics
// of a queue are always outdated, and the planner would read and sort a whole backlog that it estimates at a few rows. JIT is
// disabled because the remaining plans look costly enough to compile. Commits do not wait for the disk: queue writes lost
// in a crash of the database are repeated.
var queueSettings = []string{"synchronous_commit=off", "jit=off", "enable_seqscan=off", "enable_bitmapscan=off", "enable_sort=off", "plan_cache_mode=force_generic_plan"}

// logSettings are the PostgreSQL settings of transactions that read the log, which uses index order too.
var logSettings = []string{"jit=off", "enable_seqscan=off", "enable_bitmapscan=off", "enable_sort=off"}

// postgresStore is the queue in PostgreSQL, shared by several nodes.
type postgresStore struct{}

// enqueue casts NULL and the time, whose type in a SELECT would be text. FOR KEY SHARE prevents deletion of the webhook,
// which would leave the delivery to the tenant's next one. It does not conflict with other events, claims or results.
func (postgresStore) enqueue(ctx context.Context, tx database.Tx, d newDelivery) (bool, error) {
	return d.insert(ctx, tx, "CAST(? AS uuid)", "CAST(? AS timestamptz)", postgresCallHas, " FOR KEY SHARE OF w")
}

// postgresCallHas compares the filters of a webhook w with a call c.
const postgresCallHas = `(w.workflows IS NULL OR w.workflows::jsonb @> to_jsonb(c.workflow_slug))
	AND (w.agents IS NULL OR w.agents::jsonb @> to_jsonb(c.agent_name)
		OR EXISTS (SELECT 1 FROM jsonb_array_elements(w.agents::jsonb) AS a WHERE c.agent_history @> a))`

// claim locks the webhooks first, in a separate statement: two nodes never claim concurrently for one endpoint, and because a
// statement sees only what was committed before it began, a single one could miss the other node's claims. Locked
// deliveries are skipped: their lease has ended and the old holder is recording a late result. A claim never blocks.
func (s postgresStore) claim(ctx context.Context, tx database.Tx, holder string, b claimBudget) ([]job, map[string]bool, error) {
	webhooks, err := s.endpoints(ctx, tx, holder, b, b.total, " FOR NO KEY UPDATE OF w SKIP LOCKED")
	if err != nil || len(webhooks) == 0 {
		return nil, nil, err
	}
	each := make([]int, len(webhooks))
	for i, id := range webhooks {
		each[i] = b.forWebhook(id)
	}
	var jobs []job
	err = tx.Prepared(ctx, &jobs, `WITH due AS (
			SELECT d.id FROM unnest($3::text[], $4::bigint[]) WITH ORDINALITY AS w (id, budget, place)
			CROSS JOIN LATERAL (
				SELECT d.id, d.due_at FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.due_at <= $2 ORDER BY d.due_at, d.id LIMIT w.budget FOR UPDATE SKIP LOCKED
			) d
			WHERE NOT EXISTS (SELECT 1 FROM webhook_deliveries f WHERE f.webhook_id = w.id AND f.status = 'in_flight' AND f.due_at > $2 AND f.leased_by <> $1)
			ORDER BY w.place, d.due_at, d.id LIMIT $6
		), d AS (
			UPDATE webhook_deliveries AS d SET status = 'in_flight', leased_by = $1, due_at = $5 FROM due WHERE d.id = due.id
			RETURNING d.id, d.webhook_id, d.event_id, d.attempts, d.max_attempts, d.created_at
		)
		SELECT `+jobColumns+` FROM d JOIN events e ON e.id = d.event_id JOIN webhooks w ON w.id = d.webhook_id`,
		holder, tx.Now(), webhooks, each, tx.Now().Add(lease), b.total)
	if err != nil {
		return nil, nil, fmt.Errorf("claim deliveries: %w", err)
	}
	jobs, more := completeClaim(tx, b, webhooks, jobs)
	return jobs, more, nil
}

// endpoints finds up to limit webhooks that have due deliveries within the budget and are not leased by another holder,
// longest waiting first.
func (postgresStore) endpoints(ctx context.Context, tx database.Tx, holder string, b claimBudget, limit int, lock string) (webhooks []string, err error) {
	failures := math.MaxInt32
	if b.healthyOnly {
		failures = 0
	}
	err = tx.Prepared(ctx, &webhooks, openWebhooks+`SELECT w.id FROM open o JOIN webhooks w ON w.id = o.webhook_id
		WHERE w.enabled AND w.failures <= $3 AND w.id <> ALL ($4::text[])
		AND EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.due_at <= $2)
		AND NOT EXISTS (SELECT 1 FROM webhook_deliveries f WHERE f.webhook_id = w.id AND f.status = 'in_flight' AND f.due_at > $2 AND f.leased_by <> $1)
		ORDER BY (SELECT d.due_at FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.due_at <= $2 ORDER BY d.due_at, d.id LIMIT 1) LIMIT $5`+lock,
		holder, tx.Now(), failures, b.exhausted(), limit)
	if err != nil {
		return nil, fmt.Errorf("find endpoints with due deliveries: %w", err)
	}
	return webhooks, nil
}

// skipped searches for endpoints without locking them.
func (s postgresStore) skipped(ctx context.Context, tx database.Tx, holder string, b claimBudget) (bool, error) {
	webhooks, err := s.endpoints(ctx, tx, holder, b, 1, "")
	return len(webhooks) > 0, err
}

func (postgresStore) nextDue(ctx context.Context, tx database.Tx) (time.Time, error) {
	var next bun.NullTime
	err := tx.Prepared(ctx, &next, openWebhooks+`SELECT (SELECT d.due_at FROM webhook_deliveries d WHERE d.webhook_id = o.webhook_id AND d.due_at > $1 ORDER BY d.due_at LIMIT 1) AS due
		FROM open o ORDER BY due NULLS LAST LIMIT 1`, tx.Now())
	if err != nil {
		return time.Time{}, fmt.Errorf("find the next due delivery: %w", err)
	}
	return next.Time, nil
}

// renew skips rows locked by another transaction: they are being recorded, and waiting could deadlock.
func (postgresStore) renew(ctx context.Context, tx database.Tx, holder string, ids []string) error {
	err := tx.Prepared(ctx, new([]string), `WITH held AS (
			SELECT id FROM webhook_deliveries WHERE id = ANY ($1::text[]) AND status = 'in_flight' AND leased_by = $2 FOR UPDATE SKIP LOCKED)
		UPDATE webhook_deliveries AS d SET due_at = $3 FROM held WHERE d.id = held.id RETURNING d.id`, ids, holder, tx.Now().Add(lease))
	if err != nil {
		return fmt.Errorf("renew leases of deliveries: %w", err)
	}
	return nil
}

// record writes results, attempts and counts in one statement: endpoints wait for each round trip.
func (postgresStore) record(ctx context.Context, tx database.Tx, holder string, results []result) (recorded []string, err error) {
	n := len(results)
	ids, statuses, made := make([]string, n), make([]string, n), make([]bool, n)
	due, finished, started := make([]*time.Time, n), make([]*time.Time, n), make([]time.Time, n)
	took, codes, bodies, errs := make([]int64, n), make([]*int, n), make([]string, n), make([]string, n)
	for i, r := range results {
		ids[i], statuses[i], made[i] = r.job.Delivery.ID, string(r.status), r.attempted
		due[i], finished[i] = r.dueAndFinished(tx.Now())
		a := r.attemptRow(tx.Now())
		started[i], took[i], codes[i], bodies[i], errs[i] = a.StartedAt, a.DurationMS, a.ResponseStatus, a.ResponseBody, a.Error
	}
	err = tx.Prepared(ctx, &recorded, `WITH result AS (
			SELECT * FROM unnest($2::text[], $3::text[], $4::boolean[], $5::timestamptz[], $6::timestamptz[], $7::timestamptz[], $8::integer[], $9::integer[], $10::text[], $11::text[])
				AS r (id, status, made, due_at, finished_at, started_at, duration_ms, response_status, response_body, error)
		), held AS (
			SELECT d.id FROM webhook_deliveries d WHERE d.id = ANY ($2) AND d.leased_by = $1 AND d.status = 'in_flight' ORDER BY d.id FOR UPDATE
		), recorded AS (
			UPDATE webhook_deliveries AS d SET leased_by = NULL, status = r.status, attempts = d.attempts + r.made::integer, due_at = r.due_at, finished_at = r.finished_at
			FROM held JOIN result r ON r.id = held.id WHERE d.id = held.id
			RETURNING d.id, d.tenant_id, d.event_type, d.status, d.attempts, r.made, r.finished_at, r.started_at, r.duration_ms, r.response_status, r.response_body, r.error
		), attempted AS (
			INSERT INTO webhook_attempts (delivery_id, number, tenant_id, started_at, duration_ms, response_status, response_body, error)
			SELECT id, attempts, tenant_id, started_at, duration_ms, response_status, response_body, error FROM recorded WHERE made
		), counted AS (
			INSERT INTO webhook_delivery_counts AS k (tenant_id, event_type, status, n)
			SELECT tenant_id, event_type, status, count(*) FROM recorded WHERE finished_at IS NOT NULL GROUP BY 1, 2, 3 ORDER BY tenant_id, event_type COLLATE "C", status COLLATE "C"
			ON CONFLICT (tenant_id, event_type, status) DO UPDATE SET n = k.n + excluded.n
		)
		SELECT id FROM recorded`, holder, ids, statuses, made, due, finished, started, took, codes, bodies, errs)
	if err != nil {
		return nil, fmt.Errorf("record results of deliveries: %w", err)
	}
	return recorded, nil
}

func (postgresStore) failOpen(ctx context.Context, tx database.Tx, webhookID string) error {
	return failOpen(ctx, tx, webhookID, "ORDER BY id FOR UPDATE")
}

// prune skips rows that other nodes are pruning. The ids are an array because PostgreSQL may evaluate the subquery of an
// IN once per row, which defeats its LIMIT.
func (postgresStore) prune(ctx context.Context, tx database.Tx, before time.Time, limit int) (int, error) {
	return prune(ctx, tx, "id = ANY (ARRAY("+oldestFinished+" FOR UPDATE SKIP LOCKED))", before, limit)
}

func (postgresStore) lockWebhook() string { return " FOR NO KEY UPDATE" }
