package useragent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/emiago/sipgo/sip"
)

// DialOptions are those of a call that this side makes.
type DialOptions struct {
	CallOptions
	ID, Tag string  // Call-ID, and this side's tag; "" for random ones
	To      sip.Uri // request URI, and To
	From    sip.Uri
	Name    string       // display name in From; "" for none
	Headers []sip.Header // of the INVITE: P-Asserted-Identity, Privacy, Replaces and others
	// Targets are tried in their order: the next one after a 503, silence or an error of the transport.
	Targets     []Target
	RingTimeout time.Duration // until the answer; 0 for 3 minutes
	// Provisional is called with each provisional response, in the call's goroutine; may be nil.
	Provisional func(*sip.Response)
	// Redirect returns where a call goes on that was redirected to other URIs (3xx): none ends it. nil follows no redirection.
	Redirect func(contacts []sip.Uri) []Target
}

// Target is where a call may be sent to.
type Target struct {
	Address   netip.AddrPort
	Transport string   // UDP, TCP or TLS
	Host      string   // that the certificate of a TLS connection must be valid for
	URI       *sip.Uri // of the request, if it is not DialOptions.To
}

// DialError is why a call that this side made was not answered.
type DialError struct {
	Status   int           // of the final response, or the one that stands for it: 408 for silence, 503 for an unreachable peer
	Response *sip.Response // nil if there was none
	Err      error         // nil if the peer refused
	// Provisional is the highest provisional status that was received; 0 for none.
	Provisional int
}

func (e *DialError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("the call was not answered (%d): %v", e.Status, e.Err)
	}
	return fmt.Sprintf("the call was answered with %d (%s)", e.Status, Phrase(e.Status))
}

func (e *DialError) Unwrap() error { return e.Err }

// Errors of calls that this side made.
var (
	ErrNoAnswer  = errors.New("nobody answered within the ring timeout")
	ErrNoTarget  = errors.New("there is no target to call")
	ErrNotUsable = errors.New("the answer's session description cannot be used")
)

const (
	defaultRingTimeout = 3 * time.Minute
	// nextTarget is how long a target may be silent if there is another one.
	nextTarget   = 4 * time.Second
	maxRedirects = 5
	maxBranches  = 16 // of a forked call
	tcpPatience  = 2 * time.Second
)

// outbound is a call that this side makes, until it is answered.
type outbound struct {
	options   DialOptions
	targets   []Target
	tried     int // targets[tried] is the current one
	redirects int

	body     []byte // the offer
	request  *sip.Request
	flow     *flow
	answers  authorization
	branches map[string]*branch // by the other side's tag
	current  *branch
	alive    bool // the current INVITE has a response
	highest  int  // provisional status of any
	next     *time.Timer

	abandoned  *DialError // why the call is being cancelled
	reason     Reason
	cancelSent bool
	ring       *time.Timer
	giveUp     *time.Timer
	result     chan error // receives one value
}

func (o *outbound) stop() { stopTimers(o.next, o.ring, o.giveUp) }

// report tells Dial the outcome; further ones are dropped.
func (o *outbound) report(err error) {
	var failed *DialError
	if errors.As(err, &failed) {
		reported := *failed
		reported.Provisional = o.highest
		err = &reported
	}
	select {
	case o.result <- err:
	default:
	}
}

// Dial calls, and waits for the answer. The error is a DialError. When ctx ends, the call is cancelled.
func (u *UserAgent) Dial(ctx context.Context, o DialOptions) (*Call, error) {
	if len(o.Targets) == 0 {
		return nil, &DialError{Status: 503, Err: ErrNoTarget}
	}
	if o.RingTimeout == 0 {
		o.RingTimeout = defaultRingTimeout
	}
	c := newOutbound(u, o)
	body, err := c.session.Offer()
	if err != nil {
		return nil, &DialError{Status: 500, Err: err}
	}
	c.outbound.body = body
	if !u.register(c) || !u.startCall(c) {
		return nil, &DialError{Status: 503, Err: ErrClosed}
	}
	c.post(func() {
		c.outbound.ring = c.after(o.RingTimeout, func() { c.abandon(Reason{}, &DialError{Status: 408, Err: ErrNoAnswer}) })
		c.attempt()
	})
	select {
	case err = <-c.outbound.result:
	case <-ctx.Done():
		var reason Reason
		_ = errors.As(context.Cause(ctx), &reason) // zero without one
		why := &DialError{Status: 487, Err: context.Cause(ctx)}
		c.post(func() { c.abandon(reason, why) })
		err = why
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// NewID returns a random Call-ID.
func NewID() string { return NewTag() + NewTag() }

func newOutbound(u *UserAgent, o DialOptions) *Call {
	c := &Call{agent: u, options: o.CallOptions, session: o.Session, done: make(chan struct{}), queue: queue{wake: make(chan struct{}, 1)}}
	c.shared.state = stateCalling
	c.dialog = dialog{callID: cmp.Or(o.ID, NewID()), localTag: cmp.Or(o.Tag, NewTag()), local: party{o.Name, o.From}, remote: party{"", o.To}, target: o.To}
	c.outbound = &outbound{options: o, targets: o.Targets, result: make(chan error, 1), branches: map[string]*branch{}}
	return c
}

// attempt sends an INVITE to the current target.
func (c *Call) attempt() {
	o := c.outbound
	t := o.targets[o.tried]
	c.dialog.source, c.dialog.host, c.dialog.target = t.Address, t.Host, o.options.To
	if t.URI != nil {
		c.dialog.target = *t.URI
	}
	if t.Transport == UDP {
		f, err := c.agent.connected(context.Background(), UDP, t.Address, "")
		c.invite(f, err)
		return
	}
	c.connect(t.Transport, connectTimeout, c.invite)
}

// connect opens a connection to the current target and passes it on, unless the call has ended meanwhile.
func (c *Call) connect(transport string, limit time.Duration, then func(*flow, error)) {
	t := c.outbound.targets[c.outbound.tried]
	c.requests++
	started := c.agent.start(func() {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		f, err := c.agent.connected(ctx, transport, t.Address, t.Host)
		c.post(func() {
			c.requests--
			if c.state() != stateEnded {
				then(f, err)
			}
		})
	})
	if !started {
		c.requests--
	}
}

// invite sends the INVITE over a way, or over a connection instead if it is too long for a datagram and the target takes one.
func (c *Call) invite(f *flow, err error) {
	o := c.outbound
	if o.abandoned != nil {
		c.failed(o.abandoned)
		return
	}
	if err == nil {
		c.flow = f
		err = c.newInvite(f)
	}
	if err != nil {
		c.tryNext(&DialError{Status: 503, Err: err})
		return
	}
	if f.transport != UDP || len(o.request.String()) <= maxUDPRequest {
		c.sendInvite(f)
		return
	}
	c.connect(TCP, tcpPatience, func(stream *flow, err error) {
		if err == nil && o.abandoned == nil {
			c.flow = stream
			err = c.agent.address(o.request, stream, c.options.Contact)
		}
		if err != nil {
			c.flow, stream = f, f
		}
		c.sendInvite(stream)
	})
}

// newInvite makes the INVITE for a way.
func (c *Call) newInvite(f *flow) error {
	o := c.outbound
	r := c.newRequest(sip.INVITE)
	for _, h := range o.options.Headers {
		r.AppendHeader(h)
	}
	c.describe(r, o.body)
	c.timer.ask(c, r)
	for _, h := range o.answers.headers(r) {
		r.AppendHeader(h)
	}
	o.request = r
	return c.agent.address(r, f, c.options.Contact)
}

func (c *Call) sendInvite(f *flow) {
	o := c.outbound
	if o.abandoned != nil {
		c.failed(o.abandoned)
		return
	}
	r := o.request
	o.flow, o.alive, o.branches, o.current, o.cancelSent = f, false, map[string]*branch{}, nil, false
	c.requests++
	finished := false
	err := c.agent.send(f, r, func(res *sip.Response, err error) {
		ran := c.post(func() {
			if !finished && (res == nil || !res.IsProvisional()) {
				finished = true
				c.requests--
			}
			c.handleResponse(r, f, res, err)
		})
		if !ran && res != nil && res.IsSuccess() {
			c.refuseBranch(r, f, res)
		}
	})
	if err != nil {
		c.requests--
		c.tryNext(&DialError{Status: 503, Err: err})
		return
	}
	if f.transport == UDP {
		c.agent.awaitICMP(f)
	}
	if o.tried+1 < len(o.targets) {
		o.next = c.after(nextTarget, func() {
			if o.request == r && !o.alive && c.state() == stateCalling && o.abandoned == nil {
				c.tryNext(&DialError{Status: 408, Err: errNoResponse})
			}
		})
	}
}

// tryNext goes on with the next target, or fails if there is none.
func (c *Call) tryNext(e *DialError) {
	o := c.outbound
	if o.next != nil {
		o.next.Stop()
	}
	if o.abandoned != nil || o.tried+1 >= len(o.targets) {
		c.failed(e)
		return
	}
	o.tried++
	o.request, o.answers = nil, nil
	c.attempt()
}

// failed ends a call that was not answered.
func (c *Call) failed(e *DialError) {
	o := c.outbound
	cause := Failed
	if o.abandoned != nil {
		cause, e = Cancelled, o.abandoned
	}
	o.report(e)
	c.end(End{Cause: cause, Status: e.Status})
}

// abandon cancels a call that is not answered. Its peer may still answer at that moment; the call is then hung up.
func (c *Call) abandon(r Reason, why *DialError) {
	o := c.outbound
	if o == nil {
		return
	}
	if c.state() == stateActive {
		c.hangUp(End{Cause: HungUpHere}, r)
		return
	}
	if c.state() == stateEnded || o.abandoned != nil {
		return
	}
	o.abandoned, o.reason = why, r
	o.report(why)
	o.giveUp = c.after(64*sip.T1, func() { c.failed(why) })
	if o.alive {
		c.sendCancel()
	}
}

// sendCancel cancels the INVITE; only after a provisional response (RFC 3261 9.1).
func (c *Call) sendCancel() {
	o := c.outbound
	if o.cancelSent || o.request == nil {
		return
	}
	o.cancelSent = true
	r := sip.NewRequest(sip.CANCEL, o.request.Recipient)
	r.AppendHeader(sip.HeaderClone(o.request.Via()))
	for _, name := range []string{"Route", "Max-Forwards", "From", "To", "Call-ID"} {
		sip.CopyHeaders(name, o.request, r)
	}
	r.AppendHeader(&sip.CSeqHeader{SeqNo: o.request.CSeq().SeqNo, MethodName: sip.CANCEL})
	if o.reason.Protocol != "" {
		r.AppendHeader(o.reason.header())
	}
	r.SetBody(nil)
	_ = c.agent.send(o.flow, r, func(*sip.Response, error) {})
}
