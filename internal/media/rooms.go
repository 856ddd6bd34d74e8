package media

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/twitchtv/twirp"
)

// Rooms manages the rooms of a media server, embedded or not.
type Rooms struct {
	service *lksdk.RoomServiceClient
}

// RoomOptions limits a room.
type RoomOptions struct {
	EmptyTimeout     time.Duration // before anyone has joined
	DepartureTimeout time.Duration // after everyone has left
	MaxCallers       uint32        // maximum of participants besides agents
}

// CallRoom returns the options of a call's room: it holds one caller besides agents. A caller who joins again
// replaces the previous connection.
func CallRoom(empty, departure time.Duration) RoomOptions {
	return RoomOptions{EmptyTimeout: empty, DepartureTimeout: departure, MaxCallers: 1}
}

// asidePrefix begins the identities of participants that are neither the caller nor the agent of a call.
const asidePrefix = "transfer-"

// PersonIdentity returns the identity of the nth person who is dialled into a call, and AsideIdentity that of the participant through which
// the agent speaks with them.
func PersonIdentity(callID string, n int) string {
	return fmt.Sprintf("%sperson-%s-%d", asidePrefix, callID, n)
}

// AsideIdentity is described at PersonIdentity.
func AsideIdentity(callID string, n int) string {
	return fmt.Sprintf("%sagent-%s-%d", asidePrefix, callID, n)
}

// OperatorIdentity returns the identity of a person who takes a call over, and ListenerIdentity that of one who listens to it.
func OperatorIdentity(controlID string) string { return asidePrefix + "operator-" + controlID }

// ListenerIdentity is described at OperatorIdentity.
func ListenerIdentity(id string) string { return asidePrefix + "listener-" + id }

// IsAside reports whether an identity is of a participant that is neither the caller nor the agent of a call.
func IsAside(identity string) bool { return strings.HasPrefix(identity, asidePrefix) }

// Room is a room on the server.
type Room struct {
	Name         string
	Participants int
	Created      time.Time
}

// Member is a participant on the server.
type Member struct {
	Identity   string
	Agent      bool
	Phone      bool // of a SIP gateway
	Active     bool // connected; otherwise joining
	Speaks     bool // has published a track
	Attributes map[string]string
}

// Answered reports whether the member is an answered phone rather than a ringing one.
func (m Member) Answered() bool { return m.Attributes[livekit.AttrSIPCallStatus] == "active" }

// NewRooms returns a client of the server at url (ws, wss, http or https) with its API key.
func NewRooms(url, key, secret string) *Rooms {
	if rest, ok := strings.CutPrefix(url, "ws"); ok {
		url = "http" + rest
	}
	return &Rooms{lksdk.NewRoomServiceClient(url, key, secret)}
}

// Create creates the room; an existing room stays unchanged.
func (r *Rooms) Create(ctx context.Context, name string, o RoomOptions) error {
	_, err := r.service.CreateRoom(ctx, &livekit.CreateRoomRequest{
		Name: name, EmptyTimeout: seconds(o.EmptyTimeout), DepartureTimeout: seconds(o.DepartureTimeout), MaxParticipants: o.MaxCallers,
	})
	if err != nil {
		return fmt.Errorf("create room %s: %w", name, err)
	}
	return nil
}

// Delete deletes the room and disconnects its participants. A missing room is not an error.
func (r *Rooms) Delete(ctx context.Context, name string) error {
	_, err := r.service.DeleteRoom(ctx, &livekit.DeleteRoomRequest{Room: name})
	if err != nil && !isNotFound(err) {
		return fmt.Errorf("delete room %s: %w", name, err)
	}
	return nil
}

// Remove disconnects a participant. A missing one is not an error.
func (r *Rooms) Remove(ctx context.Context, room, identity string) error {
	_, err := r.service.RemoveParticipant(ctx, &livekit.RoomParticipantIdentity{Room: room, Identity: identity})
	if err != nil && !isNotFound(err) {
		return fmt.Errorf("remove a participant of room %s: %w", room, err)
	}
	return nil
}

// AttributeMicrophone is the attribute of a caller who only writes: "none".
const AttributeMicrophone = "parley.microphone"

// Announce reports a caller who only writes to the others in the room at once. The media server collects the news of those who publish
// nothing for 3 s, unless their attributes change.
func (r *Rooms) Announce(ctx context.Context, room, identity string) error {
	_, err := r.service.UpdateParticipant(ctx, &livekit.UpdateParticipantRequest{Room: room, Identity: identity, Attributes: map[string]string{AttributeMicrophone: "none"}})
	if err != nil && !isNotFound(err) {
		return fmt.Errorf("announce a participant of room %s: %w", room, err)
	}
	return nil
}

// List returns the existing rooms with these names; without names, all.
func (r *Rooms) List(ctx context.Context, names ...string) ([]Room, error) {
	answer, err := r.service.ListRooms(ctx, &livekit.ListRoomsRequest{Names: names})
	if err != nil {
		return nil, fmt.Errorf("list rooms: %w", err)
	}
	rooms := make([]Room, len(answer.Rooms))
	for i, room := range answer.Rooms {
		rooms[i] = Room{room.Name, int(room.NumParticipants), time.UnixMilli(room.CreationTimeMs)}
	}
	return rooms, nil
}

// Participants returns the participants of the room; none for a missing room.
func (r *Rooms) Participants(ctx context.Context, room string) ([]Member, error) {
	answer, err := r.service.ListParticipants(ctx, &livekit.ListParticipantsRequest{Room: room})
	if isNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list participants of room %s: %w", room, err)
	}
	members := make([]Member, len(answer.Participants))
	for i, p := range answer.Participants {
		members[i] = memberOf(p)
	}
	return members, nil
}

func memberOf(p *livekit.ParticipantInfo) Member {
	return Member{
		Identity: p.Identity, Agent: p.Kind == livekit.ParticipantInfo_AGENT, Phone: p.Kind == livekit.ParticipantInfo_SIP,
		Active: p.State == livekit.ParticipantInfo_ACTIVE, Speaks: len(p.Tracks) > 0, Attributes: p.Attributes,
	}
}

func isNotFound(err error) bool {
	var refused twirp.Error
	return errors.As(err, &refused) && refused.Code() == twirp.NotFound
}

// seconds rounds up, because 0 means the server's default.
func seconds(d time.Duration) uint32 { return uint32((d + time.Second - 1) / time.Second) }
