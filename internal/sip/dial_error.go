package sip

import "fmt"

// DialErrorCause classifies a dial error.
type DialErrorCause string

// The causes; causes maps SIP statuses to them.
const (
	RingTimeout   DialErrorCause = "ring_timeout"   // it rang, and nobody answered
	Busy          DialErrorCause = "busy"           // busy here
	Declined      DialErrorCause = "declined"       // the callee rejected the call
	InvalidNumber DialErrorCause = "invalid_number" // the number does not exist
	Unreachable   DialErrorCause = "unreachable"    // the trunk, or the network behind it, did not place the call
)

// DialError is the error of a number that was not reached.
type DialError struct {
	Cause  DialErrorCause
	Status int    // the final SIP status; 0 for none
	Detail string // one sentence for the tenant, without number or credentials
}

func (r *DialError) Error() string { return r.Detail }

// causes maps final statuses (RFC 3261 21, RFC 8197, RFC 8688) to causes; all others are Unreachable. 403 is one of
// these: trunks send it for a wrong account, caller id or permission.
var causes = map[int]DialErrorCause{
	486: Busy,
	600: Busy,

	603: Declined,
	607: Declined, // unwanted
	608: Declined, // rejected by an intermediary on behalf of the callee

	404: InvalidNumber,
	410: InvalidNumber, // gone
	414: InvalidNumber, // Request-URI too long
	416: InvalidNumber, // unsupported URI scheme
	484: InvalidNumber, // address incomplete
	485: InvalidNumber, // ambiguous
	604: InvalidNumber, // does not exist anywhere

	408: RingTimeout,
	480: RingTimeout, // temporarily unavailable: the phone is off or not answered
	487: RingTimeout, // the network ended the ringing
}

// details are the causes' sentences.
var details = map[DialErrorCause]string{
	RingTimeout:   "Nobody answered the phone",
	Busy:          "The line is busy",
	Declined:      "The call was declined",
	InvalidNumber: "Nobody can be reached at this number",
	Unreachable:   "The trunk did not place the call",
}

// dialErrorOf returns the dial error of a final status.
func dialErrorOf(status int) *DialError {
	cause, known := causes[status]
	if !known {
		cause = Unreachable
	}
	r := &DialError{Cause: cause, Status: status}
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

// unreachable returns a dial error without a SIP status.
func unreachable(format string, args ...any) *DialError {
	return &DialError{Cause: Unreachable, Detail: fmt.Sprintf(format, args...)}
}
