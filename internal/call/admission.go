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

// Refusal is why a dispatch is refused because of the load; a label of the metrics.
type Refusal string

// The refusals.
const (
	Unavailable Refusal = "unavailable"  // the media server or the gateway is away
	ManyWaiting Refusal = "many_waiting" // more calls wait than may
	NoWorkers   Refusal = "no_worker"    // no worker is registered
	WorkersBusy Refusal = "workers_busy" // more callers wait than can be answered in time
)

// Refusals are all of them.
var Refusals = []Refusal{Unavailable, ManyWaiting, NoWorkers, WorkersBusy}

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
	var refusal Refusal
	later := retryAfter
	switch {
	case obstacle != nil:
		refusal, why = Unavailable, obstacle.Error()
	case s.options.MaxWaiting > 0 && l.Waiting > s.options.MaxWaiting && s.counts.get(tenant).waiting >= l.fairShare(s.options.MaxWaiting):
		refusal = ManyWaiting
		if l.waitingTenants > 1 {
			s.countRefusal(refusal)
			return fault.Later(fault.RateLimitExceeded, retryAfter, "too many calls are waiting for a worker, and yours exceed your share of %d", l.fairShare(s.options.MaxWaiting))
		}
		why = "too many calls are waiting for a worker"
	case s.CheckWorkers() != nil:
		refusal, why = NoWorkers, s.CheckWorkers().Error()
	case l.Slots > 0 && l.callersAhead(tenant) > l.Free+max(l.Ended, l.Slots/slotTurnover):
		refusal, why = WorkersBusy, "all workers are busy, and more callers are waiting than can be answered in time"
		later = l.untilPlace(tenant, s.options.JoinTimeout)
	default:
		return nil
	}
	s.countRefusal(refusal)
	return fault.Later(fault.ServiceUnavailable, later, "%s", why)
}

func (s *Service) countRefusal(r Refusal) {
	if s.options.Refused != nil {
		s.options.Refused(r)
	}
}

// untilPlace estimates after how long a new caller of a tenant would find a free slot, by how many conversations ended within
// the last join timeout: 1 s to a join timeout.
func (l *Load) untilPlace(tenant string, joinTimeout time.Duration) time.Duration {
	ahead := l.callersAhead(tenant) + 1 - l.Free
	ended := max(l.Ended, l.Slots/slotTurnover, 1)
	return min(max(joinTimeout*time.Duration(ahead)/time.Duration(ended), time.Second), max(joinTimeout, time.Second))
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
