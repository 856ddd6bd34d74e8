package media

import (
	"slices"
	"time"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/webrtc/v4"
)

// EventKind is what happened.
type EventKind uint8

// The events of a participant. RoomClosed and Disconnected are the last.
const (
	PeerJoined   EventKind = iota + 1 // the peer is in the room
	PeerAudio                         // the peer's microphone is subscribed: Frames begins
	PeerLeft                          // the peer left the room, see Event.HungUp
	Reconnecting                      // the connection to the room is interrupted, see Participant.Reconnecting
	RoomClosed                        // the room was deleted
	Disconnected                      // the connection to the room is lost, or the participant was removed from it
)

func (k EventKind) String() string {
	return [...]string{"none", "peer joined", "peer audio", "peer left", "reconnecting", "room closed", "disconnected"}[k]
}

// Event is something that happened to the peer or the room.
type Event struct {
	Kind     EventKind
	Identity string // of the peer; "" for what happened to the room
	HungUp   bool   // PeerLeft: it said goodbye; otherwise it was lost or removed
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

// wanted tells whether rp is whom this participant talks with.
func (p *Participant) wanted(rp *lksdk.RemoteParticipant) bool {
	if p.options.Peer != "" {
		return rp.Identity() == p.options.Peer
	}
	kinds := []lksdk.ParticipantKind{lksdk.ParticipantAgent}
	if p.options.Agent {
		kinds = []lksdk.ParticipantKind{lksdk.ParticipantStandard, lksdk.ParticipantSIP}
	}
	return slices.Contains(kinds, rp.Kind())
}

func (p *Participant) onJoined(rp *lksdk.RemoteParticipant) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.meet(rp)
}

// present tells whether rp is in the room. The SDK tells of each coming and going in a goroutine of its own, so that a
// coming may be heard of after the leaving that followed it. p.mu is held: a leaving that was not heard of yet will be.
func (p *Participant) present(rp *lksdk.RemoteParticipant) bool {
	return p.room.GetParticipantByIdentity(rp.Identity()) != nil
}

// meet takes rp for the peer if there is none and it is wanted; p.mu is held. It tells whether rp is the peer.
func (p *Participant) meet(rp *lksdk.RemoteParticipant) bool {
	if p.peer == "" && !p.over && p.wanted(rp) && p.present(rp) {
		p.peer = rp.Identity()
		p.send(Event{Kind: PeerJoined, Identity: p.peer})
	}
	return p.peer != "" && p.peer == rp.Identity()
}

func (p *Participant) onLeft(rp *lksdk.RemoteParticipant) {
	reason := rp.DisconnectReason()
	p.mu.Lock()
	defer p.mu.Unlock()
	// While this participant itself reconnects, the SDK lets everyone leave and come back.
	if p.reconnecting || p.peer != rp.Identity() || p.present(rp) {
		return
	}
	p.part(reason)
}

// part lets the peer go; p.mu is held.
func (p *Participant) part(reason livekit.DisconnectReason) {
	hungUp := reason == livekit.DisconnectReason_CLIENT_INITIATED || reason == livekit.DisconnectReason_USER_REJECTED
	p.send(Event{Kind: PeerLeft, Identity: p.peer, HungUp: hungUp, Reason: reason.String()})
	p.peer = ""
}

func (p *Participant) onTrack(track *webrtc.TrackRemote, pub *lksdk.RemoteTrackPublication, rp *lksdk.RemoteParticipant) {
	if track.Kind() != webrtc.RTPCodecTypeAudio || pub.Source() != livekit.TrackSource_MICROPHONE {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over || !p.meet(rp) {
		return
	}
	if p.listening != nil {
		_ = p.listening.SetReadDeadline(time.Now()) // this track comes in place of an earlier one
	}
	p.listening = track
	p.send(Event{Kind: PeerAudio, Identity: p.peer, Published: time.UnixMicro(pub.TrackInfo().GetVersion().GetUnixMicro())})
	p.listeners.Add(1)
	go p.listen(track)
}

func (p *Participant) onReconnecting() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reconnecting = true
	p.send(Event{Kind: Reconnecting})
}

// Reconnecting tells whether the participant is trying to get back into the room. It does so for a minute, even into a
// room that is no more.
func (p *Participant) Reconnecting() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reconnecting && !p.over
}

func (p *Participant) onReconnected() {
	p.mu.Lock()
	p.reconnecting = false
	if p.peer != "" && p.room.GetParticipantByIdentity(p.peer) == nil {
		p.part(livekit.DisconnectReason_UNKNOWN_REASON)
	}
	p.mu.Unlock()
	p.joined()
}

func (p *Participant) onDisconnected() {
	reason := p.room.DisconnectReason()
	kind := Disconnected
	if reason == livekit.DisconnectReason_ROOM_DELETED || reason == livekit.DisconnectReason_ROOM_CLOSED {
		kind = RoomClosed
	}
	p.finish(&Event{Kind: kind, Reason: reason.String()})
}
