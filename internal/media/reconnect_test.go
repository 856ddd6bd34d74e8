package media

import (
	"context"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

// cuttable is a way to the media server's signalling that can be cut and kept cut.
type cuttable struct {
	url string

	mu    sync.Mutex
	conns []net.Conn
	cut   bool
}

func newCuttable(t *testing.T) *cuttable {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &cuttable{url: "ws://" + l.Addr().String()}
	t.Cleanup(func() {
		_ = l.Close()
		w.set(true)
	})
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", strings.TrimPrefix(server.URL(), "ws://"))
			w.mu.Lock()
			if err != nil || w.cut {
				_ = near.Close()
				if err == nil {
					_ = far.Close()
				}
				w.mu.Unlock()
				continue
			}
			w.conns = append(w.conns, near, far)
			w.mu.Unlock()
			go func() { _, _ = io.Copy(near, far); _ = near.Close() }()
			go func() { _, _ = io.Copy(far, near); _ = far.Close() }()
		}
	}()
	return w
}

// set cuts the way, or lets it be.
func (w *cuttable) set(cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = cut
	for _, c := range w.conns {
		_ = c.Close()
	}
	w.conns = nil
}

// interrupted are an agent, who plays 440 Hz, and a caller who receives it; the agent's signalling uses a separate, cuttable path.
func interrupted(t *testing.T) (room string, agent, caller *Participant, way *cuttable) {
	t.Helper()
	room, way = newRoom(t), newCuttable(t)
	var err error
	agent, err = tryEnter(room, "agent", true, way.url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(agent.Leave)
	caller = enter(t, room, "caller", false)
	next(t, agent, PeerJoined)
	next(t, agent, PeerAudio)
	next(t, caller, PeerJoined)
	next(t, caller, PeerAudio)
	stop := make(chan struct{})
	var playing sync.WaitGroup
	playing.Go(func() { playTone(t, agent, 440, stop) })
	t.Cleanup(func() { close(stop); playing.Wait() })
	awaitTone(t, caller, 440)
	return room, agent, caller, way
}

// back waits until the participant is in its room again.
func back(t *testing.T, p *Participant) {
	t.Helper()
	await(t, "the participant is back", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return !p.reconnecting
	})
}

// awaitThinking waits until the server knows that the room's agent thinks.
func awaitThinking(t *testing.T, room string) {
	t.Helper()
	await(t, "the server knows what the agent has said of itself", func() bool {
		members, err := rooms().Participants(context.Background(), room)
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(members, func(m Member) bool { return m.Agent && m.Attributes["lk.agent.state"] == "thinking" })
	})
}

// A participant whose signalling breaks resumes its session; its peer receives its audio without interruption.
func TestSignallingCut(t *testing.T) {
	t.Parallel()
	room, agent, caller, way := interrupted(t)
	session := agent.connection
	way.set(true)
	next(t, agent, Reconnecting)
	agent.SetAttributes(map[string]string{"lk.agent.state": "thinking"})
	start := time.Now()
	awaitTone(t, caller, 440)
	time.Sleep(time.Second)
	way.set(false)
	back(t, agent)
	if e := next(t, agent, Rejoined); e.RoomLost {
		t.Error("the room is reported lost")
	}
	t.Logf("back after %v", time.Since(start))
	if agent.connection != session {
		t.Error("it made a new session")
	}
	for range 8 {
		awaitSound(t, caller, 200*time.Millisecond, "the agent clearly", func(pcm []int16) bool { return audio.Power(pcm, 440, dialogue.ListenRate) > 0.8 })
	}
	awaitThinking(t, room)
	caller.Leave()
	if e := next(t, agent, PeerLeft); !e.HungUp {
		t.Errorf("after it, the caller left as %+v", e)
	}
}

// A participant with whose session the server does not continue, here because they disagree about it, begins a new one.
func TestSentBack(t *testing.T) {
	t.Parallel()
	room, agent, caller, _ := interrupted(t)
	agent.SetAttributes(map[string]string{AttributeAgentState: "thinking"})
	if e := next(t, caller, PeerState); e.State != "thinking" {
		t.Errorf("the agent is %q", e.State)
	}
	session := agent.connection
	unknown := &livekit.TrackPublishedResponse{Track: &livekit.TrackInfo{Sid: "TR_unknown"}}
	if err := session.send(&livekit.SignalRequest{Message: &livekit.SignalRequest_SyncState{
		SyncState: &livekit.SyncState{PublishTracks: []*livekit.TrackPublishedResponse{unknown}},
	}}); err != nil {
		t.Fatal(err)
	}
	next(t, agent, Reconnecting)
	back(t, agent)
	if agent.connection == session {
		t.Fatal("it goes on in the old session")
	}
	next(t, caller, PeerReturned)
	next(t, caller, PeerAudio)
	awaitTone(t, caller, 440)
	awaitThinking(t, room)
	if agent.Peer() != "caller" {
		t.Error("the caller is no longer its peer")
	}
	stop := make(chan struct{})
	go playTone(t, caller, 700, stop)
	next(t, agent, Rejoined)
	next(t, agent, PeerAudio) // of the new session
	awaitTone(t, agent, 700)
	close(stop)
	caller.Leave()
	if e := next(t, agent, PeerLeft); !e.HungUp {
		t.Errorf("after it, the caller left as %+v", e)
	}
}

// A participant cannot return to a room that was deleted: it is rejected, and stops reconnecting.
func TestRoomGoneMeanwhile(t *testing.T) {
	t.Parallel()
	room, agent, _, way := interrupted(t)
	way.set(true)
	next(t, agent, Reconnecting)
	if err := rooms().Delete(context.Background(), room); err != nil {
		t.Fatal(err)
	}
	way.set(false)
	next(t, agent, RoomClosed)
	if _, ok := <-agent.Events(); ok {
		t.Error("something happened after the end")
	}
}

// A permitted participant recreates a room that the media server has lost, as after a restart; its peer may rejoin within
// peerReturn, or counts as lost.
func TestRoomMadeAgain(t *testing.T) {
	t.Parallel()
	for _, returns := range []bool{true, false} {
		room, agent, _, way := interrupted(t)
		agent.options.MakeRoom = func(ctx context.Context) error {
			return rooms().Create(ctx, room, RoomOptions{EmptyTimeout: time.Minute, DepartureTimeout: time.Minute})
		}
		way.set(true)
		next(t, agent, Reconnecting)
		if err := rooms().Delete(t.Context(), room); err != nil {
			t.Fatal(err)
		}
		way.set(false)
		if e := next(t, agent, Rejoined); !e.RoomLost {
			t.Error("the loss of the room is not reported")
		}
		if returns {
			again := enter(t, room, "caller", false)
			if e := next(t, agent, PeerReturned); !e.RoomLost || e.Identity != "caller" {
				t.Errorf("the caller returned as %+v", e)
			}
			next(t, agent, PeerAudio)
			awaitTone(t, again, 440)
			again.Leave()
		}
		if e := next(t, agent, PeerLeft); e.HungUp != returns {
			t.Errorf("in the end the caller left as %+v", e)
		}
	}
}

// Media that the server closes before it says that the room is deleted do not have the participant make the room again. A try in which
// the server notices the closed media first, or which waits for the processor, decides nothing.
func TestMediaClosedBeforeTheRoom(t *testing.T) {
	t.Parallel()
	for range 20 {
		agent := enter(t, newRoom(t), "agent", true)
		agent.mu.Lock()
		c := agent.connection
		agent.mu.Unlock()
		began := time.Now()
		if err := c.peer.Close(); err != nil {
			t.Fatal(err)
		}
		await(t, "the media are closed", func() bool { return c.failure() != nil })
		time.Sleep(50 * time.Millisecond) // for what follows immediately
		if signallingEnded(c) || time.Since(began) > leaveTimeout {
			continue
		}
		c.handleResponse(&livekit.SignalResponse{Message: &livekit.SignalResponse_Leave{Leave: &livekit.LeaveRequest{Reason: livekit.DisconnectReason_ROOM_DELETED}}})
		if e, ok := <-agent.Events(); !ok || e.Kind != RoomClosed {
			t.Errorf("the media closed, then the room: %+v, want the room's end", e)
		}
		return
	}
	t.Error("the signalling ended in each of 20 tries")
}

func signallingEnded(c *connection) bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}

// A participant may leave while it tries to get back.
func TestLeaveMeanwhile(t *testing.T) {
	t.Parallel()
	_, agent, caller, way := interrupted(t)
	way.set(true)
	next(t, agent, Reconnecting)
	left := make(chan struct{})
	go func() {
		agent.Leave()
		close(left)
	}()
	select {
	case <-left:
	case <-time.After(testLimit):
		t.Fatal("leaving takes too long")
	}
	caller.Leave()
}
