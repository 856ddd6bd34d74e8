package webhook

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
)

// sqliteStore is the queue in SQLite, which has one node and one writer at a time and needs no locks.
type sqliteStore struct{}

// sqliteCallHas compares the filters of a webhook w with a call c.
const sqliteCallHas = `(w.workflows IS NULL OR c.workflow_slug IN (SELECT value FROM json_each(w.workflows)))
	AND (w.agents IS NULL OR EXISTS (SELECT 1 FROM json_each(w.agents) a WHERE a.value = c.agent_name OR a.value IN (SELECT value FROM json_each(c.agent_history))))`

func (sqliteStore) enqueue(ctx context.Context, tx database.Tx, d newDelivery) (bool, error) {
	return d.insert(ctx, tx, "?", "?", sqliteCallHas, "")
}

func (s sqliteStore) claim(ctx context.Context, tx database.Tx, holder string, b claimBudget) ([]job, map[string]bool, error) {
	webhooks, err := s.endpoints(ctx, tx, holder, b)
	if err != nil || len(webhooks) == 0 {
		return nil, nil, err
	}
	var due []string
	for _, id := range webhooks {
		var ids []string
		if err := tx.NewRaw("SELECT d.id FROM webhook_deliveries d WHERE d.webhook_id = ? AND d.due_at <= ? ORDER BY d.due_at, d.id LIMIT ?",
			id, tx.Now(), min(b.forWebhook(id), b.total-len(due))).Scan(ctx, &ids); err != nil {
			return nil, nil, fmt.Errorf("find due deliveries: %w", err)
		}
		due = append(due, ids...)
	}
	if _, err := tx.ExecContext(ctx, "UPDATE webhook_deliveries SET status = 'in_flight', leased_by = ?, due_at = ? WHERE id IN (?)", holder, tx.Now().Add(lease), bun.List(due)); err != nil {
		return nil, nil, fmt.Errorf("claim deliveries: %w", err)
	}
	var jobs []job
	if err := tx.NewRaw("SELECT "+jobColumns+" FROM webhook_deliveries d JOIN events e ON e.id = d.event_id JOIN webhooks w ON w.id = d.webhook_id WHERE d.id IN (?)",
		bun.List(due)).Scan(ctx, &jobs); err != nil {
		return nil, nil, fmt.Errorf("read claimed deliveries: %w", err)
	}
	jobs, more := completeClaim(tx, b, webhooks, jobs)
	return jobs, more, nil
}

// endpoints finds the webhooks that have due deliveries within the budget and are not leased by another holder, longest
// waiting first.
func (sqliteStore) endpoints(ctx context.Context, tx database.Tx, holder string, b claimBudget) (webhooks []string, err error) {
	failures := math.MaxInt32
	if b.healthyOnly {
		failures = 0
	}
	err = tx.NewRaw(openWebhooks+`SELECT w.id FROM open o JOIN webhooks w ON w.id = o.webhook_id
		WHERE w.enabled AND w.failures <= ? AND w.id NOT IN (?)
		AND EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.due_at <= ?)
		AND NOT EXISTS (SELECT 1 FROM webhook_deliveries f WHERE f.webhook_id = w.id AND f.status = 'in_flight' AND f.due_at > ? AND f.leased_by <> ?)
		ORDER BY (SELECT d.due_at FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.due_at <= ? ORDER BY d.due_at, d.id LIMIT 1) LIMIT ?`,
		failures, bun.List(b.exhausted()), tx.Now(), tx.Now(), holder, tx.Now(), b.total).Scan(ctx, &webhooks)
	if err != nil {
		return nil, fmt.Errorf("find endpoints with due deliveries: %w", err)
	}
	return webhooks, nil
}

func (sqliteStore) skipped(context.Context, database.Tx, string, claimBudget) (bool, error) {
	return false, nil
}

func (sqliteStore) nextDue(ctx context.Context, tx database.Tx) (time.Time, error) {
	var next bun.NullTime
	err := tx.NewRaw(openWebhooks+`SELECT (SELECT d.due_at FROM webhook_deliveries d WHERE d.webhook_id = o.webhook_id AND d.due_at > ? ORDER BY d.due_at LIMIT 1) AS due
		FROM open o ORDER BY due NULLS LAST LIMIT 1`, tx.Now()).Scan(ctx, &next)
	if err != nil {
		return time.Time{}, fmt.Errorf("find the next due delivery: %w", err)
	}
	return next.Time, nil
}

func (sqliteStore) renew(ctx context.Context, tx database.Tx, holder string, ids []string) error {
	_, err := tx.ExecContext(ctx, "UPDATE webhook_deliveries SET due_at = ? WHERE id IN (?) AND status = 'in_flight' AND leased_by = ?", tx.Now().Add(lease), bun.List(ids), holder)
	if err != nil {
		return fmt.Errorf("renew leases of deliveries: %w", err)
	}
	return nil
}

func (sqliteStore) record(ctx context.Context, tx database.Tx, holder string, results []result) (recorded []string, err error) {
	var values []string
	var args []any
	for _, r := range results {
		due, finished := r.dueAndFinished(tx.Now())
		values, args = append(values, "(?, ?, ?, ?, ?)"), append(args, r.job.Delivery.ID, r.status, r.attempted, due, finished)
	}
	query := `UPDATE webhook_deliveries AS d SET leased_by = NULL, status = v.column2, attempts = d.attempts + v.column3, due_at = v.column4, finished_at = v.column5
		FROM (VALUES ` + strings.Join(values, ", ") + `) AS v WHERE d.id = v.column1 AND d.leased_by = ? AND d.status = 'in_flight' RETURNING id`
	if err := tx.NewRaw(query, append(args, holder)...).Scan(ctx, &recorded); err != nil {
		return nil, fmt.Errorf("record results of deliveries: %w", err)
	}
	var attempts []attemptRow
	ended := deliveryCounts{}
	for _, r := range results {
		if !slices.Contains(recorded, r.job.Delivery.ID) {
			continue
		}
		if r.attempted {
			attempts = append(attempts, r.attemptRow(tx.Now()))
		}
		if r.status != Pending {
			ended[deliveryKind{r.job.TenantID, r.job.Event.Type, r.status}]++
		}
	}
	if len(attempts) > 0 {
		if _, err := tx.NewInsert().Model(&attempts).Exec(ctx); err != nil {
			return nil, fmt.Errorf("record attempts of deliveries: %w", err)
		}
	}
	return recorded, ended.add(ctx, tx)
}

func (sqliteStore) failOpen(ctx context.Context, tx database.Tx, webhookID string) error {
	return failOpen(ctx, tx, webhookID, "")
}

func (sqliteStore) prune(ctx context.Context, tx database.Tx, before time.Time, limit int) (int, error) {
	return prune(ctx, tx, "id IN ("+oldestFinished+")", before, limit)
}

func (sqliteStore) lockWebhook() string { return "" }
