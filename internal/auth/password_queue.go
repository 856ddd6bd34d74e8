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
	// maxNewNetworkWaiting limits how many of these wait, in all and for one account. Each takes tens of milliseconds, so
	// that whoever is let in waits less than a second.
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
	mu         sync.Mutex
	running    int
	runningNew int
	familiar   []*hashTicket
	new        []*hashTicket
}

// hashTicket is a password that waits for its slot.
type hashTicket struct {
	account  string
	familiar bool
	admitted chan struct{} // closed when the slot is taken
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
		close(q.familiar[0].admitted)
		q.familiar = q.familiar[1:]
		q.running++
	}
	for q.running < hashSlots && q.runningNew < newNetworkSlots && len(q.new) > 0 {
		close(q.new[0].admitted)
		q.new = q.new[1:]
		q.running++
		q.runningNew++
	}
}

func (q *passwordQueue) leave(t *hashTicket) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running--
	if !t.familiar {
		q.runningNew--
	}
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
