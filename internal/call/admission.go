package call

import (
	"errors"
	"time"

	"parley/internal/fault"
)

const (
	// retryAfter is the Retry-After of a rejected dispatch.
	retryAfter = 5 * time.Second
	// workerRestart is an upper bound of a worker's restart, including the time until the lease of a killed worker
	// expires.
	workerRestart = 2 * LeaseDuration
	// slotTurnover assumes that one in slotTurnover slots becomes free within a join timeout, even if none did
	// within the last one.
	slotTurnover = 10
)

// fairShare returns the most waiting calls of each tenant while the limit of all waiting calls is exceeded.
func (l *Load) fairShare(most int64) int64 { return max(1, most/max(1, l.waitingTenants)) }

// checkLoad rejects a dispatch with service_unavailable and a RetryAfter while the call could not start in time. It
// uses the load that the reaper measured at most a second ago and makes no query. Calls that nobody has joined
// release their slots for callers who are present, so only conversations and present callers count. A tenant below its
// fair share is admitted even while too many calls wait; a tenant above it gets rate_limit_exceeded.
func (s *Service) checkLoad(tenant string, callType string) error {
	l := s.Load()
	var obstacle error
	if s.options.Obstacle != nil {
		obstacle = s.options.Obstacle(callType)
	}
	var why string
	switch {
	case obstacle != nil:
		why = obstacle.Error()
	case s.options.MaxWaiting > 0 && l.Waiting > s.options.MaxWaiting && s.counts.get(tenant).waiting >= l.fairShare(s.options.MaxWaiting):
		if l.waitingTenants > 1 {
			return fault.Later(fault.RateLimitExceeded, retryAfter, "too many calls are waiting for a worker, and yours exceed your share of %d", l.fairShare(s.options.MaxWaiting))
		}
		why = "too many calls are waiting for a worker"
	case s.CheckWorkers() != nil:
		why = s.CheckWorkers().Error()
	case l.Slots > 0 && l.callersAhead(tenant) > l.Free+max(l.Ended, l.Slots/slotTurnover):
		why = "all workers are busy, and more callers are waiting than can be answered in time"
	default:
		return nil
	}
	return fault.Later(fault.ServiceUnavailable, retryAfter, "%s", why)
}

// CheckWorkers returns an error when no worker has been registered for longer than workerRestart. It returns nil
// where no worker was ever registered: workers may be about to start.
func (s *Service) CheckWorkers() error {
	if l := s.Load(); !l.noWorkerSince.IsZero() && time.Since(l.noWorkerSince) > workerRestart {
		return errNoWorker
	}
	return nil
}

var errNoWorker = errors.New("no worker is available")
