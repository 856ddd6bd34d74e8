package sip

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"time"

	lksip "github.com/livekit/sip/pkg/sip"
	"github.com/livekit/sipgo"
	"github.com/livekit/sipgo/sip"
	"github.com/livekit/sipgo/transport"
)

// byeTimeout bounds the wait for the response to a BYE that no caller waits for.
const byeTimeout = 5 * time.Second

// uac is the user agent client (RFC 3261) with which LiveKit dials. It wraps the SIP stack and adds: a trunk's name is
// resolved and its address checked here, and the connection is made to the checked address; responses are recorded
// for their leg; rejected credentials are not sent again; INVITE transactions run to their end.
type uac struct {
	stack       lksip.SIPClient
	network     network
	closing     chan struct{}  // ends all INVITE transactions
	openInvites sync.WaitGroup // INVITEs without a final response
	running     sync.WaitGroup

	mu       sync.Mutex
	legs     map[string]*leg // by the From tag, which is LiveKit's call id
	stopping bool
}

// stop prevents further INVITEs.
func (u *uac) stop() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.stopping = true
}

// beginInvite counts an INVITE. It returns false when the gateway is stopping.
func (u *uac) beginInvite() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.stopping {
		return false
	}
	u.openInvites.Add(1)
	u.running.Add(1)
	return true
}

func (u *uac) addLeg(id string, l *leg) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.legs[id] = l
}

// removeLeg removes a leg; it is idempotent.
func (u *uac) removeLeg(id string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	l := u.legs[id]
	if l == nil {
		return
	}
	if l.limit != nil {
		l.limit.Stop()
	}
	close(l.ended)
	delete(u.legs, id)
}

// limitDuration calls hangUp when a leg has lasted for d.
func (u *uac) limitDuration(id string, d time.Duration, hangUp func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if l := u.legs[id]; l != nil {
		l.limit = time.AfterFunc(d, hangUp)
	}
}

// hasLeg reports whether there is a leg with an id.
func (u *uac) hasLeg(id string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.legs[id] != nil
}

// legOf returns the leg of a request; nil for none.
func (u *uac) legOf(request *sip.Request) *leg {
	from := request.From()
	if from == nil {
		return nil
	}
	tag, _ := from.Params.Get("tag")
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.legs[tag]
}

// TransactionRequest sends a request that has a response.
func (u *uac) TransactionRequest(request *sip.Request, options ...sipgo.ClientRequestOption) (sip.ClientTransaction, error) {
	l := u.legOf(request)
	switch {
	case l == nil:
		return u.stack.TransactionRequest(request, options...)
	case request.Method == sip.INVITE:
		return u.sendInvite(l, request, options)
	}
	l.renumber(request)
	if err := u.setDestination(l, request); err != nil {
		return nil, err
	}
	return u.stack.TransactionRequest(request, options...)
}

// WriteRequest sends a request without a response: an ACK, or the BYE of a gateway that stops.
func (u *uac) WriteRequest(request *sip.Request, options ...sipgo.ClientRequestOption) error {
	if l := u.legOf(request); l != nil {
		l.renumber(request)
		if err := u.setDestination(l, request); err != nil {
			return err
		}
		if request.Method == sip.ACK {
			l.mu.Lock()
			l.ack = request
			l.mu.Unlock()
		}
	}
	return u.stack.WriteRequest(request, options...)
}

// Close implements the interface; the gateway closes the stack.
func (u *uac) Close() error { return u.stack.Close() }

// sendInvite sends an INVITE to the leg's trunk.
func (u *uac) sendInvite(l *leg, request *sip.Request, options []sipgo.ClientRequestOption) (sip.ClientTransaction, error) {
	if status, wrong := l.wrongCredentials(); wrong {
		return nil, l.recordDialError(dialErrorOf(status))
	}
	target, err := u.network.connectLeg(l.ctx, l)
	if err != nil {
		return nil, err
	}
	request.SetDestination(target.String())
	if target.Addr().Is6() {
		own, err := localAddress(target)
		if err != nil {
			return nil, l.recordDialError(unreachable("The trunk cannot be reached: this machine has no IPv6 address."))
		}
		nameIPv6(request, own)
	}
	if !u.beginInvite() {
		return nil, errStopped
	}
	tx, err := u.stack.TransactionRequest(request, options...)
	if err != nil {
		u.openInvites.Done()
		u.running.Done()
		return nil, l.recordDialError(sendError(err))
	}
	l.mu.Lock()
	l.invited, l.contact = true, request.Contact()
	l.mu.Unlock()
	i := newInvite(u, l, request, tx)
	go func() {
		defer u.running.Done()
		i.run()
	}()
	return i, nil
}

// setDestination sets the destination of a request within a dialog: the other side's Contact or Record-Route if its address
// is permitted, else the address of the INVITE, which also reaches a peer behind a NAT.
func (u *uac) setDestination(l *leg, request *sip.Request) error {
	l.mu.Lock()
	target := l.target
	l.mu.Unlock()
	if !transport.IsReliable(request.Transport()) {
		if named, err := netip.ParseAddrPort(request.Destination()); err == nil && u.network.checkAddress(l.trunk, named.Addr()) == nil {
			target = named
		}
	} else if err := u.network.connect(context.Background(), l, target); err != nil {
		return err
	}
	request.SetDestination(target.String())
	return nil
}

// repeatACK repeats the ACK of an answered leg, whose 2xx was received again.
func (u *uac) repeatACK(l *leg) {
	l.mu.Lock()
	ack := l.ack
	l.mu.Unlock()
	if ack != nil {
		_ = u.stack.WriteRequest(ack)
	}
}

// hangUp ends a call that was answered after LiveKit had dropped it: it sends ACK and BYE.
func (u *uac) hangUp(invite *sip.Request, answer *sip.Response) {
	destination := invite.Destination()
	if contact := answer.Contact(); contact != nil {
		invite.Recipient = contact.Address
	}
	ack, bye := sip.NewAckRequest(invite, answer, nil), sip.NewByeRequest(invite, answer, nil)
	ack.SetDestination(destination)
	bye.SetDestination(destination)
	if u.stack.WriteRequest(ack) != nil {
		return
	}
	tx, err := u.stack.TransactionRequest(bye)
	if err != nil {
		return
	}
	defer tx.Terminate()
	limit := time.NewTimer(byeTimeout)
	defer limit.Stop()
	select {
	case <-tx.Responses():
	case <-tx.Done():
	case <-limit.C:
	case <-u.closing:
	}
}

// waitForListener blocks until the stack sends from the gateway's own port.
func (u *uac) waitForListener(layer *transport.Layer) {
	unused := net.JoinHostPort("127.0.0.1", "9")
	for {
		if c, err := layer.GetConnection("udp", unused); err == nil && c != nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
