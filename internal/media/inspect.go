package media

import (
	"context"
	"crypto/rand"
	"strings"
	"time"

	"github.com/livekit/protocol/livekit"
)

// ServerInfo is what a media server reports about itself to participants.
type ServerInfo struct {
	Version string
	TURN    []string // URLs of the TURN servers that it offers
}

// Inspect reads a media server's ServerInfo, by joining a room that it creates and deletes.
func Inspect(ctx context.Context, at string, tokens Tokens, rooms *Rooms) (info ServerInfo, err error) {
	room := "parley-doctor-" + rand.Text()
	if err := rooms.Create(ctx, room, CallRoom(time.Second, time.Second)); err != nil {
		return info, err
	}
	joined, err := joinBriefly(ctx, at, room, tokens, rooms)
	if err != nil {
		return info, err
	}
	info.Version = joined.GetServerInfo().GetVersion()
	for _, server := range joined.GetIceServers() {
		for _, u := range server.GetUrls() {
			if strings.HasPrefix(u, "turn") {
				info.TURN = append(info.TURN, u)
			}
		}
	}
	return info, nil
}

// joinBriefly joins a room, leaves it, and deletes it.
func joinBriefly(ctx context.Context, at, room string, tokens Tokens, rooms *Rooms) (*livekit.JoinResponse, error) {
	defer func() { _ = rooms.Delete(context.WithoutCancel(ctx), room) }() // it ends by itself, too
	token, err := tokens.Caller(room, "doctor", time.Now(), time.Minute)
	if err != nil {
		return nil, err
	}
	socket, first, err := openSignalling(ctx, at, token, new(livekit.JoinRequest))
	if err != nil {
		return nil, err
	}
	defer func() { _ = socket.CloseNow() }()
	joined := first.GetJoin()
	if joined == nil {
		return nil, leaveError(first.GetLeave())
	}
	return joined, nil
}
