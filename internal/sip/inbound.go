package sip

import (
	"context"
	"errors"

	"parley/internal/sip/negotiation"
	"parley/internal/sip/useragent"
)

// InboundHandler routes and starts inbound calls.
type InboundHandler interface {
	// Routes returns the routes of a number as it was dialled, on any trunk; none if nobody answers it.
	Routes(ctx context.Context, dialled string) ([]InboundRoute, error)
	// Answer starts the call of a route. It returns ErrNoRoute if nobody can answer, any other error for a temporary problem.
	Answer(ctx context.Context, l InboundRoute, caller Caller) (InboundCaller, error)
}

// InboundCaller is the participant of an inbound call.
type InboundCaller struct {
	Room, Identity string // for the caller's participant; the room exists
	OnHangup       func() // called when the caller has hung up or was hung up
}

// answer answers an invitation that the filter has admitted, and returns when its call has ended.
func (g *Gateway) answer(i *useragent.Invitation, route InboundRoute) {
	if g.drains.Load() || !g.begin() {
		i.Reject(503, "")
		return
	}
	defer g.end()
	p, err := g.newPhone(member{}, i.Source.Addr(), negotiation.Options{Encryption: negotiation.Encryption(route.Encryption), Permits: g.filter.permits})
	if err != nil {
		g.filter.logUnanswered(err)
		i.Reject(503, "")
		return
	}
	p.called = true
	call, err := i.Accept(useragent.CallOptions{Session: p.session, Handler: p.handler(), Permits: g.network.permitsWithin(i.Source)})
	if err != nil { // it was rejected
		p.port.Close()
		return
	}
	if call.Ring(180, false) != nil {
		p.port.Close()
		return
	}
	ctx, cancel := context.WithTimeout(i.Context(), lookupTimeout)
	caller, err := g.options.Inbound.Answer(ctx, route, callerOf(i.Request, route))
	cancel()
	if err != nil {
		status := 404
		if !errors.Is(err, ErrNoRoute) {
			g.filter.logUnanswered(err)
			status = 503
		}
		call.Reject(status, "")
		p.port.Close()
		return
	}
	if caller.OnHangup != nil {
		defer caller.OnHangup()
	}
	p.member = member{caller.Room, caller.Identity}
	if !g.establish(p, call, limitedAs(i.Source.Addr())) {
		call.Hangup(useragent.Reason{})
		p.close(true)
		return
	}
	g.setPhone(p, call)
	defer g.removePhone(p)
	p.talk(call, 0)
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
	release, ok := g.filter.capacity.acquire(unacknowledgedQuota(address))
	if !ok {
		call.Reject(503, "Answers Are Not Acknowledged")
		return false
	}
	defer release()
	_, err := call.Answer(g.ctx)
	return err == nil
}
