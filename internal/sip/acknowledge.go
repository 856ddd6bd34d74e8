package sip

import (
	"errors"
	"time"

	"github.com/livekit/sipgo/sip"
	"github.com/livekit/sipgo/transaction"
)

const (
	// maxUnacknowledged limits the calls of an address that were answered and whose ACK has not come. An address that is not the
	// sender's own receives no answer and acknowledges none: over UDP, anybody can write it into an INVITE.
	maxUnacknowledged = 10
	// acknowledgeTime is how long such a call counts: 64*T1 (RFC 3261 13.3.1.4).
	acknowledgeTime = transaction.Timer_B
)

var errUnacknowledged = errors.New("too many calls of this address were answered and not acknowledged")

// answer is the transaction of a new call. It is answered with 2xx only within maxUnacknowledged, else Respond fails and the call must
// be rejected.
type answer struct {
	sip.ServerTransaction
	filter      *inboundFilter
	id, address string
}

func (a answer) Respond(r *sip.Response) error {
	if r.IsSuccess() && !a.filter.countAnswered(a.id, a.address) {
		return errUnacknowledged
	}
	return a.ServerTransaction.Respond(r)
}

// unacknowledgedQuota is the limit of calls that were answered and not acknowledged.
func unacknowledgedQuota(address string) quota {
	return quota{"unacknowledged of " + address, maxUnacknowledged}
}

// countAnswered counts a call as answered until its ACK, at most for acknowledgeTime, and reports whether it is within the limit.
func (f *inboundFilter) countAnswered(id, address string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, repeated := f.answered[id]; repeated {
		return true
	}
	release, ok := f.capacity.acquire(unacknowledgedQuota(address))
	if !ok {
		return false
	}
	f.answered[id] = release
	time.AfterFunc(acknowledgeTime, func() { f.acknowledged(id) })
	return true
}

// acknowledged ends the count of a call by its ACK.
func (f *inboundFilter) acknowledged(id string) {
	f.mu.Lock()
	release := f.answered[id]
	delete(f.answered, id)
	f.mu.Unlock()
	if release != nil {
		release()
	}
}
