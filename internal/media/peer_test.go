package media

import (
	"slices"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
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

// A server that requests a transceiver for a participant's video gets one: it would repeat the request. Audio continues.
func TestPlaceForVideo(t *testing.T) {
	t.Parallel()
	room := newRoom(t)
	agent, caller := enter(t, room, "agent", true), enter(t, room, "caller", false)
	c := agent.connection
	c.handleResponse(&livekit.SignalResponse{Message: &livekit.SignalResponse_MediaSectionsRequirement{
		MediaSectionsRequirement: &livekit.MediaSectionsRequirement{NumVideos: 1},
	}})
	video := func() bool {
		return slices.ContainsFunc(c.peer.GetTransceivers(), func(t *webrtc.RTPTransceiver) bool {
			return t.Kind() == webrtc.RTPCodecTypeVideo && t.Mid() != "" && c.peer.SignalingState() == webrtc.SignalingStateStable
		})
	}
	await(t, "a place for video is agreed on", video)
	stop := make(chan struct{})
	defer close(stop)
	go playTone(t, caller, 700, stop)
	awaitTone(t, agent, 700)
}

// Agents receive only their peers, however many participants speak, and each can join the room.
func TestManySpeak(t *testing.T) {
	t.Parallel()
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
