package e2e

import (
	"context"
	"testing"
	"time"
)

// starved is a wait for the processor that tears the sound of a call: a packet that is later is concealed.
const starved = 60 * time.Millisecond

// undisturbed runs an attempt to hold a conversation in real time, which returns what went wrong, or "". The first attempt during which
// the machine was not too busy decides; others are repeated, nine times at most.
func undisturbed(t *testing.T, attempt func() (problem string)) {
	t.Helper()
	for range 10 {
		longest := watchDelays(t.Context())
		problem := attempt()
		waited := longest()
		if problem == "" {
			return
		}
		if waited < starved {
			t.Fatalf("%s; this process waited for the processor for up to %s", problem, waited)
		}
		t.Logf("%s; this process waited for the processor for up to %s", problem, waited)
	}
	t.Fatal("in none of ten calls was there enough of the processor")
}

// watchDelays measures how long this process waits for the processor at most, until longest is called.
func watchDelays(ctx context.Context) (longest func() time.Duration) {
	stop, result := make(chan struct{}), make(chan time.Duration, 1)
	go func() {
		const pause = 10 * time.Millisecond
		var most time.Duration
		for {
			asked := time.Now()
			select {
			case <-stop:
				result <- most
				return
			case <-ctx.Done():
				result <- most
				return
			case <-time.After(pause):
				most = max(most, time.Since(asked)-pause)
			}
		}
	}()
	return func() time.Duration {
		close(stop)
		return <-result
	}
}
