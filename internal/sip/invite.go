package sip

import (
	"sync"
	"time"

	"github.com/livekit/sipgo/sip"
	"github.com/livekit/sipgo/transaction"
	"github.com/livekit/sipgo/transport"
)

// cancelTimeout is how long a cancelled INVITE waits for its final response: 64*T1 (RFC 3261 9.1).
const cancelTimeout = transaction.Timer_B

// handleInvite is an INVITE client transaction as LiveKit sees it. LiveKit drops a transaction that it no longer needs;
// this one is followed to its end, because otherwise phones would keep ringing, or be answered with nobody there:
//
// - a CANCEL waits for the first provisional response (RFC 3261 9.1), and is repeated over UDP until the INVITE
// ends;
//
// - the final response to a cancelled INVITE is acknowledged, and an answered call is hung up;
//
// - a repeated 2xx, whose ACK was lost, is acknowledged again (RFC 3261 13.2.2.4).
type invite struct {
	uac     *uac
	leg     *leg
	request *sip.Request
	stack   sip.ClientTransaction
	settle  func() // called when the outcome is known; idempotent

	responses     chan *sip.Response
	done          chan struct{} // LiveKit gets no further responses
	cancelled     chan struct{} // LiveKit has cancelled it
	terminated    chan struct{} // LiveKit has terminated it
	requestCancel func()
	terminate     func()

	// Used by follow only.
	abandoned   bool
	provisional bool          // a provisional response arrived
	final       *sip.Response // the first final response
	repeat      *time.Timer   // of the CANCEL
	wait        time.Duration // until the next repetition
}

func newInvite(u *uac, l *leg, request *sip.Request, stack sip.ClientTransaction) *invite {
	i := &invite{
		uac: u, leg: l, request: request, stack: stack, settle: sync.OnceFunc(u.open.Done),
		responses: make(chan *sip.Response, 16), done: make(chan struct{}), cancelled: make(chan struct{}), terminated: make(chan struct{}),
		repeat: time.NewTimer(cancelTimeout), wait: transaction.T1,
	}
	i.repeat.Stop()
	i.requestCancel = sync.OnceFunc(func() { close(i.cancelled) })
	i.terminate = sync.OnceFunc(func() { close(i.terminated) })
	return i
}

func (i *invite) Responses() <-chan *sip.Response { return i.responses }
func (i *invite) Done() <-chan struct{}           { return i.done }
func (i *invite) Err() error                      { return i.stack.Err() }
func (i *invite) Terminate()                      { i.terminate() }

func (i *invite) Cancel() error {
	i.requestCancel()
	return nil
}

// follow runs until the transaction has ended.
func (i *invite) follow() {
	over := time.NewTimer(cancelTimeout)
	over.Stop()
	defer func() {
		over.Stop()
		i.repeat.Stop()
		i.stack.Terminate()
		i.settle()
		close(i.done)
	}()
	given, left := i.cancelled, i.terminated
	for {
		select {
		case r, open := <-i.stack.Responses():
			if open {
				i.handle(r)
				continue
			}
			i.finish()
			return
		case <-i.stack.Done():
			i.finish()
			return
		case <-given:
			given = nil
			i.abandon()
			over.Reset(cancelTimeout)
		case <-left:
			left = nil
			if i.final == nil {
				i.abandon()
				over.Reset(cancelTimeout)
			}
		case <-i.repeat.C:
			i.cancel()
		case <-over.C:
			return
		case <-i.uac.closing:
			return
		}
	}
}

// finish delivers the remaining responses and waits until LiveKit has read the final one: if Done closed at the
// same time, LiveKit might miss it.
func (i *invite) finish() {
	for r := range i.stack.Responses() {
		i.handle(r)
	}
	if i.final == nil {
		return
	}
	i.settle()
	select {
	case <-i.terminated:
	case <-i.uac.closing:
	}
}

func (i *invite) handle(r *sip.Response) {
	i.uac.network.guardAnswer(i.leg, r)
	switch {
	case i.final != nil:
		i.uac.acknowledge(i.leg)
	case r.IsProvisional():
		first := !i.provisional
		i.provisional = true
		if i.abandoned {
			if first {
				i.cancel()
			}
			return
		}
		i.leg.recordResponse(r)
		select {
		case i.responses <- r:
		default: // LiveKit does not read that many provisional responses
		}
	default:
		i.final = r
		i.repeat.Stop()
		if !i.abandoned {
			i.leg.recordResponse(r)
			select {
			case i.responses <- r:
			case <-i.terminated:
				i.abandoned = true
			case <-i.uac.closing:
			}
		}
		if i.abandoned && r.IsSuccess() {
			i.uac.hangUp(i.request, r)
		}
		i.settle()
	}
}

// abandon ends a transaction that LiveKit no longer waits for.
func (i *invite) abandon() {
	if i.abandoned {
		return
	}
	i.abandoned = true
	switch {
	case i.final == nil && i.provisional:
		i.cancel()
	case i.final != nil && i.final.IsSuccess(): // answered at the moment of the cancellation
		i.uac.hangUp(i.request, i.final)
	}
}

func (i *invite) cancel() {
	_ = i.stack.Cancel() // repeated if it is lost
	if !transport.IsReliable(i.request.Transport()) {
		i.repeat.Reset(i.wait)
		i.wait = min(2*i.wait, transaction.T2)
	}
}
