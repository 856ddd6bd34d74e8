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
	"parley/internal/sip/mediaport"
	"parley/internal/sip/negotiation"
	"parley/internal/sip/useragent"
)

// phone is the phone of a call: its audio, its participant in the call's room, and its SIP call.
type phone struct {
	gateway *Gateway
	member  member
	port    *mediaport.Port
	session *negotiation.Session
	called  bool // it has called; nothing is sent to the address in its description before its ACK has verified that

	inRoom atomic.Pointer[media.Participant] // nil until it has joined
	agent  chan struct{}                     // closed when the agent's audio is in the room
	left   chan struct{}                     // closed when the participant has left, or the room was closed
	seen   atomic.Int64                      // when a request of the phone last arrived within its call, Unix nanoseconds
	held   atomic.Bool                       // the phone has put the call on hold
	keys   chan byte                         // pressed on the phone, for the room
	tones  chan byte                         // of the agent, for the phone
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

// newPhone opens the audio of a phone, whose peer is at an address.
func (g *Gateway) newPhone(at member, peer netip.Addr, n negotiation.Options) (*phone, error) {
	own, err := g.network.ownAddress(peer)
	if err != nil {
		return nil, fmt.Errorf("find this machine's address towards the phone: %w", err)
	}
	p := &phone{gateway: g, member: at, agent: make(chan struct{}), left: make(chan struct{}), keys: make(chan byte, keyQueue), tones: make(chan byte, keyQueue)}
	p.port, err = mediaport.Open(mediaport.Options{
		Ports: mediaport.PortRange{First: g.options.RTPPorts.From, Last: g.options.RTPPorts.To}, LoopbackOnly: g.options.LoopbackOnly,
		MayBeNATed:  func(a netip.Addr) bool { return a.IsPrivate() && !g.options.AllowPrivateNetworks },
		ReceiveRate: dialogue.ListenRate, SendRate: dialogue.ListenRate,
		OnFrame: p.playToRoom, OnDigit: func(d mediaport.Digit) { offer(p.keys, d.Key) },
	})
	if err != nil {
		return nil, fmt.Errorf("open the phone's audio ports: %w", err)
	}
	n.Local = netip.AddrPortFrom(own, uint16(p.port.LocalPort()))
	p.session = negotiation.New(n)
	return p, nil
}

// join joins the phone to its room, which must exist, with a status.
func (p *phone) join(ctx context.Context, status string) error {
	o := p.gateway.options
	token, err := o.Tokens.Phone(p.member.room, p.member.identity, map[string]string{livekit.AttrSIPCallStatus: status}, time.Now(), phoneTokenTTL)
	if err != nil {
		return err
	}
	participant, err := o.Joiner.Join(ctx, media.JoinOptions{
		URL: o.MediaURL, Token: token, Data: true, PlayRate: dialogue.ListenRate, OnTone: func(key byte) { offer(p.tones, key) }, Log: o.Logger.With("component", "sip"),
	})
	if err != nil {
		return fmt.Errorf("join the phone to its room: %w", err)
	}
	p.inRoom.Store(participant)
	go p.follow(participant.Events())
	return nil
}

// follow follows the events of the phone's participant, which end with it.
func (p *phone) follow(events <-chan media.Event) {
	defer close(p.left)
	found := false
	for e := range events {
		if e.Kind == media.PeerAudio && !found {
			found = true
			close(p.agent)
		}
	}
}

// close ends the phone's audio, and has it leave its room: as one that hung up, or was lost.
func (p *phone) close(lost bool) {
	if participant := p.inRoom.Load(); participant == nil {
	} else if lost {
		participant.LeaveLost()
	} else {
		participant.Leave()
	}
	p.port.Close()
}

// offer sends to a channel without waiting.
func offer(c chan<- byte, key byte) {
	select {
	case c <- key:
	default:
	}
}

// playToRoom plays a frame of the phone's audio to the room.
func (p *phone) playToRoom(pcm []int16) {
	if participant := p.inRoom.Load(); participant != nil {
		_ = participant.Play(pcm) // it has left: the call ends for that
	}
}

// setAttribute sets an attribute of the phone that the room sees; "" removes it.
func (p *phone) setAttribute(name, value string) {
	if participant := p.inRoom.Load(); participant != nil {
		participant.SetAttributes(map[string]string{name: value})
	}
}

// handler returns the callbacks of the phone's SIP call.
func (p *phone) handler() useragent.Handler {
	return useragent.Handler{
		Stream: p.configure,
		Digits: func(d useragent.Digit) { offer(p.keys, d.Key) },
		Alive:  func() { p.seen.Store(time.Now().UnixNano()) },
	}
}

// configure applies what was negotiated. A phone that takes no audio any more has put the call on hold.
func (p *phone) configure(s negotiation.Stream, early bool) error {
	if early && p.called {
		return nil
	}
	if err := p.port.Configure(s); err != nil {
		return err
	}
	if held := s.Held() && !early; p.held.Swap(held) != held {
		value := ""
		if held {
			value = "true"
		}
		p.setAttribute(media.AttributeHeld, value)
	}
	return nil
}

// talk passes audio and keys between an answered phone, which is in its room, and the room. It returns when one of them has ended the
// call, or its maximum duration is over; 0 means no limit.
func (p *phone) talk(call *useragent.Call, longest time.Duration) {
	participant := p.inRoom.Load()
	p.setAttribute(livekit.AttrSIPCallStatus, statusActive)
	if p.held.Load() {
		p.setAttribute(media.AttributeHeld, "true")
	}
	var pumps sync.WaitGroup
	ended := make(chan struct{})
	pumps.Go(func() {
		for pcm := range participant.Frames() { // ends with the participant
			_ = p.port.Write(pcm)
		}
	})
	pumps.Go(func() { p.passKeys(participant, ended) })
	why, lost := p.watch(call, longest)
	call.Hangup(why)
	p.publishQuality()
	p.close(lost)
	close(ended)
	pumps.Wait()
}

// watch waits for the end of an answered call, and returns why it is to be hung up; lost: the phone has vanished.
func (p *phone) watch(call *useragent.Call, longest time.Duration) (why useragent.Reason, lost bool) {
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
		select {
		case <-call.Done():
			return why, false
		case <-p.left:
			return why, false
		case <-over:
			return why, false
		case <-p.gateway.ctx.Done():
			return useragent.Reason{Protocol: "SIP", Cause: 503, Text: "Server shutdown"}, false
		case <-measure.C:
			p.publishQuality()
		case now := <-check.C:
			if p.isGone(answered, now) {
				return useragent.Reason{Protocol: "SIP", Cause: 408, Text: "No media"}, true
			}
		}
	}
}

// isGone reports whether the phone has given no sign of life for too long. While the call is on hold, a phone need not send
// anything; while it sends RTCP or requests, no audio.
func (p *phone) isGone(answered, now time.Time) bool {
	q := p.port.Quality()
	last := answered
	for _, at := range []time.Time{time.Unix(0, p.seen.Load()), q.LastRTP, q.LastRTCP} {
		if at.After(last) {
			last = at
		}
	}
	timeout := cmp.Or(p.gateway.options.silence, mediaTimeout)
	switch {
	case p.held.Load():
		timeout = heldTimeout
	case q.LastRTP.IsZero():
		timeout = cmp.Or(p.gateway.options.silence, mediaTimeoutInitial)
	}
	return now.Sub(last) >= timeout
}

// passKeys sends keys that are pressed on the phone to the room, and the agent's tones to the phone, until ended closes.
func (p *phone) passKeys(participant *media.Participant, ended <-chan struct{}) {
	for {
		select {
		case key := <-p.keys:
			_ = participant.SendTone(key) // it has left: the call ends for that
		case tone := <-p.tones:
			_ = p.port.SendDigits(string(tone))
		case <-ended:
			return
		}
	}
}
