package webhook

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
)

// renew prolongs leases of a holder. On PostgreSQL it leaves alone what another
// transaction has: that is being recorded, and to wait for it could be to wait
// for each other.
func renew(ctx context.Context, tx database.Tx, holder string, ids []string) error {
	var err error
	if tx.Postgres() {
		err = tx.Prepared(ctx, new([]string), `WITH held AS (
				SELECT id FROM webhook_deliveries WHERE id = ANY ($1::text[]) AND status = 'in_flight' AND leased_by = $2 FOR UPDATE SKIP LOCKED)
			UPDATE webhook_deliveries AS d SET due_at = $3 FROM held WHERE d.id = held.id RETURNING d.id`, ids, holder, tx.Now().Add(lease))
	} else {
		_, err = tx.ExecContext(ctx, "UPDATE webhook_deliveries SET due_at = ? WHERE id IN (?) AND status = 'in_flight' AND leased_by = ?", tx.Now().Add(lease), bun.List(ids), holder)
	}
	if err != nil {
		return fmt.Errorf("renew leases of deliveries: %w", err)
	}
	return nil
}

// settle records what became of claimed deliveries and returns what counted:
// an outcome whose lease went to another holder meanwhile does not.
func settle(ctx context.Context, tx database.Tx, holder string, outcomes []outcome) ([]outcome, error) {
	record := recordPostgres
	if !tx.Postgres() {
		record = recordSQLite
	}
	settled, err := record(ctx, tx, holder, outcomes)
	if err != nil {
		return nil, fmt.Errorf("record outcomes of deliveries: %w", err)
	}
	counts := map[string]bool{}
	for _, id := range settled {
		counts[id] = true
	}
	return slices.DeleteFunc(slices.Clone(outcomes), func(o outcome) bool { return !counts[o.job.Delivery.ID] }), nil
}

// times are when a delivery is due after its outcome, and when it ended; one of
// them is nil.
func (o outcome) times(now time.Time) (due, finished *time.Time) {
	switch {
	case o.status != Pending:
		return nil, &now
	case o.unbegun && o.job.Delivery.Attempts == 0:
		return &o.job.Delivery.CreatedAt, nil // it keeps its place
	}
	return new(now.Add(o.wait)), nil
}

// recordPostgres writes outcomes, their attempts and how many deliveries ended
// in one statement: each is a way to the database and back, and endpoints wait
// for it. Deliveries are locked in the order of their ids, and so is whatever
// else waits for them: no two transactions wait for each other.
func recordPostgres(ctx context.Context, tx database.Tx, holder string, outcomes []outcome) (settled []string, err error) {
	n := len(outcomes)
	ids, statuses, made := make([]string, n), make([]string, n), make([]bool, n)
	due, finished, started := make([]*time.Time, n), make([]*time.Time, n), make([]time.Time, n)
	took, codes, bodies, errs := make([]int64, n), make([]*int, n), make([]string, n), make([]string, n)
	for i, o := range outcomes {
		ids[i], statuses[i], made[i] = o.job.Delivery.ID, string(o.status), o.made
		due[i], finished[i] = o.times(tx.Now())
		a := o.row(tx.Now())
		started[i], took[i], codes[i], bodies[i], errs[i] = a.StartedAt, a.DurationMS, a.ResponseStatus, a.ResponseBody, a.Error
	}
	err = tx.Prepared(ctx, &settled, `WITH outcome AS (
			SELECT * FROM unnest($2::text[], $3::text[], $4::boolean[], $5::timestamptz[], $6::timestamptz[], $7::timestamptz[], $8::integer[], $9::integer[], $10::text[], $11::text[])
				AS o (id, status, made, due_at, finished_at, started_at, duration_ms, response_status, response_body, error)
		), held AS (
			SELECT d.id FROM webhook_deliveries d WHERE d.id = ANY ($2) AND d.leased_by = $1 AND d.status = 'in_flight' ORDER BY d.id FOR UPDATE
		), settled AS (
			UPDATE webhook_deliveries AS d SET leased_by = NULL, status = o.status, attempts = d.attempts + o.made::integer, due_at = o.due_at, finished_at = o.finished_at
			FROM held JOIN outcome o ON o.id = held.id WHERE d.id = held.id
			RETURNING d.id, d.tenant_id, d.event_type, d.status, d.attempts, o.made, o.finished_at, o.started_at, o.duration_ms, o.response_status, o.response_body, o.error
		), attempted AS (
			INSERT INTO webhook_attempts (delivery_id, number, tenant_id, started_at, duration_ms, response_status, response_body, error)
			SELECT id, attempts, tenant_id, started_at, duration_ms, response_status, response_body, error FROM settled WHERE made
		), counted AS (
			INSERT INTO webhook_delivery_counts AS k (tenant_id, event_type, status, n)
			SELECT tenant_id, event_type, status, count(*) FROM settled WHERE finished_at IS NOT NULL GROUP BY 1, 2, 3 ORDER BY tenant_id, event_type COLLATE "C", status COLLATE "C"
			ON CONFLICT (tenant_id, event_type, status) DO UPDATE SET n = k.n + excluded.n
		)
		SELECT id FROM settled`, holder, ids, statuses, made, due, finished, started, took, codes, bodies, errs)
	return settled, err
}

// recordSQLite does the same, in as many statements as it takes.
func recordSQLite(ctx context.Context, tx database.Tx, holder string, outcomes []outcome) (settled []string, err error) {
	var values []string
	var args []any
	for _, o := range outcomes {
		due, finished := o.times(tx.Now())
		values, args = append(values, "(?, ?, ?, ?, ?)"), append(args, o.job.Delivery.ID, o.status, o.made, due, finished)
	}
	query := `UPDATE webhook_deliveries AS d SET leased_by = NULL, status = v.column2, attempts = d.attempts + v.column3, due_at = v.column4, finished_at = v.column5
		FROM (VALUES ` + strings.Join(values, ", ") + `) AS v WHERE d.id = v.column1 AND d.leased_by = ? AND d.status = 'in_flight' RETURNING id`
	if err := tx.NewRaw(query, append(args, holder)...).Scan(ctx, &settled); err != nil {
		return nil, err
	}
	var attempts []attemptRow
	ended := kinds{}
	for _, o := range outcomes {
		if !slices.Contains(settled, o.job.Delivery.ID) {
			continue
		}
		if o.made {
			attempts = append(attempts, o.row(tx.Now()))
		}
		if o.status != Pending {
			ended[kind{o.job.TenantID, o.job.Event.Type, o.status}]++
		}
	}
	if len(attempts) > 0 {
		if _, err := tx.NewInsert().Model(&attempts).Exec(ctx); err != nil {
			return nil, err
		}
	}
	return settled, ended.add(ctx, tx)
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

// ErrorLog is where tenants read what went wrong.
type ErrorLog interface {
	// WebhookDisabled writes that the tenant's webhook was disabled. callID is
	// of the last event that was not delivered, or "".
	WebhookDisabled(ctx context.Context, tx database.Tx, tenantID, callID, message string, details map[string]any) error
	// DeliveryFailed writes that a delivery of a call's event failed for good,
	// unless the call has such an entry.
	DeliveryFailed(ctx context.Context, tx database.Tx, tenantID, callID, message string, details map[string]any) error
}

// tellFailed writes to the error log of calls that deliveries of theirs failed
// for good.
func tellFailed(ctx context.Context, tx database.Tx, faults ErrorLog, settled []outcome) error {
	for _, o := range settled {
		if o.status != Failed || o.job.Event.CallID == nil {
			continue
		}
		err := faults.DeliveryFailed(ctx, tx, o.job.TenantID, *o.job.Event.CallID, "a webhook delivery of the call failed after its last attempt",
			map[string]any{"delivery_id": o.job.Delivery.ID, "event": o.job.Event.Type, "attempts": o.job.Delivery.Attempts + 1, "host": host(o.job.URL), "response_status": o.code, "error": o.err})
		if err != nil {
			return fmt.Errorf("tell of a failed delivery: %w", err)
		}
	}
	return nil
}

// An endpoint that has failed for so long, and so often, without a success in
// between, is disabled.
const (
	hopeless      = 120 * time.Hour
	hopelessTimes = 100
)

// verdicts keeps count of each endpoint's failed attempts in a row, and
// disables those that are hopeless. It comes before settle in a transaction:
// whoever changes a configuration and its deliveries locks them in this order.
func verdicts(ctx context.Context, tx database.Tx, faults ErrorLog, outcomes []outcome) (disabled []outcome, err error) {
	type streak struct {
		failures int  // since the last success
		success  bool // there was one, or it would have been told
		last     outcome
	}
	streaks := map[string]*streak{}
	for _, o := range outcomes {
		if !o.made {
			continue
		}
		s := streaks[o.job.TenantID]
		if s == nil {
			s = new(streak)
			streaks[o.job.TenantID] = s
		}
		if o.status == Delivered {
			s.failures, s.success = 0, s.success || o.failing
		} else {
			s.failures, s.last = s.failures+1, o
		}
	}
	for _, tenant := range slices.Sorted(maps.Keys(streaks)) {
		s := streaks[tenant]
		if s.success {
			if _, err := tx.ExecContext(ctx, "UPDATE webhooks SET failures = 0, failing_since = NULL WHERE tenant_id = ? AND failures > 0", tenant); err != nil {
				return nil, fmt.Errorf("forget failures of a webhook: %w", err)
			}
		}
		if s.failures == 0 {
			continue
		}
		var rows []struct {
			Failures     int
			FailingSince time.Time
			Enabled      bool
		}
		err := tx.NewRaw("UPDATE webhooks SET failures = failures + ?, failing_since = COALESCE(failing_since, ?) WHERE tenant_id = ? RETURNING failures, failing_since, enabled",
			s.failures, tx.Now(), tenant).Scan(ctx, &rows)
		if err != nil {
			return nil, fmt.Errorf("count failures of a webhook: %w", err)
		}
		if len(rows) == 0 || !rows[0].Enabled || rows[0].Failures < hopelessTimes || tx.Now().Sub(rows[0].FailingSince) < hopeless {
			continue
		}
		if _, err := tx.ExecContext(ctx, "UPDATE webhooks SET enabled = ?, updated_at = ? WHERE tenant_id = ?", false, tx.Now(), tenant); err != nil {
			return nil, fmt.Errorf("disable a webhook: %w", err)
		}
		callID, err := lastCall(ctx, tx, s.last.job)
		if err != nil {
			return nil, err
		}
		err = faults.WebhookDisabled(ctx, tx, tenant, callID, fmt.Sprintf("the webhook was disabled: %d attempts in a row failed since %s", rows[0].Failures, rows[0].FailingSince.UTC().Format(time.RFC3339)),
			map[string]any{"failed_attempts": rows[0].Failures, "failing_since": rows[0].FailingSince.UTC(), "host": host(s.last.job.URL), "response_status": s.last.code, "error": s.last.err})
		if err != nil {
			return nil, fmt.Errorf("tell of a disabled webhook: %w", err)
		}
		disabled = append(disabled, s.last)
	}
	return disabled, nil
}

// lastCall is the call of a delivery, or of the tenant's last one that is of a
// call; "" when there is none.
func lastCall(ctx context.Context, tx database.Tx, j job) (string, error) {
	if j.Event.CallID != nil {
		return *j.Event.CallID, nil
	}
	var ids []string
	if err := tx.NewRaw("SELECT call_id FROM webhook_deliveries WHERE tenant_id = ? AND call_id IS NOT NULL ORDER BY id DESC LIMIT 1", j.TenantID).Scan(ctx, &ids); err != nil {
		return "", fmt.Errorf("find the call of a delivery: %w", err)
	}
	if len(ids) == 0 {
		return "", nil
	}
	return ids[0], nil
}
