package media

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/livekit/protocol/livekit"
	"github.com/pion/webrtc/v4"
)

// EventKind is what happened.
type EventKind uint8

// The events of a participant. RoomClosed and Disconnected are the last.
const (
	PeerJoined   EventKind = iota + 1 // the peer is in the room
	PeerAudio                         // the peer's microphone is subscribed: Frames begins
	PeerLeft                          // the peer left the room, see Event.HungUp
	PeerReturned                      // the peer is in the room in a new session, in place of one that was lost
	Reconnecting                      // the connection to the room is interrupted; the participant tries for some minute to get back
	Rejoined                          // the participant is back in the room
	RoomClosed                        // the room was deleted
	Disconnected                      // the connection to the room is lost, or the participant was removed from it
)

func (k EventKind) String() string {
	return [...]string{"none", "peer joined", "peer audio", "peer left", "peer returned", "reconnecting", "rejoined", "room closed", "disconnected"}[k]
}

// Event is something that happened to the peer or the room.
type Event struct {
	Kind     EventKind
	Identity string // of the peer; "" for what happened to the room
	HungUp   bool   // PeerLeft: it said goodbye; otherwise it was lost or removed
	RoomLost bool   // PeerReturned, Rejoined: the media server had the room no more, and it was made again
	Reason   string // LiveKit's, as CLIENT_INITIATED or ROOM_DELETED; for logs
	// Published, of PeerAudio, is when the server began to offer the track, by the server's clock.
	Published time.Time
}

// send queues an event; p.mu is held.
func (p *Participant) send(e Event) {
	if p.over {
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

// wanted tells whether somebody is whom this participant talks with.
func (p *Participant) wanted(who *livekit.ParticipantInfo) bool {
	if p.options.Peer != "" {
		return who.GetIdentity() == p.options.Peer
	}
	kinds := []livekit.ParticipantInfo_Kind{livekit.ParticipantInfo_AGENT}
	if p.options.Agent {
		kinds = []livekit.ParticipantInfo_Kind{livekit.ParticipantInfo_STANDARD, livekit.ParticipantInfo_SIP}
	}
	return slices.Contains(kinds, who.GetKind())
}

// heed takes what the server tells of the room.
func (p *Participant) heed(response *livekit.SignalResponse) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch m := response.GetMessage().(type) {
	case *livekit.SignalResponse_Update:
		for _, who := range m.Update.GetParticipants() {
			p.update(who)
		}
	case *livekit.SignalResponse_ConnectionQuality:
		for _, u := range m.ConnectionQuality.GetUpdates() {
			if who := p.others[u.GetParticipantSid()]; who != nil {
				p.mic.qualityChanged(who.GetIdentity(), u.GetQuality())
			} else if u.GetParticipantSid() == p.sid {
				p.mic.qualityChanged(p.identity, u.GetQuality())
			}
		}
	case *livekit.SignalResponse_RefreshToken:
		p.token = m.RefreshToken
	}
}

// entered takes who is in the room that a connection has been made to, the first or a later one.
func (p *Participant) entered(join *livekit.JoinResponse) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sid, p.identity = join.GetParticipant().GetSid(), join.GetParticipant().GetIdentity()
	room := join.GetRoom().GetSid()
	p.roomLost, p.room = p.roomLost || p.room != "" && room != p.room, room
	p.others, p.early = map[string]*livekit.ParticipantInfo{}, nil
	for _, who := range join.GetOtherParticipants() {
		p.update(who)
	}
}

// update takes what is new about somebody; p.mu is held.
func (p *Participant) update(who *livekit.ParticipantInfo) {
	if who.GetIdentity() == p.identity {
		return
	}
	if who.GetState() != livekit.ParticipantInfo_DISCONNECTED {
		// Somebody who comes back before their leaving was noticed takes their own place; the server does not tell of the
		// end of their session before.
		maps.DeleteFunc(p.others, func(_ string, other *livekit.ParticipantInfo) bool { return other.GetIdentity() == who.GetIdentity() })
		p.others[who.GetSid()] = who
		if p.meet(who) && p.peerSID != who.GetSid() {
			p.send(Event{Kind: PeerReturned, Identity: p.peer, RoomLost: p.peerRoom != p.room})
			p.peerSID, p.peerRoom = who.GetSid(), p.room
		}
		p.hearEarly()
		return
	}
	delete(p.others, who.GetSid())
	again := who.GetDisconnectReason() == livekit.DisconnectReason_DUPLICATE_IDENTITY
	if p.peer != who.GetIdentity() || again || p.present(p.peer) {
		return
	}
	// While this participant itself is away, the server tells of those who left before it tells of those who are there.
	if p.reconnecting {
		p.parting = who.GetDisconnectReason()
		return
	}
	p.part(who.GetDisconnectReason())
}

// lookAround takes note, back in the room, of who has gone and come meanwhile; p.mu is held.
func (p *Participant) lookAround() {
	if p.peer != "" && !p.present(p.peer) {
		if p.peerRoom != p.room {
			p.awaitPeer()
		} else {
			p.part(p.parting)
		}
	}
	p.meetOthers()
}

// meetOthers takes one of those who are in the room for the peer if there is none; p.mu is held.
func (p *Participant) meetOthers() {
	for _, who := range p.others {
		p.meet(who)
	}
	p.hearEarly()
}

// peerReturn is how long a peer who was in the room that the media server lost may take to come into the one that was made in
// its place. A peer who is missing from the same room has left it: the server keeps those whose connections broke.
const peerReturn = 10 * time.Second

// awaitPeer lets the peer go if it does not come back; p.mu is held.
func (p *Participant) awaitPeer() {
	identity := p.peer
	time.AfterFunc(peerReturn, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if !p.over && !p.reconnecting && p.peer == identity && !p.present(identity) { // who reconnects looks anew afterwards
			p.part(livekit.DisconnectReason_UNKNOWN_REASON)
			p.meetOthers()
		}
	})
}

// present tells whether somebody is in the room; p.mu is held.
func (p *Participant) present(identity string) bool {
	for _, who := range p.others {
		if who.GetIdentity() == identity {
			return true
		}
	}
	return false
}

// meet takes who for the peer if there is none and it is wanted; p.mu is held. It tells whether it is the peer.
func (p *Participant) meet(who *livekit.ParticipantInfo) bool {
	if p.peer == "" && !p.over && p.wanted(who) {
		p.peer, p.peerSID, p.peerRoom = who.GetIdentity(), who.GetSid(), p.room
		p.send(Event{Kind: PeerJoined, Identity: p.peer})
	}
	return p.peer != "" && p.peer == who.GetIdentity()
}

// part lets the peer go; p.mu is held.
func (p *Participant) part(reason livekit.DisconnectReason) {
	hungUp := reason == livekit.DisconnectReason_CLIENT_INITIATED || reason == livekit.DisconnectReason_USER_REJECTED
	p.send(Event{Kind: PeerLeft, Identity: p.peer, HungUp: hungUp, Reason: reason.String()})
	p.peer = ""
}

func (p *Participant) onTrack(c *connection, track *webrtc.TrackRemote, receiver *webrtc.RTPReceiver) {
	p.start(func() { drain(receiver) })
	if track.Kind() != webrtc.RTPCodecTypeAudio {
		_, id := trackOwner(track)
		c.switchOff(id)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.sid != p.sid { // of a session that another has replaced
		return
	}
	p.early = append(p.early, track)
	p.hearEarly()
}

// hearEarly listens to tracks whose owners are known by now; p.mu is held.
func (p *Participant) hearEarly() {
	p.early = slices.DeleteFunc(p.early, func(track *webrtc.TrackRemote) bool {
		owner, id := trackOwner(track)
		who := p.others[owner]
		i := slices.IndexFunc(who.GetTracks(), func(info *livekit.TrackInfo) bool { return info.GetSid() == id })
		if i < 0 {
			return false
		}
		p.listenTo(track, who, who.GetTracks()[i])
		return true
	})
}

// listenTo listens to a track if it is the peer's microphone; p.mu is held.
func (p *Participant) listenTo(track *webrtc.TrackRemote, who *livekit.ParticipantInfo, info *livekit.TrackInfo) {
	if p.over || info.GetSource() != livekit.TrackSource_MICROPHONE || !p.meet(who) {
		return
	}
	if p.listening != nil {
		_ = p.listening.SetReadDeadline(time.Now()) // this track comes in place of an earlier one
	}
	p.listening, p.track = track, info.GetSid()
	p.send(Event{Kind: PeerAudio, Identity: p.peer, Published: time.UnixMicro(info.GetVersion().GetUnixMicro())})
	p.running.Go(func() { p.listen(track) })
}

// trackOwner reads, from the names that LiveKit gives a track and its stream, whose it is and which.
func trackOwner(track *webrtc.TrackRemote) (participant, id string) {
	participant, rest, _ := strings.Cut(track.StreamID(), "|")
	if strings.HasPrefix(rest, "TR_") {
		return participant, rest
	}
	return participant, track.ID()
}
