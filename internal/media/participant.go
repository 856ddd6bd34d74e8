package media

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/livekit/protocol/livekit"
	"github.com/pion/webrtc/v4"
)

// Participant is one end of a call in a room: it plays to the room and hears its peer, who is the caller to an agent
// and the agent to a caller.
//
// Frames and Events close when it is over, by Leave or from the other side. All methods may be called from any
// goroutine, Play from one at a time.
type Participant struct {
	options JoinOptions
	joiner  *Joiner
	mic     *microphone
	life    context.Context // ends with the participant
	endLife context.CancelFunc

	frames chan []int16
	events chan Event

	saying sync.Mutex // held while attributes are set and sent, so that they arrive in order; before mu

	mu           sync.Mutex
	over         bool // nothing is sent on events any more
	connection   *connection
	token        string // the latest: the server renews it
	sid          string // of its session
	identity     string
	others       map[string]*livekit.ParticipantInfo // in the room, by the id of their session
	attributes   map[string]string                   // that this participant has set
	peer         string                              // identity of the peer while it is in the room
	peerSID      string                              // of its session
	peerRoom     string                              // id of the room's session that it was in last
	room         string                              // id of the room's session on the server
	roomLost     bool                                // that is not the one that the connection before led to
	reconnecting bool
	back         chan struct{}            // closed when it no longer is
	parting      livekit.DisconnectReason // why the peer left while it was
	texts        map[string]*incomingText // that are not complete, by the id of their stream
	said         *outgoingText            // the transcript of this participant that grows; of SendTranscript alone
	track        string                   // the peer's microphone, by LiveKit's id; "" before there is one
	early        []*webrtc.TrackRemote    // whose owners have not been told of yet
	listening    *webrtc.TrackRemote

	gone    chan struct{}  // closed when over
	quiet   chan struct{}  // closed when, after that, nothing runs any more
	running sync.WaitGroup // what runs for it
	leave   sync.Once
}

// framesKept bounds how much sound waits for a reader that is late: a second.
const (
	framesKept = 50
	eventsKept = 64
)

func newParticipant(o JoinOptions, j *Joiner) (*Participant, error) {
	mic, err := newMicrophone()
	if err != nil {
		return nil, err
	}
	life, end := context.WithCancel(context.Background())
	return &Participant{
		options: o, joiner: j, mic: mic, life: life, endLife: end, token: o.Token, attributes: map[string]string{}, texts: map[string]*incomingText{},
		frames: make(chan []int16, framesKept), events: make(chan Event, eventsKept), gone: make(chan struct{}), quiet: make(chan struct{}),
	}, nil
}

// errGone is what a participant answers that has left its room.
var errGone = errors.New("the participant has left the room")

// start runs do in the background, unless the participant's life is over; it tells whether it does.
func (p *Participant) start(do func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return false
	}
	p.running.Go(do)
	return true
}

// Identity is the participant's own.
func (p *Participant) Identity() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.identity
}

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
	p.saying.Lock()
	defer p.saying.Unlock()
	p.mu.Lock()
	maps.Copy(p.attributes, attributes)
	c, over := p.connection, p.over
	p.mu.Unlock()
	if !over {
		c.setAttributes(attributes)
	}
}

// Leave says goodbye to the room. It returns when the server has taken note of that, or has had half a second to, and no
// goroutine of this participant runs any more. Calling it again is harmless.
func (p *Participant) Leave() {
	p.leave.Do(func() { p.finish(nil, true) })
	<-p.quiet
}

// abandon takes down what never joined.
func (p *Participant) abandon() {
	p.finish(nil, false)
	<-p.quiet
}

// finish ends the participant's life, unless it has ended: last, if there is one, is the last event.
func (p *Participant) finish(last *Event, goodbye bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	if last != nil {
		p.send(*last)
	}
	p.over, p.peer = true, ""
	close(p.gone)
	close(p.events)
	c := p.connection
	go func() {
		if c != nil && goodbye {
			c.goodbye()
		}
		p.endLife()
		if c != nil {
			c.close()
		}
		p.running.Wait()
		close(p.frames)
		close(p.quiet)
	}()
}
