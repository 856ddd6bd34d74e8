package call

import (
	"context"
	"log/slog"
	"time"
)

// What Reap does every now and then.
var (
	ForgetAnswers = (*Service).deleteExpiredResponses
	DeleteUnused  = (*Service).deleteUnusedPlans
	WriteStored   = (*Service).writeStored
	Weigh         = (*Service).measureLoad
	Sweep         = (*Service).sweepRooms
	Watch         = (*Service).pollArrivals
	Admit         = (*Service).checkLoad
)

// How the queue is asked for its first calls.
var (
	TurnsIn       = queueOrderOf
	QueueSettings = queuePlanner
)

// SetBack has the last worker gone for longer, by d.
func SetBack(s *Service, d time.Duration) {
	l := s.Load()
	l.noWorkerSince = l.noWorkerSince.Add(-d)
	s.load.Store(&l)
}

// Queued is the whole queue.
const Queued = queued

// RoomAge is how old a room of an unknown call is that a sweep deletes.
const RoomAge = roomAge

// SweepInterval is how often rooms are compared with calls on a server of ours.
const SweepInterval = sweepInterval

// Reaper is a reaper that has seen the database until a time, by its clock.
func Reaper(s *Service, rooms Rooms, until time.Time) (reap func(context.Context) error) {
	r := newReaper(s, rooms, slog.New(slog.DiscardHandler))
	for at := until.Add(-takeoverGrace - 2*RecoveryTime); !at.After(until); at = at.Add(RecoveryTime) {
		r.database.MarkReachable(at)
	}
	return r.endOverdue
}

// ReapOnce is what a reaper does each second, but for the rooms.
func ReapOnce(s *Service, ctx context.Context) error { return Reaper(s, nil, time.Now())(ctx) }

// ReaperAfterOutage is a reaper to which the database was unreachable until a time.
func ReaperAfterOutage(s *Service, until time.Time) (reap func(context.Context) error) {
	r := newReaper(s, nil, slog.New(slog.DiscardHandler))
	r.database.MarkUnreachable()
	r.database.MarkReachable(until)
	return r.endOverdue
}
