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

// invite is an INVITE client transaction for LiveKit. LiveKit drops a transaction that it no longer needs; this one runs
// to its end, because otherwise phones would keep ringing, or be answered without a call:
//
// - a CANCEL waits for the first provisional response (RFC 3261 9.1), and is repeated over UDP until the INVITE
// ends;
//
// - the final response to a cancelled INVITE is acknowledged, and an answered call is hung up;
//
// - a repeated 2xx, whose ACK was lost, is acknowledged again (RFC 3261 13.2.2.4).
type invite struct {
	uac         *uac
	leg         *leg
	request     *sip.Request
	stack       sip.ClientTransaction
	reportFinal func() // called when the final response is known; idempotent

	responses     chan *sip.Response
	done          chan struct{} // LiveKit gets no further responses
	cancelled     chan struct{} // LiveKit has cancelled it
	terminated    chan struct{} // LiveKit has terminated it
	requestCancel func()
	terminate     func()

	// Used by run only.
	abandoned      bool
	provisional    bool          // a provisional response arrived
	final          *sip.Response // the first final response
	cancelTimer    *time.Timer   // of the CANCEL
	cancelInterval time.Duration // until the next repetition
}

func newInvite(u *uac, l *leg, request *sip.Request, stack sip.ClientTransaction) *invite {
	i := &invite{
		uac: u, leg: l, request: request, stack: stack, reportFinal: sync.OnceFunc(u.openInvites.Done),
		responses: make(chan *sip.Response, 16), done: make(chan struct{}), cancelled: make(chan struct{}), terminated: make(chan struct{}),
		cancelTimer: time.NewTimer(cancelTimeout), cancelInterval: transaction.T1,
	}
	i.cancelTimer.Stop()
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

// run runs until the transaction has ended.
func (i *invite) run() {
	timeout := time.NewTimer(cancelTimeout)
	timeout.Stop()
	defer func() {
		timeout.Stop()
		i.cancelTimer.Stop()
		i.stack.Terminate()
		i.reportFinal()
		close(i.done)
	}()
	cancelled, terminated := i.cancelled, i.terminated
	for {
		select {
		case r, open := <-i.stack.Responses():
			if open {
				i.handleResponse(r)
				continue
			}
			i.finishTransaction()
			return
		case <-i.stack.Done():
			i.finishTransaction()
			return
		case <-cancelled:
			cancelled = nil
			i.abandon()
			timeout.Reset(cancelTimeout)
		case <-terminated:
			terminated = nil
			if i.final == nil {
				i.abandon()
				timeout.Reset(cancelTimeout)
			}
		case <-i.cancelTimer.C:
			i.sendCancel()
		case <-timeout.C:
			return
		case <-i.uac.closing:
			return
		}
	}
}

// finishTransaction handles the remaining responses and waits until LiveKit has read the final one, which it might miss if
// Done closed at the same time.
func (i *invite) finishTransaction() {
	for r := range i.stack.Responses() {
		i.handleResponse(r)
	}
	if i.final == nil {
		return
	}
	i.reportFinal()
	select {
	case <-i.terminated:
	case <-i.uac.closing:
	}
}

func (i *invite) handleResponse(r *sip.Response) {
	i.uac.network.guardAnswer(i.leg, r)
	switch {
	case i.final != nil:
		i.uac.repeatACK(i.leg)
	case r.IsProvisional():
		first := !i.provisional
		i.provisional = true
		if i.abandoned {
			if first {
				i.sendCancel()
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
		i.cancelTimer.Stop()
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
		i.reportFinal()
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
		i.sendCancel()
	case i.final != nil && i.final.IsSuccess(): // answered at the moment of the cancellation
		i.uac.hangUp(i.request, i.final)
	}
}

func (i *invite) sendCancel() {
	_ = i.stack.Cancel() // repeated if it is lost
	if !transport.IsReliable(i.request.Transport()) {
		i.cancelTimer.Reset(i.cancelInterval)
		i.cancelInterval = min(2*i.cancelInterval, transaction.T2)
	}
}
