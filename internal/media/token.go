package media

import (
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/livekit/protocol/auth"
	"github.com/livekit/protocol/livekit"
)

// Tokens signs what lets a participant into a room. It needs no server.
type Tokens struct {
	Key, Secret string
}

// Caller is a token with which identity may, for ttl, join this room alone, publish a microphone, subscribe, and send
// data; nothing else. now is the time by another clock than this machine's, the database's.
func (t Tokens) Caller(room, identity string, now time.Time, ttl time.Duration) (string, error) {
	return t.sign(room, identity, livekit.ParticipantInfo_STANDARD, now, ttl)
}

// Agent is a token for the room's agent. Its kind is what LiveKit's clients look for (useVoiceAssistant); it may also
// change its own attributes, which tell them what the agent does.
func (t Tokens) Agent(room, identity string, now time.Time, ttl time.Duration) (string, error) {
	return t.sign(room, identity, livekit.ParticipantInfo_AGENT, now, ttl)
}

// claims are those of LiveKit's tokens: https://docs.livekit.io/frontends/authentication/tokens/
type claims struct {
	jwt.RegisteredClaims
	auth.ClaimGrants
}

// sign signs by hand what auth.AccessToken would for this machine's clock alone. The media server may go by either
// clock, or by one of its own that agrees with one of them: the token is good from the earlier until ttl after the later.
func (t Tokens) sign(room, identity string, kind livekit.ParticipantInfo_Kind, now time.Time, ttl time.Duration) (string, error) {
	if t.Key == "" || t.Secret == "" {
		return "", fmt.Errorf("sign join token: %w", auth.ErrKeysMissing)
	}
	yes, agent := true, kind == livekit.ParticipantInfo_AGENT
	grant := &auth.VideoGrant{
		RoomJoin: true, Room: room, CanPublish: &yes, CanSubscribe: &yes, CanPublishData: &yes, CanUpdateOwnMetadata: &agent,
	}
	grant.SetCanPublishSources([]livekit.TrackSource{livekit.TrackSource_MICROPHONE})
	earlier, later := time.Now(), now
	if later.Before(earlier) {
		earlier, later = later, earlier
	}
	c := claims{
		jwt.RegisteredClaims{
			Issuer: t.Key, Subject: identity, IssuedAt: jwt.NewNumericDate(earlier), NotBefore: jwt.NewNumericDate(earlier), ExpiresAt: jwt.NewNumericDate(later.Add(ttl)),
		},
		auth.ClaimGrants{Identity: identity, Video: grant},
	}
	c.SetParticipantKind(kind)
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, c).SignedString([]byte(t.Secret))
	if err != nil {
		return "", fmt.Errorf("sign join token: %w", err)
	}
	return token, nil
}

// room is the room that a token of these tokens lets its bearer join.
func (t Tokens) room(token string) (string, error) {
	if token == "" {
		return "", errors.New("there is none")
	}
	parsed, err := auth.ParseAPIToken(token)
	if err != nil || parsed.APIKey() != t.Key {
		return "", errors.New("it is none of this server's")
	}
	_, claims, err := parsed.Verify(t.Secret)
	switch {
	case errors.Is(err, jwt.ErrTokenExpired):
		return "", errors.New("it has expired")
	case err != nil:
		return "", errors.New("it is none of this server's")
	case claims.Video == nil || !claims.Video.RoomJoin || claims.Video.Room == "" || claims.Identity == "":
		return "", errors.New("it lets nobody join")
	}
	return claims.Video.Room, nil
}
