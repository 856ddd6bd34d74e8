package sip

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/livekit/protocol/livekit"

	"parley/internal/dialogue"
	"parley/internal/media"
	"parley/internal/sip/negotiation"
	"parley/internal/sip/useragent"
)

// phone is the phone of a call: its participant in the call's room, and its SIP leg, which a transfer replaces.
type phone struct {
	gateway *Gateway
	member  member
	// trunk is that of the call. For a phone that was dialled, Addresses has those of the trunk.
	trunk  InboundRoute
	callID string // of Parley's call
	peer   string // DialRequest.Peer

	inRoom atomic.Pointer[media.Participant] // nil until it has joined
	agent  chan struct{}                     // closed when the agent's audio is in the room
	left   chan struct{}                     // closed when the participant has left, or the room was closed
	keys   chan byte                         // pressed on the phone, for the room
	tones  chan byte                         // of the agent, for the phone

	current atomic.Pointer[leg]
	changed chan struct{}   // receives after current has changed
	ctx     context.Context // ends when the phone takes no other leg any more
	end     context.CancelFunc

	mu       sync.Mutex
	transfer chan struct{} // closed when the transfer in progress is decided; nil if there is none
}

// The timeouts of a phone that sends neither audio, nor RTCP, nor requests of its call.
const (
	mediaTimeout = 15 * time.Second // between two signs of life
	// mediaTimeoutInitial is for the first one after the answer.
	mediaTimeoutInitial = 30 * time.Second
	// heldTimeout is for phones that have put the call on hold. They may send nothing: it only ends calls whose peers vanished and
	// refresh no session timer.
	heldTimeout = 2 * time.Hour
)

const (
	// phoneTokenTTL is how long the token of a phone's participant is valid; the media server renews it.
	phoneTokenTTL = time.Hour
	// keyQueue is the most keys that wait to be sent to the room, or to the phone.
	keyQueue = 64
)

// The states of a phone that the room sees in LiveKit's attribute of SIP participants.
const (
	statusDialing = "dialing"
	statusRinging = "ringing"
	statusActive  = "active"
)

// newPhone returns a phone with the leg of a peer at an address.
func (g *Gateway) newPhone(trunk InboundRoute, peer netip.Addr, n negotiation.Options) (*phone, *leg, error) {
	p := &phone{gateway: g, trunk: trunk, agent: make(chan struct{}), left: make(chan struct{}), keys: make(chan byte, keyQueue),
		tones: make(chan byte, keyQueue), changed: make(chan struct{}, 1)}
	l, err := p.newLeg(peer, n)
	if err != nil {
		return nil, nil, err
	}
	p.ctx, p.end = context.WithCancel(g.ctx)
	p.current.Store(l)
	return p, l, nil
}

// join joins the phone to its room, which must exist, with a status.
func (p *phone) join(ctx context.Context, status string) error {
	o := p.gateway.options
	sign := o.Tokens.Phone
	if p.peer != "" {
		sign = o.Tokens.Person
	}
	token, err := sign(p.member.room, p.member.identity, map[string]string{livekit.AttrSIPCallStatus: status}, time.Now(), phoneTokenTTL)
	if err != nil {
		return err
	}
	participant, err := o.Joiner.Join(ctx, media.JoinOptions{
		URL: o.MediaURL, Token: token, Peer: p.peer, Private: p.peer != "", Data: true, PlayRate: dialogue.ListenRate, OnTone: func(key byte) { offer(p.tones, key) }, Log: o.Logger.With("component", "sip"),
	})
	if err != nil {
		return fmt.Errorf("join the phone to its room: %w", err)
	}
	p.inRoom.Store(participant)
	go p.follow(participant)
	return nil
}

// follow follows the events of the phone's participant, which end with it.
func (p *phone) follow(participant *media.Participant) {
	defer close(p.left)
	found := false
	for e := range participant.Events() {
		if e.Kind == media.PeerLeft && p.peer != "" { // nobody is there who would connect it
			go participant.Leave()
		}
		if e.Kind == media.PeerAudio && !found {
			found = true
			close(p.agent)
		}
	}
}

// close ends the phone's audio, and has it leave its room: as one that hung up, or was lost.
func (p *phone) close(lost bool) {
	p.finish()
	if participant := p.inRoom.Load(); participant == nil {
	} else if lost {
		participant.LeaveLost()
	} else {
		participant.Leave()
	}
	p.current.Load().close()
}

// offer sends to a channel without waiting.
func offer(c chan<- byte, key byte) {
	select {
	case c <- key:
	default:
	}
}

// traceOwner returns what the messages of the phone's legs belong to.
func (p *phone) traceOwner() traceOwner {
	return traceOwner{tenantID: p.trunk.TenantID, callID: p.callID}
}

// setAttribute sets an attribute of the phone that the room sees; "" removes it.
func (p *phone) setAttribute(name, value string) {
	if participant := p.inRoom.Load(); participant != nil {
		participant.SetAttributes(map[string]string{name: value})
	}
}

// showHeld sets the attribute that the room sees of a phone that has put the call on hold.
func (p *phone) showHeld(held bool) {
	value := ""
	if held {
		value = "true"
	}
	p.setAttribute(media.AttributeHeld, value)
}

// talk passes audio and keys between an answered phone, which is in its room, and the room. It returns when one of them has ended the
// call, or its maximum duration is over; 0 means no limit.
func (p *phone) talk(longest time.Duration) {
	participant := p.inRoom.Load()
	p.setAttribute(livekit.AttrSIPCallStatus, statusActive)
	if p.current.Load().held.Load() {
		p.showHeld(true)
	}
	var pumps sync.WaitGroup
	ended := make(chan struct{})
	pumps.Go(func() {
		for pcm := range participant.Frames() { // ends with the participant
			_ = p.current.Load().port.Write(pcm)
		}
	})
	pumps.Go(func() { p.passKeys(participant, ended) })
	why, lost := p.watch(longest)
	p.finish()
	p.current.Load().call.Load().Hangup(why)
	p.publishQuality()
	p.close(lost)
	close(ended)
	pumps.Wait()
}

// watch waits for the end of an answered call, and returns why it is to be hung up; lost: the phone has vanished.
func (p *phone) watch(longest time.Duration) (why useragent.Reason, lost bool) {
	answered := time.Now()
	var over <-chan time.Time
	if longest > 0 {
		limit := time.NewTimer(longest)
		defer limit.Stop()
		over = limit.C
	}
	check := time.NewTicker(min(time.Second, cmp.Or(p.gateway.options.silence, mediaTimeout)/4))
	defer check.Stop()
	measure := time.NewTicker(qualityInterval)
	defer measure.Stop()
	for {
		transfer := p.transferring() // read before the leg: a transfer changes it before it ends
		l := p.current.Load()
		call := l.call.Load()
		done := call.Done()
		if transfer != nil && isDone(call) { // the peer need not wait for the outcome
			done = transfer
		}
		select {
		case <-done:
			if p.transferring() == nil && p.current.Load() == l && isDone(call) {
				return why, false
			}
		case <-p.changed:
			answered = time.Now()
		case <-p.left:
			return why, false
		case <-over:
			return why, false
		case <-p.gateway.ctx.Done():
			return useragent.Reason{Protocol: "SIP", Cause: 503, Text: "Server shutdown"}, false
		case <-measure.C:
			p.publishQuality()
		case now := <-check.C:
			if transfer == nil && l.isGone(answered, now) {
				return useragent.Reason{Protocol: "SIP", Cause: 408, Text: "No media"}, true
			}
		}
	}
}

// passKeys sends keys that are pressed on the phone to the room, and the agent's tones to the phone, until ended closes.
func (p *phone) passKeys(participant *media.Participant, ended <-chan struct{}) {
	for {
		select {
		case key := <-p.keys:
			_ = participant.SendTone(key) // it has left: the call ends for that
		case tone := <-p.tones:
			_ = p.current.Load().port.SendDigits(string(tone))
		case <-ended:
			return
		}
	}
}
