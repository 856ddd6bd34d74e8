package useragent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/emiago/sipgo/sip"

	"parley/internal/sip/negotiation"
)

// Invitation is an INVITE for a new call that has been neither accepted nor rejected. Nothing is kept of it but its transaction.
type Invitation struct {
	Request   *sip.Request // to be read only
	Source    netip.AddrPort
	Transport string

	agent    *UserAgent
	tx       *serverTx
	localTag string
	context  context.Context
	stop     context.CancelCauseFunc

	mu        sync.Mutex
	decided   bool
	call      *Call // once it is accepted
	cancelled *sip.Request
}

// ErrCancelled is the error of an invitation that its caller has cancelled.
var ErrCancelled = errors.New("the caller has cancelled the call")

// ErrDecided is the error of an invitation that has been accepted or rejected before.
var ErrDecided = errors.New("the invitation has been answered")

func newInvitation(u *UserAgent, t *serverTx) *Invitation {
	i := &Invitation{Request: t.request, Source: t.flow.peer, Transport: t.flow.transport, agent: u, tx: t, localTag: cmp.Or(tag(t.request.To().Params), NewTag())}
	i.context, i.stop = context.WithCancelCause(context.Background())
	return i
}

// Context is done when the invitation is cancelled or has been answered.
func (i *Invitation) Context() context.Context { return i.context }

// Description returns the session description of the INVITE, nil if it has none. The error is a negotiation.Refusal.
func (i *Invitation) Description() ([]byte, error) {
	found, err := negotiation.Find(value(i.Request, "Content-Type"), i.Request.Body())
	if err != nil && strings.Contains(strings.ToLower(value(i.Request, "Content-Disposition")), "handling=optional") {
		return nil, nil
	}
	return found, err
}

// run decides on the invitation.
func (i *Invitation) run() {
	defer i.stop(ErrDecided)
	if encoding := value(i.Request, "Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		i.Reject(415, "", sip.NewHeader("Accept-Encoding", "identity"))
		return
	}
	if _, err := i.Description(); err != nil {
		i.refuse(err)
		return
	}
	if len(i.Request.GetHeaders("Replaces")) > 1 {
		i.Reject(400, "")
		return
	}
	i.agent.options.OnInvite(i)
	i.Reject(480, "") // unless it was answered
}

// HasReplaces reports whether the new call is to replace another one (RFC 3891).
func (i *Invitation) HasReplaces() bool { return i.Request.GetHeader("Replaces") != nil }

// Replaced returns the call that the new one is to replace; nil if there is none like that. A status other than 0 refuses the
// INVITE (RFC 3891 3). Whoever accepts the invitation checks before that this caller may replace the call, and hangs it up when the
// new one is answered.
func (i *Invitation) Replaced() (c *Call, status int) {
	id, params := splitParams(value(i.Request, "Replaces"))
	c = i.agent.call(id, params["to-tag"])
	if c == nil || params["from-tag"] == "" || c.RemoteTag() != params["from-tag"] {
		return nil, 481
	}
	_, early := params["early-only"]
	switch s := c.state(); {
	case s == stateInvited, s == stateEnded: // an early call that this side has not made
		return c, 481
	case early && c.confirmed():
		return c, 486
	}
	return c, 0
}

// decide reports whether the invitation may be answered now, by the first who asks.
func (i *Invitation) decide() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.cancelled != nil:
		return ErrCancelled
	case i.decided:
		return ErrDecided
	}
	i.decided = true
	return nil
}

// Reject answers with a final status other than 2xx. An empty reason stands for the status's own phrase. It does nothing if the
// invitation has been answered.
func (i *Invitation) Reject(status int, reason string, headers ...sip.Header) {
	if i.decide() != nil {
		return
	}
	answer := i.agent.response(i.Request, status, i.localTag, nil, headers...)
	if reason != "" {
		answer.Reason = reason
	}
	i.tx.respond(answer)
	if !i.tx.flow.reliable() && time.Since(i.tx.begun) < sip.Timer_1xx { // no 100 was sent: the INVITE is repeated if this is lost
		i.tx.Terminate()
	}
}

// refuse rejects the invitation because of its description.
func (i *Invitation) refuse(err error) {
	status, headers := refusal(err)
	i.Reject(status, "", headers...)
}

// refusal returns the status and headers for a description that cannot be agreed on.
func refusal(err error) (int, []sip.Header) {
	var r *negotiation.Refusal
	switch {
	case errors.Is(err, negotiation.ErrPending):
		return 491, nil
	case !errors.As(err, &r):
		return 500, nil
	case r.Status == 415:
		return 415, []sip.Header{sip.NewHeader("Accept", negotiation.ContentType)}
	case r.Warning != 0:
		return r.Status, []sip.Header{sip.NewHeader("Warning", fmt.Sprintf("%d parley %q", r.Warning, r.Text))}
	}
	return r.Status, []sip.Header{sip.NewHeader("Warning", fmt.Sprintf("399 parley %q", r.Text))}
}

// Accept begins a call, which is answered, or rejected after all, by its methods. If the descriptions cannot be agreed on, or the
// session timer is too short for either side, the invitation is rejected, and the error says why.
func (i *Invitation) Accept(o CallOptions) (*Call, error) {
	if least := o.minInterval(); i.tooShort(least) {
		i.Reject(422, "", sip.NewHeader("Min-SE", fmt.Sprint(int(least.Seconds()))))
		return nil, fmt.Errorf("the session interval is shorter than %s", least)
	}
	offer, err := i.Description()
	if err != nil {
		i.refuse(err)
		return nil, err
	}
	c := newInbound(i, o)
	if len(offer) > 0 {
		answer, stream, err := o.Session.Answer(offer, i.Source.Addr())
		if err != nil {
			i.refuse(err)
			c.discard()
			return nil, err
		}
		c.inbound.answer, c.inbound.stream = answer, stream
	}
	if err := i.decide(); err != nil {
		c.discard()
		return nil, err
	}
	if !i.agent.register(c) {
		c.discard()
		return nil, ErrClosed
	}
	i.agent.startCall(c)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.call = c
	if r := i.cancelled; r != nil {
		c.post(func() { c.handleCANCEL(r) })
	}
	return c, nil
}

// tooShort reports whether the INVITE asks for a session interval below a limit (RFC 4028 8).
func (i *Invitation) tooShort(least time.Duration) bool {
	interval, _, ok := seconds(value(i.Request, "Session-Expires"))
	return ok && interval < least && lists(i.Request, "Supported", "timer")
}

// cancel handles the CANCEL of the INVITE.
func (i *Invitation) cancel(r *sip.Request) {
	i.mu.Lock()
	c, decided := i.call, i.decided
	if i.cancelled == nil {
		i.cancelled = r
	}
	i.mu.Unlock()
	i.stop(ErrCancelled)
	switch {
	case c != nil:
		c.post(func() { c.handleCANCEL(r) })
	case !decided:
		i.tx.respond(i.agent.response(i.Request, 487, i.localTag, nil))
	}
}
