package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"parley/internal/database/databasetest"
)

// inFlight is how many deliveries of an endpoint may be in flight, or delivered and not recorded yet: the maximum
// that a crash may repeat.
const inFlight = 4

// A server is killed repeatedly while calls change: nothing acknowledged is lost, every event in the database is
// delivered, and only deliveries in flight at a kill are repeated.
func TestKilledServer(t *testing.T) {
	for _, kind := range []string{"sqlite", "postgres"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			env := map[string]string{}
			if kind == "postgres" {
				env["DATABASE_URL"] = databasetest.PostgresURL(t)
			}
			s := put(t, env)
			s.fast()
			kills, changes := size(4, 50), int64(size(200, 10_000))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			wait := s.load(ctx, 4)
			began := time.Now()
			reach := func(share int64) {
				t.Helper()
				await(t, time.Millisecond, fmt.Sprintf("%d state changes", share), func() bool { return s.changes.Load() >= share })
			}
			for n := range kills {
				reach(changes * int64(n+1) / int64(kills+1))
				time.Sleep(rand.N(20 * time.Millisecond))
				s.kill()
				s.start()
			}
			reach(changes)
			cancel()
			wait()
			events, repeats := s.audit()
			t.Logf("%d kills in %s during %d state changes: %d events came, %d of them again", kills, time.Since(began).Round(time.Second), s.changes.Load(), events, repeats)
			if repeats > kills*inFlight {
				t.Errorf("%d events came again, more than the %d that may have been in flight", repeats, kills*inFlight)
			}
		})
	}
}
