package media

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/pion/webrtc/v4"
)

// Joiner lets participants into rooms, a bounded number at a time: a join costs some 10 ms of processor time, the media
// server's part included, and a burst of them at once would make each as slow as all.
type Joiner struct {
	turns    chan struct{}
	log      *slog.Logger
	embedded bool
}

const (
	joinsAtOnce  = 8
	joinAttempts = 3
	joinTimeout  = 3 * time.Second // of the first attempt; each further one has twice as long
)

// NewJoiner makes a Joiner; a process needs one. log may be nil.
func NewJoiner(log *slog.Logger) *Joiner {
	if log == nil {
		log = slog.Default()
	}
	setLogger(log)
	return &Joiner{turns: make(chan struct{}, joinsAtOnce), log: log}
}

// NewEmbeddedJoiner makes a Joiner for rooms of a media server of ours on this machine (Embedded), which the loopback
// interface always leads to.
func NewEmbeddedJoiner(log *slog.Logger) *Joiner {
	j := NewJoiner(log)
	j.embedded = true
	return j
}

// api makes peer connections to the media server at a URL.
func (j *Joiner) api(url string) (*webrtc.API, error) {
	switch {
	case j.embedded:
		return peerAPIs[inside]()
	case onLoopback(url):
		return peerAPIs[nearby]()
	}
	return peerAPIs[everywhere]()
}

// JoinOptions say which room a participant joins and whom it listens to.
type JoinOptions struct {
	URL   string // of the media server: ws or wss
	Token string // signed by Tokens
	Agent bool   // joins as the agent and listens to the first caller that comes; else the other way round
	Peer  string // identity of whom to listen to, whoever else comes; "" for the above
	// Data lets the participant send and receive text streams, and send tones to the phones in the room.
	Data bool
	// OnText, if given, gets each text that the peer sends on TopicChat, one at a time; it must not block. It needs Data.
	OnText func(text string)
	// MakeRoom makes the room again when the media server does not have it any more, as after a restart, for the
	// participant to get back into it. Without it such a room is closed. One who cannot make rooms returns nil and finds it
	// made by somebody else.
	MakeRoom func(ctx context.Context) error
	// OnPacket, if given, gets the peer's packets as they come, whatever their order, undecoded, one at a time, and
	// Frames yields nothing: a listener who need not hear every word saves half of what listening costs. It must not
	// block; the payload is good until it returns.
	OnPacket func(payload []byte, at time.Time)
	// OnFrame gets each frame that Frames yields, as soon as it is there, whether it is taken or not; it must neither
	// block nor keep it. May be nil.
	OnFrame func(pcm []int16)
}

// Join enters the room with the microphone track already published, over one peer connection. It returns when both
// ways of media are connected. Cancelling the context ends the attempt, not the participant. A refusal (token, no such
// room) is not tried again.
func (j *Joiner) Join(ctx context.Context, o JoinOptions) (*Participant, error) {
	release, err := j.take(ctx)
	if err != nil {
		return nil, fmt.Errorf("join room: %w", err)
	}
	defer release()
	for attempt := range joinAttempts {
		var p *Participant
		if p, err = j.attempt(ctx, o, joinTimeout<<attempt); err == nil {
			return p, nil
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("join room: %w", ctx.Err())
		}
		if refused(err) {
			return nil, fmt.Errorf("join room: %w", err)
		}
	}
	return nil, fmt.Errorf("join room after %d attempts: %w", joinAttempts, err)
}

// take waits until one more participant may enter its room; release lets the next one.
func (j *Joiner) take(ctx context.Context) (release func(), err error) {
	select {
	case j.turns <- struct{}{}:
		return func() { <-j.turns }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Answers of the media server that trying again will not change.
var (
	ErrUnauthorized = errors.New("the media server refuses the token")
	ErrNoRoom       = errors.New("there is no such room")
)

func refused(err error) bool {
	return errors.Is(err, ErrUnauthorized) || errors.Is(err, ErrNoRoom) || errors.Is(err, errRemoved)
}

func (j *Joiner) attempt(ctx context.Context, o JoinOptions, timeout time.Duration) (*Participant, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	p, err := newParticipant(o, j)
	if err != nil {
		return nil, err
	}
	c, err := p.connect(ctx)
	if err == nil && !p.adopt(c) {
		err = cmp.Or(c.broken(), ErrLost)
		c.goodbye()
		c.close()
	}
	if err != nil {
		p.abandon()
		return nil, err
	}
	return p, nil
}
