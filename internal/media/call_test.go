package media

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

func TestToneBothWays(t *testing.T) {
	t.Parallel()
	room := newRoom(t)
	agent, caller := enter(t, room, "agent", true), enter(t, room, "caller", false)
	if e := next(t, agent, PeerJoined); e.Identity != "caller" {
		t.Errorf("the agent met %q", e.Identity)
	}
	if e := next(t, caller, PeerJoined); e.Identity != "agent" {
		t.Errorf("the caller met %q", e.Identity)
	}
	next(t, agent, PeerAudio)
	next(t, caller, PeerAudio)

	stop := make(chan struct{})
	var playing sync.WaitGroup
	playing.Go(func() { playTone(t, agent, 440, stop) })
	playing.Go(func() { playTone(t, caller, 1000, stop) })
	defer playing.Wait()
	defer close(stop)
	for p, freqs := range map[*Participant][2]float64{agent: {1000, 440}, caller: {440, 1000}} {
		awaitSound(t, p, 500*time.Millisecond, fmt.Sprintf("%v Hz without %v", freqs[0], freqs[1]), func(pcm []int16) bool {
			return audio.Power(pcm, freqs[0], dialogue.ListenRate) > 0.8 && audio.Power(pcm, freqs[1], dialogue.ListenRate) < 0.01
		})
	}
}

// A microphone that sends nothing is silence, and the audio after it is undistorted. TestReceiverFillsPauses shows that the
// silence has its real duration.
func TestPauseIsSilence(t *testing.T) {
	t.Parallel()
	room := newRoom(t)
	agent, caller := enter(t, room, "agent", true), enter(t, room, "caller", false)
	for range 2 {
		stop := make(chan struct{})
		var playing sync.WaitGroup
		playing.Go(func() { playTone(t, caller, 700, stop) })
		awaitTone(t, agent, 700)
		close(stop)
		playing.Wait()
		awaitSound(t, agent, time.Second, "a second of silence", func(pcm []int16) bool { return audio.Level(pcm) < -60 })
	}
}

func TestCallerHangsUp(t *testing.T) {
	t.Parallel()
	room := newRoom(t)
	agent, caller := enter(t, room, "agent", true), enter(t, room, "caller", false)
	next(t, agent, PeerJoined)
	next(t, agent, PeerAudio)
	caller.Leave()
	if e := next(t, agent, PeerLeft); !e.HungUp || e.Identity != "caller" {
		t.Errorf("the caller left as %+v", e)
	}
	again := enter(t, room, "caller", false)
	next(t, agent, PeerJoined)
	next(t, agent, PeerAudio)
	stop := make(chan struct{})
	go playTone(t, again, 600, stop)
	awaitTone(t, agent, 600)
	close(stop)
}

func TestRoomDeleted(t *testing.T) {
	t.Parallel()
	room := newRoom(t)
	agent, caller := enter(t, room, "agent", true), enter(t, room, "caller", false)
	next(t, agent, PeerJoined)
	next(t, agent, PeerAudio)
	if err := rooms().Delete(context.Background(), room); err != nil {
		t.Fatal(err)
	}
	closed := false
	for e := range agent.Events() { // the caller's departure may be reported first
		closed = e.Kind == RoomClosed
	}
	if !closed {
		t.Error("the last event is not the room's end")
	}
	for range caller.Events() {
	}
	for range agent.Frames() {
	}
	if err := agent.Play(make([]int16, 480)); err == nil || !strings.Contains(err.Error(), "left the room") {
		t.Errorf("play after the end: %v", err)
	}
	if err := rooms().Delete(context.Background(), room); err != nil {
		t.Errorf("deleting a room that is gone: %v", err)
	}
	if members, err := rooms().Participants(context.Background(), room); err != nil || len(members) != 0 {
		t.Errorf("a room that is gone holds %v, %v", members, err)
	}
}

func TestAttributes(t *testing.T) {
	t.Parallel()
	room := newRoom(t)
	agent, caller := enter(t, room, "agent", true), enter(t, room, "caller", false)
	next(t, agent, PeerJoined)
	agent.SetAttributes(map[string]string{"lk.agent.state": "thinking"})
	caller.SetAttributes(map[string]string{"lk.agent.state": "forged"})
	await(t, "both speak, and the agent's state is its own alone to set", func() bool {
		members, err := rooms().Participants(context.Background(), room)
		if err != nil {
			t.Fatal(err)
		}
		states := map[bool]string{}
		for _, m := range members {
			if m.Agent != (m.Identity == "agent") {
				t.Errorf("member %+v", m)
			}
			if m.Speaks {
				states[m.Agent] = m.Attributes["lk.agent.state"]
			}
		}
		return len(states) == 2 && states[true] == "thinking" && states[false] == ""
	})
}

func TestJoinRefused(t *testing.T) {
	t.Parallel()
	room := newRoom(t)
	token, _ := tokens.Caller(room, "caller", time.Now(), time.Minute)
	forged, _ := Tokens{testKey, "another secret of thirty-two characters"}.Caller(room, "caller", time.Now(), time.Minute)
	elsewhere, _ := tokens.Caller("no-such-room", "caller", time.Now(), time.Minute)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, tc := range []struct {
		name, url, token string
		ctx              context.Context
		want             error
	}{
		{"forged token", server.URL(), forged, context.Background(), ErrUnauthorized},
		{"no such room", server.URL(), elsewhere, context.Background(), ErrNoRoom},
		{"cancelled", server.URL(), token, cancelled, context.Canceled},
	} {
		if _, err := joiner.Join(tc.ctx, JoinOptions{URL: tc.url, Token: tc.token}); !errors.Is(err, tc.want) || strings.Contains(err.Error(), "eyJ") {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

// Twenty agents enter their rooms concurrently.
func TestBurstOfJoins(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	for range 20 {
		name := newRoom(t)
		all.Go(func() {
			p, err := tryEnter(name, "agent", true, server.URL())
			if err != nil {
				t.Error(err)
				return
			}
			p.Leave()
		})
	}
	all.Wait()
}

// No other participant may be there meanwhile.
func TestLeaveLeavesNothing(t *testing.T) {
	room := newRoom(t)
	agent, caller := enter(t, room, "agent", true), enter(t, room, "caller", false)
	next(t, agent, PeerJoined)
	next(t, agent, PeerAudio)
	agent.Leave()
	caller.Leave()
	agent.Leave()
	if _, ok := <-agent.Frames(); ok {
		for range agent.Frames() {
		}
	}
	for end := time.Now().Add(testLimit); ; time.Sleep(20 * time.Millisecond) {
		left := running("media.(*Participant)", "media.(*connection)", "media.drain")
		if len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d goroutines still run:\n%s", len(left), strings.Join(left, "\n\n"))
		}
	}
}

// running returns the stacks of goroutines that run any of these functions.
func running(names ...string) (found []string) {
	buf := make([]byte, 8<<20)
	for _, stack := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		for _, name := range names {
			if strings.Contains(stack, name) {
				found = append(found, stack)
				break
			}
		}
	}
	return found
}

// An agent with a peer receives that participant only, whoever joins first.
func TestAgentListensToItsPeer(t *testing.T) {
	t.Parallel()
	room := newRoom(t)
	token, err := tokens.Agent(room, "agent", time.Now(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	agent, err := joiner.Join(t.Context(), JoinOptions{URL: server.URL(), Token: token, Agent: true, Peer: "phone"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(agent.Leave)
	enter(t, room, "somebody", false)
	enter(t, room, "phone", false)
	if e := next(t, agent, PeerJoined); e.Identity != "phone" {
		t.Errorf("the agent met %q", e.Identity)
	}
}
