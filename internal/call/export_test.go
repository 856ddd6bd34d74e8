package call

import "time"

// What Reap does every now and then.
var (
	ForgetAnswers = (*Service).forgetAnswers
	Weigh         = (*Service).weigh
	Sweep         = (*Service).sweep
	ReapOnce      = (*Service).reapOnce
	Watch         = (*Service).watch
	Admit         = (*Service).admit
)

// How the queue is asked for its first calls.
var (
	TurnsIn       = turnsIn
	QueueSettings = queueing
)

// SetBack has the last worker gone for longer, by d.
func SetBack(s *Service, d time.Duration) {
	l := s.Load()
	l.away = l.away.Add(-d)
	s.load.Store(&l)
}

// Queued is the whole queue.
const Queued = queued

// RoomAge is how old a room is that a sweep clears away.
const RoomAge = roomAge
