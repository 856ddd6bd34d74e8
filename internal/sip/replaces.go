package sip

import (
	"net/netip"
	"slices"

	"github.com/emiago/sipgo/sip"

	"parley/internal/sip/negotiation"
	"parley/internal/sip/useragent"
)

// replaceLeg decides on an invitation that is to replace a leg (RFC 3891): from the leg's trunk, it becomes the leg of the same phone. The
// answer to anybody else is the same whether there is such a leg or not.
func (g *Gateway) replaceLeg(i *useragent.Invitation) {
	f, source := g.filter, i.Source.Addr().Unmap()
	routes, err := f.routes(i.Request, source)
	if err != nil {
		f.logUnanswered(err)
		i.Reject(sip.StatusServiceUnavailable, "Try Again Later")
		return
	}
	call, refused := i.Replaced()
	var old *leg
	if call != nil {
		old, _ = call.Owner().(*leg)
	}
	if old != nil && !old.phone.trunk.Open {
		routes = append([]InboundRoute{old.phone.trunk}, routes...)
	}
	route, ok := f.authorizeReplacement(i, source, routes)
	if ok {
		defer f.traceRefused(i, route)
	}
	switch {
	case !ok:
	case old == nil, route.Open, route.TenantID != old.phone.trunk.TenantID, route.TrunkID != old.phone.trunk.TrunkID:
		i.Reject(sip.StatusCallTransactionDoesNotExists, "")
	case refused != 0:
		i.Reject(refused, "")
	case !f.countNew(old.phone.trunk, source):
		i.Reject(sip.StatusBusyHere, "Too Many Calls")
	default:
		g.takeLeg(i, old)
	}
}

// authorizeReplacement returns the route whose trunk an invitation that replaces a leg comes from. If there is none, it rejects the
// invitation, with a challenge whether there are credentials or not.
func (f *inboundFilter) authorizeReplacement(i *useragent.Invitation, source netip.Addr, routes []InboundRoute) (route InboundRoute, ok bool) {
	if header := i.Request.GetHeader("Proxy-Authorization"); header != nil {
		return f.authenticate(i.Request, i, header.Value(), source, routes)
	}
	if at := slices.IndexFunc(routes, func(r InboundRoute) bool { return r.accepts(source) }); at >= 0 {
		return routes[at], true
	}
	i.Reject(sip.StatusProxyAuthRequired, "", f.nonces.challenge(source, i.Request.CallID().Value(), false))
	return route, false
}

// takeLeg answers an invitation in place of an old leg, which is hung up, or is not rung any more.
func (g *Gateway) takeLeg(i *useragent.Invitation, old *leg) {
	if !g.begin() {
		i.Reject(sip.StatusServiceUnavailable, "")
		return
	}
	defer g.end()
	p := old.phone
	next, err := p.newLeg(i.Source.Addr(), negotiation.Options{Encryption: negotiation.Encryption(p.trunk.Encryption), Permits: g.filter.permits})
	if err != nil {
		g.filter.logUnanswered(err)
		i.Reject(sip.StatusServiceUnavailable, "")
		return
	}
	g.trace.own(legOf(i), p.traceOwner(), nil)
	call, err := next.accept(i, p.trunk)
	if err != nil || !g.pickUp(call, limitedAs(i.Source.Addr())) || !old.replace(next) {
		next.drop(useragent.Reason{})
		return
	}
	old.drop(replacedReason)
	p.recordTransfer(LegReplaced)
}
