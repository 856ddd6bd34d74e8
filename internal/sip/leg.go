package sip

import (
	"context"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/livekit/sipgo/sip"
)

// leg is the SIP leg of an outbound call, from its first INVITE until the call has ended.
type leg struct {
	ctx   context.Context // of the dial; ends when its result is no longer awaited
	trunk OutboundRoute
	limit *time.Timer // ends the call at its maximum duration; guarded by the uac's mutex; nil before the answer

	room, identity   string        // of the phone's participant
	ended            chan struct{} // closed when the leg has ended
	transferStatuses chan int      // SIP statuses of a transfer

	mu          sync.Mutex
	target      netip.AddrPort // resolved from the trunk's address for the first INVITE
	dialError   *DialError     // why an INVITE was not sent
	invited     bool           // an INVITE was sent
	provisional bool           // a provisional response arrived
	ringing     bool           // … with status 180
	status      int            // of the last final response; 0 without any
	challenges  int            // number of authentication challenges
	ack         *sip.Request   // of the 2xx

	contact   *sip.ContactHeader // of this side
	transfers uint32             // number of transfers requested
}

// transferStatusQueue limits the buffered transfer notifications.
const transferStatusQueue = 16

func newLeg(ctx context.Context, d DialRequest) *leg {
	return &leg{ctx: ctx, trunk: d.Trunk, room: d.Room, identity: d.Identity, ended: make(chan struct{}), transferStatuses: make(chan int, transferStatusQueue)}
}

// recordResponse records the state that a response to an INVITE implies.
func (l *leg) recordResponse(r *sip.Response) {
	l.mu.Lock()
	defer l.mu.Unlock()
	status := r.StatusCode
	if status < 200 {
		l.provisional = true
		l.ringing = l.ringing || status >= 180
		return
	}
	l.status = status
	if (status == 401 || status == 407) && !isStaleChallenge(r) {
		l.challenges++
	}
}

// wasSent reports whether the trunk may have received the call.
func (l *leg) wasSent() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.invited
}

// isStaleChallenge reports whether a challenge rejects only the age of the nonce, not the credentials (RFC 7616 3.3).
func isStaleChallenge(r *sip.Response) bool {
	for _, name := range []string{"WWW-Authenticate", "Proxy-Authenticate"} {
		if h := r.GetHeader(name); h != nil {
			value := strings.ReplaceAll(strings.ToLower(h.Value()), `"`, "")
			return strings.Contains(value, "stale=true")
		}
	}
	return false
}

// recordDialError records why an INVITE is not sent.
func (l *leg) recordDialError(r *DialError) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dialError = r
	return r
}

// wrongCredentials reports whether the trunk has rejected the credentials. They are not sent again, because trunks
// treat repetition as an attack.
func (l *leg) wrongCredentials() (status int, wrong bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.status, l.challenges > 1
}

// dialFailure returns why a dial failed; nil if the trunk was not the cause: no INVITE was sent, or the phone's
// participant was removed from its room. timedOut reports that the ring timeout has passed.
func (l *leg) dialFailure(ring time.Duration, timedOut bool) *DialError {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.dialError != nil:
		return l.dialError
	case l.challenges > 0 && l.trunk.Username == "":
		return &DialError{Cause: Unreachable, Status: l.status, Detail: "The trunk requires a user name and a password, and none are set."}
	case l.status >= 300:
		return dialErrorOf(l.status)
	case l.status >= 200:
		return &DialError{Cause: Unreachable, Status: l.status, Detail: "The call was answered, but no audio could be agreed on with the trunk."}
	case !l.invited:
		return nil
	case !l.provisional:
		return unreachable("The trunk does not answer.")
	case !timedOut:
		return nil
	case l.ringing:
		return &DialError{Cause: RingTimeout, Detail: "Nobody answered the phone within " + ring.String() + "."}
	default:
		return unreachable("The trunk accepted the call, but the phone did not ring.")
	}
}
