package media

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/livekit/protocol/livekit"
	"github.com/pion/webrtc/v4"
)

// Joiner joins participants to rooms, a limited number at a time: a join costs 10 ms of processor time, the media
// server's part included, so that in an unlimited burst every join would be slow.
type Joiner struct {
	slots    chan struct{}
	log      *slog.Logger
	embedded bool
}

const (
	maxConcurrentJoins = 8
	joinAttempts       = 3
	joinTimeout        = 3 * time.Second // of the first attempt; doubled with each further one
)

// NewJoiner returns a Joiner; a process needs one. log may be nil.
func NewJoiner(log *slog.Logger) *Joiner {
	if log == nil {
		log = slog.Default()
	}
	setLogger(log)
	return &Joiner{slots: make(chan struct{}, maxConcurrentJoins), log: log}
}

// NewEmbeddedJoiner returns a Joiner for an Embedded media server, which is always reachable over loopback.
func NewEmbeddedJoiner(log *slog.Logger) *Joiner {
	j := NewJoiner(log)
	j.embedded = true
	return j
}

// peerAPI returns the factory for peer connections to the media server at a URL, which may also use TCP.
func (j *Joiner) peerAPI(url string, tcp bool) (*webrtc.API, error) {
	switch {
	case j.embedded:
		return peerAPIs[loopbackOnly]()
	case tcp:
		return peerAPIs[withTCP]()
	case onLoopback(url):
		return peerAPIs[withLoopback]()
	}
	return peerAPIs[allInterfaces]()
}

// JoinOptions configures a participant.
type JoinOptions struct {
	URL   string // of the media server: ws or wss
	Token string // signed by Tokens
	Agent bool   // joins as the agent, with the first caller as its peer; else the other way round
	Peer  string // identity of the peer; "" for any, as above
	// Private permits the peer alone to receive the participant's audio. It requires Peer.
	Private bool
	// Data enables text streams, and DTMF tones to the phones in the room.
	Data bool
	// OnText, if not nil, is called with each text that the peer sends on TopicChat, one at a time; it must not
	// block. It requires Data.
	OnText func(text string)
	// OnTone, if not nil, is called with each key that the peer presses (SendTone), one at a time; it must not block. It
	// requires Data.
	OnTone func(key byte)
	// PeerHeld says that the peer's phone is known to have the call on hold: PeerResumed is sent if it has not any more.
	PeerHeld bool
	// PlayRate is the sample rate of the frames of Play in Hz; 0 for dialogue.SpeakRate.
	PlayRate int
	// MakeRoom creates the room again when the media server has lost it, for example in a restart, so that the
	// participant can reconnect. If nil, such a room counts as closed. Participants who may not create rooms return
	// nil, and find the room created by another.
	MakeRoom func(ctx context.Context) error
	// sourceless has the participant's track published without a source, as the clients of some SDKs do.
	sourceless bool
	// OnPacket, if not nil, is called with each of the peer's packets as it arrives, unordered and undecoded, one
	// at a time, and Frames stays empty. It halves the cost of receiving. It must not block; the payload is valid
	// until it returns.
	OnPacket func(payload []byte, at time.Time)
	// OnFrame, if not nil, is called with each frame of Frames as soon as it is decoded, whether or not it is
	// received. It must neither block nor keep the frame.
	OnFrame func(pcm []int16)
	// Log receives warnings of this participant, such as failed attempts to reconnect; nil is the joiner's.
	Log *slog.Logger
}

// log returns the participant's logger.
func (p *Participant) log() *slog.Logger { return cmp.Or(p.options.Log, p.joiner.log) }

// Join joins the room with a published microphone track, over one peer connection. It returns when media are
// connected in both directions. The context limits the attempt, not the participant. A rejected token and a missing
// room are not retried. Where UDP does not connect, TCP is used.
func (j *Joiner) Join(ctx context.Context, o JoinOptions) (*Participant, error) {
	release, err := j.acquireSlot(ctx)
	if err != nil {
		return nil, fmt.Errorf("join room: %w", err)
	}
	defer release()
	for attempt := range joinAttempts {
		var p *Participant
		if p, err = j.joinOnce(ctx, o, attempt); err == nil {
			return p, nil
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("join room: %w", ctx.Err())
		}
		if isRejected(err) {
			return nil, fmt.Errorf("join room: %w", err)
		}
	}
	return nil, fmt.Errorf("join room after %d attempts: %w", joinAttempts, err)
}

// acquireSlot waits until another participant may join; release must be called after the join.
func (j *Joiner) acquireSlot(ctx context.Context) (release func(), err error) {
	select {
	case j.slots <- struct{}{}:
		return func() { <-j.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Responses of the media server that are not retried.
var (
	ErrUnauthorized = errors.New("the media server refuses the token")
	ErrNoRoom       = errors.New("there is no such room")
)

func isRejected(err error) bool {
	return errors.Is(err, ErrUnauthorized) || errors.Is(err, ErrNoRoom) || errors.Is(err, errRemoved)
}

// joinOnce makes the attempt of a number, counted from 0; all but the first may use TCP.
func (j *Joiner) joinOnce(ctx context.Context, o JoinOptions, number int) (*Participant, error) {
	p, err := newParticipant(o, j)
	if err != nil {
		return nil, err
	}
	p.tcp = number > 0
	attempt, cancel := context.WithTimeout(ctx, joinTimeout<<number)
	defer cancel()
	last := func() bool { return number == joinAttempts-1 || ctx.Err() != nil }
	c, err := p.connect(attempt, last)
	if err == nil && !p.useConnection(c) {
		err = cmp.Or(c.failure(), ErrLost)
		if last() {
			c.sendLeave(livekit.DisconnectReason_CLIENT_INITIATED)
		}
		c.close()
	}
	if err != nil {
		p.release()
		return nil, err
	}
	return p, nil
}
