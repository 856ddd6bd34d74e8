package useragent

import (
	"context"
	"time"

	"github.com/emiago/sipgo/sip"

	"parley/internal/sip/negotiation"
)

// inbound is a call that comes in, until its answer is acknowledged.
type inbound struct {
	invitation *Invitation
	answer     []byte // to the offer of the INVITE; nil if it has none
	stream     negotiation.Stream
	offer      []byte // of this side, if the INVITE has none
	described  bool   // a reliable response had the description, so that the 200 has none
	reliable   reliable

	ok       *sip.Response // the 200, until it is acknowledged
	repeat   *time.Timer
	interval time.Duration
	limit    *time.Timer
	answered chan negotiation.Stream // receives the stream at the ACK
}

func newInbound(i *Invitation, o CallOptions) *Call {
	r := i.Request
	c := &Call{agent: i.agent, options: o, session: o.Session, flow: i.tx.flow, done: make(chan struct{}), queue: queue{wake: make(chan struct{}, 1)}}
	c.shared.state, c.shared.remoteTag = stateInvited, tag(r.From().Params)
	c.dialog = dialog{
		callID: r.CallID().Value(), localTag: i.localTag, remoteTag: tag(r.From().Params),
		local: party{r.To().DisplayName, r.To().Address}, remote: party{r.From().DisplayName, r.From().Address},
		remoteSeq: r.CSeq().SeqNo, remoteSeen: true, routes: recordRoute(r), source: i.Source, target: r.From().Address,
	}
	if contacts := contactsOf(r); len(contacts) > 0 {
		c.dialog.target = contacts[0]
	}
	c.inbound = &inbound{invitation: i, answered: make(chan negotiation.Stream, 1)}
	c.inbound.reliable.required, c.inbound.reliable.supported = lists(r, "Require", "100rel"), lists(r, "Supported", "100rel")
	c.learn(r)
	return c
}

func (i *inbound) stop() {
	i.reliable.stop()
	stopTimers(i.repeat, i.limit)
}

// Ring sends a provisional response: 180, 183 or another. With early, it has this side's description, so that the peer receives
// audio before the answer. It is sent reliably (RFC 3262) if the peer requires that, or supports it and early is set.
func (c *Call) Ring(status int, early bool) error {
	result := make(chan error, 1)
	if !c.post(func() { result <- c.ring(status, early) }) {
		return ErrState
	}
	select {
	case err := <-result:
		return err
	case <-c.done:
		return ErrState
	}
}

func (c *Call) ring(status int, early bool) error {
	i := c.inbound
	if i == nil || c.state() != stateInvited || status <= 100 || status >= 200 {
		return ErrState
	}
	c.inOrder(func() {
		var body []byte
		if early {
			body = c.description()
		}
		res := c.respondInvite(status, body)
		if i.reliable.required || i.reliable.supported && early {
			i.described = i.described || len(body) > 0
			c.sendReliably(res)
		} else if i.offer == nil { // an offer needs a response that its answer can refer to
			i.invitation.tx.respond(res)
		} else {
			res.SetBody(nil)
			i.invitation.tx.respond(res)
		}
		if early && i.answer != nil {
			c.agreed(i.stream, true)
		}
	})
	return nil
}

// description is this side's: the answer to the INVITE's offer, or an offer.
func (c *Call) description() []byte {
	i := c.inbound
	switch {
	case i.described:
		return nil
	case i.answer != nil:
		return i.answer
	case i.offer == nil:
		i.offer, _ = c.session.Offer() // the first of the session is always possible
	}
	return i.offer
}

// respondInvite makes a response to the call's INVITE.
func (c *Call) respondInvite(status int, body []byte, headers ...sip.Header) *sip.Response {
	return c.responseTo(c.inbound.invitation.Request, c.inbound.invitation.tx, status, body, headers...)
}

// responseTo makes a response to a request within the call. Those that establish or renew the dialog have a Contact.
func (c *Call) responseTo(r *sip.Request, t *serverTx, status int, body []byte, headers ...sip.Header) *sip.Response {
	if len(body) > 0 {
		headers = append(headers, sip.NewHeader("Content-Type", negotiation.ContentType))
	}
	if status > 100 && status < 300 {
		if at, err := c.agent.options.Address(t.flow.peer.Addr()); err == nil {
			headers = append(headers, c.agent.contact(t.flow, at, c.options.Contact))
		}
		headers = append(headers, sip.NewHeader("Allow", allow), sip.NewHeader("Supported", supported))
	}
	return c.agent.response(r, status, c.dialog.localTag, body, headers...)
}

// Answer answers the call, and waits until the peer has acknowledged that. It returns the agreed stream. When ctx ends before, the
// call is hung up.
func (c *Call) Answer(ctx context.Context) (negotiation.Stream, error) {
	result := make(chan error, 1)
	if !c.post(func() { result <- c.accept() }) {
		return negotiation.Stream{}, ErrState
	}
	select {
	case err := <-result:
		if err != nil {
			return negotiation.Stream{}, err
		}
	case <-c.done:
		return negotiation.Stream{}, ErrState
	}
	select {
	case stream := <-c.inbound.answered:
		return stream, nil
	case <-c.done:
		return negotiation.Stream{}, ErrState
	case <-ctx.Done():
		c.Hangup(Reason{})
		return negotiation.Stream{}, ctx.Err()
	}
}

// accept sends the 200 and repeats it until the ACK (RFC 3261 13.3.1.4).
func (c *Call) accept() error {
	i := c.inbound
	if i == nil || c.state() != stateInvited || i.ok != nil {
		return ErrState
	}
	c.inOrder(func() {
		if !c.move(stateAnswered) {
			return
		}
		if i.answer != nil {
			c.agreed(i.stream, true)
		}
		i.ok = c.respondInvite(200, c.description(), c.timer.negotiate(c, i.invitation.Request)...)
		i.invitation.tx.respond(i.ok)
		i.interval = sip.T1
		i.repeat = c.after(i.interval, c.repeatAnswer)
		i.limit = c.after(64*sip.T1, func() { c.hangUp(End{Cause: Unconfirmed}, Reason{"SIP", 408, "No ACK"}) })
	})
	return nil
}

func (c *Call) repeatAnswer() {
	i := c.inbound
	if c.state() != stateAnswered {
		return
	}
	i.invitation.tx.respond(i.ok)
	i.interval = min(2*i.interval, sip.T2)
	i.repeat.Stop()
	i.repeat = c.after(i.interval, c.repeatAnswer)
}

// handleACK completes the answer of the call's INVITE, or of a re-INVITE.
func (c *Call) handleACK(r *sip.Request) {
	i := c.inbound
	if i == nil || c.state() != stateAnswered || r.CSeq().SeqNo != i.invitation.Request.CSeq().SeqNo {
		c.acknowledged(r)
		return
	}
	i.stop()
	if i.offer != nil && c.session.Pending() { // the ACK has the answer
		if err := c.completeOffer(r); err != nil {
			c.hangUp(End{Cause: Mismatch, Status: 488}, Reason{"SIP", 488, "No answer to the offer"})
			return
		}
	}
	if !c.move(stateActive) {
		return
	}
	c.timer.start(c)
	c.agreed(i.stream, false)
	i.answered <- i.stream
}

// completeOffer reads the answer to this side's offer in a message.
func (c *Call) completeOffer(m *sip.Request) error {
	body, err := negotiation.Find(value(m, "Content-Type"), m.Body())
	if err != nil {
		return err
	}
	stream, err := c.session.Accept(body, c.dialog.source.Addr())
	if err == nil && c.inbound != nil {
		c.inbound.stream = stream
	}
	return err
}

// Reject refuses a call that was accepted as an invitation but not answered. An empty reason stands for the status's own phrase.
func (c *Call) Reject(status int, reason string, headers ...sip.Header) {
	c.post(func() { c.reject(status, reason, headers...) })
}

func (c *Call) reject(status int, reason string, headers ...sip.Header) {
	if c.state() != stateInvited || c.inbound == nil {
		return
	}
	res := c.respondInvite(status, nil, headers...)
	if reason != "" {
		res.Reason = reason
	}
	c.inbound.invitation.tx.respond(res)
	c.end(End{Cause: RejectedHere, Status: status})
}

// handleCANCEL ends a call that is not answered.
func (c *Call) handleCANCEL(r *sip.Request) {
	if c.state() != stateInvited {
		return
	}
	c.inbound.invitation.tx.respond(c.respondInvite(487, nil))
	c.end(End{Cause: Cancelled, Status: 487, Reason: reasonOf(r)})
}
