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

// renew prolongs leases of a holder.
func renew(ctx context.Context, tx database.Tx, holder string, ids []string) error {
	if _, err := tx.ExecContext(ctx, "UPDATE webhook_deliveries SET due_at = ? WHERE id IN (?) AND status = 'in_flight' AND leased_by = ?",
		tx.Now().Add(lease), bun.List(ids), holder); err != nil {
		return fmt.Errorf("renew leases of deliveries: %w", err)
	}
	return nil
}

// settle records what became of claimed deliveries and returns what counted:
// an outcome whose lease went to another holder meanwhile does not.
func settle(ctx context.Context, tx database.Tx, holder string, outcomes []outcome) ([]outcome, error) {
	row := "(?, ?, ?, CAST(? AS timestamptz), CAST(? AS timestamptz))"
	if !tx.Postgres() {
		row = "(?, ?, ?, ?, ?)"
	}
	var values []string
	var args []any
	for _, o := range outcomes {
		attempts, at, finished := 0, bun.NullTime{}, bun.NullTime{}
		if o.made {
			attempts = 1
		}
		switch {
		case o.status != Pending:
			finished.Time = tx.Now()
		case o.unbegun && o.job.Delivery.Attempts == 0:
			at.Time = o.job.Delivery.CreatedAt // it keeps its place
		default:
			at.Time = tx.Now().Add(o.wait)
		}
		values, args = append(values, row), append(args, o.job.Delivery.ID, o.status, attempts, at, finished)
	}
	var settled []string
	// Both databases name the columns of VALUES so.
	query := `UPDATE webhook_deliveries AS d SET leased_by = NULL, status = v.column2, attempts = d.attempts + v.column3, due_at = v.column4, finished_at = v.column5
		FROM (VALUES ` + strings.Join(values, ", ") + `) AS v WHERE d.id = v.column1 AND d.leased_by = ? AND d.status = 'in_flight' RETURNING id`
	if err := tx.NewRaw(query, append(args, holder)...).Scan(ctx, &settled); err != nil {
		return nil, fmt.Errorf("record outcomes of deliveries: %w", err)
	}
	counts := map[string]bool{}
	for _, id := range settled {
		counts[id] = true
	}
	counted := slices.DeleteFunc(slices.Clone(outcomes), func(o outcome) bool { return !counts[o.job.Delivery.ID] })
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

// ErrorLog is where tenants read what went wrong.
type ErrorLog interface {
	// WebhookDisabled writes that the tenant's webhook was disabled. callID is
	// of the last event that was not delivered, or "".
	WebhookDisabled(ctx context.Context, tx database.Tx, tenantID, callID, message string, details map[string]any) error
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
