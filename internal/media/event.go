package media

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/livekit/protocol/livekit"
	"github.com/pion/webrtc/v4"

	"parley/internal/audio"
)

// EventKind is the kind of an Event.
type EventKind uint8

// The kinds of events. RoomClosed and Disconnected are final.
const (
	PeerJoined       EventKind = iota + 1 // the peer is in the room
	PeerAudio                             // the peer's audio track is subscribed: Frames starts
	PeerAnswered                          // the peer is a phone whose call is established: one that called has acknowledged the answer
	PeerLeft                              // the peer left the room, see Event.HungUp
	PeerReturned                          // the peer is in the room in a new session, in place of a lost one
	Reconnecting                          // the connection to the room is interrupted; the participant tries to reconnect for about a minute
	Rejoined                              // the participant is back in the room
	PeerHeld                              // the peer, a phone, has put the call on hold
	PeerResumed                           // the peer has taken the call off hold
	PeerQuality                           // the peer, a phone, has measured the quality of its audio, see Event.Quality
	PeerState                             // the peer is an agent, and in another state, see Event.State
	PeerTrackIgnored                      // an audio track of the peer is not subscribed, see Event.Reason
	RoomClosed                            // the room was deleted
	Disconnected                          // the connection to the room is lost, or the participant was removed from it
)

func (k EventKind) String() string {
	return [...]string{"none", "peer joined", "peer audio", "peer answered", "peer left", "peer returned", "reconnecting", "rejoined", "peer held", "peer resumed", "peer quality", "peer state", "peer track ignored", "room closed", "disconnected"}[k]
}

// Event is a change of the peer or the room.
type Event struct {
	Kind     EventKind
	Identity string // of the peer; "" for events of the room
	HungUp   bool   // PeerLeft: it left by itself; otherwise it was lost or removed
	RoomLost bool   // PeerReturned, Rejoined: the server had lost the room's participants, in a restart or as a node died
	Reason   string // LiveKit's, such as CLIENT_INITIATED or ROOM_DELETED, for logs; PeerTrackIgnored: the track's source
	// Published, of PeerAudio, is when the server started to offer the track, in server time.
	Published time.Time
	Quality   audio.Quality // of PeerQuality, without MeasuredAt
	State     string        // of PeerState: lk.agent.state, such as thinking
}

// Unreachable reports whether a final event means that the server could not be reached any more.
func (e Event) Unreachable() bool {
	return e.Kind == Disconnected && e.Reason == livekit.DisconnectReason_SIGNAL_CLOSE.String()
}

// RoomDeleted reports whether the event means that the room was deleted. The peer's leaving may be reported before RoomClosed.
func (e Event) RoomDeleted() bool {
	return e.Kind == RoomClosed || e.Kind == PeerLeft && e.Reason == livekit.DisconnectReason_ROOM_DELETED.String()
}

// sendEvent queues an event; p.mu is held.
func (p *Participant) sendEvent(e Event) {
	if p.ended {
		return
	}
	for {
		select {
		case p.events <- e:
			return
		default:
		}
		select {
		case <-p.events:
		default:
		}
	}
}

// isPeer reports whether a participant qualifies as the peer.
func (p *Participant) isPeer(who *livekit.ParticipantInfo) bool {
	if p.options.Peer != "" {
		return who.GetIdentity() == p.options.Peer
	}
	if IsAside(who.GetIdentity()) {
		return false
	}
	kinds := []livekit.ParticipantInfo_Kind{livekit.ParticipantInfo_AGENT}
	if p.options.Agent {
		kinds = []livekit.ParticipantInfo_Kind{livekit.ParticipantInfo_STANDARD, livekit.ParticipantInfo_SIP}
	}
	return slices.Contains(kinds, who.GetKind())
}

// handleSignal handles a message about the room.
func (p *Participant) handleSignal(response *livekit.SignalResponse) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch m := response.GetMessage().(type) {
	case *livekit.SignalResponse_Update:
		for _, who := range m.Update.GetParticipants() {
			p.updateParticipant(who)
		}
	case *livekit.SignalResponse_ConnectionQuality:
		for _, u := range m.ConnectionQuality.GetUpdates() {
			if who := p.others[u.GetParticipantSid()]; who != nil {
				p.mic.handleQuality(who.GetIdentity(), u.GetQuality())
			} else if u.GetParticipantSid() == p.sid {
				p.mic.handleQuality(p.identity, u.GetQuality())
			}
		}
	case *livekit.SignalResponse_RefreshToken:
		p.token = m.RefreshToken
	}
}

// handleJoin sets the room's participants after a connection, the first or a later one.
func (p *Participant) handleJoin(join *livekit.JoinResponse) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sid, p.identity = join.GetParticipant().GetSid(), join.GetParticipant().GetIdentity()
	room := roomSession{join.GetRoom().GetSid(), join.GetServerInfo().GetNodeId()}
	p.roomLost, p.room = p.roomLost || p.room.sid != "" && room != p.room, room
	p.others, p.pendingTracks = map[string]*livekit.ParticipantInfo{}, nil
	for _, who := range join.GetOtherParticipants() {
		p.updateParticipant(who)
	}
}

// updateParticipant applies a change of a participant; p.mu is held.
func (p *Participant) updateParticipant(who *livekit.ParticipantInfo) {
	if who.GetIdentity() == p.identity {
		return
	}
	reason, left := departure(who)
	if !left {
		// A participant who rejoins before the server noticed the loss replaces its own session; the server does
		// not announce the end of the lost one first.
		maps.DeleteFunc(p.others, func(_ string, other *livekit.ParticipantInfo) bool { return other.GetIdentity() == who.GetIdentity() })
		p.others[who.GetSid()] = who
		if p.setPeer(who) && p.peerSID != who.GetSid() {
			p.sendEvent(Event{Kind: PeerReturned, Identity: p.peer, RoomLost: p.peerRoom != p.room})
			p.peerSID, p.peerRoom = who.GetSid(), p.room
		}
		p.noteAnswer(who)
		p.updateHeld(who)
		p.updateQuality(who)
		p.updateState(who)
		p.subscribePending()
		return
	}
	p.updateQuality(who)
	delete(p.others, who.GetSid())
	again := reason == livekit.DisconnectReason_DUPLICATE_IDENTITY
	if p.peer != who.GetIdentity() || again || p.inRoom(p.peer) {
		return
	}
	// While this participant is disconnected, participants who left are announced before those who are present.
	if p.reconnecting {
		p.leaveReason = reason
		return
	}
	p.handlePeerGone(reason)
}

// handlePeerGone removes the peer, unless LiveKit has told its client to begin a new session; p.mu is held. LiveKit does so where it
// cannot continue a session, for example when the signalling breaks during a negotiation.
func (p *Participant) handlePeerGone(reason livekit.DisconnectReason) {
	if reason == livekit.DisconnectReason_STATE_MISMATCH {
		p.awaitPeer(peerReturn, reason)
		return
	}
	p.removePeer(reason)
}

// departure returns why a participant left the room, and whether it did. A SIP gateway announces a hang-up in the phone's
// attributes before it leaves; its message of leaving may be lost when it closes the connection at once, which LiveKit would
// report after 20 s, as a lost connection.
func departure(who *livekit.ParticipantInfo) (reason livekit.DisconnectReason, left bool) {
	if who.GetState() == livekit.ParticipantInfo_DISCONNECTED {
		return who.GetDisconnectReason(), true
	}
	hungUp := who.GetKind() == livekit.ParticipantInfo_SIP && who.GetAttributes()[livekit.AttrSIPCallStatus] == "hangup"
	return livekit.DisconnectReason_CLIENT_INITIATED, hungUp
}

// refreshPeer updates the peer after a reconnection; p.mu is held.
func (p *Participant) refreshPeer() {
	if p.peer != "" && !p.inRoom(p.peer) {
		if p.peerRoom != p.room {
			p.awaitPeer(p.peerRoom.returnLimit(p.room), livekit.DisconnectReason_UNKNOWN_REASON)
		} else {
			p.handlePeerGone(p.leaveReason)
		}
	}
	p.findPeer()
}

// findPeer chooses a peer among the participants if there is none; p.mu is held.
func (p *Participant) findPeer() {
	for _, who := range p.others {
		p.setPeer(who)
		p.noteAnswer(who)
	}
	p.subscribePending()
}

// roomSession identifies a room for as long as its participants stay in it. When a node of LiveKit dies, another one
// continues its rooms with the same session ids, but without the participants.
type roomSession struct{ sid, node string }

// How long a peer may take to rejoin a room that the media server lost, or whose session it ended to have it rejoin. Another peer
// missing from a room has left: the server keeps participants whose connections broke.
const (
	// peerReturn is for clients that know at once: the server was restarted, which ends all signalling, or ended the session.
	peerReturn = 10 * time.Second
	// movedPeerReturn is for a room that another node continues. Clients whose signalling went through that node
	// notice the loss after 15 to 20 s only, when their pings stay unanswered or their media time out.
	movedPeerReturn = 30 * time.Second
)

// returnLimit returns how long a peer that was last seen in s may take to join the room's next session.
func (s roomSession) returnLimit(next roomSession) time.Duration {
	if s.sid == next.sid {
		return movedPeerReturn
	}
	return peerReturn
}

// awaitPeer removes the peer for a reason unless it returns within limit; p.mu is held.
func (p *Participant) awaitPeer(limit time.Duration, reason livekit.DisconnectReason) {
	identity := p.peer
	time.AfterFunc(limit, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if !p.ended && !p.reconnecting && p.peer == identity && !p.inRoom(identity) { // a reconnection refreshes the peer itself
			p.removePeer(reason)
			p.findPeer()
		}
	})
}

// inRoom reports whether a participant is in the room; p.mu is held.
func (p *Participant) inRoom(identity string) bool {
	for _, who := range p.others {
		if who.GetIdentity() == identity {
			return true
		}
	}
	return false
}

// setPeer makes who the peer if there is none and it qualifies, and reports whether it is the peer; p.mu is held.
func (p *Participant) setPeer(who *livekit.ParticipantInfo) bool {
	if p.peer == "" && !p.ended && p.isPeer(who) {
		p.peer, p.peerSID, p.peerRoom = who.GetIdentity(), who.GetSid(), p.room
		p.sendEvent(Event{Kind: PeerJoined, Identity: p.peer})
	}
	return p.peer != "" && p.peer == who.GetIdentity()
}

// AttributeHeld is the attribute of a phone that says that its call is on hold: "true" or absent.
const AttributeHeld = "parley.held"

// updateHeld reports a change of the peer's attribute; p.mu is held.
func (p *Participant) updateHeld(who *livekit.ParticipantInfo) {
	held := who.GetAttributes()[AttributeHeld] == "true"
	if !p.isPeerPhone(who) || held == p.peerHeld {
		return
	}
	p.peerHeld = held
	kind := PeerResumed
	if held {
		kind = PeerHeld
	}
	p.sendEvent(Event{Kind: kind, Identity: p.peer})
}

// AttributeQuality is the attribute of a phone with the quality of its audio so far: an audio.Quality as JSON.
const AttributeQuality = "parley.quality"

// updateQuality reports a new measurement in the peer's attribute; p.mu is held.
func (p *Participant) updateQuality(who *livekit.ParticipantInfo) {
	encoded := who.GetAttributes()[AttributeQuality]
	if encoded == "" || encoded == p.peerQuality || !p.isPeerPhone(who) {
		return
	}
	p.peerQuality = encoded
	var quality audio.Quality
	if json.Unmarshal([]byte(encoded), &quality) == nil {
		p.sendEvent(Event{Kind: PeerQuality, Identity: p.peer, Quality: quality})
	}
}

// AttributeAgentState is the attribute of an agent by which LiveKit's clients show what it does.
const AttributeAgentState = "lk.agent.state"

// updateState reports a change of the peer's attribute; p.mu is held.
func (p *Participant) updateState(who *livekit.ParticipantInfo) {
	state := who.GetAttributes()[AttributeAgentState]
	if p.peer != who.GetIdentity() || who.GetKind() != livekit.ParticipantInfo_AGENT || state == "" || state == p.peerState {
		return
	}
	p.peerState = state
	p.sendEvent(Event{Kind: PeerState, Identity: p.peer, State: state})
}

// isPeerPhone reports whether a participant is the peer, and a phone; p.mu is held.
func (p *Participant) isPeerPhone(who *livekit.ParticipantInfo) bool {
	return p.peer == who.GetIdentity() && who.GetKind() == livekit.ParticipantInfo_SIP
}

// noteAnswer reports once that the peer is a phone whose call is established; p.mu is held. A phone whose status LiveKit does not show
// counts as established.
func (p *Participant) noteAnswer(who *livekit.ParticipantInfo) {
	if p.answered || who.GetKind() != livekit.ParticipantInfo_SIP || p.peer != who.GetIdentity() {
		return
	}
	if status, shown := who.GetAttributes()[livekit.AttrSIPCallStatus]; shown && status != "active" {
		return
	}
	p.answered = true
	p.sendEvent(Event{Kind: PeerAnswered, Identity: p.peer})
}

// removePeer ends the peer; p.mu is held.
func (p *Participant) removePeer(reason livekit.DisconnectReason) {
	p.answered = false
	hungUp := reason == livekit.DisconnectReason_CLIENT_INITIATED || reason == livekit.DisconnectReason_USER_REJECTED
	p.sendEvent(Event{Kind: PeerLeft, Identity: p.peer, HungUp: hungUp, Reason: reason.String()})
	p.peer, p.peerHeld, p.peerQuality, p.peerState = "", false, "", ""
}

func (p *Participant) onTrack(c *connection, track *webrtc.TrackRemote, receiver *webrtc.RTPReceiver) {
	p.start(func() { readReports(receiver) })
	if track.Kind() != webrtc.RTPCodecTypeAudio {
		_, id := trackOwner(track)
		c.disableTrack(id)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.sid != p.sid { // of a session that another has replaced
		return
	}
	p.pendingTracks = append(p.pendingTracks, track)
	p.subscribePending()
}

// subscribePending subscribes to tracks whose owners have become known; p.mu is held.
func (p *Participant) subscribePending() {
	p.pendingTracks = slices.DeleteFunc(p.pendingTracks, func(track *webrtc.TrackRemote) bool {
		owner, id := trackOwner(track)
		who := p.others[owner]
		i := slices.IndexFunc(who.GetTracks(), func(info *livekit.TrackInfo) bool { return info.GetSid() == id })
		if i < 0 {
			return false
		}
		p.subscribe(track, who, who.GetTracks()[i])
		return true
	})
}

// subscribe reads a track if it is the peer's voice; p.mu is held.
func (p *Participant) subscribe(track *webrtc.TrackRemote, who *livekit.ParticipantInfo, info *livekit.TrackInfo) {
	if p.ended || !p.setPeer(who) {
		return
	}
	if !p.isVoice(who, info) {
		p.sendEvent(Event{Kind: PeerTrackIgnored, Identity: p.peer, Reason: info.GetSource().String()})
		return
	}
	if p.subscribed != nil {
		_ = p.subscribed.SetReadDeadline(time.Now()) // the new track replaces an earlier one
	}
	p.subscribed, p.track = track, info.GetSid()
	p.sendEvent(Event{Kind: PeerAudio, Identity: p.peer, Published: time.UnixMicro(info.GetVersion().GetUnixMicro())})
	delay := jitterDelay
	if p.isPeerPhone(who) {
		delay = phoneDelay
	}
	p.running.Go(func() { p.receiveTrack(track, delay) })
}

// isVoice reports whether an audio track of the peer is what to listen to: its microphone, or, while no other track is listened to, one
// that its client published without a source, as some SDKs do by default; p.mu is held.
func (p *Participant) isVoice(who *livekit.ParticipantInfo, info *livekit.TrackInfo) bool {
	switch info.GetSource() {
	case livekit.TrackSource_MICROPHONE:
		return true
	case livekit.TrackSource_UNKNOWN:
		return !slices.ContainsFunc(who.GetTracks(), func(other *livekit.TrackInfo) bool { return other.GetSid() == p.track && p.track != info.GetSid() })
	}
	return false
}

// trackOwner returns a track's participant and id, from LiveKit's names of the track and its stream.
func trackOwner(track *webrtc.TrackRemote) (participant, id string) {
	participant, rest, _ := strings.Cut(track.StreamID(), "|")
	if strings.HasPrefix(rest, "TR_") {
		return participant, rest
	}
	return participant, track.ID()
}
