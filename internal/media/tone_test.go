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
	next(t, agent, PeerAudio) // its track is there from the beginning
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
	// The last measurement arrives although the phone leaves with it.
	phone.SetAttributes(map[string]string{AttributeQuality: `{"codec": "PCMA", "received": {"packets": 7}}`})
	if e := next(t, agent, PeerQuality); e.Quality.Codec != "PCMA" || e.Quality.Received.Packets != 7 || e.Quality.RoundTripMS != nil {
		t.Errorf("quality %+v", e.Quality)
	}
	if err := phone.Play(make([]int16, 320)); err != nil {
		t.Error(err)
	}
	if err := phone.Play(make([]int16, 480)); err == nil {
		t.Error("a frame of another rate is played")
	}
	phone.SetAttributes(map[string]string{AttributeQuality: `{"received": {"packets": 8}}`})
	phone.Leave()
	if e := next(t, agent, PeerQuality); e.Quality.Received.Packets != 8 {
		t.Errorf("quality %+v", e.Quality)
	}
	next(t, agent, PeerLeft)
}

// An agent that takes a call over learns that its phone is not on hold any more. The attributes of a caller's client do not count: it
// sets them itself.
func TestHoldIsOverMeanwhile(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"phone", "client"} {
		room := newRoom(t)
		ctx, cancel := context.WithTimeout(t.Context(), testLimit)
		defer cancel()
		agentToken, err := tokens.Agent(room, "agent", time.Now(), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		token, err := tokens.Phone(room, "caller", map[string]string{livekit.AttrSIPCallStatus: "ringing"}, time.Now(), time.Minute)
		if kind == "client" {
			token, err = tokens.Caller(room, "caller", time.Now(), time.Minute)
		}
		if err != nil {
			t.Fatal(err)
		}
		j := NewJoiner(nil)
		caller, err := j.Join(ctx, JoinOptions{URL: server.URL(), Token: token, Data: true})
		if err != nil {
			t.Fatal(err)
		}
		defer caller.Leave()
		agent, err := j.Join(ctx, JoinOptions{URL: server.URL(), Token: agentToken, Agent: true, Data: true, PeerHeld: true})
		if err != nil {
			t.Fatal(err)
		}
		defer agent.Leave()
		next(t, agent, PeerJoined)
		if kind == "phone" {
			next(t, agent, PeerResumed)
			continue
		}
		caller.SetAttributes(map[string]string{AttributeHeld: "true"})
		caller.Leave()
		next(t, agent, PeerLeft) // and nothing before it
	}
}
