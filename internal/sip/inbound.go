package sip

import (
	"context"
	"errors"
	"fmt"

	"parley/internal/sip/negotiation"
	"parley/internal/sip/useragent"
)

// InboundHandler routes and starts inbound calls.
type InboundHandler interface {
	// Routes returns the routes of a number as it was dialled, on any trunk; none if nobody answers it.
	Routes(ctx context.Context, dialled string) ([]InboundRoute, error)
	// Answer starts the call of a route. It returns ErrNoRoute if nobody can answer, a Rejection if the tenant rejects the call, any other
	// error for a temporary problem.
	Answer(ctx context.Context, l InboundRoute, caller Caller) (InboundCaller, error)
}

// InboundCaller is the participant of an inbound call.
type InboundCaller struct {
	CallID         string // of Parley's call
	Room, Identity string // for the caller's participant; the room exists
	OnHangup       func() // called when the caller has hung up or was hung up
}

// Rejection is the SIP status with which a tenant rejects a call.
type Rejection int

func (r Rejection) Error() string { return fmt.Sprintf("the call is rejected with status %d", int(r)) }

// answer answers an invitation that the filter has admitted, and returns when its call has ended.
func (g *Gateway) answer(i *useragent.Invitation, route InboundRoute) {
	if g.drains.Load() || !g.begin() {
		i.Reject(503, "")
		return
	}
	defer g.end()
	p, l, err := g.newPhone(route, i.Source.Addr(), negotiation.Options{Encryption: negotiation.Encryption(route.Encryption), Permits: g.filter.permits})
	if err != nil {
		g.filter.logUnanswered(err)
		i.Reject(503, "")
		return
	}
	defer p.end()
	call, err := l.accept(i, route)
	if err != nil { // it was rejected
		p.close(false)
		return
	}
	if call.Ring(180, false) != nil {
		p.close(false)
		return
	}
	ctx, cancel := context.WithTimeout(i.Context(), lookupTimeout)
	caller, err := g.options.Inbound.Answer(ctx, route, callerOf(i.Request, route))
	cancel()
	if err != nil {
		status := 404
		var rejection Rejection
		switch {
		case errors.As(err, &rejection):
			status = int(rejection)
		case !errors.Is(err, ErrNoRoute):
			g.filter.logUnanswered(err)
			status = 503
		}
		call.Reject(status, "")
		p.close(false)
		return
	}
	if caller.OnHangup != nil {
		defer caller.OnHangup()
	}
	p.member, p.callID = member{caller.Room, caller.Identity}, caller.CallID
	g.trace.own(l.key, p.traceOwner(), nil)
	if !g.establish(p, call, limitedAs(i.Source.Addr())) {
		call.Hangup(useragent.Reason{})
		p.close(true)
		return
	}
	g.setPhone(p)
	defer g.removePhone(p)
	p.talk(0)
}

// accept begins the call of a leg whose peer has called. Its Contact names the number, so that who replaces the call calls that.
func (l *leg) accept(i *useragent.Invitation, route InboundRoute) (*useragent.Call, error) {
	l.called, l.key = true, legOf(i)
	call, err := i.Accept(useragent.CallOptions{Session: l.session, Handler: l.handler(), Permits: l.phone.gateway.network.permitsWithin(i.Source),
		Contact: route.Number, Owner: l})
	if err == nil {
		l.call.Store(call)
	}
	return call, err
}

// establish joins the phone of an inbound call from an address to its room, and answers when the agent is there. It reports whether the
// caller has acknowledged the answer.
func (g *Gateway) establish(p *phone, call *useragent.Call, address string) bool {
	ctx, cancel := context.WithTimeout(g.ctx, joinTimeout)
	defer cancel()
	if err := p.join(ctx, statusRinging); err != nil {
		g.filter.logUnanswered(err)
		call.Reject(503, "")
		return false
	}
	select {
	case <-p.agent:
	case <-p.left:
		call.Reject(480, "")
		return false
	case <-call.Done():
		return false
	case <-g.ctx.Done():
		call.Reject(503, "")
		return false
	}
	return g.pickUp(call, address)
}

// pickUp answers the call of an address, and reports whether the caller has acknowledged that.
func (g *Gateway) pickUp(call *useragent.Call, address string) bool {
	release, ok := g.filter.capacity.acquire(unacknowledgedQuota(address))
	if !ok {
		call.Reject(503, "Answers Are Not Acknowledged")
		return false
	}
	defer release()
	_, err := call.Answer(g.ctx)
	return err == nil
}
