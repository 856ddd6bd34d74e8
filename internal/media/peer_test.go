package media

import (
	"slices"
	"testing"
	"time"

	"github.com/livekit/protocol/auth"
	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/webrtc/v4"
)

func TestSTUNServers(t *testing.T) {
	named := []*livekit.ICEServer{
		{Urls: []string{"stun:127.0.0.1:4000", "stun:stun.example:3478"}}, {Urls: []string{"turn:turn.example:3478", "stun:[::1]:4000"}},
	}
	for url, want := range map[string][]string{
		"ws://127.0.0.1:7880": nil, "ws://localhost:7880": nil, "ws://[::1]:7880": nil,
		"wss://livekit.example": {"stun:stun.example:3478"}, "ws://192.0.2.7:7880": {"stun:stun.example:3478"},
	} {
		var got []string
		for _, server := range stunServers(url, named) {
			got = append(got, server.URLs...)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
}

// What somebody shows in the room is negotiated once, and does not keep participants from hearing each other.
func TestSomebodyShowsVideo(t *testing.T) {
	room := newRoom(t)
	agent, caller := enter(t, room, "agent", true), enter(t, room, "caller", false)
	yes := true
	token, err := auth.NewAccessToken(testKey, testSecret).SetIdentity("supervisor").SetKind(livekit.ParticipantInfo_EGRESS).
		SetVideoGrant(&auth.VideoGrant{RoomJoin: true, Room: room, CanPublish: &yes}).ToJWT()
	if err != nil {
		t.Fatal(err)
	}
	camera, err := lksdk.NewLocalSampleTrack(webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeVP8, ClockRate: 90000})
	if err != nil {
		t.Fatal(err)
	}
	supervisor := lksdk.NewRoom(nil)
	if err := supervisor.JoinWithToken(server.URL(), token, lksdk.WithSinglePeerConnection(),
		lksdk.WithTrack(camera, &lksdk.TrackPublicationOptions{Name: "camera", VideoWidth: 64, VideoHeight: 64})); err != nil {
		t.Fatal(err)
	}
	defer supervisor.Disconnect()
	time.Sleep(2 * time.Second)
	agent.connection.mu.Lock()
	answers := agent.connection.answers
	agent.connection.mu.Unlock()
	if answers < 2 || answers > 4 {
		t.Errorf("the agent has negotiated %d times", answers)
	}
	stop := make(chan struct{})
	defer close(stop)
	go playTone(t, caller, 700, stop)
	awaitTone(t, agent, 700)
}

// Agents hear their peers alone, however many speak, and each has place in the room.
func TestManySpeak(t *testing.T) {
	room := newRoom(t)
	token, err := tokens.Agent(room, "agent", time.Now(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	agent, err := joiner.Join(t.Context(), JoinOptions{URL: server.URL(), Token: token, Agent: true, Peer: "caller-3"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(agent.Leave)
	stop := make(chan struct{})
	defer close(stop)
	for i, name := range []string{"caller-0", "caller-1", "caller-2", "caller-3"} {
		caller := enter(t, room, name, false)
		go playTone(t, caller, 400+300*float64(i), stop)
	}
	awaitTone(t, agent, 1300)
}
