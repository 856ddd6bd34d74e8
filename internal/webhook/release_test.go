package webhook

import (
	"context"
	"testing"

	"parley/internal/database"
	"parley/internal/event"
)

// The deliveries of a process that has died return to their position in the queue immediately; others' are unaffected.
func TestReleaseHolders(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		h.configure(acme, h.newReceiver(), nil)
		h.configure(other, h.newReceiver(), nil)
		hold := func(holder string) (ids []string) {
			t.Helper()
			if err := h.db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
				jobs, _, err := newStore(h.db).claim(ctx, tx, holder, testBudget)
				for _, j := range jobs {
					ids = append(ids, j.Delivery.ID)
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
			return ids
		}
		h.append(acme, event.CallStarted, 3)
		left := hold("gone")
		h.append(acme, event.CallStarted, 1)
		h.append(other, event.CallStarted, 1)
		hold("there")
		for _, want := range []int64{int64(len(left)), 0} {
			if n, err := h.queue.ReleaseHolders(t.Context(), func(holder string) bool { return holder == "gone" }); err != nil || n != want || want == 3 && len(left) != 3 {
				t.Fatalf("%d handed back, want %d, %v", n, want, err)
			}
		}
		got := hold("after")
		if len(got) != 4 {
			t.Fatalf("%d claimed, want the 3 that were handed back and the one behind, and none that another holds", len(got))
		}
		for i, id := range left {
			if got[i] != id {
				t.Errorf("%s is claimed in place %d, want %s", got[i], i, id)
			}
		}
	})
}
