package database

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

// A tenant uses three quarters of the connections at most, and those who wait take turns by tenant, after the platform.
func TestFairQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFairQueue(4)
		var mu sync.Mutex
		var served []string
		var releases []func()
		begin := func(tenant string) {
			go func() {
				_, release, err := q.acquire(t.Context(), tenant)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				served, releases = append(served, tenant), append(releases, release)
			}()
			synctest.Wait()
		}
		for range 10 {
			begin("flood")
		}
		begin("one")
		begin("one")
		begin("two")
		begin("")
		if want := []string{"flood", "flood", "flood", "one"}; !slices.Equal(served, want) {
			t.Errorf("at once: %q, want %q", served, want)
		}
		for len(releases) > 0 {
			release := releases[0]
			releases = releases[1:]
			release()
			release()
			synctest.Wait()
		}
		want := []string{"flood", "flood", "flood", "one", "", "two", "flood", "one", "flood", "flood", "flood", "flood", "flood", "flood"}
		if diff := cmp.Diff(want, served); diff != "" {
			t.Errorf("served (-want +got):\n%s", diff)
		}
		if q.used != 0 || len(q.inUse) != 0 || len(q.waiting) != 0 || len(q.turns) != 0 {
			t.Errorf("left: %d used, %v, %d waiting, %q", q.used, q.inUse, len(q.waiting), q.turns)
		}
		if p := q.count(Pool{Waits: 1}); p.Waits != 11 {
			t.Errorf("%d transactions waited", p.Waits)
		}
	})
}

// A transaction that no longer waits leaves its turn to others, and one within another does not wait.
func TestFairQueueLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newFairQueue(1)
		within, release, err := q.acquire(t.Context(), "acme")
		if err != nil {
			t.Fatal(err)
		}
		if _, inner, err := q.acquire(within, "acme"); err != nil {
			t.Fatal(err)
		} else {
			inner()
		}
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			_, _, err := q.acquire(ctx, "acme")
			left <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("a transaction that left: %v", err)
		}
		release()
		_, release, err = q.acquire(t.Context(), "globex")
		if err != nil {
			t.Fatal(err)
		}
		release()
		if q.used != 0 || len(q.waiting) != 0 {
			t.Errorf("left: %d used, %d waiting", q.used, len(q.waiting))
		}
	})
}
