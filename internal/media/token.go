package media

import (
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/livekit/protocol/auth"
	"github.com/livekit/protocol/livekit"
)

// Tokens signs and verifies join tokens. It makes no requests.
type Tokens struct {
	Key, Secret string
}

// Caller returns a token with which identity may, for ttl, join only this room, publish a microphone, subscribe,
// and send data. now is the database's time, which may differ from this machine's.
func (t Tokens) Caller(room, identity string, now time.Time, ttl time.Duration) (string, error) {
	return t.sign(room, identity, livekit.ParticipantInfo_STANDARD, nil, now, ttl)
}

// Agent returns a token for the room's agent. Its kind is the one that LiveKit's clients look for
// (useVoiceAssistant); it may also change its own attributes, which report its state to clients.
func (t Tokens) Agent(room, identity string, now time.Time, ttl time.Duration) (string, error) {
	return t.sign(room, identity, livekit.ParticipantInfo_AGENT, nil, now, ttl)
}

// Phone returns a token for the phone of a call, with the attributes that it joins with and may change: how the room learns that
// it rings, is answered, and is on hold.
func (t Tokens) Phone(room, identity string, attributes map[string]string, now time.Time, ttl time.Duration) (string, error) {
	return t.sign(room, identity, livekit.ParticipantInfo_SIP, attributes, now, ttl)
}

// Person returns a token for the phone of a person who is dialled into a call: a phone that takes no caller's place in the room.
func (t Tokens) Person(room, identity string, attributes map[string]string, now time.Time, ttl time.Duration) (string, error) {
	return t.signGrant(room, identity, livekit.ParticipantInfo_SIP, attributes, now, ttl, true)
}

// Listener returns a token with which identity may hear a room: it publishes nothing, the others in the room do not see it, and it takes no
// caller's place.
func (t Tokens) Listener(room, identity string, now time.Time, ttl time.Duration) (string, error) {
	yes, no := true, false
	grant := &auth.VideoGrant{
		RoomJoin: true, Room: room, Agent: true, Hidden: true, CanSubscribe: &yes, CanPublish: &no, CanPublishData: &no, CanUpdateOwnMetadata: &no,
	}
	return t.signClaims(identity, livekit.ParticipantInfo_STANDARD, nil, grant, now, ttl)
}

// claims are the claims of LiveKit's tokens: https://docs.livekit.io/frontends/authentication/tokens/
type claims struct {
	jwt.RegisteredClaims
	auth.ClaimGrants
}

func (t Tokens) sign(room, identity string, kind livekit.ParticipantInfo_Kind, attributes map[string]string, now time.Time, ttl time.Duration) (string, error) {
	return t.signGrant(room, identity, kind, attributes, now, ttl, false)
}

// signGrant signs a token of a participant who publishes a microphone. uncounted: they do not count among those that a room holds, as an
// agent does not.
func (t Tokens) signGrant(
	room, identity string, kind livekit.ParticipantInfo_Kind, attributes map[string]string, now time.Time, ttl time.Duration, uncounted bool,
) (string, error) {
	if t.Key == "" || t.Secret == "" {
		return "", fmt.Errorf("sign join token: %w", auth.ErrKeysMissing)
	}
	yes, own := true, kind != livekit.ParticipantInfo_STANDARD
	grant := &auth.VideoGrant{
		RoomJoin: true, Room: room, Agent: uncounted, CanPublish: &yes, CanSubscribe: &yes, CanPublishData: &yes, CanUpdateOwnMetadata: &own,
	}
	grant.SetCanPublishSources([]livekit.TrackSource{livekit.TrackSource_MICROPHONE, livekit.TrackSource_UNKNOWN}) // some SDKs name no source by default
	return t.signClaims(identity, kind, attributes, grant, now, ttl)
}

// signClaims signs a token that is valid by either clock, this machine's or now, because the media server may use either;
// auth.AccessToken supports only the former. It is valid from the earlier time until ttl after the later.
func (t Tokens) signClaims(
	identity string, kind livekit.ParticipantInfo_Kind, attributes map[string]string, grant *auth.VideoGrant, now time.Time, ttl time.Duration,
) (string, error) {
	earlier, later := time.Now(), now
	if later.Before(earlier) {
		earlier, later = later, earlier
	}
	c := claims{
		jwt.RegisteredClaims{
			Issuer: t.Key, Subject: identity, IssuedAt: jwt.NewNumericDate(earlier), NotBefore: jwt.NewNumericDate(earlier), ExpiresAt: jwt.NewNumericDate(later.Add(ttl)),
		},
		auth.ClaimGrants{Identity: identity, Video: grant, Attributes: attributes},
	}
	c.SetParticipantKind(kind)
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, c).SignedString([]byte(t.Secret))
	if err != nil {
		return "", fmt.Errorf("sign join token: %w", err)
	}
	return token, nil
}

// room returns the room that a valid token permits to join.
func (t Tokens) room(token string) (string, error) {
	if token == "" {
		return "", errors.New("it is missing")
	}
	parsed, err := auth.ParseAPIToken(token)
	if err != nil || parsed.APIKey() != t.Key {
		return "", errors.New("it was not signed by this server")
	}
	_, claims, err := parsed.Verify(t.Secret)
	switch {
	case errors.Is(err, jwt.ErrTokenExpired):
		return "", errors.New("it has expired")
	case err != nil:
		return "", errors.New("it was not signed by this server")
	case claims.Video == nil || !claims.Video.RoomJoin || claims.Video.Room == "" || claims.Identity == "":
		return "", errors.New("it does not permit joining")
	}
	return claims.Video.Room, nil
}
