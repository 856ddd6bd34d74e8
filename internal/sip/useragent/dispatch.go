package useragent

import (
	"errors"
	"net/netip"
	"slices"
	"strings"

	"github.com/emiago/sipgo/sip"

	"parley/internal/sip/negotiation"
)

// mergeKey is common to the copies of a request that arrive on several ways (RFC 3261 8.2.2.2).
type mergeKey struct {
	callID, fromTag string
	seq             uint32
}

func mergeKeyOf(r *sip.Request) mergeKey {
	return mergeKey{r.CallID().Value(), tag(r.From().Params), r.CSeq().SeqNo}
}

// receive handles a message. The messages of a flow are received in their order.
func (u *UserAgent) receive(data []byte, f *flow) {
	m, err := u.parse(data)
	if m == nil || err != nil && !errors.Is(err, errUnreadable) {
		return
	}
	switch m := m.(type) {
	case *sip.Response:
		if err == nil && m.CallID() != nil {
			m.SetSource(f.peer.String())
			u.trace(m, f, false)
			u.receiveResponse(m)
		}
	case *sip.Request:
		m.SetSource(f.peer.String())
		m.SetTransport(f.transport)
		u.trace(m, f, false)
		u.receiveRequest(m, f, err != nil)
	}
}

// receiveRequest answers what needs no state at once, and gives the rest to its transaction.
func (u *UserAgent) receiveRequest(r *sip.Request, f *flow, unreadable bool) {
	version := r.SipVersion
	r.SipVersion = "SIP/2.0" // responses repeat it
	key := transactionKey(r, r.Method)
	switch {
	case r.Via() == nil:
		return // there is nowhere to answer to
	case r.Method == sip.ACK:
		u.receiveACK(r)
		return
	}
	markReceived(r, f.peer)
	if status := u.check(r, unreadable, version); status != 0 {
		u.reply(r, f, status, headersFor(status)...)
		return
	}
	if t := u.transaction(key); t != nil {
		_ = t.Receive(r) // repeats the last response
		return
	}
	switch {
	case r.Method == sip.CANCEL:
		u.receiveCANCEL(r, f)
	case r.Method == sip.INVITE && hasCredentials(r) && u.call(r.CallID().Value(), tag(r.To().Params)) == nil:
		u.receiveINVITE(r, f, key) // some clients repeat the To tag of the challenge
	case tag(r.To().Params) != "":
		u.receiveWithin(r, f, key)
	case r.Method == sip.INVITE:
		u.receiveINVITE(r, f, key)
	case r.Method == sip.OPTIONS:
		u.reply(r, f, 200, append(headersFor(200), sip.NewHeader("Accept", negotiation.ContentType))...)
	case r.Method == sip.REFER: // outside a call, nothing is transferred
		u.reply(r, f, 603)
	default:
		u.reply(r, f, 481)
	}
}

func (u *UserAgent) transaction(key string) *serverTx {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.servers[key]
}

// markReceived notes the source of a request in its Via (RFC 3261 18.2.1, RFC 3581).
func markReceived(r *sip.Request, peer netip.AddrPort) {
	via := r.Via()
	if via.Params == nil {
		via.Params = sip.NewParams()
	}
	if named, err := netip.ParseAddr(strings.Trim(via.Host, "[]")); err != nil || named.Unmap() != peer.Addr() || via.Params.Has("rport") {
		via.Params.Add("received", peer.Addr().String())
	}
}

// check returns the status that answers a request which cannot be handled; 0 if it can (RFC 3261 8.2).
func (u *UserAgent) check(r *sip.Request, unreadable bool, version string) int {
	switch {
	case !strings.EqualFold(version, "SIP/2.0"):
		return 505
	case unreadable, r.From() == nil, r.To() == nil, r.CallID() == nil, r.CSeq() == nil, transactionKey(r, r.Method) == "",
		!strings.EqualFold(string(r.CSeq().MethodName), string(r.Method)), tag(r.From().Params) == "" && hasBranch(r),
		len(r.Headers()) > maxHeaders, repeats(r):
		return 400
	case slices.Contains(otherMethods, string(r.Method)):
		return 405
	case !slices.Contains(methods, string(r.Method)):
		return 501
	case !slices.Contains([]string{"sip", "sips", "tel"}, r.Recipient.Scheme):
		return 416
	case r.Method != sip.CANCEL && len(unsupported(r)) > 0:
		return 420
	}
	return 0
}

// hasBranch reports whether a request's Via has a branch as in RFC 3261; before it, tags were optional too.
func hasBranch(r *sip.Request) bool {
	branch, _ := r.Via().Params.Get("branch")
	return strings.HasPrefix(branch, sip.RFC3261BranchMagicCookie)
}

// hasCredentials reports whether a request answers a challenge.
func hasCredentials(r *sip.Request) bool {
	return r.GetHeader("Authorization") != nil || r.GetHeader("Proxy-Authorization") != nil
}

// repeats reports whether a request has one of the headers twice that it may have once. A Content-Length that cannot be read counts
// beside the one that the parser adds.
func repeats(r *sip.Request) bool {
	for _, name := range []string{"from", "to", "call-id", "cseq", "max-forwards", "content-length"} {
		if len(r.GetHeaders(name)) > 1 {
			return true
		}
	}
	return false
}

// headersFor returns the headers that responses of a status have.
func headersFor(status int) []sip.Header {
	switch status {
	case 200, 405, 501:
		return []sip.Header{sip.NewHeader("Allow", allow), sip.NewHeader("Supported", supported)}
	}
	return nil
}

// response makes a response with this side's tag, or a new one.
func (u *UserAgent) response(r *sip.Request, status int, localTag string, body []byte, headers ...sip.Header) *sip.Response {
	answer := sip.NewResponseFromRequest(r, status, Phrase(status), body)
	if to := answer.To(); to != nil && localTag != "" {
		if to.Params == nil {
			to.Params = sip.NewParams()
		}
		to.Params.Add("tag", localTag)
	}
	if status == 420 {
		headers = append(headers, sip.NewHeader("Unsupported", strings.Join(unsupported(r), ", ")))
	}
	if u.options.Name != "" {
		answer.AppendHeader(sip.NewHeader("Server", u.options.Name))
	}
	for _, h := range headers {
		answer.AppendHeader(h)
	}
	return answer
}

// reply answers a request without a transaction: its retransmission is answered again.
func (u *UserAgent) reply(r *sip.Request, f *flow, status int, headers ...sip.Header) {
	_ = u.replyFlow(r, f).WriteMsg(u.response(r, status, "", nil, headers...))
}

// receiveACK gives an ACK to the response that it acknowledges: to the transaction of a refusal, or to the call.
func (u *UserAgent) receiveACK(r *sip.Request) {
	if r.CallID() == nil || r.To() == nil || r.From() == nil || r.CSeq() == nil {
		return
	}
	if c := u.call(r.CallID().Value(), tag(r.To().Params)); c != nil {
		c.receive(func() { c.handleACK(r) })
	}
	if t := u.transaction(transactionKey(r, sip.INVITE)); t != nil {
		u.start(func() { _ = t.Receive(r) })
	}
}

// receiveCANCEL answers a CANCEL, and cancels the INVITE that it names.
func (u *UserAgent) receiveCANCEL(r *sip.Request, f *flow) {
	u.mu.Lock()
	t := u.servers[transactionKey(r, sip.INVITE)]
	var cancel func(*sip.Request)
	if t != nil {
		cancel = t.onCancel
	}
	u.mu.Unlock()
	if t == nil {
		u.reply(r, f, 481)
		return
	}
	u.reply(r, f, 200)
	if cancel != nil {
		cancel(r)
	}
}

// receiveWithin gives a request to its call.
func (u *UserAgent) receiveWithin(r *sip.Request, f *flow, key string) {
	c := u.call(r.CallID().Value(), tag(r.To().Params))
	if c == nil {
		u.reply(r, f, 481)
		return
	}
	if c.open.Load() >= maxOpen {
		u.reply(r, f, 503, sip.NewHeader("Retry-After", "5"))
		return
	}
	t, isNew := u.server(r, f, key)
	if t != nil && isNew {
		c.open.Add(1)
		t.OnTerminate(func(string, error) { c.open.Add(-1) })
	}
	switch {
	case t == nil:
		u.reply(r, f, 503, sip.NewHeader("Retry-After", "5"))
	case !isNew:
		_ = t.Receive(r)
	case !c.receive(func() { c.handleRequest(r, t) }):
		t.respond(u.response(r, 481, "", nil))
	}
}

// receiveINVITE makes an invitation of an INVITE.
func (u *UserAgent) receiveINVITE(r *sip.Request, f *flow, key string) {
	merge := mergeKeyOf(r)
	u.mu.Lock()
	_, merged := u.invitations[merge]
	_, own := u.calls[callID{merge.callID, merge.fromTag}]
	u.mu.Unlock()
	if merged || own { // a copy of one that is being answered, or this side's own, come back
		u.reply(r, f, 482)
		return
	}
	t, isNew := u.server(r, f, key)
	switch {
	case t == nil:
		u.reply(r, f, 503, sip.NewHeader("Retry-After", "5"))
		return
	case !isNew:
		_ = t.Receive(r)
		return
	}
	i := newInvitation(u, t)
	u.mu.Lock()
	u.invitations[merge] = key
	t.onCancel = i.cancel
	u.mu.Unlock()
	if !u.start(i.run) {
		t.Terminate()
	}
}
