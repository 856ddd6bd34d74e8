package call

// What Reap does every now and then.
var (
	ForgetAnswers = (*Service).forgetAnswers
	CountWaiting  = (*Service).countWaiting
	Sweep         = (*Service).sweep
)

// RoomAge is how old a room is that a sweep clears away.
const RoomAge = roomAge
