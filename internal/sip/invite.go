package sip

import (
	"sync"
	"time"

	"github.com/livekit/sipgo/sip"
	"github.com/livekit/sipgo/transaction"
	"github.com/livekit/sipgo/transport"
)

// patience is how long an INVITE that was given up may take to end: 64*T1 (RFC 3261 9.1).
const patience = transaction.Timer_B

// invite is an INVITE's client transaction as LiveKit sees it. LiveKit drops a transaction as soon as it has lost
// interest. This one is followed to its end, or else phones would ring on, or be picked up with nobody there:
//   - a CANCEL waits for the first provisional answer (RFC 3261 9.1), and is repeated over UDP until the INVITE ends;
//   - the final answer to what was cancelled is acknowledged; if it is that the phone was picked up just then, the phone
//     is hung up;
//   - an answer that is repeated because our ACK was lost is acknowledged again (RFC 3261 13.2.2.4).
type invite struct {
	uac     *uac
	leg     *leg
	request *sip.Request
	stack   sip.ClientTransaction
	settle  func() // it is known how it ended; may be called again

	responses chan *sip.Response
	done      chan struct{} // LiveKit hears no more
	given     chan struct{} // LiveKit has given it up
	left      chan struct{} // LiveKit listens no more
	giveUp    func()
	leave     func()

	// Of follow alone.
	abandoned bool
	heard     bool          // a provisional answer came
	final     *sip.Response // the first final answer
	repeat    *time.Timer   // of the CANCEL
	wait      time.Duration // until it is repeated
}

func newInvite(u *uac, l *leg, request *sip.Request, stack sip.ClientTransaction) *invite {
	i := &invite{
		uac: u, leg: l, request: request, stack: stack, settle: sync.OnceFunc(u.open.Done),
		responses: make(chan *sip.Response, 16), done: make(chan struct{}), given: make(chan struct{}), left: make(chan struct{}),
		repeat: time.NewTimer(patience), wait: transaction.T1,
	}
	i.repeat.Stop()
	i.giveUp = sync.OnceFunc(func() { close(i.given) })
	i.leave = sync.OnceFunc(func() { close(i.left) })
	return i
}

func (i *invite) Responses() <-chan *sip.Response { return i.responses }
func (i *invite) Done() <-chan struct{}           { return i.done }
func (i *invite) Err() error                      { return i.stack.Err() }
func (i *invite) Terminate()                      { i.leave() }

func (i *invite) Cancel() error {
	i.giveUp()
	return nil
}

// follow sees the transaction to its end.
func (i *invite) follow() {
	over := time.NewTimer(patience)
	over.Stop()
	defer func() {
		over.Stop()
		i.repeat.Stop()
		i.stack.Terminate()
		i.settle()
		close(i.done)
	}()
	given, left := i.given, i.left
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
			over.Reset(patience)
		case <-left:
			left = nil
			if i.final == nil {
				i.abandon()
				over.Reset(patience)
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

// finish takes what the stack has left, and waits until LiveKit has taken the final answer: told at once that there is
// one and that nothing more comes, it might see the latter only.
func (i *invite) finish() {
	for r := range i.stack.Responses() {
		i.handle(r)
	}
	if i.final == nil {
		return
	}
	i.settle()
	select {
	case <-i.left:
	case <-i.uac.closing:
	}
}

func (i *invite) handle(r *sip.Response) {
	i.uac.network.guardAnswer(i.leg, r)
	switch {
	case i.final != nil:
		i.uac.acknowledge(i.leg)
	case r.IsProvisional():
		first := !i.heard
		i.heard = true
		if i.abandoned {
			if first {
				i.cancel()
			}
			return
		}
		i.leg.note(r)
		select {
		case i.responses <- r:
		default: // more than LiveKit reads; it only counts them
		}
	default:
		i.final = r
		i.repeat.Stop()
		if !i.abandoned {
			i.leg.note(r)
			select {
			case i.responses <- r:
			case <-i.left:
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

// abandon ends what LiveKit does not wait for any more.
func (i *invite) abandon() {
	if i.abandoned {
		return
	}
	i.abandoned = true
	switch {
	case i.final == nil && i.heard:
		i.cancel()
	case i.final != nil && i.final.IsSuccess(): // LiveKit gave it up in the instant that it was picked up
		i.uac.hangUp(i.request, i.final)
	}
}

func (i *invite) cancel() {
	_ = i.stack.Cancel() // what is lost is repeated
	if !transport.IsReliable(i.request.Transport()) {
		i.repeat.Reset(i.wait)
		i.wait = min(2*i.wait, transaction.T2)
	}
}
