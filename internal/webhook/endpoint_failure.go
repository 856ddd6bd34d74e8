package webhook

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"parley/internal/database"
)

// ErrorLog writes to the error log of tenants.
type ErrorLog interface {
	// WebhookDisabled reports that the tenant's webhook was disabled. callID is the
	// call of the last undelivered event, or "".
	WebhookDisabled(ctx context.Context, tx database.Tx, tenantID, callID, message string, details map[string]any) error
	// DeliveryFailed reports that a delivery of a call's event failed permanently,
	// at most once per call.
	DeliveryFailed(ctx context.Context, tx database.Tx, tenantID, callID, message string, details map[string]any) error
}

// logFailed reports permanently failed deliveries in the error logs of their calls.
func logFailed(ctx context.Context, tx database.Tx, log ErrorLog, recorded []result) error {
	for _, res := range recorded {
		if res.status != Failed || res.job.Event.CallID == nil {
			continue
		}
		err := log.DeliveryFailed(ctx, tx, res.job.TenantID, *res.job.Event.CallID, "a webhook delivery of the call failed after its last attempt",
			map[string]any{"webhook_id": res.job.ID, "delivery_id": res.job.Delivery.ID, "event": res.job.Event.Type, "attempts": res.job.Delivery.Attempts + 1, "host": host(res.job.URL), "response_status": res.code, "error": res.err})
		if err != nil {
			return fmt.Errorf("log a failed delivery: %w", err)
		}
	}
	return nil
}

// An endpoint is disabled when its attempts have failed at least this long and this
// often without a success.
const (
	disableAfter         = 120 * time.Hour
	disableAfterFailures = 100
)

// countFailures counts consecutive failures of each endpoint and disables those
// that reach both limits. It must run before store.record in a transaction:
// webhooks are locked before deliveries. disabled holds the last result of each
// endpoint that it disabled.
func countFailures(ctx context.Context, tx database.Tx, log ErrorLog, results []result) (disabled []result, err error) {
	type streak struct {
		failures int  // since the last success
		success  bool // there was one that began after a failure
		last     result
	}
	streaks := map[string]*streak{}
	for _, res := range results {
		if !res.attempted {
			continue
		}
		s := streaks[res.job.ID]
		if s == nil {
			s = new(streak)
			streaks[res.job.ID] = s
		}
		if res.status == Delivered {
			s.failures, s.success = 0, s.success || res.failing
		} else {
			s.failures, s.last = s.failures+1, res
		}
	}
	for _, id := range slices.Sorted(maps.Keys(streaks)) {
		s := streaks[id]
		if s.success {
			if _, err := tx.ExecContext(ctx, "UPDATE webhooks SET failures = 0, failing_since = NULL WHERE id = ? AND failures > 0", id); err != nil {
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
		err := tx.NewRaw("UPDATE webhooks SET failures = failures + ?, failing_since = COALESCE(failing_since, ?) WHERE id = ? RETURNING failures, failing_since, enabled",
			s.failures, tx.Now(), id).Scan(ctx, &rows)
		if err != nil {
			return nil, fmt.Errorf("count failures of a webhook: %w", err)
		}
		if len(rows) == 0 || !rows[0].Enabled || rows[0].Failures < disableAfterFailures || tx.Now().Sub(rows[0].FailingSince) < disableAfter {
			continue
		}
		if _, err := tx.ExecContext(ctx, "UPDATE webhooks SET enabled = ?, updated_at = ? WHERE id = ?", false, tx.Now(), id); err != nil {
			return nil, fmt.Errorf("disable a webhook: %w", err)
		}
		callID, err := lastCall(ctx, tx, s.last.job)
		if err != nil {
			return nil, err
		}
		err = log.WebhookDisabled(ctx, tx, s.last.job.TenantID, callID, fmt.Sprintf("the webhook was disabled: %d attempts in a row failed since %s", rows[0].Failures, rows[0].FailingSince.UTC().Format(time.RFC3339)),
			map[string]any{"webhook_id": id, "failed_attempts": rows[0].Failures, "failing_since": rows[0].FailingSince.UTC(), "host": host(s.last.job.URL), "response_status": s.last.code, "error": s.last.err})
		if err != nil {
			return nil, fmt.Errorf("log a disabled webhook: %w", err)
		}
		disabled = append(disabled, s.last)
	}
	return disabled, nil
}

// lastCall returns the call of a delivery, or of the tenant's latest delivery that
// has a call; "" when there is none.
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
