package call

import (
	"errors"
	"time"

	"parley/internal/fault"
)

const (
	// retryAfter is when a client that was turned away may ask again.
	retryAfter = 5 * time.Second
	// restart is longer than workers that are restarted are away: one that was
	// killed is missed when its lease lapses.
	restart = 2 * LeaseDuration
	// turnover is the part of the slots, one in so many, that is taken to
	// become free within a join timeout even if none did within the last.
	turnover = 10
)

// fairShare is how many of the calls that may wait a tenant has for itself
// while there are too many: the others' have no part in it.
func (l *Load) fairShare(most int64) int64 { return max(1, most/max(1, l.queues)) }

// admit turns a dispatch away, with service_unavailable and a RetryAfter, while
// it is clear that the call could not begin in time. It asks no database: the
// reaper has looked, a second ago at most. As calls that nobody has joined give
// way to callers who are there, only conversations and such callers count. Where
// there never was a worker, they may be about to start. A tenant that has less
// than its share of the waiting calls is not turned away for the others'; one
// that has more gets rate_limit_exceeded.
func (s *Service) admit(tenant string, callType string) error {
	l := s.Load()
	var obstacle error
	if s.o.Obstacle != nil {
		obstacle = s.o.Obstacle(callType)
	}
	var why string
	switch {
	case obstacle != nil:
		why = obstacle.Error()
	case s.o.MaxWaiting > 0 && l.Waiting > s.o.MaxWaiting && s.tally.get(tenant).waiting >= l.fairShare(s.o.MaxWaiting):
		if l.queues > 1 {
			return fault.Later(fault.RateLimitExceeded, retryAfter, "too many calls wait for a worker, and yours are more than your share of %d", l.fairShare(s.o.MaxWaiting))
		}
		why = "too many calls wait for a worker; no other is taken on until some are answered"
	case s.Workforce() != nil:
		why = s.Workforce().Error()
	case l.Slots > 0 && l.ahead(tenant) > l.Free+max(l.Ended, l.Slots/turnover):
		why = "all workers are in conversations, and more callers wait already than can be answered in time"
	default:
		return nil
	}
	return fault.Later(fault.ServiceUnavailable, retryAfter, "%s", why)
}

// Workforce returns an error when no worker has been there for as long as a
// restart takes. Where there never was one, they may be about to start.
func (s *Service) Workforce() error {
	if l := s.Load(); !l.away.IsZero() && time.Since(l.away) > restart {
		return errNoWorker
	}
	return nil
}

var errNoWorker = errors.New("no worker is there to take the call")
