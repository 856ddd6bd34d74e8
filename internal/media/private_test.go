package media

import (
	"context"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/webrtc/v4"
)

// A client that subscribes to everything in the room receives the agent's audio, and not that of a person and of the agent's side with
// them, who hear each other alone.
func TestPrivateParticipants(t *testing.T) {
	t.Parallel()
	const room = "private"
	if err := rooms().Create(t.Context(), room, CallRoom(time.Minute, time.Minute)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rooms().Delete(context.Background(), room) })
	token, err := tokens.Caller(room, "caller", time.Now(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	subscribed := make(chan string, 10)
	caller, err := lksdk.ConnectToRoomWithToken(server.URL(), token, &lksdk.RoomCallback{ParticipantCallback: lksdk.ParticipantCallback{
		OnTrackSubscribed: func(_ *webrtc.TrackRemote, _ *lksdk.RemoteTrackPublication, who *lksdk.RemoteParticipant) {
			subscribed <- who.Identity()
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(caller.Disconnect)
	join := func(identity, peer string, sign func(string, string, time.Time, time.Duration) (string, error), agent bool) *Participant {
		t.Helper()
		token, err := sign(room, identity, time.Now(), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		p, err := joiner.Join(t.Context(), JoinOptions{URL: server.URL(), Token: token, Agent: agent, Peer: peer, Private: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Leave)
		return p
	}
	phone := func(room, identity string, now time.Time, ttl time.Duration) (string, error) {
		return tokens.Person(room, identity, map[string]string{"sip.callStatus": "active"}, now, ttl)
	}
	aside := join(AsideIdentity("1", 1), PersonIdentity("1", 1), tokens.Agent, true)
	person := join(PersonIdentity("1", 1), AsideIdentity("1", 1), phone, false) // though the room holds one caller
	agent := enter(t, room, "agent", true)
	stop := make(chan struct{})
	defer close(stop)
	for _, p := range []*Participant{aside, person, agent} {
		go playTone(t, p, 440, stop)
	}
	for _, p := range []*Participant{aside, person} {
		await(t, "the person and the agent's side hear each other", func() bool { return len(p.Frames()) > 10 })
	}
	select {
	case who := <-subscribed:
		if who != "agent" {
			t.Errorf("the caller receives %s", who)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the caller does not receive the agent")
	}
	select {
	case who := <-subscribed:
		t.Errorf("the caller also receives %s", who)
	case <-time.After(time.Second):
	}
	if agent.Peer() != "caller" {
		t.Errorf("the agent's peer is %q", agent.Peer())
	}
	if err := rooms().Remove(t.Context(), room, PersonIdentity("1", 1)); err != nil {
		t.Fatal(err)
	}
	await(t, "the person is removed", func() bool { return person.hasLeft() })
	if err := rooms().Remove(t.Context(), room, PersonIdentity("1", 1)); err != nil {
		t.Errorf("a missing participant: %v", err)
	}
}

// Somebody who listens hears caller and agent; neither sees them, and they can send nothing.
func TestListenerInTheRoom(t *testing.T) {
	t.Parallel()
	const room = "listened"
	if err := rooms().Create(t.Context(), room, CallRoom(time.Minute, time.Minute)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rooms().Delete(context.Background(), room) })
	seen := make(chan string, 10)
	token, err := tokens.Caller(room, "caller", time.Now(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	caller, err := lksdk.ConnectToRoomWithToken(server.URL(), token, &lksdk.RoomCallback{
		OnParticipantConnected: func(who *lksdk.RemoteParticipant) { seen <- who.Identity() },
		ParticipantCallback:    lksdk.ParticipantCallback{OnDataPacket: func(lksdk.DataPacket, lksdk.DataReceiveParams) { seen <- "data" }},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(caller.Disconnect)
	track, err := lksdk.NewLocalTrack(webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeOpus, ClockRate: opusClock, Channels: 2})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := caller.LocalParticipant.PublishTrack(track, &lksdk.TrackPublicationOptions{Source: livekit.TrackSource_MICROPHONE}); err != nil {
		t.Fatal(err)
	}
	enter(t, room, "agent", true)
	if who := <-seen; who != "agent" {
		t.Fatalf("the caller sees %s", who)
	}
	if token, err = tokens.Listener(room, ListenerIdentity("1"), time.Now(), time.Minute); err != nil {
		t.Fatal(err)
	}
	heard := make(chan string, 10)
	listener, err := lksdk.ConnectToRoomWithToken(server.URL(), token, &lksdk.RoomCallback{ParticipantCallback: lksdk.ParticipantCallback{
		OnTrackSubscribed: func(_ *webrtc.TrackRemote, _ *lksdk.RemoteTrackPublication, who *lksdk.RemoteParticipant) {
			heard <- who.Identity()
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(listener.Disconnect)
	both := map[string]bool{}
	for len(both) < 2 {
		select {
		case who := <-heard:
			both[who] = true
		case <-time.After(20 * time.Second):
			t.Fatalf("they hear %v", both)
		}
	}
	if _, err := listener.LocalParticipant.PublishTrack(track, &lksdk.TrackPublicationOptions{Source: livekit.TrackSource_MICROPHONE}); err == nil {
		t.Error("they publish a microphone")
	}
	_ = listener.LocalParticipant.PublishDataPacket(lksdk.UserData([]byte("hello")), lksdk.WithDataPublishReliable(true))
	select {
	case what := <-seen:
		t.Errorf("the caller notices %s", what)
	case <-time.After(time.Second):
	}
}
