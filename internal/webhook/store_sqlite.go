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

func (sqliteStore) enqueue(ctx context.Context, tx database.Tx, d newDelivery) (bool, error) {
	return enqueued(tx.ExecContext(ctx, `INSERT INTO webhook_deliveries (id, tenant_id, event_id, event_type, call_id, status, attempts, max_attempts, due_at, created_at)
		SELECT ?, w.tenant_id, ?, ?, ?, 'pending', 0, CASE w.retry_policy WHEN 'extended' THEN ? ELSE w.max_retries END, ?, ?
		FROM webhooks w WHERE w.tenant_id = ? AND w.enabled AND (w.events IS NULL OR w.events LIKE ?)`,
		d.id, d.event.ID, d.event.Type, d.callID(), extendedAttempts, tx.Now(), tx.Now(), d.event.TenantID, d.eventsLike()))
}

func (s sqliteStore) claim(ctx context.Context, tx database.Tx, holder string, b claimBudget) ([]job, map[string]bool, error) {
	tenants, err := s.endpoints(ctx, tx, holder, b)
	if err != nil || len(tenants) == 0 {
		return nil, nil, err
	}
	var due []string
	for _, tenant := range tenants {
		var ids []string
		if err := tx.NewRaw("SELECT d.id FROM webhook_deliveries d WHERE d.tenant_id = ? AND d.due_at <= ? ORDER BY d.due_at, d.id LIMIT ?",
			tenant, tx.Now(), min(b.forTenant(tenant), b.total-len(due))).Scan(ctx, &ids); err != nil {
			return nil, nil, fmt.Errorf("find due deliveries: %w", err)
		}
		due = append(due, ids...)
	}
	if _, err := tx.ExecContext(ctx, "UPDATE webhook_deliveries SET status = 'in_flight', leased_by = ?, due_at = ? WHERE id IN (?)", holder, tx.Now().Add(lease), bun.List(due)); err != nil {
		return nil, nil, fmt.Errorf("claim deliveries: %w", err)
	}
	var jobs []job
	if err := tx.NewRaw("SELECT "+jobColumns+" FROM webhook_deliveries d JOIN events e ON e.id = d.event_id JOIN webhooks w ON w.tenant_id = d.tenant_id WHERE d.id IN (?)",
		bun.List(due)).Scan(ctx, &jobs); err != nil {
		return nil, nil, fmt.Errorf("read claimed deliveries: %w", err)
	}
	jobs, more := completeClaim(tx, b, tenants, jobs)
	return jobs, more, nil
}

// endpoints finds the tenants that have due deliveries within the budget and are not leased by another holder, longest
// waiting first.
func (sqliteStore) endpoints(ctx context.Context, tx database.Tx, holder string, b claimBudget) (tenants []string, err error) {
	failures := math.MaxInt32
	if b.healthyOnly {
		failures = 0
	}
	err = tx.NewRaw(openTenants+`SELECT w.tenant_id FROM open o JOIN webhooks w ON w.tenant_id = o.tenant_id
		WHERE w.enabled AND w.failures <= ? AND w.tenant_id NOT IN (?)
		AND EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.tenant_id = w.tenant_id AND d.due_at <= ?)
		AND NOT EXISTS (SELECT 1 FROM webhook_deliveries f WHERE f.tenant_id = w.tenant_id AND f.status = 'in_flight' AND f.due_at > ? AND f.leased_by <> ?)
		ORDER BY (SELECT d.due_at FROM webhook_deliveries d WHERE d.tenant_id = w.tenant_id AND d.due_at <= ? ORDER BY d.due_at, d.id LIMIT 1) LIMIT ?`,
		failures, bun.List(b.exhausted()), tx.Now(), tx.Now(), holder, tx.Now(), b.total).Scan(ctx, &tenants)
	if err != nil {
		return nil, fmt.Errorf("find endpoints with due deliveries: %w", err)
	}
	return tenants, nil
}

func (sqliteStore) skipped(context.Context, database.Tx, string, claimBudget) (bool, error) {
	return false, nil
}

func (sqliteStore) nextDue(ctx context.Context, tx database.Tx) (time.Time, error) {
	var next bun.NullTime
	err := tx.NewRaw(openTenants+`SELECT (SELECT d.due_at FROM webhook_deliveries d WHERE d.tenant_id = o.tenant_id AND d.due_at > ? ORDER BY d.due_at LIMIT 1) AS due
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

func (sqliteStore) failOpen(ctx context.Context, tx database.Tx, tenantID string) error {
	return failOpen(ctx, tx, tenantID, "")
}

func (sqliteStore) prune(ctx context.Context, tx database.Tx, before time.Time, limit int) (int, error) {
	return prune(ctx, tx, "id IN ("+oldestFinished+")", before, limit)
}

func (sqliteStore) lockWebhook() string { return "" }
