package media

import (
	"errors"
	"fmt"
	"time"

	"github.com/livekit/protocol/auth"
	"github.com/livekit/protocol/livekit"
)

// Tokens signs what lets a participant into a room. It needs no server.
type Tokens struct {
	Key, Secret string
}

// Caller is a token with which identity may, until ttl has passed, join this room alone, publish a microphone,
// subscribe, and send data; nothing else.
func (t Tokens) Caller(room, identity string, ttl time.Duration) (string, error) {
	return t.sign(room, identity, livekit.ParticipantInfo_STANDARD, ttl)
}

// Agent is a token for the room's agent. Its kind is what LiveKit's clients look for (useVoiceAssistant); it may also
// change its own attributes, which tell them what the agent does.
func (t Tokens) Agent(room, identity string, ttl time.Duration) (string, error) {
	return t.sign(room, identity, livekit.ParticipantInfo_AGENT, ttl)
}

func (t Tokens) sign(room, identity string, kind livekit.ParticipantInfo_Kind, ttl time.Duration) (string, error) {
	yes, agent := true, kind == livekit.ParticipantInfo_AGENT
	grant := &auth.VideoGrant{
		RoomJoin: true, Room: room, CanPublish: &yes, CanSubscribe: &yes, CanPublishData: &yes, CanUpdateOwnMetadata: &agent,
	}
	grant.SetCanPublishSources([]livekit.TrackSource{livekit.TrackSource_MICROPHONE})
	token, err := auth.NewAccessToken(t.Key, t.Secret).SetVideoGrant(grant).SetIdentity(identity).SetKind(kind).SetValidFor(ttl).ToJWT()
	if err != nil {
		return "", fmt.Errorf("sign join token: %w", err)
	}
	return token, nil
}

// room is the room that a token of these tokens lets its bearer join.
func (t Tokens) room(token string) (string, error) {
	parsed, err := auth.ParseAPIToken(token)
	if err != nil {
		return "", fmt.Errorf("read join token: %w", err)
	}
	_, claims, err := parsed.Verify(t.Secret)
	if err != nil {
		return "", fmt.Errorf("check join token: %w", err)
	}
	if claims.Video == nil || !claims.Video.RoomJoin {
		return "", errors.New("check join token: it lets nobody join")
	}
	return claims.Video.Room, nil
}
