package useragent

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/emiago/sipgo/sip"

	"parley/internal/sip/negotiation"
)

// reliable is the provisional response of this side that waits for its PRACK (RFC 3262).
type reliable struct {
	required, supported bool // by the caller
	number              uint32
	response            *sip.Response // nil if none waits
	repeat, limit       *time.Timer
	interval            time.Duration
	waiting             []func() // further responses
}

func (r *reliable) stop() { stopTimers(r.repeat, r.limit) }

// inOrder runs f when no provisional response waits for its PRACK.
func (c *Call) inOrder(f func()) {
	r := &c.inbound.reliable
	if r.response != nil {
		r.waiting = append(r.waiting, f)
		return
	}
	f()
}

// sendReliably sends a provisional response until its PRACK arrives. Without one, the call is rejected.
func (c *Call) sendReliably(res *sip.Response) {
	r := &c.inbound.reliable
	if r.number == 0 {
		r.number = 1 + rand.Uint32N(1<<30)
	} else {
		r.number++
	}
	res.AppendHeader(sip.NewHeader("Require", "100rel"))
	res.AppendHeader(sip.NewHeader("RSeq", strconv.FormatUint(uint64(r.number), 10)))
	r.response, r.interval = res, sip.T1
	c.inbound.invitation.tx.respond(res)
	r.repeat = c.after(r.interval, c.repeatReliable)
	r.limit = c.after(64*sip.T1, func() { c.reject(504, "") })
}

func (c *Call) repeatReliable() {
	r := &c.inbound.reliable
	if r.response == nil || c.state() != stateInvited {
		return
	}
	c.inbound.invitation.tx.respond(r.response)
	r.interval *= 2
	r.repeat = c.after(r.interval, c.repeatReliable)
}

// handlePRACK acknowledges a provisional response. It may answer this side's offer, or make a new one.
func (c *Call) handlePRACK(req *sip.Request, t *serverTx) {
	if c.inbound == nil || c.inbound.reliable.response == nil || !c.inbound.acknowledges(req) {
		t.respond(c.responseTo(req, t, 481, nil))
		return
	}
	r := &c.inbound.reliable
	var answer []byte
	if body, err := negotiation.Find(value(req, "Content-Type"), req.Body()); err != nil {
		c.refuseDescription(req, t, err)
		return
	} else if c.session.Pending() && len(body) > 0 {
		if err := c.completeOffer(req); err != nil {
			c.refuseDescription(req, t, err)
			return
		}
		c.agreed(c.inbound.stream, true)
	} else if len(body) > 0 {
		given, stream, err := c.session.Answer(body, c.dialog.source.Addr())
		if err != nil {
			c.refuseDescription(req, t, err)
			return
		}
		answer, c.inbound.stream = given, stream
		c.agreed(stream, true)
	}
	r.stop()
	r.response = nil
	t.respond(c.responseTo(req, t, 200, answer))
	waiting := r.waiting
	r.waiting = nil
	for _, f := range waiting {
		c.inOrder(f)
	}
}

// acknowledges reports whether a PRACK is for the response that waits for one.
func (i *inbound) acknowledges(req *sip.Request) bool {
	fields := strings.Fields(value(req, "RAck"))
	return len(fields) == 3 && fields[0] == strconv.FormatUint(uint64(i.reliable.number), 10) &&
		fields[1] == strconv.FormatUint(uint64(i.invitation.Request.CSeq().SeqNo), 10) && fields[2] == "INVITE"
}

// prack acknowledges a reliable provisional response of the other side, in the order of their numbers.
func (c *Call) prack(b *branch, res *sip.Response) (isNew bool) {
	if !lists(res, "Require", "100rel") {
		return true
	}
	number, err := strconv.ParseUint(value(res, "RSeq"), 10, 32)
	if err != nil || number == 0 || b.number != 0 && uint32(number) != b.number+1 {
		return false // a repetition, or one whose predecessor is missing: it will come again
	}
	b.number = uint32(number)
	d := b.dialog
	d.localSeq = c.dialog.localSeq
	r := d.request(sip.PRACK)
	c.dialog.localSeq = d.localSeq
	r.AppendHeader(sip.NewHeader("RAck", fmt.Sprintf("%d %d INVITE", number, res.CSeq().SeqNo)))
	c.within(d, func() { c.request(r, func(*sip.Response, error) {}) })
	return true
}

// within sends what f sends by another dialog's way.
func (c *Call) within(d dialog, f func()) {
	target, routes := c.dialog.target, c.dialog.routes
	c.dialog.target, c.dialog.routes = d.target, d.routes
	f()
	c.dialog.target, c.dialog.routes = target, routes
}
