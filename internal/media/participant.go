package media

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/webrtc/v4"
)

// Participant is one end of a call in a room: it plays to the room and hears its peer, who is the caller to an agent
// and the agent to a caller.
//
// Frames and Events close when it is over, by Leave or from the other side. All methods may be called from any
// goroutine, Play from one at a time.
type Participant struct {
	options JoinOptions
	room    *lksdk.Room
	mic     *microphone
	endLife context.CancelFunc

	farewell *farewell

	frames chan []int16
	events chan Event

	mu           sync.Mutex
	over         bool   // nothing is sent on events any more
	peer         string // identity of the peer while it is in the room
	reconnecting bool
	listening    *webrtc.TrackRemote

	gone      chan struct{} // closed when over
	quiet     chan struct{} // closed when, after that, nothing runs any more
	listeners sync.WaitGroup
	leave     sync.Once
}

// framesKept bounds how much sound waits for a reader that is late: a second.
const (
	framesKept = 50
	eventsKept = 64
)

func newParticipant(o JoinOptions) (*Participant, error) {
	mic, err := newMicrophone()
	if err != nil {
		return nil, err
	}
	p := &Participant{
		options: o, mic: mic, endLife: func() {}, farewell: newFarewell(),
		frames: make(chan []int16, framesKept), events: make(chan Event, eventsKept), gone: make(chan struct{}), quiet: make(chan struct{}),
	}
	cb := lksdk.NewRoomCallback()
	cb.OnParticipantConnected = p.onJoined
	cb.OnParticipantDisconnected = p.onLeft
	cb.OnTrackSubscribed = p.onTrack
	cb.OnReconnecting = p.onReconnecting
	cb.OnReconnected = p.onReconnected
	cb.OnDisconnected = p.onDisconnected
	cb.OnConnectionQualityChanged = func(update *livekit.ConnectionQualityInfo, of lksdk.Participant) {
		mic.qualityChanged(of.Identity(), update.Quality)
	}
	p.room = lksdk.NewRoom(cb)
	return p, nil
}

// joined takes note of who was in the room before; the SDK reports those who come later.
func (p *Participant) joined() {
	for _, rp := range p.room.GetRemoteParticipants() {
		p.onJoined(rp)
	}
}

// Identity is the participant's own.
func (p *Participant) Identity() string { return p.room.LocalParticipant.Identity() }

// Peer is the identity of whom this participant talks with; "" while nobody is there.
func (p *Participant) Peer() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.peer
}

// Frames yields the peer's sound: 20 ms at dialogue.ListenRate each, a frame every 20 ms from the moment the peer's
// track is there, whether the peer sends or not: what is lost is concealed, a muted microphone is silence. A frame
// belongs to the receiver. A receiver more than a second late loses the oldest.
func (p *Participant) Frames() <-chan []int16 { return p.frames }

// Events tells what happens to the peer and the room, in order. A receiver that lets 64 pile up loses the oldest.
func (p *Participant) Events() <-chan Event { return p.events }

// Play encodes one frame of 20 ms at dialogue.SpeakRate and sends it at once; pcm is not kept. Silence need not be
// played: after a pause, time has passed for the peer too.
func (p *Participant) Play(pcm []int16) error {
	select {
	case <-p.gone:
		return fmt.Errorf("play: %w", errGone)
	default:
		return p.mic.play(pcm, time.Now())
	}
}

// PlayPacket is Play for a frame that is encoded already.
func (p *Participant) PlayPacket(packet Packet) error {
	select {
	case <-p.gone:
		return fmt.Errorf("play: %w", errGone)
	default:
		return p.mic.playPacket(packet, time.Now())
	}
}

// SetAttributes changes the attributes that everyone in the room sees, such as lk.agent.state, by which LiveKit's
// clients show what an agent does; an empty value removes one. Only an agent's token allows it.
func (p *Participant) SetAttributes(attributes map[string]string) {
	select {
	case <-p.gone:
	default:
		p.room.LocalParticipant.SetAttributes(attributes)
	}
}

// Leave says goodbye to the room. It takes about 100 ms, until the goodbye is safely on its way and no goroutine of
// this participant runs. Calling it again is harmless.
func (p *Participant) Leave() {
	p.leave.Do(func() {
		disconnect := func() { p.room.DisconnectWithReason(livekit.DisconnectReason_CLIENT_INITIATED) }
		if p.finish(nil) {
			p.farewell.say(disconnect)
		} else {
			disconnect() // the room has ended it
		}
		p.endLife()
	})
	<-p.quiet
}

// abandon takes down what never joined.
func (p *Participant) abandon() {
	p.finish(nil)
	p.room.Disconnect()
	p.endLife()
	<-p.quiet
}

// finish ends the participant's life on this side, unless it has ended: last, if there is one, is the last event.
func (p *Participant) finish(last *Event) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return false
	}
	if last != nil {
		p.send(*last)
	}
	p.over, p.peer = true, ""
	close(p.gone)
	close(p.events)
	if p.listening != nil {
		_ = p.listening.SetReadDeadline(time.Now()) // wakes the listener
	}
	go func() {
		p.listeners.Wait()
		close(p.frames)
		close(p.quiet)
	}()
	return true
}
