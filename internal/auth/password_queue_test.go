package auth

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/fault"
)

// enterAll has n tickets wait in the queue, until the returned function ends.
func enterAll(t *testing.T, q *passwordQueue, n int, account func(i int) string, familiar bool) (entered chan func(), refused chan error) {
	t.Helper()
	entered, refused = make(chan func(), n), make(chan error, n)
	for i := range n {
		go func() {
			if leave, err := q.enter(t.Context(), account(i), familiar); err != nil {
				refused <- err
			} else {
				entered <- leave
			}
		}()
	}
	synctest.Wait()
	return entered, refused
}

// However many passwords of new networks wait, one from a familiar network is checked at once, and later ones are refused with a
// Retry-After.
func TestFamiliarNetworksGoFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := new(passwordQueue)
		entered, refused := enterAll(t, q, 200, func(i int) string { return fmt.Sprint(i) }, false)
		if len(entered) != newNetworkSlots || len(refused) != 200-newNetworkSlots-maxNewNetworkWaiting {
			t.Errorf("%d are checked, %d refused", len(entered), len(refused))
		}
		var later *fault.Error
		if err := <-refused; !errors.As(err, &later) || later.Code != fault.ServiceUnavailable || later.RetryAfter != hashRetry {
			t.Errorf("refused with %v", err)
		}
		owners, rejected := enterAll(t, q, 1, func(int) string { return "owner" }, true)
		if len(owners) != 1 || len(rejected) != 0 {
			t.Error("the owner waits")
		}
		(<-owners)()
		for range maxNewNetworkWaiting { // those that wait are checked, one after the other
			const took = 40 * time.Millisecond
			time.Sleep(took)
			(<-entered)()
			time.Sleep(newNetworkPause*took - time.Nanosecond)
			synctest.Wait()
			if len(entered) != 0 {
				t.Fatal("the next is checked without a pause")
			}
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			if len(entered) != 1 {
				t.Fatalf("%d are checked, want 1", len(entered))
			}
		}
		(<-entered)()
		synctest.Wait()
		if q.running != 0 || q.takenNew != 0 || len(q.new) != 0 {
			t.Errorf("the queue ends with %d running, %d of new networks, %d waiting", q.running, q.takenNew, len(q.new))
		}
	})
}

// Guesses for one account leave places for others.
func TestQueueOfAnAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := new(passwordQueue)
		entered, refused := enterAll(t, q, 50, func(int) string { return "victim" }, false)
		if len(entered) != newNetworkSlots || len(refused) != 50-newNetworkSlots-maxNewNetworkWaitingAccount {
			t.Errorf("%d are checked, %d refused", len(entered), len(refused))
		}
		if _, others := enterAll(t, q, 1, func(int) string { return "other" }, false); len(others) != 0 {
			t.Error("another account is refused")
		}
		for range 1 + maxNewNetworkWaitingAccount + 1 {
			(<-entered)()
			synctest.Wait()
			if len(entered) == 0 {
				break
			}
		}
	})
}

// A client that disconnects leaves the queue.
func TestDisconnectedClientLeavesTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := new(passwordQueue)
		entered, _ := enterAll(t, q, 1, func(int) string { return "a" }, false)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			_, err := q.enter(ctx, "b", false)
			ended <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) || len(q.new) != 0 {
			t.Errorf("%v, and %d wait", err, len(q.new))
		}
		(<-entered)()
	})
}
