package webhook

import (
	"context"
	"testing"
	"time"

	"parley/internal/database"
	"parley/internal/event"
)

// What deliveries wait for continues evenly when the database's clock is set by an hour, forward or back.
func TestDeliveriesFollowTheClock(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		h.configure(acme, h.newReceiver(), nil)
		h.append(acme, event.CallCompleted, 1)
		now := h.now().Truncate(time.Second)
		for name, tc := range map[string]struct {
			status string
			by     time.Duration
			due    time.Duration // from the time that the clock would say
			want   time.Duration // from the time that it says
		}{
			"in flight, an hour forward":                      {"in_flight", time.Hour, 10 * time.Second, 10 * time.Second},
			"in flight, an hour back":                         {"in_flight", -time.Hour, 10 * time.Second, 10 * time.Second},
			"claimed since, an hour forward":                  {"in_flight", time.Hour, time.Hour + 14*time.Second, 14 * time.Second},
			"claimed since, an hour back":                     {"in_flight", -time.Hour, -time.Hour + 14*time.Second, 14 * time.Second},
			"waits, an hour forward":                          {"pending", time.Hour, 8 * time.Second, 8 * time.Second},
			"waits, an hour back":                             {"pending", -time.Hour, 8 * time.Second, 8 * time.Second},
			"waits for two hours, an hour forward":            {"pending", time.Hour, 2 * time.Hour, time.Hour}, // or was just written
			"waits for two hours, an hour back":               {"pending", -time.Hour, 2 * time.Hour, 2 * time.Hour},
			"due and just written, an hour forward":           {"pending", time.Hour, time.Hour, 0},
			"due and just written, an hour back":              {"pending", -time.Hour, -time.Hour, 0},
			"overdue, an hour back":                           {"pending", -time.Hour, -time.Second, -time.Second},
			"to be tried again soon, and 7 s forward":         {"pending", 7 * time.Second, time.Second, time.Second},
			"in flight, 7 s forward, renewed before or since": {"in_flight", 7 * time.Second, 14 * time.Second, 14 * time.Second},
		} {
			j := database.Jump{Before: now, Now: now.Add(tc.by)}
			var due time.Time
			if err := h.db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
				if _, err := tx.NewRaw("UPDATE webhook_deliveries SET status = ?, due_at = ?", tc.status, j.Before.Add(tc.due)).Exec(ctx); err != nil {
					return err
				}
				if err := h.queue.ShiftTimes(ctx, tx, j); err != nil {
					return err
				}
				return tx.NewRaw("SELECT due_at FROM webhook_deliveries").Scan(ctx, &due)
			}); err != nil {
				t.Fatal(err)
			}
			if got := due.Sub(j.Now); got != tc.want {
				t.Errorf("%s: due in %v, want %v", name, got, tc.want)
			}
		}
	})
}
