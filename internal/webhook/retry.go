package webhook

import (
	"math/rand/v2"
	"time"
)

// extendedPauses are the pauses of the extended policy before the second attempt, the third and so on; 24 hours in total.
var extendedPauses = []time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 8 * time.Hour, 8*time.Hour + 25*time.Minute}

// extendedAttempts is the number of attempts of the extended policy, which ignores max_retries.
const extendedAttempts = 8

// jitter is the maximum relative change of a pause of the extended policy. It spreads the retries to an endpoint that
// was down.
const jitter = 0.1

// pause returns the time to wait after a failed attempt; attempts are numbered from 1.
func (p RetryPolicy) pause(attempt int) time.Duration {
	if p != RetryExtended {
		return time.Second << (attempt - 1)
	}
	pause := extendedPauses[min(attempt, len(extendedPauses))-1]
	return pause + time.Duration((2*rand.Float64()-1)*jitter*float64(pause)) //nolint:gosec // G404: nobody gains by guessing it
}
