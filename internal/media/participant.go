package media

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/livekit/protocol/livekit"
	"github.com/pion/webrtc/v4"

	"parley/internal/dialogue"
)

// Participant is one end of a call in a room: it sends audio to the room and receives that of its peer, who is the
// caller to an agent and the agent to a caller.
//
// Frames and Events close when the participant has left or was disconnected. All methods may be called from any
// goroutine, Play from one at a time.
type Participant struct {
	options JoinOptions
	joiner  *Joiner
	tcp     bool // its media may use TCP
	mic     *microphone
	ctx     context.Context // ends with the participant
	cancel  context.CancelFunc

	frames chan []int16
	events chan Event

	attributeLock sync.Mutex // held while attributes are set and sent, to keep their order; locked before mu

	mu            sync.Mutex
	ended         bool // the participant has left; events is closed
	connection    *connection
	token         string // latest one: the server renews it
	sid           string // of its session
	identity      string
	others        map[string]*livekit.ParticipantInfo // in the room, by session id
	attributes    map[string]string                   // set by this participant
	peer          string                              // identity of the peer while it is in the room
	peerSID       string                              // of its session
	peerQuality   string                              // its last AttributeQuality
	peerState     string                              // its last AttributeAgentState
	peerHeld      bool                                // it has put the call on hold
	peerRoom      roomSession                         // in which the peer was last seen
	answered      bool                                // PeerAnswered was sent for the peer
	room          roomSession                         // on the server
	roomLost      bool                                // the room's session is another one than before the reconnection
	reconnecting  bool
	reconnected   chan struct{}            // closed when reconnecting ends
	leaveReason   livekit.DisconnectReason // why the peer left meanwhile
	texts         map[string]*incomingText // incomplete ones, by stream id
	transcript    *outgoingText            // transcript stream in progress; used by SendTranscript only
	track         string                   // LiveKit's id of the peer's microphone track; "" before it exists
	pendingTracks []*webrtc.TrackRemote    // received tracks whose owners are not known yet
	subscribed    *webrtc.TrackRemote

	done     chan struct{}  // closed when the participant has left
	finished chan struct{}  // closed when, after that, all its goroutines have ended
	running  sync.WaitGroup // its goroutines
	leave    sync.Once
}

// frameQueue is the most unread frames, one second; eventQueue the most unread events.
const (
	frameQueue = 50
	eventQueue = 64
)

func newParticipant(o JoinOptions, j *Joiner) (*Participant, error) {
	mic, err := newMicrophone(cmp.Or(o.PlayRate, dialogue.SpeakRate))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &Participant{
		options: o, joiner: j, mic: mic, ctx: ctx, cancel: cancel, token: o.Token, attributes: map[string]string{}, peerHeld: o.PeerHeld, texts: map[string]*incomingText{},
		frames: make(chan []int16, frameQueue), events: make(chan Event, eventQueue), done: make(chan struct{}), finished: make(chan struct{}),
	}, nil
}

// errLeft is returned after the participant has left its room.
var errLeft = errors.New("the participant has left the room")

// start runs do in a goroutine. It reports false if the participant has left.
func (p *Participant) start(do func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return false
	}
	p.running.Go(do)
	return true
}

// Identity returns the participant's identity.
func (p *Participant) Identity() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.identity
}

// Peer returns the peer's identity; "" while there is none.
func (p *Participant) Peer() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.peer
}

// Frames returns the peer's audio in frames of 20 ms at dialogue.ListenRate, one every 20 ms from the start of the
// peer's track, whether or not the peer sends: lost packets are concealed, a muted microphone is silence. The
// receiver owns a frame. More than a second of unread frames drops the oldest.
func (p *Participant) Frames() <-chan []int16 { return p.frames }

// Events returns changes of the peer and the room, in order. More than 64 unread events drop the oldest.
func (p *Participant) Events() <-chan Event { return p.events }

// Play encodes a frame of 20 ms at JoinOptions.PlayRate and sends it immediately; pcm is not retained. Silence need
// not be sent: timestamps continue after a pause.
func (p *Participant) Play(pcm []int16) error {
	select {
	case <-p.done:
		return fmt.Errorf("play: %w", errLeft)
	default:
		return p.mic.playFrame(pcm, time.Now())
	}
}

// PlayPacket sends an encoded frame immediately.
func (p *Participant) PlayPacket(packet Packet) error {
	select {
	case <-p.done:
		return fmt.Errorf("play: %w", errLeft)
	default:
		return p.mic.playPacket(packet, time.Now())
	}
}

// SetAttributes changes participant attributes, such as AttributeAgentState, by which LiveKit's clients show what an
// agent does; an empty value removes one. It requires an agent's token.
func (p *Participant) SetAttributes(attributes map[string]string) {
	p.attributeLock.Lock()
	defer p.attributeLock.Unlock()
	p.mu.Lock()
	maps.Copy(p.attributes, attributes)
	c, ended := p.connection, p.ended
	p.mu.Unlock()
	if !ended {
		c.setAttributes(attributes)
	}
}

// Leave leaves the room. It returns when the server has confirmed, or after half a second, and all goroutines of
// the participant have ended. It is idempotent.
func (p *Participant) Leave() { p.leaveAs(livekit.DisconnectReason_CLIENT_INITIATED) }

// LeaveLost is like Leave, for a phone that was lost: to the others in the room it has not hung up. Of the reasons that are no
// hang-up, the media server takes this one from a client.
func (p *Participant) LeaveLost() { p.leaveAs(livekit.DisconnectReason_USER_UNAVAILABLE) }

func (p *Participant) leaveAs(reason livekit.DisconnectReason) {
	p.leave.Do(func() { p.finish(nil, reason) })
	<-p.finished
}

// release releases a participant that never joined.
func (p *Participant) release() {
	p.finish(nil, noLeave)
	<-p.finished
}

// noLeave is the reason of a participant that ends without a leave request.
const noLeave = livekit.DisconnectReason_UNKNOWN_REASON

// finish ends the participant once; last, if not nil, is its final event. A leave request is sent with a reason other than noLeave.
func (p *Participant) finish(last *Event, leave livekit.DisconnectReason) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	if last != nil {
		p.sendEvent(*last)
	}
	p.ended, p.peer = true, ""
	close(p.done)
	close(p.events)
	c := p.connection
	go func() {
		if c != nil && leave != noLeave {
			c.sendLeave(leave)
		}
		p.cancel()
		if c != nil {
			c.close()
		}
		p.running.Wait()
		close(p.frames)
		close(p.finished)
	}()
}
