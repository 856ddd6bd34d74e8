package useragent

import (
	"context"
	"errors"
	"net/netip"
	"strings"

	"github.com/emiago/sipgo/sip"
)

// dialog is what requests within a call are made of (RFC 3261 12).
type dialog struct {
	callID, localTag, remoteTag string
	local, remote               party
	localSeq, remoteSeq         uint32
	remoteSeen                  bool // a request of the other side has arrived: remoteSeq is valid
	target                      sip.Uri
	routes                      []sip.Uri
	source                      netip.AddrPort // where the first message came from, or went to
	host                        string         // of a TLS peer
}

// party is one side as From and To name it.
type party struct {
	name string
	uri  sip.Uri
}

// request makes a request with the next number of this side. Its Via and Contact are added when its way is known.
func (d *dialog) request(method sip.RequestMethod) *sip.Request {
	if method != sip.ACK {
		d.localSeq++
	}
	r := sip.NewRequest(method, d.target)
	routes := d.routes
	if len(routes) > 0 && !isLoose(routes[0]) { // a strict router gets the request itself (RFC 3261 12.2.1.1)
		r = sip.NewRequest(method, routes[0])
		routes = append(append([]sip.Uri{}, routes[1:]...), d.target)
	}
	for _, u := range routes {
		r.AppendHeader(&sip.RouteHeader{Address: u})
	}
	hops := sip.MaxForwardsHeader(70)
	from := &sip.FromHeader{DisplayName: d.local.name, Address: d.local.uri, Params: sip.HeaderParams{{K: "tag", V: d.localTag}}}
	to := &sip.ToHeader{DisplayName: d.remote.name, Address: d.remote.uri}
	if d.remoteTag != "" {
		to.Params = sip.HeaderParams{{K: "tag", V: d.remoteTag}}
	}
	id := sip.CallIDHeader(d.callID)
	for _, h := range []sip.Header{&hops, from, to, &id, &sip.CSeqHeader{SeqNo: d.localSeq, MethodName: method}} {
		r.AppendHeader(h)
	}
	return r
}

func isLoose(u sip.Uri) bool { return u.UriParams.Has("lr") }

// hop is the URI that a request is sent to first.
func (d *dialog) hop() sip.Uri {
	if len(d.routes) > 0 {
		return d.routes[0]
	}
	return d.target
}

// newRequest makes a request within the call.
func (c *Call) newRequest(method sip.RequestMethod) *sip.Request { return c.dialog.request(method) }

// address completes a request for a way: Via, and the Contact of requests that have one.
func (u *UserAgent) address(r *sip.Request, f *flow, contact string) error {
	at, err := u.options.Address(f.peer.Addr())
	if err != nil {
		return err
	}
	port := u.port(f.transport)
	via := &sip.ViaHeader{ProtocolName: "SIP", ProtocolVersion: "2.0", Transport: f.transport, Host: at.String(), Port: port,
		Params: sip.HeaderParams{{K: "branch", V: sip.GenerateBranch()}, {K: "rport"}}}
	if f.transport == TLS { // the peer's requests may come over the same connection (RFC 5923): nobody has to listen at its port
		via.Params = append(via.Params, sip.HeaderKV{K: "alias"})
	}
	r.RemoveHeader("Via")
	r.PrependHeader(via)
	switch r.Method {
	case sip.INVITE, sip.UPDATE, sip.REFER, sip.NOTIFY, sip.OPTIONS, sip.PRACK, sip.ACK:
		r.RemoveHeader("Contact")
		r.AppendHeader(u.contact(f, at, contact))
	}
	if u.options.Name != "" && r.GetHeader("User-Agent") == nil {
		r.AppendHeader(sip.NewHeader("User-Agent", u.options.Name))
	}
	return nil
}

// contact names this side on a way.
func (u *UserAgent) contact(f *flow, at netip.Addr, user string) *sip.ContactHeader {
	c := &sip.ContactHeader{Address: sip.Uri{Scheme: "sip", User: user, Host: bracketed(at), Port: u.port(f.transport)}}
	if f.transport != UDP {
		c.Address.UriParams = sip.HeaderParams{{K: "transport", V: strings.ToLower(f.transport)}}
	}
	return c
}

// destination returns where a request within the call goes: the next hop if it names an address that is permitted, else where
// the peer's messages come from.
func (c *Call) destination() netip.AddrPort {
	at, ok := uriAddress(c.dialog.hop(), c.flow.transport)
	if ok && (at.Addr() == c.dialog.source.Addr() || c.options.Permits != nil && c.options.Permits(at)) {
		return at
	}
	return c.dialog.source
}

// way returns the flow for the call's next request, nil if a connection has to be opened. A connection that is open is used on:
// a peer behind a NAT cannot be reached otherwise.
func (c *Call) way() *flow {
	if c.flow.transport == UDP {
		return c.agent.newFlow(UDP, c.destination(), nil)
	}
	if c.flow.isOpen() {
		return c.flow
	}
	return c.agent.existing(c.flow.transport, c.destination(), c.dialog.host)
}

// request sends a request within the call and calls handle with its final response, in the call's goroutine. A challenge is
// answered once.
func (c *Call) request(r *sip.Request, handle func(*sip.Response, error)) {
	c.requests++
	finish := func(res *sip.Response, err error) {
		c.requests--
		handle(res, err)
	}
	c.sendOn(r, nil, finish)
}

// sendOn sends a request when there is a way for it. answered are the challenges that it answers.
func (c *Call) sendOn(r *sip.Request, answered authorization, finish func(*sip.Response, error)) {
	if f := c.way(); f != nil {
		c.sendOver(f, r, answered, finish)
		return
	}
	to, transport, host := c.destination(), c.flow.transport, c.dialog.host
	started := c.agent.start(func() {
		f, err := c.agent.connected(context.Background(), transport, to, host)
		c.post(func() {
			if err != nil {
				finish(nil, err)
				return
			}
			c.flow = f
			c.sendOver(f, r, answered, finish)
		})
	})
	if !started {
		finish(nil, ErrClosed)
	}
}

func (c *Call) sendOver(f *flow, r *sip.Request, answered authorization, finish func(*sip.Response, error)) {
	if err := c.agent.address(r, f, c.options.Contact); err != nil {
		finish(nil, err)
		return
	}
	if r.ContentLength() == nil {
		r.SetBody(r.Body())
	}
	handle := func(res *sip.Response, err error) {
		switch {
		case res != nil && res.IsProvisional():
			return
		case res == nil || res.StatusCode != 401 && res.StatusCode != 407:
			finish(res, err)
			return
		}
		next, ok := answered.answer(c.options.Credentials, res)
		if !ok {
			finish(res, nil)
			return
		}
		c.dialog.localSeq++
		c.sendOn(renumbered(r, c.dialog.localSeq, next), next, finish)
	}
	done := false
	err := c.agent.send(f, r, func(res *sip.Response, err error) {
		c.post(func() {
			if done && res != nil && res.IsSuccess() && r.Method == sip.INVITE {
				c.acknowledgeAgain(res)
				return
			}
			if done {
				return
			}
			done = res == nil || !res.IsProvisional()
			handle(res, err)
		})
	})
	if err != nil {
		finish(nil, err)
	}
}

// renumbered returns a copy of a request with another number and credentials.
func renumbered(r *sip.Request, seq uint32, a authorization) *sip.Request {
	again := r.Clone()
	again.CSeq().SeqNo = seq
	for _, name := range []string{"Authorization", "Proxy-Authorization"} {
		for again.RemoveHeader(name) {
		}
	}
	for _, h := range a.headers(again) {
		again.AppendHeader(h)
	}
	return again
}

// write sends a request that has no response: an ACK.
func (c *Call) write(r *sip.Request) {
	if r.ContentLength() == nil {
		r.SetBody(r.Body())
	}
	if f := c.way(); f != nil {
		if c.agent.address(r, f, c.options.Contact) == nil {
			_ = f.WriteMsg(r)
		}
		return
	}
	to, transport, host := c.destination(), c.flow.transport, c.dialog.host
	c.agent.start(func() {
		f, err := c.agent.connected(context.Background(), transport, to, host)
		if err == nil && c.agent.address(r, f, c.options.Contact) == nil {
			_ = f.WriteMsg(r)
		}
	})
}

// errorStatus returns the status that stands for a request without a response (RFC 3261 8.1.3.1).
func errorStatus(err error) int {
	if errors.Is(err, errNoResponse) {
		return 408
	}
	return 503
}
