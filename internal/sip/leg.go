package sip

import (
	"context"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/livekit/sipgo/sip"
)

// leg is a phone's side of a call that was dialled, from its first INVITE until it is over.
type leg struct {
	ctx   context.Context // ends when nobody waits for the answer any more
	trunk Route
	limit *time.Timer // of its length, guarded by the uac's mutex; nil before it is answered

	room, identity string        // of the phone's participant
	over           chan struct{} // closed when it is
	notices        chan int      // SIP statuses of a transfer

	mu      sync.Mutex
	target  netip.AddrPort // that the trunk's address led to, with the first INVITE
	refusal *Refusal       // what kept an INVITE from being sent
	invited bool           // an INVITE was sent
	heard   bool           // a provisional answer came
	rang    bool           // … which says that the phone rings
	status  int            // of the last final answer; 0 without any
	asked   int            // how often the trunk asked for credentials
	ack     *sip.Request   // of the answer that was picked up

	contact  *sip.ContactHeader // of this side
	referred uint32             // how many transfers were asked for
}

// noticesKept bounds what is kept of what the network tells of transfers.
const noticesKept = 16

func newLeg(ctx context.Context, d Dial) *leg {
	return &leg{ctx: ctx, trunk: d.Trunk, room: d.Room, identity: d.Identity, over: make(chan struct{}), notices: make(chan int, noticesKept)}
}

// note takes down what an answer to an INVITE tells.
func (l *leg) note(r *sip.Response) {
	l.mu.Lock()
	defer l.mu.Unlock()
	status := r.StatusCode
	if status < 200 {
		l.heard = true
		l.rang = l.rang || status >= 180
		return
	}
	l.status = status
	if (status == 401 || status == 407) && !stale(r) {
		l.asked++
	}
}

// sent reports whether the trunk may have been asked for the call.
func (l *leg) sent() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.invited
}

// stale tells whether a challenge finds no fault with the credentials but with the age of the nonce they were made for
// (RFC 7616 3.3).
func stale(r *sip.Response) bool {
	for _, name := range []string{"WWW-Authenticate", "Proxy-Authenticate"} {
		if h := r.GetHeader(name); h != nil {
			value := strings.ReplaceAll(strings.ToLower(h.Value()), `"`, "")
			return strings.Contains(value, "stale=true")
		}
	}
	return false
}

// refuse takes down why an INVITE is not sent.
func (l *leg) refuse(r *Refusal) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refusal = r
	return r
}

// wrongCredentials tells that the trunk has refused the credentials that it asked for: it is not tried again with the
// same ones, which trunks take for an attack.
func (l *leg) wrongCredentials() (status int, wrong bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.status, l.asked > 1
}

// outcome is why a leg failed; nil when that was not the trunk's doing: it was never asked, or the phone's participant was
// put out of its room. timedOut says that it had been left to ring for ring.
func (l *leg) outcome(ring time.Duration, timedOut bool) *Refusal {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.refusal != nil:
		return l.refusal
	case l.asked > 0 && l.trunk.Username == "":
		return &Refusal{Cause: Unreachable, Status: l.status, Detail: "The trunk asks for a user name and a password, and none are set."}
	case l.status >= 300:
		return refused(l.status)
	case l.status >= 200:
		return &Refusal{Cause: Unreachable, Status: l.status, Detail: "The call was answered, but no audio could be agreed on with the trunk."}
	case !l.invited:
		return nil
	case !l.heard:
		return unreachable("The trunk does not answer.")
	case !timedOut:
		return nil
	case l.rang:
		return &Refusal{Cause: RingTimeout, Detail: "Nobody answered the phone within " + ring.String() + "."}
	default:
		return unreachable("The trunk took the call, but the phone never rang.")
	}
}
