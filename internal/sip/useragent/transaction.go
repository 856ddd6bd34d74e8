package useragent

import (
	"errors"
	"log/slog"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/emiago/sipgo/sip"
)

// silent is sipgo's log, which would have messages in it.
var silent = slog.New(slog.DiscardHandler)

// serverTx is a request that is being answered.
type serverTx struct {
	*sip.ServerTx
	request  *sip.Request
	flow     *flow
	begun    time.Time
	onCancel func(*sip.Request) // set once, under the user agent's lock
}

// transactionKey identifies a request and its retransmissions (RFC 3261 17.2.3); "" if it names no transaction.
func transactionKey(r *sip.Request, method sip.RequestMethod) string {
	via := r.Via()
	if via == nil || r.CSeq() == nil {
		return ""
	}
	branch, _ := via.Params.Get("branch")
	if rest, ok := strings.CutPrefix(branch, sip.RFC3261BranchMagicCookie); ok && rest != "" {
		return strings.Join([]string{branch, strings.ToLower(via.Host), strconv.Itoa(via.Port), string(method)}, " ")
	}
	if r.From() == nil || r.CallID() == nil { // as in RFC 2543
		return ""
	}
	tag, _ := r.From().Params.Get("tag")
	return strings.Join([]string{tag, r.CallID().Value(), strconv.FormatUint(uint64(r.CSeq().SeqNo), 10), via.Host, string(method)}, " ")
}

// server returns the transaction of a request, and whether it is a new one. It is nil if there are too many.
func (u *UserAgent) server(r *sip.Request, f *flow, key string) (t *serverTx, isNew bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if t := u.servers[key]; t != nil {
		return t, false
	}
	if u.closed || len(u.servers) >= maxTransactions {
		return nil, true
	}
	r.SetTransport(f.transport)
	t = &serverTx{ServerTx: sip.NewServerTx(key, r, u.replyFlow(r, f), silent), request: r, flow: f, begun: time.Now()}
	if t.Init() != nil {
		return nil, true
	}
	t.OnTerminate(func(string, error) {
		u.mu.Lock()
		defer u.mu.Unlock()
		delete(u.servers, key)
		delete(u.invitations, mergeKeyOf(r))
	})
	u.servers[key] = t
	return t, true
}

// replyFlow returns where responses to a request go: over UDP to its source, at the port in Via unless the peer wants the
// source's (RFC 3261 18.2.2, RFC 3581).
func (u *UserAgent) replyFlow(r *sip.Request, f *flow) *flow {
	via := r.Via()
	if f.transport != UDP || via.Params.Has("rport") {
		return f
	}
	port := via.Port
	if port <= 0 || port > 65535 {
		port = sip.DefaultUdpPort
	}
	return u.newFlow(UDP, netip.AddrPortFrom(f.peer.Addr(), uint16(port)), nil)
}

// respond answers a request within its transaction.
func (t *serverTx) respond(r *sip.Response) { _ = t.ServerTx.Respond(r) }

// clientTx is a request that waits for its response.
type clientTx struct {
	*sip.ClientTx
	flow        *flow
	incoming    chan *sip.Response
	provisional chan struct{} // closed at the first response
}

// errNoResponse is why a request has no final response.
var (
	errNoResponse  = errors.New("no response")
	errInterrupted = errors.New("the connection ended before the response")
)

// send sends a request and passes its responses on, one after the other. Without a final response, handle is at last called with
// an error. Further 2xx to an INVITE are passed on too.
func (u *UserAgent) send(f *flow, r *sip.Request, handle func(*sip.Response, error)) error {
	r.SetTransport(f.transport)
	key, err := sip.ClientTxKeyMake(r)
	if err != nil {
		return err
	}
	t := &clientTx{ClientTx: sip.NewClientTx(key, r, f, silent), flow: f, incoming: make(chan *sip.Response, 32), provisional: make(chan struct{})}
	t.OnTerminate(func(string, error) {
		u.mu.Lock()
		defer u.mu.Unlock()
		delete(u.clients, key)
	})
	t.OnRetransmission(func(r *sip.Response) { handle(r, nil) })
	u.mu.Lock()
	if u.closed || len(u.clients) >= maxTransactions {
		u.mu.Unlock()
		return ErrClosed
	}
	u.clients[key] = t
	u.running.Add(2)
	u.mu.Unlock()
	if err := t.Init(); err != nil {
		u.running.Add(-2)
		t.Terminate()
		return err
	}
	go func() {
		defer u.running.Done()
		t.receive()
	}()
	go func() {
		defer u.running.Done()
		t.report(handle)
	}()
	return nil
}

// receive gives responses to the transaction, which may make them wait.
func (t *clientTx) receive() {
	for {
		select {
		case r := <-t.incoming:
			t.Receive(r)
		case <-t.Done():
			return
		}
	}
}

func (t *clientTx) report(handle func(*sip.Response, error)) {
	answered, final := false, false
	for {
		select {
		case r := <-t.Responses():
			if !answered {
				answered = true
				close(t.provisional)
			}
			final = final || !r.IsProvisional()
			handle(r, nil)
		case <-t.Done():
			switch {
			case final:
			case !t.flow.isOpen():
				handle(nil, errInterrupted)
			default:
				handle(nil, errNoResponse)
			}
			return
		}
	}
}

// abort ends the requests that have no response on a connection that has closed. The others may be answered on another one.
func (u *UserAgent) abort(f *flow) {
	u.mu.Lock()
	clients := values(u.clients)
	u.mu.Unlock()
	for _, t := range clients {
		if t.flow != f {
			continue
		}
		select {
		case <-t.provisional:
		default:
			t.Terminate()
		}
	}
}

// receiveResponse gives a response to its request.
func (u *UserAgent) receiveResponse(r *sip.Response) {
	key, err := sip.ClientTxKeyMake(r)
	if err != nil || r.StatusCode < 100 || r.StatusCode > 699 {
		return
	}
	u.mu.Lock()
	t := u.clients[key]
	u.mu.Unlock()
	if t == nil {
		return
	}
	select {
	case t.incoming <- r:
	default: // more than a peer has to say at once; it repeats what matters
	}
}
