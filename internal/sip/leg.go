package sip

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"sync/atomic"
	"time"

	"parley/internal/dialogue"
	"parley/internal/sip/mediaport"
	"parley/internal/sip/negotiation"
	"parley/internal/sip/useragent"
)

// leg is the SIP side of a phone: its audio and its SIP call.
type leg struct {
	phone   *phone
	port    *mediaport.Port
	session *negotiation.Session
	key     legKey
	called  bool // its peer has called; nothing is sent to the address in its description before its ACK has verified that

	call    atomic.Pointer[useragent.Call] // nil until it is accepted, or answered if it is dialled
	abandon context.CancelCauseFunc        // ends the ringing of a leg that is dialled; nil for others
	seen    atomic.Int64                   // when a request of the peer last arrived within the call, Unix nanoseconds
	held    atomic.Bool                    // the peer has put the call on hold
}

// newLeg opens the audio of a leg, whose peer is at an address.
func (p *phone) newLeg(peer netip.Addr, n negotiation.Options) (*leg, error) {
	g := p.gateway
	own, err := g.network.ownAddress(peer)
	if err != nil {
		return nil, fmt.Errorf("find this machine's address towards the phone: %w", err)
	}
	l := &leg{phone: p}
	l.port, err = mediaport.Open(mediaport.Options{
		Ports: mediaport.PortRange{First: g.options.RTPPorts.From, Last: g.options.RTPPorts.To}, LoopbackOnly: g.options.LoopbackOnly,
		MayBeNATed:  func(a netip.Addr) bool { return a.IsPrivate() && !g.options.AllowPrivateNetworks },
		ReceiveRate: dialogue.ListenRate, SendRate: dialogue.ListenRate,
		OnFrame: l.playToRoom, OnDigit: func(d mediaport.Digit) { l.pressKey(d.Key) },
	})
	if err != nil {
		return nil, fmt.Errorf("open the phone's audio ports: %w", err)
	}
	n.Local = netip.AddrPortFrom(own, uint16(l.port.LocalPort()))
	l.session = negotiation.New(n)
	return l, nil
}

// isCurrent reports whether the leg is that of its phone, rather than one that rings or was replaced.
func (l *leg) isCurrent() bool { return l.phone.current.Load() == l }

// playToRoom plays a frame of the leg's audio to the room.
func (l *leg) playToRoom(pcm []int16) {
	if participant := l.phone.inRoom.Load(); participant != nil && l.isCurrent() {
		_ = participant.Play(pcm) // it has left: the call ends for that
	}
}

// pressKey passes a key on to the room.
func (l *leg) pressKey(key byte) {
	if l.isCurrent() {
		offer(l.phone.keys, key)
	}
}

// handler returns the callbacks of the leg's SIP call.
func (l *leg) handler() useragent.Handler {
	return useragent.Handler{
		Stream: l.configure,
		Digits: func(d useragent.Digit) { l.pressKey(d.Key) },
		Refer:  l.handleRefer,
		Alive:  func() { l.seen.Store(time.Now().UnixNano()) },
	}
}

// configure applies what was negotiated. A peer that takes no audio any more has put the call on hold.
func (l *leg) configure(s negotiation.Stream, early bool) error {
	if early && l.called {
		return nil
	}
	if err := l.port.Configure(s); err != nil {
		return err
	}
	if held := s.Held() && !early; l.held.Swap(held) != held && l.isCurrent() {
		l.phone.showHeld(held)
	}
	return nil
}

// isGone reports whether the leg, which was answered at a time, has given no sign of life for too long. While the call is on hold, its
// peer need not send anything; while it sends RTCP or requests, no audio.
func (l *leg) isGone(answered, now time.Time) bool {
	silence := l.phone.gateway.options.silence
	q := l.port.Quality()
	last := answered
	for _, at := range []time.Time{time.Unix(0, l.seen.Load()), q.LastRTP, q.LastRTCP} {
		if at.After(last) {
			last = at
		}
	}
	timeout := cmp.Or(silence, mediaTimeout)
	switch {
	case l.held.Load():
		timeout = heldTimeout
	case q.LastRTP.IsZero():
		timeout = cmp.Or(silence, mediaTimeoutInitial)
	}
	return now.Sub(last) >= timeout
}

// replacedReason is the reason that a replaced leg is hung up with.
var replacedReason = useragent.Reason{Protocol: "SIP", Cause: 200, Text: "Replaced"}

// replace makes next, which was answered, the phone's leg instead of l. It returns false, and changes nothing, if l is not the phone's leg
// any more, or the phone has hung up.
func (l *leg) replace(next *leg) bool {
	p := l.phone
	p.mu.Lock()
	replaced := p.ctx.Err() == nil && p.current.CompareAndSwap(l, next)
	p.mu.Unlock()
	if !replaced {
		return false
	}
	p.showHeld(next.held.Load())
	select {
	case p.changed <- struct{}{}:
	default:
	}
	return true
}

// finish has the phone take no other leg any more, and reports whether it still has this one.
func (l *leg) finish() bool {
	p := l.phone
	p.mu.Lock()
	defer p.mu.Unlock()
	if !l.isCurrent() {
		return false
	}
	p.end()
	return true
}

// finish has the phone take no other leg any more.
func (p *phone) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end()
}

// drop ends a leg that is not its phone's, or not any more.
func (l *leg) drop(why useragent.Reason) {
	if l.abandon != nil {
		l.abandon(why)
	}
	if call := l.call.Load(); call != nil {
		call.Hangup(why)
	}
	l.close()
}

// close ends the leg's audio.
func (l *leg) close() {
	l.port.Close()
	l.phone.gateway.trace.end(l.key)
}

// beginTransfer begins a transfer of the leg. It returns false if one is in progress, or the leg is not the phone's.
func (l *leg) beginTransfer() (end func(), ok bool) {
	p := l.phone
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.transfer != nil || !l.isCurrent() || p.ctx.Err() != nil {
		return nil, false
	}
	transfer := make(chan struct{})
	p.transfer = transfer
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.transfer = nil
		close(transfer)
	}, true
}

// transferring returns a channel that closes at the end of the transfer in progress; nil if there is none.
func (p *phone) transferring() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.transfer
}
