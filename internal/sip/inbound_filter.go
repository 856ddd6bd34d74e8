package sip

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	protocol "github.com/livekit/protocol/sip"
	"github.com/livekit/sipgo/sip"

	"parley/internal/auth"
	"parley/internal/netguard"
)

// inboundFilter handles every INVITE before LiveKit does. It accepts a new call if a trunk that has the number
// delivered it; the state kept for other callers is bounded. It accepts an INVITE within a dialog if the call exists.
type inboundFilter struct {
	inbound      InboundHandler
	limits       CallLimits
	allowPrivate bool // private addresses in messages are allowed
	log          *slog.Logger
	hasDialog    func(tag string) bool // reports whether there is a dialog with this local tag

	nonces            nonces
	wrongDigests      auth.Limiter
	guesses           *guessLimit
	newCalls          auth.Limiter  // limits new calls
	lookups           chan struct{} // one slot per route lookup in progress
	capacity          useCounter
	failed, undecided warning
	guessed           warning

	mu       sync.Mutex
	admitted map[string]admission // by LiveKit's call id
	answered map[string]func()    // likewise, calls without an ACK; the functions end their count
}

// admission is an accepted call, kept until the call ends.
type admission struct {
	route InboundRoute
	from  string // the caller's number in E.164; "" if withheld
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

func newInboundFilter(o GatewayOptions, known func(tag string) bool) (*inboundFilter, error) {
	wrong, err := auth.NewMemoryLimiter()
	if err != nil {
		return nil, err
	}
	rates, err := auth.NewMemoryLimiter()
	if err != nil {
		return nil, err
	}
	f := &inboundFilter{inbound: o.Inbound, limits: o.Limits, allowPrivate: o.AllowPrivateNetworks, log: o.Logger, hasDialog: known,
		nonces: newNonces(), wrongDigests: wrong, guesses: newGuessLimit(wrong), newCalls: rates, lookups: make(chan struct{}, maxLookups),
		capacity: useCounter{inUse: map[string]int{}}, admitted: map[string]admission{}, answered: map[string]func(){}}
	return f, nil
}

// handleInvite handles an INVITE; next forwards it to LiveKit and returns when the call has ended. Its return ends
// the transaction: a retransmitted INVITE gets no repeated final response.
func (f *inboundFilter) handleInvite(r *sip.Request, tx sip.ServerTransaction, next func(sip.ServerTransaction)) {
	source, err := netip.ParseAddrPort(r.Source())
	to := r.To()
	if err != nil || to == nil || r.From() == nil || r.CallID() == nil || r.CSeq() == nil {
		respond(r, tx, sip.StatusBadRequest, "Bad Request")
		return
	}
	address := source.Addr().Unmap()
	answering, err := answerable(tx, source)
	if err != nil {
		respond(r, tx, sip.StatusServiceUnavailable, "No Route")
		return
	}
	if to.Params == nil {
		to.Params = sip.NewParams()
	}
	tag, within := to.Params.Get("tag")
	switch {
	case within && f.hasDialog(tag):
		f.guardOffer(r, address)
		next(answering)
		return
	case within && r.GetHeader("Proxy-Authorization") == nil: // some clients repeat the To tag of the challenge
		respond(r, tx, sip.StatusCallTransactionDoesNotExists, "Call Does Not Exist")
		return
	}
	release, ok := f.capacity.acquire(quota{"address " + limitedAs(address), f.limits.PerAddress})
	if !ok {
		respond(r, tx, sip.StatusBusyHere, "Too Many Calls")
		return
	}
	defer release()
	if f.capacity.full(unacknowledgedQuota(limitedAs(address))) {
		respond(r, tx, sip.StatusServiceUnavailable, "Answers Are Not Acknowledged")
		return
	}
	route, admitted := f.authorizeCall(r, tx, address)
	if !admitted {
		return
	}
	if !route.Encryption.accepts(r.Body()) {
		respond(r, tx, sip.StatusNotAcceptableHere, "Not Acceptable Here")
		return
	}
	releaseCall, ok := f.capacity.acquire(quota{"tenant " + route.TenantID, f.limits.PerTenant}, quota{"trunk " + route.TenantID + route.TrunkID, f.limits.PerTrunk},
		quota{"number " + route.TenantID + route.TrunkID + route.Number, f.limits.PerNumber}, quota{key: admittedKey(limitedAs(address))})
	if !ok {
		respond(r, tx, sip.StatusBusyHere, "Busy Here")
		return
	}
	defer releaseCall()
	if !f.countNew(route, address) {
		respond(r, tx, sip.StatusBusyHere, "Too Many Calls")
		return
	}
	f.guardOffer(r, address)
	// LiveKit uses this tag as its call id.
	id := protocol.NewCallID()
	to.Params.Add("tag", id)
	f.mu.Lock()
	f.admitted[id] = admission{route, Number(r.From().Address.User)}
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.admitted, id)
	}()
	next(answer{answering, f, id, limitedAs(address)})
}

// admission returns the accepted call with an id.
func (f *inboundFilter) admission(id string) (a admission, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	a, ok = f.admitted[id]
	return a, ok
}

// authorizeCall returns the route of a new call. If none accepts the call, it responds to the INVITE, with a challenge
// where a digest could authorize it.
func (f *inboundFilter) authorizeCall(r *sip.Request, tx sip.ServerTransaction, source netip.Addr) (route InboundRoute, ok bool) {
	routes, err := f.routes(r, source)
	switch {
	case err != nil:
		f.logUnanswered(err)
		respond(r, tx, sip.StatusServiceUnavailable, "Try Again Later")
		return route, false
	case len(routes) == 0:
		respond(r, tx, sip.StatusNotFound, "Not Found")
		return route, false
	}
	callID := r.CallID().Value()
	if header := r.GetHeader("Proxy-Authorization"); header != nil {
		return f.authenticate(r, tx, header.Value(), source, routes)
	}
	if at := slices.IndexFunc(routes, func(l InboundRoute) bool { return l.accepts(source) }); at >= 0 {
		match := routes[at]
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
		respond(r, tx, sip.StatusProxyAuthRequired, "Proxy Authentication Required", f.nonces.challenge(source, callID, false))
	default:
		respond(r, tx, sip.StatusNotFound, "Not Found")
	}
	return route, false
}

// authenticate returns the route whose trunk's credentials an INVITE presents. Wrong credentials count against the
// source address, which is verified: the nonce was sent there, and against the trunks of the number.
func (f *inboundFilter) authenticate(r *sip.Request, tx sip.ServerTransaction, header string, source netip.Addr, routes []InboundRoute) (route InboundRoute, ok bool) {
	callID := r.CallID().Value()
	given, fresh := f.nonces.parse(header, source, callID)
	if !fresh {
		respond(r, tx, sip.StatusProxyAuthRequired, "Proxy Authentication Required", f.nonces.challenge(source, callID, true))
		return route, false
	}
	key := "sip address " + limitedAs(source)
	if a, err := f.wrongDigests.Take(context.Background(), key, maxWrongDigests, 1); err != nil || a.Wait > 0 {
		respond(r, tx, sip.StatusForbidden, "Too Many Attempts")
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
		respond(r, tx, sip.StatusServiceUnavailable, "Try Again Later", sip.NewHeader("Retry-After", "60"))
		return route, false
	}
	respond(r, tx, sip.StatusForbidden, "Forbidden")
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
	number := Number(r.Recipient.User)
	if number == "" {
		number = Number(r.To().Address.User)
	}
	if number == "" || f.inbound == nil {
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

// guardOffer redirects audio to the INVITE's source when the session description names an address that is not
// permitted.
func (f *inboundFilter) guardOffer(r *sip.Request, source netip.Addr) {
	if body := r.Body(); len(body) > 0 {
		r.SetBody(guardSession(body, source, f.permits))
	}
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

// destination returns where a request within an inbound call is sent: the other side's Contact or Record-Route if
// its address is permitted, else the source of its INVITE.
func (f *inboundFilter) destination(invite *sip.Request, wanted string) string {
	source, err := netip.ParseAddrPort(invite.Source())
	if err != nil {
		return wanted
	}
	to, err := netip.ParseAddrPort(wanted)
	if err != nil || to.Addr().Unmap() != source.Addr().Unmap() && !f.permits(to.Addr()) {
		return invite.Source()
	}
	return wanted
}

// respond sends a final response to an INVITE.
func respond(r *sip.Request, tx sip.ServerTransaction, status sip.StatusCode, reason string, headers ...sip.Header) {
	answer := sip.NewResponseFromRequest(r, status, reason, nil)
	for _, h := range headers {
		answer.AppendHeader(h)
	}
	_ = tx.Respond(answer)
}
