package sip

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"

	"github.com/emiago/sipgo/sip"

	"parley/internal/auth"
	"parley/internal/netguard"
	"parley/internal/sip/useragent"
)

// inboundFilter decides on every invitation. It admits a call if a trunk that has the number delivered it; the state kept for
// other callers is bounded.
type inboundFilter struct {
	inbound      InboundHandler
	limits       CallLimits
	allowPrivate bool // private addresses in messages are allowed
	log          *slog.Logger
	// admit answers an admitted call, and returns when it has ended.
	admit func(i *useragent.Invitation, route InboundRoute)
	// replace decides on an invitation that is to replace a leg.
	replace func(i *useragent.Invitation)
	trace   *tracer

	nonces            nonces
	wrongDigests      auth.Limiter
	guesses           *guessLimit
	newCalls          auth.Limiter  // limits new calls
	lookups           chan struct{} // one slot per route lookup in progress
	capacity          useCounter
	failed, undecided warning
	guessed           warning
}

const (
	// lookupTimeout bounds the lookup of the route for a caller.
	lookupTimeout = 5 * time.Second
	// maxLookups limits concurrent route lookups, half of them for one address at most, because anybody can send
	// INVITEs.
	maxLookups = 64
	// maxWrongDigests is how many wrong credentials an address may present per minute.
	maxWrongDigests = 10
)

var errTooManyLookups = errors.New("too many callers are being looked up")

func newInboundFilter(o GatewayOptions, admit func(*useragent.Invitation, InboundRoute), replace func(*useragent.Invitation)) (*inboundFilter, error) {
	wrong, err := auth.NewMemoryLimiter()
	if err != nil {
		return nil, err
	}
	rates, err := auth.NewMemoryLimiter()
	if err != nil {
		return nil, err
	}
	return &inboundFilter{inbound: o.Inbound, limits: o.Limits, allowPrivate: o.AllowPrivateNetworks, log: o.Logger, admit: admit, replace: replace,
		nonces: newNonces(), wrongDigests: wrong, guesses: newGuessLimit(wrong), newCalls: rates, lookups: make(chan struct{}, maxLookups), capacity: useCounter{inUse: map[string]int{}}}, nil
}

// handleInvite decides on an invitation, and returns when its call has ended.
func (f *inboundFilter) handleInvite(i *useragent.Invitation) {
	address := i.Source.Addr().Unmap()
	release, ok := f.capacity.acquire(quota{"address " + limitedAs(address), f.limits.PerAddress})
	if !ok {
		i.Reject(sip.StatusBusyHere, "Too Many Calls")
		return
	}
	defer release()
	if f.capacity.full(unacknowledgedQuota(limitedAs(address))) {
		i.Reject(sip.StatusServiceUnavailable, "Answers Are Not Acknowledged")
		return
	}
	if i.HasReplaces() {
		f.replace(i)
		return
	}
	route, admitted := f.authorizeCall(i.Request, i, address)
	if !admitted {
		return
	}
	defer f.traceRefused(i, route)
	releaseCall, ok := f.capacity.acquire(quota{"tenant " + route.TenantID, f.limits.PerTenant}, quota{"trunk " + route.TenantID + route.TrunkID, f.limits.PerTrunk},
		quota{"number " + route.TenantID + route.TrunkID + route.Number, f.limits.PerNumber}, quota{key: admittedKey(limitedAs(address))})
	if !ok {
		i.Reject(sip.StatusBusyHere, "")
		return
	}
	defer releaseCall()
	if !f.countNew(route, address) {
		i.Reject(sip.StatusBusyHere, "Too Many Calls")
		return
	}
	f.admit(i, route)
}

// traceRefused has the messages of an invitation belong to the phone number that was called, unless they are those of a call.
func (f *inboundFilter) traceRefused(i *useragent.Invitation, route InboundRoute) {
	key := legOf(i)
	if f.trace.owns(key) {
		return
	}
	if a, err := f.newCalls.Take(context.Background(), "traced of number "+route.ID, maxTracedRefusals, 1); err == nil && a.Wait == 0 && route.ID != "" {
		f.trace.own(key, traceOwner{tenantID: route.TenantID, numberID: route.ID}, nil)
	}
	f.trace.end(key)
}

// rejecter rejects an invitation.
type rejecter interface {
	Reject(status int, reason string, headers ...sip.Header)
}

// authorizeCall returns the route of a new call. If none accepts the call, it rejects the invitation, with a challenge
// where a digest could authorize it.
func (f *inboundFilter) authorizeCall(r *sip.Request, i rejecter, source netip.Addr) (route InboundRoute, ok bool) {
	routes, err := f.routes(r, source)
	switch {
	case err != nil:
		f.logUnanswered(err)
		i.Reject(sip.StatusServiceUnavailable, "Try Again Later")
		return route, false
	case len(routes) == 0:
		i.Reject(sip.StatusNotFound, "")
		return route, false
	}
	callID := r.CallID().Value()
	if header := r.GetHeader("Proxy-Authorization"); header != nil {
		return f.authenticate(r, i, header.Value(), source, routes)
	}
	accepting := slices.DeleteFunc(slices.Clone(routes), func(l InboundRoute) bool { return !l.accepts(source) })
	if len(accepting) > 0 {
		match := accepting[max(0, slices.IndexFunc(accepting, func(l InboundRoute) bool { return l.Assigned }))]
		conflict := slices.IndexFunc(routes, func(l InboundRoute) bool { return l.conflictsWith(match, source) })
		if conflict < 0 {
			return match, true
		}
		if f.undecided.due() {
			f.log.Warn("inbound phone call matches the trunks of two tenants; rejected without digest authentication until the number is assigned (parley number assign)",
				"component", "sip", "tenants", []string{match.TenantID, routes[conflict].TenantID}, "phone_numbers", []string{match.ID, routes[conflict].ID})
		}
	}
	switch {
	case slices.ContainsFunc(routes, InboundRoute.hasCredentials):
		i.Reject(sip.StatusProxyAuthRequired, "", f.nonces.challenge(source, callID, false))
	default:
		i.Reject(sip.StatusNotFound, "")
	}
	return route, false
}

// authenticate returns the route whose trunk's credentials an INVITE presents. Wrong credentials count against the
// source address, which is verified: the nonce was sent there.
func (f *inboundFilter) authenticate(r *sip.Request, i rejecter, header string, source netip.Addr, routes []InboundRoute) (route InboundRoute, ok bool) {
	callID := r.CallID().Value()
	given, fresh := f.nonces.parse(header, source, callID)
	if !fresh {
		i.Reject(sip.StatusProxyAuthRequired, "", f.nonces.challenge(source, callID, true))
		return route, false
	}
	key := "sip address " + limitedAs(source)
	if a, err := f.wrongDigests.Take(context.Background(), key, maxWrongDigests, 1); err != nil || a.Wait > 0 {
		i.Reject(sip.StatusForbidden, "Too Many Attempts")
		return route, false
	}
	limited := false
	for _, l := range routes {
		switch {
		case !l.hasCredentials():
		case !f.guesses.try(l, source):
			limited = true
		case given.verify(string(r.Method), l.Username, l.Password):
			_, _ = f.wrongDigests.Take(context.Background(), key, maxWrongDigests, -1) // the count refills by time
			f.guesses.succeed(l, source)
			return l, true
		}
	}
	if limited {
		f.logGuesses(routes)
		i.Reject(sip.StatusServiceUnavailable, "Try Again Later", sip.NewHeader("Retry-After", "60"))
		return route, false
	}
	i.Reject(sip.StatusForbidden, "")
	return route, false
}

// logGuesses logs that credentials of trunks are being guessed.
func (f *inboundFilter) logGuesses(routes []InboundRoute) {
	if !f.guessed.due() {
		return
	}
	var numbers []string
	for _, l := range routes {
		if l.hasCredentials() {
			numbers = append(numbers, l.ID)
		}
	}
	f.log.Warn("too many wrong digests for a trunk; for a minute its calls are answered from addresses where it is known only",
		"component", "sip", "phone_numbers", numbers)
}

// routes returns the inbound routes of the number in the request URI, or else of that in To.
func (f *inboundFilter) routes(r *sip.Request, source netip.Addr) ([]InboundRoute, error) {
	number := dialString(r.Recipient)
	if !mayBeNumber(number) {
		number = dialString(r.To().Address)
	}
	if !mayBeNumber(number) || f.inbound == nil {
		return nil, nil
	}
	release, ok := f.capacity.acquire(quota{"asked for " + limitedAs(source), maxLookups / 2})
	if !ok {
		return nil, errTooManyLookups
	}
	defer release()
	ctx, cancel := context.WithTimeout(context.Background(), lookupTimeout)
	defer cancel()
	select {
	case f.lookups <- struct{}{}:
		defer func() { <-f.lookups }()
	case <-ctx.Done():
		return nil, errTooManyLookups
	}
	return f.inbound.Routes(ctx, number)
}

// logUnanswered logs why a caller is rejected.
func (f *inboundFilter) logUnanswered(err error) {
	if f.failed.due() {
		f.log.Warn("an inbound phone call cannot be answered", "component", "sip", "error", errorText(err))
	}
}

// warning is a log line that remote peers can trigger at will, limited to one per minute. It stores the Unix time
// of the last one.
type warning struct{ atomic.Int64 }

// due reports whether the line may be written now.
func (w *warning) due() bool {
	now, last := time.Now().Unix(), w.Load()
	return now-last >= 60 && w.CompareAndSwap(last, now)
}

func (f *inboundFilter) permits(address netip.Addr) bool {
	return netguard.Permits(address, f.allowPrivate)
}
