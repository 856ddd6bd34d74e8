package useragent

import (
	"fmt"
	"math/rand/v2"

	"github.com/emiago/sipgo/sip"

	"parley/internal/sip/negotiation"
)

// handleRequest answers a request of the other side within the call.
func (c *Call) handleRequest(r *sip.Request, t *serverTx) {
	if c.state() == stateEnded {
		t.respond(c.agent.response(r, 481, c.dialog.localTag, nil))
		return
	}
	if !c.isPeer(r) {
		t.respond(c.responseTo(r, t, 481, nil))
		return
	}
	if c.dialog.remoteSeen && r.CSeq().SeqNo < c.dialog.remoteSeq { // RFC 3261 12.2.2
		t.respond(c.responseTo(r, t, 500, nil))
		return
	}
	c.dialog.remoteSeq, c.dialog.remoteSeen = r.CSeq().SeqNo, true
	c.learn(r)
	if r.Method != sip.BYE {
		c.alive()
	}
	switch r.Method {
	case sip.BYE:
		c.handleBYE(r, t)
	case sip.INVITE:
		c.handleReinvite(r, t)
	case sip.UPDATE:
		c.handleUpdate(r, t)
	case sip.PRACK:
		c.handlePRACK(r, t)
	case sip.INFO:
		c.handleINFO(r, t)
	case sip.OPTIONS:
		t.respond(c.responseTo(r, t, 200, c.session.Description(), sip.NewHeader("Accept", negotiation.ContentType)))
	case sip.REFER:
		c.handleREFER(r, t)
	case sip.NOTIFY:
		c.handleNOTIFY(r, t)
	default:
		t.respond(c.responseTo(r, t, 405, nil, sip.NewHeader("Allow", allow)))
	}
}

// alive reports that the peer is there.
func (c *Call) alive() {
	if c.options.Handler.Alive != nil {
		c.options.Handler.Alive()
	}
}

// isPeer reports whether a request comes from the other side of the dialog. Before an outbound call is answered that is each of
// its branches.
func (c *Call) isPeer(r *sip.Request) bool {
	from := tag(r.From().Params)
	if c.outbound != nil && !c.confirmed() {
		return c.outbound.branches[from] != nil
	}
	return from == c.dialog.remoteTag
}

func (c *Call) handleBYE(r *sip.Request, t *serverTx) {
	t.respond(c.responseTo(r, t, 200, nil))
	switch c.state() {
	case stateInvited:
		c.inbound.invitation.tx.respond(c.respondInvite(487, nil))
		c.end(End{Cause: Cancelled, Reason: reasonOf(r)})
	case stateCalling, stateRinging: // one branch ends
	default:
		c.end(End{Cause: HungUp, Reason: reasonOf(r)})
	}
}

// refuseDescription answers a request whose description cannot be agreed on. The session goes on as it was.
func (c *Call) refuseDescription(r *sip.Request, t *serverTx, err error) {
	status, headers := refusal(err)
	t.respond(c.responseTo(r, t, status, nil, headers...))
}

// retarget takes the peer's new Contact (RFC 3261 12.2.2).
func (c *Call) retarget(m sip.Message) {
	if contacts := contactsOf(m); len(contacts) > 0 {
		c.dialog.target = contacts[0]
	}
}

// mayOffer returns the status that refuses an offer of the other side now; 0 if it can be answered (RFC 3261 14.2, RFC 3311 5.2).
func (c *Call) mayOffer() (int, []sip.Header) {
	switch {
	case c.session.Pending() || c.offers.outgoing:
		return 491, nil
	case c.inbound != nil && c.state() == stateInvited && c.inbound.answer != nil && !c.inbound.described:
		return 500, []sip.Header{sip.NewHeader("Retry-After", fmt.Sprint(rand.IntN(11)))} // the INVITE's offer has no answer yet
	}
	return 0, nil
}

// handleReinvite negotiates anew: hold, another codec or address. Without a description the peer asks for an offer.
func (c *Call) handleReinvite(r *sip.Request, t *serverTx) {
	if s := c.state(); s != stateAnswered && s != stateActive {
		t.respond(c.responseTo(r, t, 500, nil, sip.NewHeader("Retry-After", fmt.Sprint(rand.IntN(11)))))
		return
	}
	if status, headers := c.mayOffer(); status != 0 {
		t.respond(c.responseTo(r, t, status, nil, headers...))
		return
	}
	if least := c.options.minInterval(); c.timer.tooShort(r, least) {
		t.respond(c.responseTo(r, t, 422, nil, sip.NewHeader("Min-SE", fmt.Sprint(int(least.Seconds())))))
		return
	}
	offer, err := negotiation.Find(value(r, "Content-Type"), r.Body())
	if err != nil {
		c.refuseDescription(r, t, err)
		return
	}
	var body []byte
	var stream negotiation.Stream
	if len(offer) > 0 {
		body, stream, err = c.session.Answer(offer, c.dialog.source.Addr())
	} else {
		body, err = c.session.Offer()
	}
	if err != nil {
		c.refuseDescription(r, t, err)
		return
	}
	c.retarget(r)
	headers := c.timer.negotiate(c, r)
	c.offers.repeatOK(c, r, t, c.responseTo(r, t, 200, body, headers...))
	c.timer.start(c)
	if len(offer) > 0 {
		c.agreed(stream, false)
	}
}

// acknowledged handles the ACK of a re-INVITE, which has the answer if the 200 had the offer.
func (c *Call) acknowledged(r *sip.Request) {
	if !c.offers.confirm(r) || !c.session.Pending() || c.offers.outgoing {
		return
	}
	body, err := negotiation.Find(value(r, "Content-Type"), r.Body())
	if err == nil {
		var stream negotiation.Stream
		if stream, err = c.session.Accept(body, c.dialog.source.Addr()); err == nil {
			c.agreed(stream, false)
			return
		}
	}
	c.hangUp(End{Cause: Mismatch, Status: 488}, Reason{"SIP", 488, "No answer to the offer"})
}

// handleUpdate refreshes the session, and negotiates if the request has an offer (RFC 3311).
func (c *Call) handleUpdate(r *sip.Request, t *serverTx) {
	if least := c.options.minInterval(); c.timer.tooShort(r, least) {
		t.respond(c.responseTo(r, t, 422, nil, sip.NewHeader("Min-SE", fmt.Sprint(int(least.Seconds())))))
		return
	}
	offer, err := negotiation.Find(value(r, "Content-Type"), r.Body())
	if err != nil {
		c.refuseDescription(r, t, err)
		return
	}
	var body []byte
	var stream negotiation.Stream
	if len(offer) > 0 {
		if status, headers := c.mayOffer(); status != 0 {
			t.respond(c.responseTo(r, t, status, nil, headers...))
			return
		}
		if body, stream, err = c.session.Answer(offer, c.dialog.source.Addr()); err != nil {
			c.refuseDescription(r, t, err)
			return
		}
	}
	c.retarget(r)
	t.respond(c.responseTo(r, t, 200, body, c.timer.negotiate(c, r)...))
	if c.confirmed() {
		c.timer.start(c)
	}
	if len(offer) > 0 {
		if c.inbound != nil {
			c.inbound.stream = stream
		}
		c.agreed(stream, !c.confirmed())
	}
}
