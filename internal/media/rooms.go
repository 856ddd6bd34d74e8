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

// Rooms makes and ends rooms on a media server, embedded or not.
type Rooms struct {
	service *lksdk.RoomServiceClient
}

// RoomOptions say when the server closes a room by itself.
type RoomOptions struct {
	Empty     time.Duration // nobody has come yet
	Departure time.Duration // everybody has left
	Callers   uint32        // participants besides agents at once; more are refused
}

// CallRoom is the room of a call: it holds one caller beside agents. A caller who joins again takes the place of the
// connection before.
func CallRoom(empty, departure time.Duration) RoomOptions {
	return RoomOptions{Empty: empty, Departure: departure, Callers: 1}
}

// Room is a room as the server knows it.
type Room struct {
	Name         string
	Participants int
	Created      time.Time
}

// Member is a participant as the server knows it.
type Member struct {
	Identity   string
	Agent      bool
	Active     bool // connected, not merely joining
	Speaks     bool // has published a track
	Attributes map[string]string
}

// Answered reports whether the member is a phone that was answered, not merely one that rings.
func (m Member) Answered() bool { return m.Attributes[livekit.AttrSIPCallStatus] == "active" }

// NewRooms talks to the server at url (ws, wss, http or https) with its API key.
func NewRooms(url, key, secret string) *Rooms {
	if rest, ok := strings.CutPrefix(url, "ws"); ok {
		url = "http" + rest
	}
	return &Rooms{lksdk.NewRoomServiceClient(url, key, secret)}
}

// Create makes the room, or leaves it as it is when it exists.
func (r *Rooms) Create(ctx context.Context, name string, o RoomOptions) error {
	_, err := r.service.CreateRoom(ctx, &livekit.CreateRoomRequest{
		Name: name, EmptyTimeout: seconds(o.Empty), DepartureTimeout: seconds(o.Departure), MaxParticipants: o.Callers,
	})
	if err != nil {
		return fmt.Errorf("create room %s: %w", name, err)
	}
	return nil
}

// Delete ends the room and disconnects everyone in it. A room that is gone is no error.
func (r *Rooms) Delete(ctx context.Context, name string) error {
	_, err := r.service.DeleteRoom(ctx, &livekit.DeleteRoomRequest{Room: name})
	if err != nil && !gone(err) {
		return fmt.Errorf("delete room %s: %w", name, err)
	}
	return nil
}

// List is the rooms of these names that exist; without names, all.
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

// Participants is who is in the room; a room that is gone holds nobody.
func (r *Rooms) Participants(ctx context.Context, room string) ([]Member, error) {
	answer, err := r.service.ListParticipants(ctx, &livekit.ListParticipantsRequest{Room: room})
	if gone(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list participants of room %s: %w", room, err)
	}
	members := make([]Member, len(answer.Participants))
	for i, p := range answer.Participants {
		members[i] = Member{
			Identity: p.Identity, Agent: p.Kind == livekit.ParticipantInfo_AGENT, Active: p.State == livekit.ParticipantInfo_ACTIVE,
			Speaks: len(p.Tracks) > 0, Attributes: p.Attributes,
		}
	}
	return members, nil
}

func gone(err error) bool {
	var refused twirp.Error
	return errors.As(err, &refused) && refused.Code() == twirp.NotFound
}

// seconds rounds up: 0 would stand for the server's default.
func seconds(d time.Duration) uint32 { return uint32((d + time.Second - 1) / time.Second) }
