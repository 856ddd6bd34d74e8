package useragent

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/emiago/sipgo/sip"

	"parley/internal/sip/negotiation"
)

// offers are the exchanges of descriptions after the first.
type offers struct {
	outgoing bool // an offer of this side waits for its response
	again    *time.Timer

	ok       *sip.Response // to a re-INVITE, until it is acknowledged
	tx       *serverTx
	seq      uint32 // of the re-INVITE
	repeat   *time.Timer
	limit    *time.Timer
	interval time.Duration
}

func (o *offers) stop() { stopTimers(o.again, o.repeat, o.limit) }

// stopTimers stops those that are set.
func stopTimers(timers ...*time.Timer) {
	for _, t := range timers {
		if t != nil {
			t.Stop()
		}
	}
}

// repeatOK answers a re-INVITE until the answer is acknowledged.
func (o *offers) repeatOK(c *Call, r *sip.Request, t *serverTx, ok *sip.Response) {
	stopTimers(o.repeat, o.limit)
	o.ok, o.tx, o.seq, o.interval = ok, t, r.CSeq().SeqNo, sip.T1
	t.respond(ok)
	o.repeat = c.after(o.interval, func() { o.repeated(c) })
	o.limit = c.after(64*sip.T1, func() { c.hangUp(End{Cause: Unconfirmed}, Reason{"SIP", 408, "No ACK"}) })
}

func (o *offers) repeated(c *Call) {
	if o.ok == nil || c.state() == stateEnded {
		return
	}
	o.tx.respond(o.ok)
	o.interval = min(2*o.interval, sip.T2)
	o.repeat = c.after(o.interval, func() { o.repeated(c) })
}

// confirm reports whether an ACK is the first for the re-INVITE that waits for it.
func (o *offers) confirm(r *sip.Request) bool {
	if o.ok == nil || r.CSeq().SeqNo != o.seq {
		return false
	}
	stopTimers(o.repeat, o.limit)
	o.ok, o.tx = nil, nil
	return true
}

// StatusError is a final response other than 2xx to a request within a call, or that none came.
type StatusError struct {
	Method string
	Status int // 408 or 503 without a response
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%s was answered with %d (%s)", e.Method, e.Status, Phrase(e.Status))
}

// Hold puts the peer on hold, or takes it off, by a re-INVITE. It returns the stream that was agreed on.
func (c *Call) Hold(ctx context.Context, on bool) (negotiation.Stream, error) {
	return c.negotiate(ctx, func() ([]byte, error) {
		c.session.Hold(on)
		return c.session.Refresh()
	})
}

// Reoffer offers everything that this side can do anew, by a re-INVITE.
func (c *Call) Reoffer(ctx context.Context) (negotiation.Stream, error) {
	return c.negotiate(ctx, func() ([]byte, error) { return c.session.Offer() })
}

func (c *Call) negotiate(ctx context.Context, offer func() ([]byte, error)) (s negotiation.Stream, err error) {
	type result struct {
		stream negotiation.Stream
		err    error
	}
	results := make(chan result, 1)
	if !c.post(func() { c.reinvite(offer, func(s negotiation.Stream, err error) { results <- result{s, err} }) }) {
		return s, ErrState
	}
	select {
	case r := <-results:
		return r.stream, r.err
	case <-c.done:
		return s, ErrState
	case <-ctx.Done():
		return s, ctx.Err()
	}
}

// reinvite sends an offer by a re-INVITE, again after a glare (RFC 3261 14.1), and calls done with its outcome.
func (c *Call) reinvite(offer func() ([]byte, error), done func(negotiation.Stream, error)) {
	var none negotiation.Stream
	if c.state() != stateActive {
		done(none, ErrState)
		return
	}
	if c.offers.outgoing || c.session.Pending() || c.offers.ok != nil { // both sides' exchanges come first
		c.offers.again = c.after(glareDelay(c), func() { c.reinvite(offer, done) })
		return
	}
	body, err := offer()
	if err != nil {
		done(none, err)
		return
	}
	r := c.newRequest(sip.INVITE)
	c.describe(r, body)
	c.timer.ask(c, r)
	c.offers.outgoing = true
	c.request(r, func(res *sip.Response, err error) {
		c.offers.outgoing = false
		switch {
		case err != nil:
			c.failedReinvite(errorStatus(err), done)
		case res.IsSuccess():
			c.completeReinvite(res, done)
		case res.StatusCode == 491:
			c.session.Reject()
			c.offers.again = c.after(glareDelay(c), func() { c.reinvite(offer, done) })
		case res.StatusCode == 422 && c.timer.raise(res):
			c.session.Reject()
			c.reinvite(offer, done)
		default:
			c.failedReinvite(res.StatusCode, done)
		}
	})
}

// describe adds a description, and the headers that requests with one have.
func (c *Call) describe(r *sip.Request, body []byte) {
	r.AppendHeader(sip.NewHeader("Allow", allow))
	r.AppendHeader(sip.NewHeader("Supported", supported))
	r.AppendHeader(sip.NewHeader("Content-Type", negotiation.ContentType))
	r.SetBody(body)
}

// glareDelay is how long this side waits after both have made an offer at once.
func glareDelay(c *Call) time.Duration {
	if c.outbound != nil { // who owns the Call-ID waits longer
		return 2100*time.Millisecond + time.Duration(rand.IntN(190))*10*time.Millisecond
	}
	return time.Duration(rand.IntN(200)) * 10 * time.Millisecond
}

func (c *Call) completeReinvite(res *sip.Response, done func(negotiation.Stream, error)) {
	c.retarget(res)
	c.acknowledge(res)
	c.timer.adopt(res)
	body, err := negotiation.Find(value(res, "Content-Type"), res.Body())
	var stream negotiation.Stream
	if err == nil {
		stream, err = c.session.Accept(body, c.dialog.source.Addr())
	}
	if err != nil {
		c.session.Reject()
		c.hangUp(End{Cause: Mismatch, Status: 488}, Reason{"SIP", 488, "The answer cannot be used"})
		done(stream, err)
		return
	}
	c.timer.start(c)
	c.alive()
	c.agreed(stream, false)
	done(stream, nil)
}

// failedReinvite goes on with the session as it was, unless the peer does not know the call any more (RFC 3261 12.2.1.2).
func (c *Call) failedReinvite(status int, done func(negotiation.Stream, error)) {
	c.session.Reject()
	if status == 408 || status == 481 {
		c.hangUp(End{Cause: Expired, Status: status}, Reason{"SIP", status, Phrase(status)})
	}
	done(negotiation.Stream{}, &StatusError{"INVITE", status})
}

// acknowledge sends the ACK of a 2xx to an INVITE of this side.
func (c *Call) acknowledge(res *sip.Response) {
	ack := c.dialog.request(sip.ACK)
	ack.CSeq().SeqNo = res.CSeq().SeqNo
	c.lastAck = ack
	c.write(ack)
}

// acknowledgeAgain repeats the ACK of a 2xx that has come again.
func (c *Call) acknowledgeAgain(res *sip.Response) {
	if c.lastAck == nil || c.lastAck.CSeq().SeqNo != res.CSeq().SeqNo || c.lastAck.Via() == nil {
		return
	}
	if f := c.way(); f != nil {
		_ = f.WriteMsg(c.lastAck)
	}
}
