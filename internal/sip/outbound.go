package sip

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/textproto"
	"slices"
	"time"

	"github.com/emiago/sipgo/sip"
	"github.com/livekit/protocol/livekit"

	"parley/internal/sip/negotiation"
	"parley/internal/sip/useragent"
)

// errRoomClosed is why a phone is not rung any more.
var errRoomClosed = errors.New("the room of the phone was closed")

// Dial dials a number and returns once the call is answered. The phone's participant is in the room from the start,
// with the attribute sip.callStatus: dialing, ringing, active. When the context ends, ringing is cancelled. The
// error is a *DialError if the call was not answered; after any other error nothing rings.
func (g *Gateway) Dial(ctx context.Context, d DialRequest) error {
	if !g.begin() {
		return errStopped
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(g.ctx, func() { cancel(errStopped) })()
	p, err := g.dial(ctx, d)
	if err != nil {
		g.end()
		if ctx.Err() == nil {
			return err
		}
		if cause := context.Cause(ctx); errors.Is(cause, errStopped) {
			return errStopped
		}
		return fmt.Errorf("dial: %w", context.Cause(ctx))
	}
	g.setPhone(p)
	go func() {
		defer g.end()
		defer g.removePhone(p)
		p.talk(d.MaxDuration)
	}()
	return nil
}

// dial joins a phone to its room and calls it. It returns an answered phone, or none.
func (g *Gateway) dial(ctx context.Context, d DialRequest) (*phone, error) {
	to, dialErr := d.target()
	if dialErr != nil {
		return nil, dialErr
	}
	t, dialErr := g.trunkTargets(ctx, d.Trunk)
	if dialErr != nil {
		return nil, dialErr
	}
	p, l, err := g.newPhone(d.origin(t.addresses), t.peer(), t.negotiation)
	if err != nil {
		return nil, err
	}
	p.member, p.callID, p.peer = member{d.Room, d.Identity}, d.CallID, d.Peer
	ringing, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	l.abandon = stop
	if err := p.join(ctx, statusDialing); err != nil {
		p.close(false)
		return nil, err
	}
	go func() {
		select {
		case <-p.left:
			stop(errRoomClosed)
		case <-ringing.Done():
		}
	}()
	o := g.dialOptions(l, d, to, t)
	o.Provisional = func(r *sip.Response) {
		if r.StatusCode >= 180 {
			p.setAttribute(livekit.AttrSIPCallStatus, statusRinging)
		}
	}
	call, err := g.agent.Dial(ringing, o)
	if err == nil {
		l.call.Store(call)
		if !l.isCurrent() {
			call.Hangup(replacedReason)
		}
		return p, nil
	}
	if !l.finish() {
		return p, nil // another call has replaced it while it rang
	}
	if !errors.Is(context.Cause(ringing), errRoomClosed) {
		err = dialErrorFrom(err, d)
	}
	p.close(false)
	return nil, err
}

// trunkTargets is where calls through a trunk are sent, and what they may negotiate.
type trunkTargets struct {
	addresses   []useragent.Target // permitted ones, one at least
	own         netip.Addr         // of this machine, towards the first
	negotiation negotiation.Options
	permits     func(netip.AddrPort) bool // for requests within the call
}

func (t trunkTargets) peer() netip.Addr { return t.addresses[0].Address.Addr() }

func (g *Gateway) trunkTargets(ctx context.Context, r OutboundRoute) (t trunkTargets, dialErr *DialError) {
	if t.addresses, dialErr = g.network.targets(ctx, r); dialErr != nil {
		return t, dialErr
	}
	var err error
	if t.own, err = g.network.ownAddress(t.peer()); err != nil {
		return t, unreachable("The trunk cannot be reached: this machine has no address of its kind.")
	}
	t.negotiation = negotiation.Options{Encryption: negotiation.Encryption(r.Encryption), Permits: func(a netip.Addr) bool { return g.network.checkPermitted(r, a) == nil }}
	t.permits = func(a netip.AddrPort) bool { return g.network.checkAddress(r, a.Addr()) == nil }
	return t, nil
}

// origin returns the trunk of a dialled call as one that calls come from: from its own addresses, among others.
func (d DialRequest) origin(targets []useragent.Target) InboundRoute {
	addresses := slices.Clone(d.Trunk.Addresses)
	for _, t := range targets {
		a := t.Address.Addr().Unmap()
		addresses = append(addresses, netip.PrefixFrom(a, a.BitLen()))
	}
	return InboundRoute{TenantID: d.TenantID, TrunkID: d.Trunk.ID, Username: d.Trunk.Username, Password: d.Trunk.Password, Addresses: addresses,
		Encryption: d.Trunk.Encryption, AcceptTransfers: d.Trunk.AcceptTransfers, Country: d.Trunk.country()}
}

func (g *Gateway) dialOptions(l *leg, d DialRequest, to sip.Uri, t trunkTargets) useragent.DialOptions {
	c := d.Trunk.callerIdentity(t.own)
	l.key = legKey{useragent.NewID(), useragent.NewTag()}
	g.trace.own(l.key, l.phone.traceOwner(), d.Trunk.Headers)
	o := useragent.DialOptions{
		ID: l.key.id, Tag: l.key.tag,
		CallOptions: useragent.CallOptions{Session: l.session, Handler: l.handler(), Contact: c.from.User, Owner: l, Permits: t.permits},
		To:          to,
		From:        c.from,
		Name:        c.name,
		Headers:     c.headers,
		Targets:     t.addresses,
		RingTimeout: d.RingTimeout,
		Redirect:    func(contacts []sip.Uri) []useragent.Target { return g.network.redirect(d, contacts) },
	}
	if d.Trunk.Username != "" {
		o.Credentials = &useragent.Credentials{Username: d.Trunk.Username, Password: d.Trunk.Password}
	}
	given := map[string]string{} // a header of the dispatch replaces that of the trunk
	for name, value := range d.Trunk.Headers {
		given[textproto.CanonicalMIMEHeaderKey(name)] = value
	}
	for name, value := range d.Headers {
		if name = textproto.CanonicalMIMEHeaderKey(name); slices.Contains(d.Trunk.HeadersOut, name) {
			given[name] = value
		}
	}
	for name, value := range given {
		o.Headers = append(o.Headers, sip.NewHeader(name, value))
	}
	return o
}

// uriHost returns a host as URIs have it: IPv6 addresses in brackets.
func uriHost(host string) string {
	if address, err := netip.ParseAddr(host); err == nil && address.Is6() {
		return "[" + host + "]"
	}
	return host
}

// from returns the user and domain of the From header before privacy: the caller id, else the account; the account first if another
// header has the caller id. The domain is from_domain, or with an account the trunk's, as for registered clients; "" stands for this
// machine's address.
func (r OutboundRoute) from() (user, domain string) {
	domain = valueOrEmpty(r.FromDomain)
	if domain == "" && r.Username != "" {
		domain, _ = r.hostPort()
	}
	user = cmp.Or(r.CallerID, r.Username, anonymous)
	if r.Identity == IdentityAsserted || r.Identity == IdentityPreferred {
		user = cmp.Or(r.Username, r.CallerID, anonymous)
	}
	return user, domain
}

// anonymous is the user of callers that are withheld (RFC 3323 4.1.1.3), and anonymousHost their host.
const (
	anonymous     = "anonymous"
	anonymousHost = "anonymous.invalid"
)

// callerIdentity is who an INVITE says is calling.
type callerIdentity struct {
	name    string // display name of From
	from    sip.Uri
	headers []sip.Header
}

// callerIdentity returns what INVITEs of a trunk say, from a machine at an address.
func (r OutboundRoute) callerIdentity(own netip.Addr) (c callerIdentity) {
	user, domain := r.from()
	host := uriHost(cmp.Or(domain, own.String()))
	c.from = sip.Uri{Scheme: "sip", User: user, Host: host}
	asserted := sip.Uri{Scheme: "sip", User: cmp.Or(r.CallerID, r.Username), Host: host}
	switch {
	case asserted.User == "":
	case r.Identity == IdentityAsserted:
		c.headers = append(c.headers, sip.NewHeader("P-Asserted-Identity", "<"+asserted.String()+">"))
	case r.Identity == IdentityPreferred:
		c.headers = append(c.headers, sip.NewHeader("P-Preferred-Identity", "<"+asserted.String()+">"))
	}
	if r.Privacy == PrivacyID {
		c.name, c.from = "Anonymous", sip.Uri{Scheme: "sip", User: anonymous, Host: anonymousHost}
		c.headers = append(c.headers, sip.NewHeader("Privacy", string(PrivacyID)))
	}
	return c
}

// redirectTimeout bounds finding the address that a trunk redirects a call to.
const redirectTimeout = 2 * time.Second

// redirect returns where a call may go on that its trunk has redirected: to the number that was dialled, at another address that the
// trunk may be at. Whether another number may be dialled is not known here.
func (n network) redirect(d DialRequest, contacts []sip.Uri) (targets []useragent.Target) {
	ctx, cancel := context.WithTimeout(context.Background(), redirectTimeout)
	defer cancel()
	to, dialErr := d.target()
	if dialErr != nil {
		return nil
	}
	for _, c := range contacts {
		user := dialString(c)
		if c.Scheme != "sip" || user != dialString(to) && !slices.Contains(dialledAs(user, d.Trunk.country()), d.Number) {
			continue
		}
		next := d.Trunk
		next.Address = c.Host
		if c.Port != 0 {
			next.Address = c.HostPort()
		}
		if name, ok := c.UriParams.Get("transport"); ok && next.Transport != TLS {
			next.Transport = Transport(name)
		}
		found, dialErr := n.targets(ctx, next)
		if dialErr != nil {
			continue
		}
		for i := range found {
			found[i].URI = &c
		}
		targets = append(targets, found...)
	}
	return targets
}

// dialErrorFrom returns the dial error of a call that the user agent could not make.
func dialErrorFrom(err error, d DialRequest) *DialError {
	var failed *useragent.DialError
	if !errors.As(err, &failed) {
		return unreachable("The call cannot be sent to the trunk.")
	}
	switch {
	case errors.Is(err, useragent.ErrNotUsable):
		return &DialError{Cause: Unreachable, Status: 200, Detail: "The call was answered, but no audio could be agreed on with the trunk."}
	case (failed.Status == 401 || failed.Status == 407) && d.Trunk.Username == "":
		return &DialError{Cause: Unreachable, Status: failed.Status, Detail: "The trunk requires a user name and a password, and none are set."}
	case failed.Response != nil:
		return dialErrorOf(failed.Status)
	case failed.Provisional >= 180:
		return &DialError{Cause: RingTimeout, Detail: "Nobody answered the phone within " + d.RingTimeout.String() + "."}
	case failed.Provisional > 0:
		return unreachable("The trunk accepted the call, but the phone did not ring.")
	case failed.Status == 408:
		return unreachable("The trunk does not answer.")
	}
	return connectError(d.Trunk.Transport, failed.Err)
}
