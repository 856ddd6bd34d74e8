package media

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/interceptor"
	"github.com/pion/webrtc/v4"
)

// Joiner lets participants into rooms, a bounded number at a time: a join costs 10 to 15 ms of processor time, and a
// burst of them at once would make each as slow as all.
type Joiner struct {
	turn chan struct{}
	log  liveLog
}

const (
	joinsAtOnce  = 8
	joinAttempts = 4
	joinTimeout  = time.Second // of the first attempt; each further one has twice as long
)

// NewJoiner makes a Joiner; a process needs one. log may be nil.
func NewJoiner(log *slog.Logger) *Joiner {
	if log == nil {
		log = slog.Default()
	}
	setLogger(log)
	return &Joiner{make(chan struct{}, joinsAtOnce), newLiveLog(log)}
}

// JoinOptions say which room a participant joins and whom it listens to.
type JoinOptions struct {
	URL   string // of the media server: ws or wss
	Token string // signed by Tokens
	Agent bool   // joins as the agent and listens to the first caller that comes; else the other way round
	Peer  string // identity of whom to listen to, whoever else comes; "" for the above
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
	select {
	case j.turn <- struct{}{}:
		defer func() { <-j.turn }()
	case <-ctx.Done():
		return nil, fmt.Errorf("join room: %w", ctx.Err())
	}
	var err error
	for attempt := range joinAttempts {
		var p *Participant
		if p, err = j.attempt(ctx, o, joinTimeout<<attempt); err == nil {
			return p, nil
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("join room: %w", ctx.Err())
		}
		if refused := refusal(err); refused != nil {
			return nil, fmt.Errorf("join room: %w", refused)
		}
	}
	return nil, fmt.Errorf("join room after %d attempts: %w", joinAttempts, err)
}

// Answers of the media server that trying again will not change.
var (
	ErrUnauthorized = errors.New("the media server refuses the token")
	ErrNoRoom       = errors.New("there is no such room")
)

// refusal finds the above in the SDK's error, which has but words for it, the token among them.
func refusal(err error) error {
	switch {
	case strings.HasPrefix(err.Error(), "unauthorized"):
		return ErrUnauthorized
	case err.Error() == "not found":
		return ErrNoRoom
	}
	return nil
}

// Opus alone breaks the SDK's negotiation over one peer connection: it offers video sections and then has no codec to
// put into them.
var codecs = []livekit.Codec{{Mime: webrtc.MimeTypeOpus, FmtpLine: "minptime=10;useinbandfec=1"}, {Mime: webrtc.MimeTypeVP8}}

func (j *Joiner) attempt(ctx context.Context, o JoinOptions, timeout time.Duration) (*Participant, error) {
	p, err := newParticipant(o)
	if err != nil {
		return nil, err
	}
	// The SDK keeps the context for reconnecting, so that must outlive the caller's.
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	p.endLife = end
	stop := context.AfterFunc(ctx, end)
	missed, log := make(chan struct{}), j.log
	log.failed = missedAnswer(missed)
	done := make(chan error, 1)
	go func() {
		done <- p.room.JoinWithContextAndToken(life, o.URL, o.Token,
			lksdk.WithSinglePeerConnection(),
			lksdk.WithTrack(p.mic.track, &lksdk.TrackPublicationOptions{Name: "voice", Source: livekit.TrackSource_MICROPHONE}),
			lksdk.WithCodecs(codecs),
			lksdk.WithInterceptors([]interceptor.Factory{p.farewell}),
			lksdk.WithIncludeDefaultInterceptors(true),
			lksdk.WithConnectTimeout(timeout),
			lksdk.WithDisableRegionDiscovery(),
			lksdk.WithDisableTURN(),
			lksdk.WithLogger(log),
		)
	}()
	select {
	case err = <-done:
	case <-missed:
		go func() { // the SDK waits for the timeout all the same
			<-done //nolint:errcheck // its outcome no longer matters
			p.abandon()
		}()
		return nil, errMissedAnswer
	}
	if err == nil && !stop() {
		err = ctx.Err() // cancelled in the very moment of success
	}
	if err != nil {
		p.abandon()
		return nil, err
	}
	p.joined()
	return p, nil
}

// missedAnswer recognises the one in a hundred joins that lose the server's answer: the SDK begins to read before it
// has set its offer, refuses an answer that comes at once, and then waits in vain. Only its log tells.
func missedAnswer(missed chan struct{}) func(msg string) bool {
	var once sync.Once
	return func(msg string) bool {
		if msg != "could not set remote description" {
			return false
		}
		once.Do(func() { close(missed) })
		return true
	}
}

var (
	errMissedAnswer = errors.New("the server's answer came too early")
	// errGone is what a participant answers that has left its room.
	errGone = errors.New("the participant has left the room")
)
