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

// connection is a participant's connection to its room: a WebSocket with LiveKit's signalling for a single peer
// connection, where the join request contains the offer and the track, and that peer connection.
// docs/architecture.md says why the SDK is not used.
type connection struct {
	participant *Participant
	peer        *webrtc.PeerConnection
	sender      *webrtc.RTPSender // of the microphone
	data        *dataChannels     // nil unless the participant sends and receives data

	sid string // of the participant's session on the server

	negotiating sync.Mutex // held while checking for and sending an offer; locked before mu

	mu           sync.Mutex
	socket       *websocket.Conn
	ended        chan struct{} // closed when startReading's goroutine has ended
	changed      chan struct{} // closed and replaced whenever one of the fields below changes
	published    *livekit.TrackPublishedResponse
	answers      int
	err          error                     // why the connection failed
	candidates   []webrtc.ICECandidateInit // received before the first answer
	offerPending bool                      // another offer is to be sent after the pending answer
}

// leaveTimeout bounds the wait for the server's leave request, with its reason, after it has closed the media.
const leaveTimeout = time.Second

// Errors of connections and of attempts to connect.
var (
	ErrUnreachable = errors.New("the media server cannot be reached")
	errStale       = errors.New("the media server does not know this session")
	ErrLost        = errors.New("the connection is lost")
	errRemoved     = errors.New("the media server has removed the participant from the room")
)

// newConnection creates the peer connection with the microphone track.
func newConnection(p *Participant) (*connection, error) {
	api, err := p.joiner.peerAPI(p.options.URL, p.tcp)
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
		c.data, err = newDataChannels(peer, p.handleDataPacket)
	}
	if err != nil {
		_ = peer.Close()
		return nil, err
	}
	p.start(func() { readReports(c.sender) })
	peer.OnICECandidate(func(found *webrtc.ICECandidate) {
		if found != nil {
			_ = c.send(&livekit.SignalRequest{Message: &livekit.SignalRequest_Trickle{
				Trickle: wire.ToProtoTrickle(found.ToJSON(), livekit.SignalTarget_PUBLISHER, false),
			}}) // a lost candidate is not repeated
		}
	})
	peer.OnConnectionStateChange(func(state webrtc.PeerConnectionState) {
		switch state {
		case webrtc.PeerConnectionStateFailed:
			c.fail(ErrLost)
			p.handleConnectionLost(c, true)
		case webrtc.PeerConnectionStateClosed: // by the server, unless it was closed here
			c.fail(ErrLost)
			p.start(func() {
				c.awaitLeave()
				p.handleConnectionLost(c, false)
			})
		default:
			c.updateState(func() {})
		}
	})
	peer.OnTrack(func(track *webrtc.TrackRemote, receiver *webrtc.RTPReceiver) { p.onTrack(c, track, receiver) })
	return c, nil
}

// join joins the room, and returns when media are connected in both directions.
func (c *connection) join(ctx context.Context, at, token string) error {
	offer, err := c.peer.CreateOffer(nil)
	if err != nil {
		return err
	}
	track := &livekit.AddTrackRequest{
		Cid: c.participant.mic.track.ID(), Name: "voice", Type: livekit.TrackType_AUDIO, Source: livekit.TrackSource_MICROPHONE,
	}
	if c.participant.options.sourceless {
		track.Source = livekit.TrackSource_UNKNOWN
	}
	first, err := c.openSocket(ctx, at, token, &livekit.JoinRequest{
		AddTrackRequests: []*livekit.AddTrackRequest{track}, PublisherOffer: wire.ToProtoSessionDescription(offer, 0, nil),
	})
	if err != nil {
		return err
	}
	joined := first.GetJoin()
	if joined == nil {
		c.closeSocket()
		return leaveError(first.GetLeave())
	}
	c.sid = joined.GetParticipant().GetSid()
	c.participant.handleJoin(joined)
	if servers := stunServers(at, joined.GetIceServers()); len(servers) > 0 {
		if err := c.peer.SetConfiguration(webrtc.Configuration{ICEServers: servers}); err != nil {
			return err
		}
	}
	if err := c.peer.SetLocalDescription(offer); err != nil {
		return err
	}
	if o := c.participant.options; o.Private { // before the track is published, which takes the media connection
		if err := c.permitOnly(o.Peer); err != nil {
			return err
		}
	}
	c.startReading()
	return c.awaitState(ctx, func() bool { return c.published != nil && c.connected() })
}

// resume resumes the session after its signalling or its media connection was lost. Other participants see no leave
// event.
func (c *connection) resume(ctx context.Context, at, token string) error {
	c.closeSocket()
	<-c.ended // its end must not be taken for that of the new connection
	first, err := c.openSocket(ctx, at, token, &livekit.JoinRequest{Reconnect: true, ParticipantSid: c.sid})
	if err != nil {
		return err
	}
	if first.GetReconnect() == nil {
		return errStale
	}
	answers := 0
	c.updateState(func() { c.err, answers = nil, c.answers })
	c.startReading()
	if err := c.send(&livekit.SignalRequest{Message: &livekit.SignalRequest_SyncState{SyncState: c.syncState()}}); err != nil {
		return err
	}
	if err := c.restartICE(); err != nil {
		return fmt.Errorf("%w: %w", errStale, err)
	}
	return c.awaitState(ctx, func() bool { return c.answers > answers && c.connected() })
}

// syncState returns the participant's state, for a server that resumes the session.
func (c *connection) syncState() *livekit.SyncState {
	c.mu.Lock()
	defer c.mu.Unlock()
	state := &livekit.SyncState{
		Subscription:  &livekit.UpdateSubscription{}, // everything is subscribed
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

// handleResponse handles a message about the connection, and forwards messages about the room to the participant.
func (c *connection) handleResponse(response *livekit.SignalResponse) {
	switch m := response.GetMessage().(type) {
	case *livekit.SignalResponse_Answer:
		c.handleAnswer(m.Answer)
	case *livekit.SignalResponse_Trickle:
		if candidate, err := wire.FromProtoTrickle(m.Trickle); err == nil {
			c.addCandidate(candidate)
		}
	case *livekit.SignalResponse_MediaSectionsRequirement:
		c.addSections(m.MediaSectionsRequirement)
	case *livekit.SignalResponse_TrackPublished:
		c.updateState(func() { c.published = m.TrackPublished })
	case *livekit.SignalResponse_Leave:
		c.handleLeave(m.Leave)
	default:
		c.participant.handleSignal(response)
	}
}

// awaitLeave waits until the signalling has ended, which follows the server's leave request, or leaveTimeout has passed.
func (c *connection) awaitLeave() {
	c.mu.Lock()
	ended := c.ended
	c.mu.Unlock()
	if ended == nil {
		return
	}
	select {
	case <-ended:
	case <-time.After(leaveTimeout):
	case <-c.participant.ctx.Done():
	}
}

// handleLeave handles a leave request of the server: the participant resumes, rejoins, or is removed.
func (c *connection) handleLeave(leave *livekit.LeaveRequest) {
	c.fail(leaveError(leave))
	switch leave.GetAction() {
	case livekit.LeaveRequest_RESUME:
		c.participant.handleConnectionLost(c, true)
	case livekit.LeaveRequest_RECONNECT:
		c.participant.handleConnectionLost(c, false)
	default:
		c.participant.handleRemoved(c, leave.GetReason())
	}
}

// leaveError returns the error that a leave request amounts to.
func leaveError(leave *livekit.LeaveRequest) error {
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

// updateState changes fields that awaitState observes.
func (c *connection) updateState(do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	do()
	close(c.changed)
	c.changed = make(chan struct{})
}

// fail records why the connection does not work; the first error counts.
func (c *connection) fail(err error) {
	c.updateState(func() {
		if c.err == nil {
			c.err = err
		}
	})
}

// publishedTrack returns LiveKit's id of the microphone track; "" before it is published.
func (c *connection) publishedTrack() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.published.GetTrack().GetSid()
}

// failure returns the error of fail; nil while the connection works.
func (c *connection) failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// awaitState waits until ok returns true. ok is called with c.mu held, after every change.
func (c *connection) awaitState(ctx context.Context, ok func() bool) error {
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

// close closes the signalling and the peer connection.
func (c *connection) close() {
	c.closeSocket()
	_ = c.peer.Close()
}
