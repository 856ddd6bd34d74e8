package media

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/livekit/protocol/livekit"
	"golang.org/x/time/rate"
	"google.golang.org/protobuf/proto"
)

// Rates of what a caller sends over the signalling: what may come at once, and further ones a second. LiveKit's clients send
// two pings a second, and otherwise little but when they join or resume. What comes faster waits, except for joins and tracks.
const (
	maxFrames, framesPerSecond     = 500, 50 // of all kinds
	maxBytes, bytesPerSecond       = 1 << 20, 64 << 10
	maxRequests, requestsPerSecond = 300, 2  // other than pings
	maxTracks, tracksPerSecond     = 32, 0.1 // to publish
	maxJoins, joinsPerSecond       = 30, 0.5
)

// Sizes of a message's content.
const (
	maxMediaSections = 64      // media sections of a session description; 3 with a microphone
	maxNamed         = 128     // tracks that a request names
	maxTrack         = 4 << 10 // bytes of a request to publish a track
)

// maxLimitedRooms is how many rooms' limits are remembered, of those that were joined last.
const maxLimitedRooms = 4096

// requestLimits is what the caller of a room may send, over all connections.
type requestLimits struct{ frames, bytes, requests, tracks, joins *rate.Limiter }

func newRequestLimits() *requestLimits {
	return &requestLimits{
		frames: rate.NewLimiter(framesPerSecond, maxFrames), bytes: rate.NewLimiter(bytesPerSecond, maxBytes),
		requests: rate.NewLimiter(requestsPerSecond, maxRequests), tracks: rate.NewLimiter(tracksPerSecond, maxTracks),
		joins: rate.NewLimiter(joinsPerSecond, maxJoins),
	}
}

// wait waits until a message may be forwarded.
func (l *requestLimits) wait(ctx context.Context, r *livekit.SignalRequest, size int) error {
	if err := l.bytes.WaitN(ctx, size); err != nil {
		return err
	}
	switch r.GetMessage().(type) {
	case *livekit.SignalRequest_Ping, *livekit.SignalRequest_PingReq:
		return nil
	case *livekit.SignalRequest_AddTrack:
		if !l.tracks.Allow() {
			return &closeError{closePolicy, fmt.Sprintf("more than %d tracks are published in a short time", maxTracks)}
		}
	}
	return l.requests.Wait(ctx)
}

// join returns how long the caller has to wait before it may join; 0 if it may, which then counts.
func (l *requestLimits) join() time.Duration {
	due := l.joins.Reserve()
	delay := due.Delay()
	if delay > 0 {
		due.Cancel()
	}
	return delay
}

// roomLimits are the limits of the rooms whose callers join through a Proxy.
type roomLimits struct {
	mu    sync.Mutex
	rooms *lru.Cache[string, *requestLimits]
}

func newRoomLimits() *roomLimits {
	rooms, _ := lru.New[string, *requestLimits](maxLimitedRooms) // fails for no size alone
	return &roomLimits{rooms: rooms}
}

func (l *roomLimits) of(room string) *requestLimits {
	l.mu.Lock()
	defer l.mu.Unlock()
	limits, known := l.rooms.Get(room)
	if !known {
		limits = newRequestLimits()
		l.rooms.Add(room, limits)
	}
	return limits
}

// checkRequest returns a closeError for a request that costs the media server much more than its size.
func checkRequest(r *livekit.SignalRequest) error {
	switch m := r.GetMessage().(type) {
	case *livekit.SignalRequest_Offer:
		return checkDescriptions(m.Offer)
	case *livekit.SignalRequest_Answer:
		return checkDescriptions(m.Answer)
	case *livekit.SignalRequest_SyncState:
		return checkSync(m.SyncState)
	case *livekit.SignalRequest_Subscription:
		return checkNamed(subscribed(m.Subscription))
	case *livekit.SignalRequest_TrackSetting:
		return checkNamed(len(m.TrackSetting.GetTrackSids()))
	case *livekit.SignalRequest_SubscriptionPermission:
		named := len(m.SubscriptionPermission.GetTrackPermissions())
		for _, p := range m.SubscriptionPermission.GetTrackPermissions() {
			named += len(p.GetTrackSids())
		}
		return checkNamed(named)
	case *livekit.SignalRequest_UpdateDataSubscription:
		return checkNamed(len(m.UpdateDataSubscription.GetUpdates()))
	case *livekit.SignalRequest_AddTrack:
		return checkTracks(m.AddTrack)
	case *livekit.SignalRequest_Simulate:
		return &closeError{closePolicy, "failures cannot be simulated here"}
	}
	return nil
}

// checkJoin returns a closeError for a request to join that costs the media server much more than its size.
func checkJoin(j *livekit.JoinRequest) error {
	if err := checkTracks(j.GetAddTrackRequests()...); err != nil {
		return err
	}
	if err := checkDescriptions(j.GetPublisherOffer()); err != nil {
		return err
	}
	return checkSync(j.GetSyncState())
}

func checkSync(s *livekit.SyncState) error {
	if err := checkDescriptions(s.GetAnswer(), s.GetOffer()); err != nil {
		return err
	}
	return checkNamed(subscribed(s.GetSubscription()) + len(s.GetTrackSidsDisabled()) + len(s.GetPublishTracks()) + len(s.GetPublishDataTracks()) +
		len(s.GetDataChannels()) + len(s.GetDatachannelReceiveStates()))
}

// subscribed returns how many tracks a request names.
func subscribed(s *livekit.UpdateSubscription) int {
	named := len(s.GetTrackSids()) + len(s.GetParticipantTracks())
	for _, of := range s.GetParticipantTracks() {
		named += len(of.GetTrackSids())
	}
	return named
}

func checkNamed(tracks int) error {
	if tracks > maxNamed {
		return &closeError{closePolicy, fmt.Sprintf("a message may name at most %d tracks", maxNamed)}
	}
	return nil
}

func checkDescriptions(descriptions ...*livekit.SessionDescription) error {
	for _, d := range descriptions {
		if strings.Count(d.GetSdp(), "\nm=") > maxMediaSections {
			return &closeError{closePolicy, fmt.Sprintf("a session description may have at most %d media sections", maxMediaSections)}
		}
	}
	return nil
}

func checkTracks(tracks ...*livekit.AddTrackRequest) error {
	if len(tracks) > maxTracks {
		return &closeError{closePolicy, fmt.Sprintf("at most %d tracks may be published at once", maxTracks)}
	}
	for _, t := range tracks {
		if proto.Size(t) > maxTrack {
			return &closeError{closePolicy, fmt.Sprintf("a request to publish a track may have at most %d bytes", maxTrack)}
		}
	}
	return nil
}
