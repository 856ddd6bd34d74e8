package media

import (
	"context"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
)

// A phone is in the room as LiveKit's SIP participants are. Its keys reach the agent, the agent's tones reach it, and the agent
// receives its holds.
func TestPhoneInTheRoom(t *testing.T) {
	t.Parallel()
	room := newRoom(t)
	ctx, cancel := context.WithTimeout(t.Context(), testLimit)
	defer cancel()
	agentToken, err := tokens.Agent(room, "agent", time.Now(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	phoneToken, err := tokens.Phone(room, "phone", map[string]string{livekit.AttrSIPCallStatus: "ringing"}, time.Now(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	pressed, played := make(chan byte, 10), make(chan byte, 10)
	j := NewJoiner(nil)
	agent, err := j.Join(ctx, JoinOptions{URL: server.URL(), Token: agentToken, Agent: true, Data: true, OnTone: func(key byte) { pressed <- key }})
	if err != nil {
		t.Fatal(err)
	}
	defer agent.Leave()
	phone, err := j.Join(ctx, JoinOptions{URL: server.URL(), Token: phoneToken, Data: true, PlayRate: 16000, OnTone: func(key byte) { played <- key }})
	if err != nil {
		t.Fatal(err)
	}
	defer phone.Leave()
	next(t, agent, PeerJoined)
	next(t, phone, PeerJoined)
	members, err := NewRooms(server.URL(), tokens.Key, tokens.Secret).Participants(ctx, room)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range members {
		if m.Phone != (m.Identity == "phone") || m.Phone && (m.Attributes[livekit.AttrSIPCallStatus] != "ringing" || m.Answered()) {
			t.Errorf("member %+v", m)
		}
	}
	for _, way := range []struct {
		from *Participant
		to   <-chan byte
	}{{phone, pressed}, {agent, played}} {
		for _, key := range []byte("10*#D") {
			if err := way.from.SendTone(key); err != nil {
				t.Fatal(err)
			}
			select {
			case got := <-way.to:
				if got != key {
					t.Errorf("got %c, want %c", got, key)
				}
			case <-time.After(testLimit):
				t.Fatalf("the key %c does not arrive", key)
			}
		}
	}
	phone.SetAttributes(map[string]string{AttributeHeld: "true"})
	next(t, agent, PeerHeld)
	phone.SetAttributes(map[string]string{AttributeHeld: ""})
	next(t, agent, PeerResumed)
	if err := phone.Play(make([]int16, 320)); err != nil {
		t.Error(err)
	}
	if err := phone.Play(make([]int16, 480)); err == nil {
		t.Error("a frame of another rate is played")
	}
}
