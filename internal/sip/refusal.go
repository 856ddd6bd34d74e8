package sip

import "fmt"

// Cause is the kind of a refusal.
type Cause string

// The causes, each with the SIP statuses that stand for it in causes.
const (
	RingTimeout   Cause = "ring_timeout"   // it rang, and nobody answered
	Busy          Cause = "busy"           // the line is engaged
	Declined      Cause = "declined"       // who was called does not want to talk
	InvalidNumber Cause = "invalid_number" // nobody has the number
	Unreachable   Cause = "unreachable"    // the trunk, or the network behind it, did not take the call there
)

// Refusal is why a number was not reached.
type Refusal struct {
	Cause  Cause
	Status int    // the SIP status that the other side gave; 0 when it gave none
	Detail string // one clear sentence, without number or credentials
}

func (r *Refusal) Error() string { return r.Detail }

// causes are the final statuses (RFC 3261 21, RFC 8197, RFC 8688) that tell more than that the call could not be placed.
// 403 is not among them: it is what trunks say whose account, caller id or permissions are wrong.
var causes = map[int]Cause{
	486: Busy,
	600: Busy,

	603: Declined,
	607: Declined, // unwanted
	608: Declined, // rejected by an intermediary on behalf of who was called

	404: InvalidNumber,
	410: InvalidNumber, // gone
	414: InvalidNumber, // Request-URI too long
	416: InvalidNumber, // unsupported URI scheme
	484: InvalidNumber, // address incomplete
	485: InvalidNumber, // ambiguous
	604: InvalidNumber, // does not exist anywhere

	408: RingTimeout,
	480: RingTimeout, // temporarily unavailable: the phone is off, or does not answer
	487: RingTimeout, // the network itself ended the ringing
}

// details are the sentences of causes.
var details = map[Cause]string{
	RingTimeout:   "Nobody answered the phone",
	Busy:          "The line is busy",
	Declined:      "The call was declined",
	InvalidNumber: "Nobody can be reached at this number",
	Unreachable:   "The trunk did not place the call",
}

// refused is the refusal that a final status stands for.
func refused(status int) *Refusal {
	cause, known := causes[status]
	if !known {
		cause = Unreachable
	}
	r := &Refusal{Cause: cause, Status: status}
	switch status {
	case 401, 407:
		r.Detail = fmt.Sprintf("The trunk did not accept the user name and password (SIP %d).", status)
	case 403:
		r.Detail = "The trunk refused the call (SIP 403): its account, caller id or permissions do not allow it."
	case 488, 606:
		r.Detail = fmt.Sprintf("The trunk accepts no audio codec of those offered: PCMU, PCMA, G.722 (SIP %d).", status)
	default:
		r.Detail = fmt.Sprintf("%s (SIP %d).", details[cause], status)
	}
	return r
}

// unreachable is a refusal of which the other side knows nothing.
func unreachable(format string, args ...any) *Refusal {
	return &Refusal{Cause: Unreachable, Detail: fmt.Sprintf(format, args...)}
}
