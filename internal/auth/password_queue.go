package auth

import (
	"context"
	"slices"
	"sync"
	"time"

	"parley/internal/fault"
)

const (
	// hashSlots is how many passwords are hashed at once.
	hashSlots = 2
	// newNetworkSlots is how many of them may come from networks where the account has not signed in before.
	newNetworkSlots = 1
	// newNetworkPause is how long the slot of new networks rests after a hash, in times that the hash took: guesses use at
	// most a quarter of a processor, and the less the busier the server is. A hash is also 19 MB to collect.
	newNetworkPause = 3
	// maxNewNetworkWaiting limits how many of these wait, in all and for one account. Each takes tens of milliseconds, so
	// that whoever is let in waits a few seconds at most.
	maxNewNetworkWaiting        = 16
	maxNewNetworkWaitingAccount = 4
	// maxFamiliarWaiting limits how many others wait.
	maxFamiliarWaiting = 64
	// hashRetry is the Retry-After of a sign-in that finds the queue full.
	hashRetry = time.Second
)

// errHashQueue is returned to sign-ins that find the queue full.
var errHashQueue = fault.Later(fault.ServiceUnavailable, hashRetry, "too many sign-ins are being checked, try again in a moment")

// passwordQueue admits the hashing of passwords. Those of networks where the account signed in before go first.
// Guesses from new networks, however many, never delay them by more than one hash.
type passwordQueue struct {
	mu       sync.Mutex
	running  int
	takenNew int // slots of new networks that run or rest
	familiar []*hashTicket
	new      []*hashTicket
}

// hashTicket is a password that waits for its slot.
type hashTicket struct {
	account  string
	familiar bool
	admitted chan struct{} // closed when the slot is taken
	began    time.Time     // when it was taken
}

// enter waits for a slot, which leave frees. It returns errHashQueue at once if too many wait.
func (q *passwordQueue) enter(ctx context.Context, account string, familiar bool) (leave func(), err error) {
	ticket := &hashTicket{account: account, familiar: familiar, admitted: make(chan struct{})}
	if err := q.add(ticket); err != nil {
		return nil, err
	}
	select {
	case <-ticket.admitted:
		return func() { q.leave(ticket) }, nil
	case <-ctx.Done():
		q.abandon(ticket)
		return nil, ctx.Err()
	}
}

func (q *passwordQueue) add(t *hashTicket) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.familiar {
		if len(q.familiar) >= maxFamiliarWaiting {
			return errHashQueue
		}
		q.familiar = append(q.familiar, t)
	} else {
		ofAccount := 0
		for _, other := range q.new {
			if other.account == t.account {
				ofAccount++
			}
		}
		if len(q.new) >= maxNewNetworkWaiting || ofAccount >= maxNewNetworkWaitingAccount {
			return errHashQueue
		}
		q.new = append(q.new, t)
	}
	q.admit()
	return nil
}

// admit gives free slots to those who wait. The caller holds the lock.
func (q *passwordQueue) admit() {
	for q.running < hashSlots && len(q.familiar) > 0 {
		q.familiar = q.take(q.familiar)
	}
	for q.running < hashSlots && q.takenNew < newNetworkSlots && len(q.new) > 0 {
		q.new = q.take(q.new)
		q.takenNew++
	}
}

// take gives a slot to the first of those who wait, and returns the others.
func (q *passwordQueue) take(waiting []*hashTicket) []*hashTicket {
	q.running++
	waiting[0].began = time.Now()
	close(waiting[0].admitted)
	return waiting[1:]
}

func (q *passwordQueue) leave(t *hashTicket) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running--
	if !t.familiar {
		time.AfterFunc(newNetworkPause*time.Since(t.began), q.endPause)
	}
	q.admit()
}

// endPause frees the slot of a hash for a new network.
func (q *passwordQueue) endPause() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.takenNew--
	q.admit()
}

// abandon removes a ticket whose client has disconnected.
func (q *passwordQueue) abandon(t *hashTicket) {
	q.mu.Lock()
	queue := &q.new
	if t.familiar {
		queue = &q.familiar
	}
	i := slices.Index(*queue, t)
	if i >= 0 {
		*queue = slices.Delete(*queue, i, i+1)
	}
	q.mu.Unlock()
	if i < 0 { // admitted meanwhile
		q.leave(t)
	}
}
