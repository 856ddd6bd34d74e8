package media

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/livekit/protocol/livekit"
	wire "github.com/livekit/protocol/signalling"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/webrtc/v4"
	"google.golang.org/protobuf/proto"
)

// connection is a participant's way into its room: a WebSocket that carries LiveKit's signalling in its form for a
// single peer connection, where the offer and the track come with the request to join, and that peer connection.
// docs/architecture.md tells why this is not the SDK's.
type connection struct {
	participant *Participant
	peer        *webrtc.PeerConnection
	sender      *webrtc.RTPSender // of the microphone
	data        *dataChannels     // nil unless the participant sends tones

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

const (
	signalPath = "/rtc/v1"
	// signalLimit bounds a message of the server's; the largest names everybody in the room.
	signalLimit = 4 << 20
	// signalPatience bounds how long a message may take to be sent.
	signalPatience = 5 * time.Second
)

// Reasons why a connection, or an attempt at one, came to nothing.
var (
	errUnreachable = errors.New("the media server cannot be reached")
	errStale       = errors.New("the media server does not know this session any more")
	errLost        = errors.New("the connection is lost")
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
	if err == nil && p.options.Tones {
		c.data, err = newDataChannels(peer)
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
			c.fail(errLost)
			p.lost(c, true)
		case webrtc.PeerConnectionStateClosed: // by the server, if it is news
			c.fail(errLost)
			p.lost(c, false)
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

// dial opens the signalling and returns the server's first message.
func (c *connection) dial(ctx context.Context, at, token string, request *livekit.JoinRequest) (*livekit.SignalResponse, error) {
	request.ClientInfo = &livekit.ClientInfo{Sdk: livekit.ClientInfo_GO, Version: lksdk.Version, Protocol: lksdk.PROTOCOL}
	request.ConnectionSettings = &livekit.ConnectionSettings{AutoSubscribe: true}
	plain, err := proto.Marshal(request)
	if err != nil {
		return nil, err
	}
	wrapped, err := proto.Marshal(&livekit.WrappedJoinRequest{JoinRequest: plain})
	if err != nil {
		return nil, err
	}
	query := url.Values{"join_request": {base64.URLEncoding.EncodeToString(wrapped)}}
	socket, answer, err := websocket.Dial(ctx, strings.TrimSuffix(at, "/")+signalPath+"?"+query.Encode(), &websocket.DialOptions{
		HTTPHeader: http.Header{"Authorization": {"Bearer " + token}},
	})
	if err != nil {
		return nil, refusal(answer, err)
	}
	socket.SetReadLimit(signalLimit)
	first, err := receive(ctx, socket)
	if err != nil {
		_ = socket.CloseNow()
		return nil, fmt.Errorf("%w: %w", errUnreachable, err)
	}
	c.mu.Lock()
	c.socket, c.ended = socket, make(chan struct{})
	c.mu.Unlock()
	return first, nil
}

// refusal is what an attempt that opened no signalling came to. The library's errors have the whole URL in them.
func refusal(answer *http.Response, err error) error {
	var status int
	if answer != nil {
		status = answer.StatusCode
	}
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return ErrUnauthorized
	case http.StatusNotFound:
		return ErrNoRoom
	case 0:
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return fmt.Errorf("%w: %w", errUnreachable, err)
	}
	return fmt.Errorf("%w: it answers %s", errUnreachable, http.StatusText(status))
}

func receive(ctx context.Context, socket *websocket.Conn) (*livekit.SignalResponse, error) {
	_, data, err := socket.Read(ctx)
	if err != nil {
		return nil, err
	}
	response := new(livekit.SignalResponse)
	return response, proto.Unmarshal(data, response)
}

// send sends a message to the server.
func (c *connection) send(request *livekit.SignalRequest) error {
	data, err := proto.Marshal(request)
	if err != nil {
		return err
	}
	c.mu.Lock()
	socket := c.socket
	c.mu.Unlock()
	if socket == nil {
		return errLost
	}
	ctx, cancel := context.WithTimeout(context.Background(), signalPatience)
	defer cancel()
	return socket.Write(ctx, websocket.MessageBinary, data)
}

// follow reads from the signalling, in the background, for as long as it lasts.
func (c *connection) follow() {
	c.mu.Lock()
	socket, ended := c.socket, c.ended
	c.mu.Unlock()
	read := func() {
		defer close(ended)
		for {
			response, err := receive(c.participant.life, socket)
			if err != nil {
				break
			}
			c.heed(response)
		}
		_ = socket.CloseNow()
		c.fail(errLost)
		c.participant.lost(c, true)
	}
	if !c.participant.start(read) {
		close(ended)
	}
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

func (c *connection) answered(answer *livekit.SessionDescription) {
	if c.peer.SignalingState() == webrtc.SignalingStateStable {
		return // to an offer that was taken back
	}
	description, _, _ := wire.FromProtoSessionDescription(answer)
	if err := c.peer.SetRemoteDescription(description); err != nil {
		c.fail(fmt.Errorf("%w: the server's answer does not fit: %w", errStale, err))
		c.participant.lost(c, false)
		return
	}
	c.mu.Lock()
	early, again := c.candidates, c.offerAgain
	c.candidates, c.offerAgain = nil, false
	c.mu.Unlock()
	for _, candidate := range early {
		_ = c.peer.AddICECandidate(candidate)
	}
	c.change(func() { c.answers++ })
	if again {
		c.negotiating.Lock()
		_ = c.offer(nil)
		c.negotiating.Unlock()
	}
}

// candidate is where the server may be reached.
func (c *connection) candidate(candidate webrtc.ICECandidateInit) {
	if c.peer.RemoteDescription() == nil {
		c.mu.Lock()
		c.candidates = append(c.candidates, candidate)
		c.mu.Unlock()
		return
	}
	_ = c.peer.AddICECandidate(candidate) // one that cannot be used is as good as none
}

// mostSections bounds how much place there is for tracks. The server asks for more without end when a track goes before
// there was place for it.
const mostSections = 64

// widen makes place for more tracks and has them negotiated, as the server asks when more is sent in the room than there
// is place for.
func (c *connection) widen(more *livekit.MediaSectionsRequirement) {
	c.negotiating.Lock()
	defer c.negotiating.Unlock()
	if more.GetNumAudios()+more.GetNumVideos() > 0 && len(c.peer.GetTransceivers()) >= mostSections {
		return
	}
	listening := webrtc.RTPTransceiverInit{Direction: webrtc.RTPTransceiverDirectionRecvonly}
	for kind, count := range map[webrtc.RTPCodecType]uint32{
		webrtc.RTPCodecTypeAudio: more.GetNumAudios(), webrtc.RTPCodecTypeVideo: more.GetNumVideos(),
	} {
		for range count {
			if _, err := c.peer.AddTransceiverFromKind(kind, listening); err != nil {
				return
			}
		}
	}
	if c.peer.SignalingState() != webrtc.SignalingStateStable {
		c.mu.Lock()
		c.offerAgain = true
		c.mu.Unlock()
		return
	}
	_ = c.offer(nil)
}

// restart looks for a new way for the media. An offer whose answer was lost with the old signalling is taken back.
func (c *connection) restart() error {
	c.negotiating.Lock()
	defer c.negotiating.Unlock()
	if answer := c.peer.CurrentRemoteDescription(); answer != nil && c.peer.SignalingState() == webrtc.SignalingStateHaveLocalOffer {
		if err := c.peer.SetRemoteDescription(*answer); err != nil {
			return err
		}
	}
	return c.offer(&webrtc.OfferOptions{ICERestart: true})
}

// offer is called with c.negotiating held.
func (c *connection) offer(options *webrtc.OfferOptions) error {
	offer, err := c.peer.CreateOffer(options)
	if err != nil {
		return err
	}
	if err := c.peer.SetLocalDescription(offer); err != nil {
		return err
	}
	return c.send(&livekit.SignalRequest{Message: &livekit.SignalRequest_Offer{Offer: wire.ToProtoSessionDescription(offer, 0, nil)}})
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
	return fmt.Errorf("%w: %s", errLost, reason)
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

// setAttributes sets attributes of the participant's.
func (c *connection) setAttributes(attributes map[string]string) {
	_ = c.send(&livekit.SignalRequest{Message: &livekit.SignalRequest_UpdateMetadata{
		UpdateMetadata: &livekit.UpdateParticipantMetadata{Attributes: attributes},
	}}) // what does not arrive is said again on the next connection
}

// switchOff has the server not send a track.
func (c *connection) switchOff(track string) {
	_ = c.send(&livekit.SignalRequest{Message: &livekit.SignalRequest_TrackSetting{
		TrackSetting: &livekit.UpdateTrackSettings{TrackSids: []string{track}, Disabled: true},
	}}) // what is sent all the same is not read
}

func (c *connection) leave() error {
	return c.send(&livekit.SignalRequest{Message: &livekit.SignalRequest_Leave{
		Leave: &livekit.LeaveRequest{Reason: livekit.DisconnectReason_CLIENT_INITIATED},
	}})
}

// goodbyeLimit bounds the wait for the server to take note of a goodbye: it closes the signalling then.
const goodbyeLimit = 500 * time.Millisecond

// goodbye tells the server that the participant leaves.
func (c *connection) goodbye() {
	c.mu.Lock()
	ended := c.ended
	c.mu.Unlock()
	if c.leave() != nil {
		return
	}
	select {
	case <-ended:
	case <-time.After(goodbyeLimit):
	}
}

// hangUp closes the signalling.
func (c *connection) hangUp() {
	c.mu.Lock()
	socket := c.socket
	c.socket = nil
	c.mu.Unlock()
	if socket != nil {
		_ = socket.CloseNow()
	}
}

// close closes all of it.
func (c *connection) close() {
	c.hangUp()
	_ = c.peer.Close()
}
