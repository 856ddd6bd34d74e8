package useragent

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/emiago/sipgo/sip"
	"github.com/google/uuid"

	"parley/internal/sip/negotiation"
)

// CallOptions are those of a call in either direction.
type CallOptions struct {
	Session *negotiation.Session // not used elsewhere while the call lasts
	Handler Handler
	// Permits reports whether requests within the call may be sent to an address that its peer names. nil permits none: they
	// are sent to where the first message came from, or went to.
	Permits func(netip.AddrPort) bool
	// Credentials answer challenges; nil if the peer gets none.
	Credentials *Credentials
	Contact     string        // user part of this side's Contact
	Owner       any           // returned by Call.Owner
	Interval    time.Duration // of the session timer that is asked for; 0 for 30 minutes (RFC 4028)
	MinInterval time.Duration // accepted of the other side; 0 for 90 s
}

func (o CallOptions) interval() time.Duration {
	if o.Interval == 0 {
		return 30 * time.Minute
	}
	return o.Interval
}

func (o CallOptions) minInterval() time.Duration {
	if o.MinInterval == 0 {
		return 90 * time.Second
	}
	return o.MinInterval
}

// Handler has the callbacks of a call; each may be nil. They run one after the other, and must not wait for the call: its
// methods that return a result are called from elsewhere.
type Handler struct {
	// Stream receives each stream that is agreed on: hold, codec and address may have changed. Early media is received as such,
	// before the call is answered. An error ends the call.
	Stream func(s negotiation.Stream, early bool) error
	// Digits receives a key that the peer sent by INFO.
	Digits func(Digit)
	// Refer receives the peer's request to transfer it (RFC 3515). nil declines.
	Refer func(*Referral)
	// Alive is called at each request of the peer within the call, and when it answers a refresh: it is there, although it may
	// send no audio.
	Alive func()
	// Ended is called once, when the call has ended.
	Ended func(End)
}

// Cause is who or what ended a call.
type Cause string

// The causes.
const (
	HungUp       Cause = "hung up"              // by the peer's BYE
	HungUpHere   Cause = "hung up by this side" // after the answer
	Cancelled    Cause = "cancelled"            // by the caller, before the answer
	RejectedHere Cause = "rejected"             // by this side
	Failed       Cause = "failed"               // outbound: a final response other than 2xx, or none; see Status
	Unconfirmed  Cause = "unconfirmed"          // the answer was not acknowledged
	Expired      Cause = "expired"              // the session was not refreshed, or the peer does not know the call any more
	Mismatch     Cause = "mismatch"             // the descriptions cannot be agreed on
	Closed       Cause = "closed"               // the user agent was
)

// End is how a call ended.
type End struct {
	Cause  Cause
	Status int    // of the response that ended it; 0 for none
	Reason Reason // of the peer's BYE or CANCEL, if it gave one
}

// state is that of a call.
type state string

const (
	stateInvited  state = "invited"  // inbound: no final response
	stateCalling  state = "calling"  // outbound: no response
	stateRinging  state = "ringing"  // outbound: provisional response
	stateAnswered state = "answered" // inbound: 2xx that waits for its ACK
	stateActive   state = "active"   // acknowledged
	stateEnded    state = "ended"
)

// following are the states that may follow each.
var following = map[state][]state{
	stateInvited:  {stateAnswered, stateEnded},
	stateCalling:  {stateRinging, stateActive, stateEnded},
	stateRinging:  {stateRinging, stateActive, stateEnded},
	stateAnswered: {stateActive, stateEnded},
	stateActive:   {stateEnded},
}

// ErrState is the error of what a call cannot do in its state.
var ErrState = errors.New("the call is not in a state for this")

// Call is one call of either direction. Its state belongs to one goroutine, which runs what is posted to it; methods may be
// called from any.
type Call struct {
	agent   *UserAgent
	options CallOptions
	queue   queue
	done    chan struct{} // closed when the call has ended
	open    atomic.Int32  // requests of the peer whose transactions are kept

	shared struct {
		sync.Mutex
		state     state
		remoteTag string
		end       End
	}

	// Of the call's goroutine.
	dialog   dialog
	session  *negotiation.Session
	flow     *flow
	inbound  *inbound  // nil for an outbound call
	outbound *outbound // nil for an inbound call
	peer     peer
	timer    sessionTimer
	offers   offers
	subs     subscriptions
	requests int // of this side that are not finished
	lastAck  *sip.Request
}

// peer is what the other side can do.
type peer struct {
	update, timer bool
}

// NewTag returns a random tag.
func NewTag() string { return strings.ReplaceAll(uuid.NewString(), "-", "")[:16] }

func (c *Call) learn(m sip.Message) {
	if len(m.GetHeaders("Allow")) > 0 {
		c.peer.update = lists(m, "Allow", "UPDATE")
	}
	c.peer.timer = c.peer.timer || lists(m, "Supported", "timer")
}

// ID returns the call's Call-ID.
func (c *Call) ID() string { return c.dialog.callID }

// Owner returns CallOptions.Owner.
func (c *Call) Owner() any { return c.options.Owner }

// LocalTag returns this side's tag.
func (c *Call) LocalTag() string { return c.dialog.localTag }

// RemoteTag returns the other side's tag; "" before its first response.
func (c *Call) RemoteTag() string {
	c.shared.Lock()
	defer c.shared.Unlock()
	return c.shared.remoteTag
}

// Done is closed when the call has ended.
func (c *Call) Done() <-chan struct{} { return c.done }

// End returns how the call ended; zero before.
func (c *Call) End() End {
	c.shared.Lock()
	defer c.shared.Unlock()
	return c.shared.end
}

func (c *Call) state() state {
	c.shared.Lock()
	defer c.shared.Unlock()
	return c.shared.state
}

// confirmed reports whether the call has been answered.
func (c *Call) confirmed() bool {
	return slices.Contains([]state{stateAnswered, stateActive}, c.state())
}

// move changes the state; false if the table does not have the change.
func (c *Call) move(to state) bool {
	c.shared.Lock()
	defer c.shared.Unlock()
	if !slices.Contains(following[c.shared.state], to) {
		return false
	}
	c.shared.state = to
	return true
}

func (c *Call) setRemoteTag(tag string) {
	c.shared.Lock()
	defer c.shared.Unlock()
	c.dialog.remoteTag, c.shared.remoteTag = tag, tag
}

// end ends the call without a message to the peer. It does nothing if the call has ended.
func (c *Call) end(e End) {
	if !c.move(stateEnded) {
		return
	}
	c.shared.Lock()
	c.shared.end = e
	c.shared.Unlock()
	c.timer.stop()
	c.offers.stop()
	c.subs.stop()
	if c.inbound != nil {
		c.inbound.stop()
	}
	if c.outbound != nil {
		c.outbound.stop()
		c.outbound.report(&DialError{Status: 503, Err: ErrClosed}) // unless it had another outcome
	}
	c.agent.unregister(c)
	if c.options.Handler.Ended != nil {
		c.options.Handler.Ended(e)
	}
	close(c.done)
}

// agreed reports a stream to the handler. A call whose stream cannot be used ends.
func (c *Call) agreed(s negotiation.Stream, early bool) {
	if c.options.Handler.Stream == nil {
		return
	}
	if err := c.options.Handler.Stream(s, early); err != nil {
		c.hangUp(End{Cause: Mismatch}, Reason{"SIP", 488, "Media cannot be set up"})
	}
}

// Hangup ends the call: it cancels or rejects one that is not answered, and sends a BYE otherwise. A zero reason is not sent.
func (c *Call) Hangup(r Reason) {
	c.post(func() {
		switch c.state() {
		case stateInvited:
			c.reject(480, "")
		case stateCalling, stateRinging:
			c.abandon(r, &DialError{Status: 487, Err: ErrCancelled})
		default:
			c.hangUp(End{Cause: HungUpHere}, r)
		}
	})
}

// hangUp sends a BYE and ends the call.
func (c *Call) hangUp(e End, r Reason) {
	if s := c.state(); s != stateAnswered && s != stateActive {
		return
	}
	bye := c.newRequest(sip.BYE)
	if r.Protocol != "" {
		bye.AppendHeader(r.header())
	}
	c.request(bye, func(*sip.Response, error) {})
	c.end(e)
}

// run runs what is posted to the call until it has ended and its last requests are finished.
func (c *Call) run() {
	for {
		f, ok := c.queue.next(func() bool { return c.state() == stateEnded && c.requests == 0 })
		if !ok {
			return
		}
		f()
	}
}

// post has the call's goroutine run f. It reports false if the call is over.
func (c *Call) post(f func()) bool { return c.queue.add(f, 0) }

// receive is post for what a peer sends: a call in which too much of it waits drops it.
func (c *Call) receive(f func()) bool {
	if c.state() == stateEnded {
		return false
	}
	return c.queue.add(f, maxQueued)
}

// discard ends a call that was not begun.
func (c *Call) discard() { c.queue.close() }

// after posts f later. The timer is stopped by its owner.
func (c *Call) after(d time.Duration, f func()) *time.Timer {
	return time.AfterFunc(d, func() { c.post(f) })
}

// queue is the work of a call's goroutine.
type queue struct {
	mu     sync.Mutex
	items  []func()
	wake   chan struct{}
	closed bool
}

// add appends f. It reports false if the queue is closed, or longer than a limit, if one is given.
func (q *queue) add(f func(), limit int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || limit > 0 && len(q.items) >= limit {
		return false
	}
	q.items = append(q.items, f)
	select {
	case q.wake <- struct{}{}:
	default:
	}
	return true
}

// next waits for the next item. The queue closes when it is empty and finished says so.
func (q *queue) next(finished func() bool) (f func(), ok bool) {
	for {
		q.mu.Lock()
		if len(q.items) > 0 {
			f, q.items = q.items[0], q.items[1:]
			q.mu.Unlock()
			return f, true
		}
		if finished() {
			q.closed = true
			q.mu.Unlock()
			return nil, false
		}
		q.mu.Unlock()
		<-q.wake
	}
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
}
