package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/webrtc/v4"

	"parley/client"
	"parley/e2e/binary"
	"parley/internal/media"
)

// begin dispatches a call of the demo agent.
func begin(t *testing.T, s *binary.Server) *client.Dispatch {
	t.Helper()
	return beginWith(t, s, "demo")
}

func beginWith(t *testing.T, s *binary.Server, agent string) *client.Dispatch {
	t.Helper()
	d, err := s.API.Calls.TestAgent(t.Context(), client.TestAgent{AgentName: agent})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// mute begins a call whose caller enters the room without a microphone: it is connecting for 3 s.
func mute(t *testing.T, s *binary.Server) (*client.Dispatch, *lksdk.Room) {
	t.Helper()
	d := begin(t, s)
	room, err := lksdk.ConnectToRoomWithToken(d.URL, d.Token, lksdk.NewRoomCallback())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(room.Disconnect)
	awaitStatus(t, s, d.CallID, client.Connecting)
	return d, room
}

// silent begins a call whose caller is present and says nothing: it is active.
func silent(t *testing.T, s *binary.Server) *client.Dispatch {
	t.Helper()
	d, _ := silentWith(t, s, "demo")
	return d
}

// silentWith begins such a call of an agent, and has its caller.
func silentWith(t *testing.T, s *binary.Server, agent string) (*client.Dispatch, *media.Participant) {
	t.Helper()
	d := beginWith(t, s, agent)
	return d, joinSilently(t, d.URL, d.Token)
}

// vanish ends a call's room on the media server, behind Parley's back.
func vanish(t *testing.T, s *binary.Server, d *client.Dispatch) {
	t.Helper()
	secret, err := os.ReadFile(filepath.Join(s.Dir, "livekit-secret"))
	if err != nil {
		t.Fatal(err)
	}
	if err := media.NewRooms("ws://127.0.0.1:"+s.RTCPort, "parley", strings.TrimSpace(string(secret))).Delete(t.Context(), d.RoomName); err != nil {
		t.Fatal(err)
	}
}

// How calls end that never became a conversation, what becomes of one whose room vanishes, and of one in which nobody speaks.
func TestEndsBeforeAConversation(t *testing.T) {
	t.Parallel()
	s := serve(t, filepath.Join(t.TempDir(), "data"), map[string]string{"PARLEY_SILENCE_TIMEOUT": "10s"})
	quiet := silent(t, s)
	left, room := mute(t, s)
	room.Disconnect()
	awaitReason(t, s, left.CallID, "caller_hangup")
	lost, _ := mute(t, s)
	vanish(t, s, lost)
	awaitReason(t, s, lost.CallID, "connection_lost")
	explained(t, s, lost.CallID, "closed the room")
	asked, _ := mute(t, s)
	for _, d := range []*client.Dispatch{begin(t, s), asked} {
		if _, err := s.API.Calls.End(t.Context(), d.CallID); err != nil {
			t.Error(err)
		}
		awaitReason(t, s, d.CallID, "ended_by_api")
	}
	talked := silent(t, s)
	awaitStatus(t, s, talked.CallID, client.Active)
	vanish(t, s, talked)
	awaitEnd(t, s, talked.CallID, client.Disconnected, "connection_lost")
	awaitEnd(t, s, quiet.CallID, client.Timeout, "silence")
}

// Calls that time out: nobody joins, or the conversation reaches its maximum duration, also without a microphone.
func TestTimeouts(t *testing.T) {
	t.Parallel()
	s := serve(t, filepath.Join(t.TempDir(), "data"), map[string]string{"PARLEY_JOIN_TIMEOUT": "10s", "PARLEY_MAX_CALL_DURATION": "2s"})
	alone, err := s.API.Calls.Start(t.Context(), client.StartCall{WorkflowSlug: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	if alone.Status != client.Pending {
		t.Errorf("status %q, want pending", alone.Status)
	}
	deaf, _ := mute(t, s)
	c := awaitEnd(t, s, silent(t, s).CallID, client.Timeout, "max_duration")
	if c.DurationSeconds < 1 || c.StartedAt == nil {
		t.Errorf("the call took %d s from %v", c.DurationSeconds, c.StartedAt)
	}
	if c = awaitEnd(t, s, alone.CallID, client.Timeout, "join_timeout"); c.StartedAt != nil || c.DurationSeconds != 0 {
		t.Errorf("a call that nobody joined started at %v and took %d s", c.StartedAt, c.DurationSeconds)
	}
	awaitEnd(t, s, deaf.CallID, client.Timeout, "max_duration")
}

// A caller without permission for a microphone publishes none: the agent greets after 3 s, and is audible.
func TestCallerWithoutMicrophoneIsGreeted(t *testing.T) {
	t.Parallel()
	s := serve(t, filepath.Join(t.TempDir(), "data"), nil)
	heard := make(chan struct{})
	callback := lksdk.NewRoomCallback()
	callback.OnTrackSubscribed = func(*webrtc.TrackRemote, *lksdk.RemoteTrackPublication, *lksdk.RemoteParticipant) { close(heard) }
	d := begin(t, s)
	room, err := lksdk.ConnectToRoomWithToken(d.URL, d.Token, callback)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(room.Disconnect)
	awaitStatus(t, s, d.CallID, client.Active)
	select {
	case <-heard:
	case <-time.After(time.Minute):
		t.Fatal("the caller does not get the agent's audio")
	}
	await(t, "the greeting", func() bool {
		entries, err := s.API.Calls.Transcript(t.Context(), d.CallID)
		return err == nil && len(entries) > 0 && entries[0].Role == "assistant" && entries[0].Content != ""
	})
}

func TestNoWorkerTakesTheCall(t *testing.T) {
	t.Parallel()
	s := serve(t, filepath.Join(t.TempDir(), "data"), map[string]string{"PARLEY_JOIN_TIMEOUT": "1s"}, "--without=worker")
	d := begin(t, s)
	awaitEnd(t, s, d.CallID, client.Failed, "no_worker")
	explained(t, s, d.CallID, "no worker was registered")
}

// terminate sends SIGTERM to a server.
func terminate(t *testing.T, s *binary.Server) {
	t.Helper()
	if err := syscall.Kill(s.PID(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
}

// The first signal drains: readiness reports it, nothing is dropped. The second one ends the calls, with the reason.
func TestServerStoppedBySecondSignal(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	first, err := start(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(first.Kill)
	talks := silent(t, first)
	awaitStatus(t, first, talks.CallID, client.Active)
	connects, _ := mute(t, first)
	waits := begin(t, first)
	terminate(t, first)
	awaitDraining(t, first)
	for _, d := range []*client.Dispatch{talks, connects, waits} {
		if c, err := first.API.Calls.Get(t.Context(), d.CallID); err != nil || c.EndedAt != nil {
			t.Errorf("while the server drains: %+v, %v", c, err)
		}
	}
	terminate(t, first)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if code, err := first.Wait(ctx); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v\n%s", code, err, first.Log.String())
	}
	second := serve(t, dir, nil)
	awaitEnd(t, second, talks.CallID, client.Disconnected, "server_shutdown")
	awaitEnd(t, second, connects.CallID, client.Failed, "server_shutdown")
	if c, err := second.API.Calls.Get(t.Context(), waits.CallID); err != nil || c.Status != client.Pending {
		t.Errorf("a call that nobody had joined: %+v, %v", c, err)
	}
}
