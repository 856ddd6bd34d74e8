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
	inbound   InboundHandler
	limits    CallLimits
	private   bool // private addresses in messages are allowed
	log       *slog.Logger
	hasDialog func(tag string) bool // reports whether there is a dialog with this local tag

	nonces            nonces
	wrong             auth.Limiter
	rates             auth.Limiter  // limits new calls
	lookups           chan struct{} // one slot per route lookup in progress
	busy              capacity
	failed, undecided warning

	mu       sync.Mutex
	admitted map[string]admission // by LiveKit's call id
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
	g := &inboundFilter{inbound: o.Inbound, limits: o.Limits, private: o.AllowPrivateNetworks, log: o.Logger, hasDialog: known,
		nonces: newNonces(), wrong: wrong, rates: rates, lookups: make(chan struct{}, maxLookups), busy: capacity{inUse: map[string]int{}}, admitted: map[string]admission{}}
	return g, nil
}

// handleInvite handles an INVITE; next forwards it to LiveKit and returns when the call has ended. Its return ends
// the transaction: a retransmitted INVITE gets no repeated final response.
func (g *inboundFilter) handleInvite(r *sip.Request, tx sip.ServerTransaction, next func(sip.ServerTransaction)) {
	source, err := netip.ParseAddrPort(r.Source())
	to := r.To()
	if err != nil || to == nil || r.From() == nil || r.CallID() == nil || r.CSeq() == nil {
		refuse(r, tx, sip.StatusBadRequest, "Bad Request")
		return
	}
	address := source.Addr().Unmap()
	answering, err := answerable(tx, source)
	if err != nil {
		refuse(r, tx, sip.StatusServiceUnavailable, "No Route")
		return
	}
	if to.Params == nil {
		to.Params = sip.NewParams()
	}
	tag, within := to.Params.Get("tag")
	switch {
	case within && g.hasDialog(tag):
		g.guardOffer(r, address)
		next(answering)
		return
	case within && r.GetHeader("Proxy-Authorization") == nil: // some clients repeat the To tag of the challenge
		refuse(r, tx, sip.StatusCallTransactionDoesNotExists, "Call Does Not Exist")
		return
	}
	release, ok := g.busy.acquire(quota{"address " + limitedAs(address), g.limits.PerAddress})
	if !ok {
		refuse(r, tx, sip.StatusBusyHere, "Too Many Calls")
		return
	}
	defer release()
	line, admitted := g.admit(r, tx, address)
	if !admitted {
		return
	}
	if !line.Encryption.accepts(r.Body()) {
		refuse(r, tx, sip.StatusNotAcceptableHere, "Not Acceptable Here")
		return
	}
	releaseCall, ok := g.busy.acquire(quota{"tenant " + line.TenantID, g.limits.PerTenant}, quota{"trunk " + line.TenantID + line.TrunkID, g.limits.PerTrunk},
		quota{"number " + line.TenantID + line.TrunkID + line.Number, g.limits.PerNumber})
	if !ok {
		refuse(r, tx, sip.StatusBusyHere, "Busy Here")
		return
	}
	defer releaseCall()
	if !g.countNew(line, address) {
		refuse(r, tx, sip.StatusBusyHere, "Too Many Calls")
		return
	}
	g.guardOffer(r, address)
	// LiveKit uses this tag as its call id.
	id := protocol.NewCallID()
	to.Params.Add("tag", id)
	g.mu.Lock()
	g.admitted[id] = admission{line, Number(r.From().Address.User)}
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.admitted, id)
	}()
	next(answering)
}

// admission returns the accepted call with an id.
func (g *inboundFilter) admission(id string) (a admission, passed bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	a, passed = g.admitted[id]
	return a, passed
}

// admit returns the route of a new call, or answers the INVITE.
func (g *inboundFilter) admit(r *sip.Request, tx sip.ServerTransaction, source netip.Addr) (line InboundRoute, passes bool) {
	lines, err := g.routes(r, source)
	switch {
	case err != nil:
		g.logUnanswered(err)
		refuse(r, tx, sip.StatusServiceUnavailable, "Try Again Later")
		return line, false
	case len(lines) == 0:
		refuse(r, tx, sip.StatusNotFound, "Not Found")
		return line, false
	}
	callID := r.CallID().Value()
	if shown := r.GetHeader("Proxy-Authorization"); shown != nil {
		return g.authenticate(r, tx, shown.Value(), source, lines)
	}
	if at := slices.IndexFunc(lines, func(l InboundRoute) bool { return l.accepts(source) }); at >= 0 {
		taker := lines[at]
		contest := slices.IndexFunc(lines, func(l InboundRoute) bool { return l.conflictsWith(taker, source) })
		if contest < 0 {
			return taker, true
		}
		if g.undecided.due() {
			g.log.Warn("inbound phone call matches the trunks of two tenants; rejected without digest authentication until the number is assigned (parley number assign)",
				"component", "sip", "tenants", []string{taker.TenantID, lines[contest].TenantID}, "phone_numbers", []string{taker.ID, lines[contest].ID})
		}
	}
	switch {
	case slices.ContainsFunc(lines, InboundRoute.hasCredentials):
		refuse(r, tx, sip.StatusProxyAuthRequired, "Proxy Authentication Required", g.nonces.challenge(source, callID, false))
	default:
		refuse(r, tx, sip.StatusNotFound, "Not Found")
	}
	return line, false
}

// authenticate returns the route whose trunk's credentials an INVITE presents. Wrong credentials count against the
// source address, which is verified: the nonce was sent there.
func (g *inboundFilter) authenticate(r *sip.Request, tx sip.ServerTransaction, shown string, source netip.Addr, lines []InboundRoute) (line InboundRoute, passes bool) {
	callID := r.CallID().Value()
	given, fresh := g.nonces.read(shown, source, callID)
	if !fresh {
		refuse(r, tx, sip.StatusProxyAuthRequired, "Proxy Authentication Required", g.nonces.challenge(source, callID, true))
		return line, false
	}
	key := "sip address " + limitedAs(source)
	if a, err := g.wrong.Take(context.Background(), key, maxWrongDigests, 1); err != nil || a.Wait > 0 {
		refuse(r, tx, sip.StatusForbidden, "Too Many Attempts")
		return line, false
	}
	for _, l := range lines {
		if l.hasCredentials() && given.match(string(r.Method), l.Username, l.Password) {
			_, _ = g.wrong.Take(context.Background(), key, maxWrongDigests, -1) // the count refills by time
			return l, true
		}
	}
	refuse(r, tx, sip.StatusForbidden, "Forbidden")
	return line, false
}

// routes returns the inbound routes of the number in the request URI, or else of that in To.
func (g *inboundFilter) routes(r *sip.Request, source netip.Addr) ([]InboundRoute, error) {
	number := Number(r.Recipient.User)
	if number == "" {
		number = Number(r.To().Address.User)
	}
	if number == "" || g.inbound == nil {
		return nil, nil
	}
	release, ok := g.busy.acquire(quota{"asked for " + limitedAs(source), maxLookups / 2})
	if !ok {
		return nil, errTooManyLookups
	}
	defer release()
	ctx, cancel := context.WithTimeout(context.Background(), lookupTimeout)
	defer cancel()
	select {
	case g.lookups <- struct{}{}:
		defer func() { <-g.lookups }()
	case <-ctx.Done():
		return nil, errTooManyLookups
	}
	return g.inbound.Routes(ctx, number)
}

// guardOffer redirects audio to the INVITE's source when the session description names an address that is not
// permitted.
func (g *inboundFilter) guardOffer(r *sip.Request, source netip.Addr) {
	if body := r.Body(); len(body) > 0 {
		r.SetBody(guardSession(body, source, g.permits))
	}
}

// logUnanswered logs why a caller is rejected.
func (g *inboundFilter) logUnanswered(err error) {
	if g.failed.due() {
		g.log.Warn("an inbound phone call cannot be answered", "component", "sip", "error", personal.ReplaceAllString(err.Error(), "…"))
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

func (g *inboundFilter) permits(address netip.Addr) bool { return netguard.Permits(address, g.private) }

// destination returns where a request within an inbound call is sent: the other side's Contact or Record-Route if
// its address is permitted, else the source of its INVITE.
func (g *inboundFilter) destination(invite *sip.Request, wanted string) string {
	source, err := netip.ParseAddrPort(invite.Source())
	if err != nil {
		return wanted
	}
	to, err := netip.ParseAddrPort(wanted)
	if err != nil || to.Addr().Unmap() != source.Addr().Unmap() && !g.permits(to.Addr()) {
		return invite.Source()
	}
	return wanted
}

func refuse(r *sip.Request, tx sip.ServerTransaction, status sip.StatusCode, reason string, headers ...sip.Header) {
	answer := sip.NewResponseFromRequest(r, status, reason, nil)
	for _, h := range headers {
		answer.AppendHeader(h)
	}
	_ = tx.Respond(answer)
}
