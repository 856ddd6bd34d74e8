package media

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/livekit/protocol/livekit"
	wire "github.com/livekit/protocol/signalling"
	"github.com/pion/webrtc/v4"
)

// connection is a participant's way into its room: a WebSocket that carries LiveKit's signalling in its form for a
// single peer connection, where the offer and the track come with the request to join, and that peer connection.
// docs/architecture.md tells why this is not the SDK's.
type connection struct {
	participant *Participant
	peer        *webrtc.PeerConnection
	sender      *webrtc.RTPSender // of the microphone
	data        *dataChannels     // nil unless the participant sends and receives data

	sid string // of the participant, in this session of it

	negotiating sync.Mutex // held from looking at the state of offers to sending one; before mu

	mu         sync.Mutex
	socket     *websocket.Conn
	ended      chan struct{} // closed when nothing is read from the socket any more
	changed    chan struct{} // closed, and made anew, whenever one of these changes
	published  *livekit.TrackPublishedResponse
	answers    int
	err        error                     // why it does not work
	candidates []webrtc.ICECandidateInit // came before the first answer
	offerAgain bool                      // when the answer that is awaited is there
}

// dismissalWait is how long the server's signalling may take to say why its media was closed.
const dismissalWait = time.Second

// Reasons why a connection, or an attempt at one, came to nothing.
var (
	ErrUnreachable = errors.New("the media server cannot be reached")
	errStale       = errors.New("the media server does not know this session any more")
	ErrLost        = errors.New("the connection is lost")
	errRemoved     = errors.New("the media server has put the participant out of the room")
)

// newConnection makes the peer connection, with the microphone on it.
func newConnection(p *Participant) (*connection, error) {
	api, err := p.joiner.api(p.options.URL)
	if err != nil {
		return nil, err
	}
	peer, err := api.NewPeerConnection(webrtc.Configuration{})
	if err != nil {
		return nil, err
	}
	c := &connection{participant: p, peer: peer, changed: make(chan struct{})}
	c.sender, err = peer.AddTrack(p.mic.track)
	if err == nil && p.options.Data {
		c.data, err = newDataChannels(peer, p.received)
	}
	if err != nil {
		_ = peer.Close()
		return nil, err
	}
	p.start(func() { drain(c.sender) })
	peer.OnICECandidate(func(found *webrtc.ICECandidate) {
		if found != nil {
			_ = c.send(&livekit.SignalRequest{Message: &livekit.SignalRequest_Trickle{
				Trickle: wire.ToProtoTrickle(found.ToJSON(), livekit.SignalTarget_PUBLISHER, false),
			}}) // what cannot be sent is missed as little as what is lost
		}
	})
	peer.OnConnectionStateChange(func(state webrtc.PeerConnectionState) {
		switch state {
		case webrtc.PeerConnectionStateFailed:
			c.fail(ErrLost)
			p.lost(c, true)
		case webrtc.PeerConnectionStateClosed: // by the server, if it is news
			c.fail(ErrLost)
			p.start(func() {
				c.awaitDismissal()
				p.lost(c, false)
			})
		default:
			c.change(func() {})
		}
	})
	peer.OnTrack(func(track *webrtc.TrackRemote, receiver *webrtc.RTPReceiver) { p.onTrack(c, track, receiver) })
	return c, nil
}

// join enters the room, and returns when both ways of media are connected.
func (c *connection) join(ctx context.Context, at, token string) error {
	offer, err := c.peer.CreateOffer(nil)
	if err != nil {
		return err
	}
	track := &livekit.AddTrackRequest{
		Cid: c.participant.mic.track.ID(), Name: "voice", Type: livekit.TrackType_AUDIO, Source: livekit.TrackSource_MICROPHONE,
	}
	first, err := c.dial(ctx, at, token, &livekit.JoinRequest{
		AddTrackRequests: []*livekit.AddTrackRequest{track}, PublisherOffer: wire.ToProtoSessionDescription(offer, 0, nil),
	})
	if err != nil {
		return err
	}
	joined := first.GetJoin()
	if joined == nil {
		c.hangUp()
		return dismissal(first.GetLeave())
	}
	c.sid = joined.GetParticipant().GetSid()
	c.participant.entered(joined)
	if servers := stunServers(at, joined.GetIceServers()); len(servers) > 0 {
		if err := c.peer.SetConfiguration(webrtc.Configuration{ICEServers: servers}); err != nil {
			return err
		}
	}
	if err := c.peer.SetLocalDescription(offer); err != nil {
		return err
	}
	c.follow()
	return c.await(ctx, func() bool { return c.published != nil && c.connected() })
}

// resume takes the session up again where its signalling or its way for media broke, so that the others in the room
// notice little.
func (c *connection) resume(ctx context.Context, at, token string) error {
	c.hangUp()
	<-c.ended // what ends now does not end what follows
	first, err := c.dial(ctx, at, token, &livekit.JoinRequest{Reconnect: true, ParticipantSid: c.sid})
	if err != nil {
		return err
	}
	if first.GetReconnect() == nil {
		return errStale
	}
	answers := 0
	c.change(func() { c.err, answers = nil, c.answers })
	c.follow()
	if err := c.send(&livekit.SignalRequest{Message: &livekit.SignalRequest_SyncState{SyncState: c.syncState()}}); err != nil {
		return err
	}
	if err := c.restart(); err != nil {
		return fmt.Errorf("%w: %w", errStale, err)
	}
	return c.await(ctx, func() bool { return c.answers > answers && c.connected() })
}

// syncState tells a server that resumes a session what the participant takes it to be.
func (c *connection) syncState() *livekit.SyncState {
	c.mu.Lock()
	defer c.mu.Unlock()
	state := &livekit.SyncState{
		Subscription:  &livekit.UpdateSubscription{}, // all is subscribed, with no exception
		PublishTracks: []*livekit.TrackPublishedResponse{c.published},
	}
	if offer := c.peer.CurrentLocalDescription(); offer != nil {
		state.Offer = wire.ToProtoSessionDescription(*offer, 0, nil)
	}
	if answer := c.peer.CurrentRemoteDescription(); answer != nil {
		state.Answer = wire.ToProtoSessionDescription(*answer, 0, nil)
	}
	return state
}

func (c *connection) connected() bool {
	return c.peer.ConnectionState() == webrtc.PeerConnectionStateConnected
}

// heed does what a message asks of the connection, and hands on those about the room.
func (c *connection) heed(response *livekit.SignalResponse) {
	switch m := response.GetMessage().(type) {
	case *livekit.SignalResponse_Answer:
		c.answered(m.Answer)
	case *livekit.SignalResponse_Trickle:
		if candidate, err := wire.FromProtoTrickle(m.Trickle); err == nil {
			c.candidate(candidate)
		}
	case *livekit.SignalResponse_MediaSectionsRequirement:
		c.widen(m.MediaSectionsRequirement)
	case *livekit.SignalResponse_TrackPublished:
		c.change(func() { c.published = m.TrackPublished })
	case *livekit.SignalResponse_Leave:
		c.dismissed(m.Leave)
	default:
		c.participant.heed(response)
	}
}

// awaitDismissal waits until the server has said why it closed the media, as it does when it deletes the room, or says nothing.
func (c *connection) awaitDismissal() {
	c.mu.Lock()
	ended := c.ended
	c.mu.Unlock()
	if ended == nil {
		return
	}
	select {
	case <-ended:
	case <-time.After(dismissalWait):
	case <-c.participant.life.Done():
	}
}

// dismissed does as the server says: leave for good, or come back.
func (c *connection) dismissed(leave *livekit.LeaveRequest) {
	c.fail(dismissal(leave))
	switch leave.GetAction() {
	case livekit.LeaveRequest_RESUME:
		c.participant.lost(c, true)
	case livekit.LeaveRequest_RECONNECT:
		c.participant.lost(c, false)
	default:
		c.participant.removed(c, leave.GetReason())
	}
}

// dismissal is what it comes to that the server says to leave.
func dismissal(leave *livekit.LeaveRequest) error {
	reason := leave.GetReason()
	switch {
	case roomEnded(reason):
		return ErrNoRoom
	case reason == livekit.DisconnectReason_PARTICIPANT_REMOVED || reason == livekit.DisconnectReason_DUPLICATE_IDENTITY:
		return fmt.Errorf("%w: %s", errRemoved, reason)
	}
	return fmt.Errorf("%w: %s", ErrLost, reason)
}

func roomEnded(reason livekit.DisconnectReason) bool {
	return reason == livekit.DisconnectReason_ROOM_DELETED || reason == livekit.DisconnectReason_ROOM_CLOSED
}

// change does something to what await looks at.
func (c *connection) change(do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	do()
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *connection) fail(err error) {
	c.change(func() {
		if c.err == nil {
			c.err = err
		}
	})
}

// publishedTrack is LiveKit's id of the microphone; "" before it is published.
func (c *connection) publishedTrack() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.published.GetTrack().GetSid()
}

// broken is why the connection does not work; nil while it does.
func (c *connection) broken() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// await waits until ok, which is asked with c.mu held whenever something changes.
func (c *connection) await(ctx context.Context, ok func() bool) error {
	for {
		c.mu.Lock()
		done, err, changed := ok(), c.err, c.changed
		c.mu.Unlock()
		if err != nil || done {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// close closes all of it.
func (c *connection) close() {
	c.hangUp()
	_ = c.peer.Close()
}
