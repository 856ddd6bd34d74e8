package useragent

import (
	"errors"
	"slices"

	"github.com/emiago/sipgo/sip"

	"parley/internal/sip/negotiation"
)

// branch is one early dialog of a forked call.
type branch struct {
	dialog  dialog
	session *negotiation.Session
	body    []byte // the description of its last provisional response
	number  uint32 // of its last reliable response
}

// handleResponse handles a response to the call's INVITE, or that none came.
func (c *Call) handleResponse(r *sip.Request, f *flow, res *sip.Response, err error) {
	o := c.outbound
	switch {
	case res != nil && res.IsSuccess():
		c.answered(r, f, res)
		return
	case c.state() == stateEnded, c.state() == stateActive, o.request != r:
		return
	case res == nil:
		c.tryNext(&DialError{Status: errorStatus(err), Err: err})
		return
	}
	o.alive = true
	if o.next != nil {
		o.next.Stop()
	}
	if res.IsProvisional() {
		o.highest = max(o.highest, res.StatusCode)
		c.handleProvisional(res)
		return
	}
	c.handleFailure(res)
}

func (c *Call) handleProvisional(res *sip.Response) {
	o := c.outbound
	if o.abandoned != nil {
		c.sendCancel()
		return
	}
	if res.StatusCode == 100 || tag(res.To().Params) == "" {
		return
	}
	b := c.branchOf(res)
	if b == nil || !c.move(stateRinging) {
		return
	}
	c.follow(b)
	c.learn(res)
	isNew := c.prack(b, res)
	if o.options.Provisional != nil && isNew {
		o.options.Provisional(res)
	}
	body, err := negotiation.Find(value(res, "Content-Type"), res.Body())
	if err != nil || len(body) == 0 || !isNew || !b.session.Pending() {
		return
	}
	complete := b.session.Preview
	if lists(res, "Require", "100rel") {
		complete = b.session.Accept
	}
	if stream, err := complete(body, c.dialog.source.Addr()); err == nil {
		b.body = body
		c.agreed(stream, true)
	}
}

// branchOf returns the branch of a response, a new one if its tag is new; nil if there are too many.
func (c *Call) branchOf(res *sip.Response) *branch {
	o := c.outbound
	name := tag(res.To().Params)
	b := o.branches[name]
	if b == nil {
		if len(o.branches) >= maxBranches {
			return nil
		}
		b = &branch{dialog: c.dialog, session: c.options.Session.Fork()}
		o.branches[name] = b
	}
	b.dialog = c.dialogOf(b.dialog, res)
	return b
}

// dialogOf completes a dialog by a response that establishes it.
func (c *Call) dialogOf(d dialog, res *sip.Response) dialog {
	d.remoteTag = tag(res.To().Params)
	if contacts := contactsOf(res); len(contacts) > 0 {
		d.target = contacts[0]
	}
	d.routes = recordRoute(res)
	slices.Reverse(d.routes)
	return d
}

// follow makes a branch the one that the call's methods act on.
func (c *Call) follow(b *branch) {
	seq := c.dialog.localSeq
	if old := c.outbound.current; old != nil && old != b {
		old.dialog = c.dialog
	}
	c.dialog = b.dialog
	c.dialog.localSeq = seq
	c.session = b.session
	c.outbound.current = b
	c.setRemoteTag(b.dialog.remoteTag)
}

// answered handles a 2xx: of the branch that answers the call, a repetition, or of another branch, which is hung up.
func (c *Call) answered(r *sip.Request, f *flow, res *sip.Response) {
	o := c.outbound
	switch name := tag(res.To().Params); {
	case c.confirmed() && name == c.dialog.remoteTag && o.request == r:
		c.acknowledgeAgain(res)
		return
	case c.state() == stateEnded, c.confirmed():
		if name == c.dialog.remoteTag && c.lastAck != nil && c.lastAck.CSeq().SeqNo == res.CSeq().SeqNo {
			c.acknowledgeAgain(res)
			return
		}
		c.refuseBranch(r, f, res)
		return
	}
	b := c.branchOf(res)
	if b == nil || o.abandoned != nil || o.request != r {
		c.refuseBranch(r, f, res)
		if o.abandoned != nil {
			c.failed(o.abandoned)
		}
		return
	}
	o.stop()
	c.follow(b)
	c.learn(res)
	c.acknowledge(res)
	c.move(stateActive)
	if err := c.completeAnswer(b, res); err != nil {
		o.report(&DialError{Status: 488, Response: res, Err: errors.Join(ErrNotUsable, err)})
		c.hangUp(End{Cause: Mismatch, Status: 488}, Reason{"SIP", 488, "The answer cannot be used"})
		return
	}
	c.timer.adopt(res)
	c.timer.start(c)
	c.agreed(c.session.Stream(), false)
	o.report(nil)
}

// completeAnswer completes the offer by the description of a 2xx, or by that of an earlier response of its branch.
func (c *Call) completeAnswer(b *branch, res *sip.Response) error {
	if !b.session.Pending() {
		return nil // a reliable response had the answer
	}
	body, err := negotiation.Find(value(res, "Content-Type"), res.Body())
	if err != nil {
		return err
	}
	if len(body) == 0 {
		body = b.body
	}
	_, err = b.session.Accept(body, c.dialog.source.Addr())
	return err
}

// refuseBranch acknowledges a 2xx that comes too late and hangs its call up.
func (c *Call) refuseBranch(r *sip.Request, f *flow, res *sip.Response) {
	d := c.dialogOf(dialog{callID: c.dialog.callID, localTag: c.dialog.localTag, local: c.dialog.local, remote: c.dialog.remote,
		target: r.Recipient, localSeq: res.CSeq().SeqNo}, res)
	ack := d.request(sip.ACK)
	ack.SetBody(nil)
	bye := d.request(sip.BYE)
	bye.SetBody(nil)
	if c.agent.address(ack, f, c.options.Contact) != nil || f.WriteMsg(ack) != nil || c.agent.address(bye, f, "") != nil {
		return
	}
	_ = c.agent.send(f, bye, func(*sip.Response, error) {})
}

// handleFailure handles a final response other than 2xx.
func (c *Call) handleFailure(res *sip.Response) {
	o := c.outbound
	fail := &DialError{Status: res.StatusCode, Response: res}
	if o.abandoned != nil {
		c.failed(o.abandoned)
		return
	}
	switch {
	case res.StatusCode == 401 || res.StatusCode == 407:
		next, ok := o.answers.answer(c.options.Credentials, res)
		if !ok {
			c.failed(fail)
			return
		}
		o.answers = next
		c.again()
	case res.StatusCode == 422 && c.timer.raise(res):
		c.again()
	case res.IsRedirection():
		c.redirect(res, fail)
	case res.StatusCode == 503 && c.state() == stateCalling:
		c.tryNext(fail)
	default:
		c.failed(fail)
	}
}

// again repeats the INVITE to the same target, changed by its response.
func (c *Call) again() {
	if c.flow.isOpen() {
		c.invite(c.flow, nil)
		return
	}
	c.attempt()
}

// redirect goes on with the URIs of a 3xx, as far as the caller's owner permits.
func (c *Call) redirect(res *sip.Response, fail *DialError) {
	o := c.outbound
	if o.redirects++; o.options.Redirect == nil || o.redirects > maxRedirects {
		c.failed(fail)
		return
	}
	targets := o.options.Redirect(contactsOf(res))
	if len(targets) == 0 {
		c.failed(fail)
		return
	}
	o.targets, o.tried, o.request, o.answers = targets, 0, nil, nil
	c.attempt()
}
