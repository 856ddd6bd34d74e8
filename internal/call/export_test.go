package call

// What Reap does every now and then.
var (
	ForgetAnswers = (*Service).forgetAnswers
	CountWaiting  = (*Service).countWaiting
	Sweep         = (*Service).sweep
	ReapOnce      = (*Service).reapOnce
)

// How the queue is asked for its first calls.
var (
	TurnsIn       = turnsIn
	QueueSettings = queueing
)

// Queued is the whole queue.
const Queued = queued

// Timestamp is how events tell a time.
var Timestamp = timestamp

// RoomAge is how old a room is that a sweep clears away.
const RoomAge = roomAge
