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

// gate handles every INVITE before LiveKit does. A new call passes when a trunk that holds the number brought it; what is
// kept of others is bounded. An INVITE within a call passes when the call is here.
type gate struct {
	reception Reception
	limits    CallLimits
	private   bool // addresses in messages may be private
	log       *slog.Logger
	known     func(tag string) bool // whether there is a dialog with this tag of ours

	nonces            nonces
	wrong             auth.Limiter
	rates             auth.Limiter  // of new calls
	desks             chan struct{} // one for each caller who is asked after
	busy              capacity
	failed, undecided warning

	mu       sync.Mutex
	admitted map[string]admission // by LiveKit's id of the call
}

// admission is a call that passed, until it is over.
type admission struct {
	line Line
	from string // the caller's number, in E.164; "" when it is not told
}

const (
	// receptionWait bounds what a caller waits for who answers.
	receptionWait = 5 * time.Second
	// receptions is how many callers are asked after at once, half of them of one address at most. Strangers can send any
	// number.
	receptions = 64
	// wrongDigests is how many wrong credentials an address may show in a minute.
	wrongDigests = 10
)

var errCrowded = errors.New("too many callers are being asked after")

func newGate(o GatewayOptions, known func(tag string) bool) (*gate, error) {
	wrong, err := auth.NewMemoryLimiter()
	if err != nil {
		return nil, err
	}
	rates, err := auth.NewMemoryLimiter()
	if err != nil {
		return nil, err
	}
	g := &gate{reception: o.Reception, limits: o.Limits, private: o.AllowPrivateNetworks, log: o.Logger, known: known,
		nonces: newNonces(), wrong: wrong, rates: rates, desks: make(chan struct{}, receptions), busy: capacity{taken: map[string]int{}}, admitted: map[string]admission{}}
	return g, nil
}

// invite handles an INVITE; next passes it on to LiveKit, and returns when the call is over. The transaction ends with
// this: a refusal is not repeated, the caller's INVITE is.
func (g *gate) invite(r *sip.Request, tx sip.ServerTransaction, next func()) {
	source, err := netip.ParseAddrPort(r.Source())
	to := r.To()
	if err != nil || to == nil || r.From() == nil || r.CallID() == nil || r.CSeq() == nil {
		refuse(r, tx, sip.StatusBadRequest, "Bad Request")
		return
	}
	address := source.Addr().Unmap()
	if to.Params == nil {
		to.Params = sip.NewParams()
	}
	tag, within := to.Params.Get("tag")
	switch {
	case within && g.known(tag):
		g.guardOffer(r, address)
		next()
		return
	case within && r.GetHeader("Proxy-Authorization") == nil: // some repeat the tag of the challenge
		refuse(r, tx, sip.StatusCallTransactionDoesNotExists, "Call Does Not Exist")
		return
	}
	leave, fits := g.busy.take(seat{"address " + address.String(), g.limits.PerAddress})
	if !fits {
		refuse(r, tx, sip.StatusBusyHere, "Too Many Calls")
		return
	}
	defer leave()
	line, passes := g.admit(r, tx, address)
	if !passes {
		return
	}
	if !line.Encryption.takes(r.Body()) {
		refuse(r, tx, sip.StatusNotAcceptableHere, "Not Acceptable Here")
		return
	}
	hangUp, fits := g.busy.take(seat{"tenant " + line.TenantID, g.limits.PerTenant}, seat{"trunk " + line.TenantID + line.TrunkID, g.limits.PerTrunk},
		seat{"number " + line.TenantID + line.TrunkID + line.Number, g.limits.PerNumber})
	if !fits {
		refuse(r, tx, sip.StatusBusyHere, "Busy Here")
		return
	}
	defer hangUp()
	if !g.countNew(line, address) {
		refuse(r, tx, sip.StatusBusyHere, "Too Many Calls")
		return
	}
	g.guardOffer(r, address)
	// LiveKit takes the tag that it finds for its id of the call.
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
	next()
}

// admission is the call that passed with an id.
func (g *gate) admission(id string) (a admission, passed bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	a, passed = g.admitted[id]
	return a, passed
}

// admit finds the line that a new call reaches, or answers the INVITE.
func (g *gate) admit(r *sip.Request, tx sip.ServerTransaction, source netip.Addr) (line Line, passes bool) {
	lines, err := g.lines(r, source)
	switch {
	case err != nil:
		g.cannot(err)
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
	if at := slices.IndexFunc(lines, func(l Line) bool { return l.takes(source) }); at >= 0 {
		taker := lines[at]
		contest := slices.IndexFunc(lines, func(l Line) bool { return l.contests(taker, source) })
		if contest < 0 {
			return taker, true
		}
		if g.undecided.due() {
			g.log.Warn("a phone call that came in may be one of two tenants: it reaches neither without a digest until the number is assigned (parley number assign)",
				"component", "sip", "tenants", []string{taker.TenantID, lines[contest].TenantID}, "phone_numbers", []string{taker.ID, lines[contest].ID})
		}
	}
	switch {
	case slices.ContainsFunc(lines, Line.hasCredentials):
		refuse(r, tx, sip.StatusProxyAuthRequired, "Proxy Authentication Required", g.nonces.challenge(source, callID, false))
	default:
		refuse(r, tx, sip.StatusNotFound, "Not Found")
	}
	return line, false
}

// authenticate finds the line whose trunk's credentials an INVITE shows. Wrong ones count against the address, which is
// known to be the sender's: the nonce went there.
func (g *gate) authenticate(r *sip.Request, tx sip.ServerTransaction, shown string, source netip.Addr, lines []Line) (line Line, passes bool) {
	callID := r.CallID().Value()
	given, fresh := g.nonces.read(shown, source, callID)
	if !fresh {
		refuse(r, tx, sip.StatusProxyAuthRequired, "Proxy Authentication Required", g.nonces.challenge(source, callID, true))
		return line, false
	}
	key := "sip address " + source.String()
	if a, err := g.wrong.Take(context.Background(), key, wrongDigests, 1); err != nil || a.Wait > 0 {
		refuse(r, tx, sip.StatusForbidden, "Too Many Attempts")
		return line, false
	}
	for _, l := range lines {
		if l.hasCredentials() && given.proves(string(r.Method), l.Username, l.Password) {
			_, _ = g.wrong.Take(context.Background(), key, wrongDigests, -1) // what is not given back comes back by itself
			return l, true
		}
	}
	refuse(r, tx, sip.StatusForbidden, "Forbidden")
	return line, false
}

// lines finds who may answer a call: by the number that is asked for, or else the one that it is addressed to.
func (g *gate) lines(r *sip.Request, source netip.Addr) ([]Line, error) {
	number := Number(r.Recipient.User)
	if number == "" {
		number = Number(r.To().Address.User)
	}
	if number == "" || g.reception == nil {
		return nil, nil
	}
	leave, fits := g.busy.take(seat{"asked for " + source.String(), receptions / 2})
	if !fits {
		return nil, errCrowded
	}
	defer leave()
	ctx, cancel := context.WithTimeout(context.Background(), receptionWait)
	defer cancel()
	select {
	case g.desks <- struct{}{}:
		defer func() { <-g.desks }()
	case <-ctx.Done():
		return nil, errCrowded
	}
	return g.reception.Lines(ctx, number)
}

// guardOffer has audio go to where the INVITE came from when its session description names an address that may not be
// reached.
func (g *gate) guardOffer(r *sip.Request, source netip.Addr) {
	if body := r.Body(); len(body) > 0 {
		r.SetBody(guardSession(body, source, g.permits))
	}
}

// cannot logs why a caller is turned away.
func (g *gate) cannot(err error) {
	if g.failed.due() {
		g.log.Warn("a phone call that came in cannot be answered", "component", "sip", "error", personal.ReplaceAllString(err.Error(), "…"))
	}
}

// warning is a kind of log line that strangers can cause any number of. It holds when it was last written, in Unix seconds.
type warning struct{ atomic.Int64 }

// due reports whether it may be written: once a minute.
func (w *warning) due() bool {
	now, last := time.Now().Unix(), w.Load()
	return now-last >= 60 && w.CompareAndSwap(last, now)
}

func (g *gate) permits(address netip.Addr) bool { return netguard.Permits(address, g.private) }

// destination is where a request within an inbound call is sent: where the other side wants it (its Contact, or its
// Record-Route) as far as that is an address that may be reached, else to where its INVITE came from.
func (g *gate) destination(invite *sip.Request, wanted string) string {
	source, err := netip.ParseAddrPort(invite.Source())
	if err != nil {
		return wanted
	}
	to, err := netip.ParseAddrPort(wanted)
	if err != nil || !to.Addr().Unmap().Is4() || to.Addr().Unmap() != source.Addr().Unmap() && !g.permits(to.Addr()) {
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
