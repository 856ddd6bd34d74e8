package media

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

func TestToneBothWays(t *testing.T) {
	room := newRoom(t)
	agent, caller := enter(t, room, "agent", true), enter(t, room, "caller", false)
	if e := next(t, agent, PeerJoined, time.Second); e.Identity != "caller" {
		t.Errorf("the agent met %q", e.Identity)
	}
	if e := next(t, caller, PeerJoined, time.Second); e.Identity != "agent" {
		t.Errorf("the caller met %q", e.Identity)
	}
	next(t, agent, PeerAudio, 2*time.Second)
	next(t, caller, PeerAudio, 2*time.Second)

	stop := make(chan struct{})
	var playing sync.WaitGroup
	playing.Go(func() { playTone(t, agent, 440, stop) })
	playing.Go(func() { playTone(t, caller, 1000, stop) })
	defer playing.Wait()
	defer close(stop)
	for p, freqs := range map[*Participant][2]float64{agent: {1000, 440}, caller: {440, 1000}} {
		awaitTone(t, p, freqs[0])
		pcm := hearFor(t, p, time.Second)
		if own, other := audio.Power(pcm, freqs[0], dialogue.ListenRate), audio.Power(pcm, freqs[1], dialogue.ListenRate); own < 0.8 || other > 0.01 {
			t.Errorf("%s hears %v Hz with %.3f of the energy, %v Hz with %.3f", p.Identity(), freqs[0], own, freqs[1], other)
		}
	}
}

// A microphone that sends nothing is silence, in real time, and what follows it is heard at once and undistorted.
func TestPauseIsSilence(t *testing.T) {
	room := newRoom(t)
	agent, caller := enter(t, room, "agent", true), enter(t, room, "caller", false)
	for range 2 {
		stop := make(chan struct{})
		var playing sync.WaitGroup
		playing.Go(func() { playTone(t, caller, 700, stop) })
		awaitTone(t, agent, 700)
		close(stop)
		playing.Wait()
		hearFor(t, agent, 300*time.Millisecond)
		start := time.Now()
		pause := hearFor(t, agent, time.Second)
		if took := time.Since(start); took < 700*time.Millisecond || took > 1500*time.Millisecond {
			t.Errorf("a second of silence took %v", took)
		}
		if l := audio.Level(pause); l > -60 {
			t.Errorf("the pause has a level of %.1f dBFS", l)
		}
	}
}

func TestCallerHangsUp(t *testing.T) {
	room := newRoom(t)
	agent, caller := enter(t, room, "agent", true), enter(t, room, "caller", false)
	next(t, agent, PeerJoined, time.Second)
	next(t, agent, PeerAudio, 2*time.Second)
	caller.Leave()
	start := time.Now()
	if e := next(t, agent, PeerLeft, time.Second); !e.HungUp || e.Identity != "caller" {
		t.Errorf("the caller left as %+v", e)
	}
	t.Logf("heard of it after %v", time.Since(start))
	again := enter(t, room, "caller", false)
	next(t, agent, PeerJoined, time.Second)
	next(t, agent, PeerAudio, 2*time.Second)
	stop := make(chan struct{})
	go playTone(t, again, 600, stop)
	awaitTone(t, agent, 600)
	close(stop)
}

func TestRoomDeleted(t *testing.T) {
	room := newRoom(t)
	agent, caller := enter(t, room, "agent", true), enter(t, room, "caller", false)
	next(t, agent, PeerJoined, time.Second)
	next(t, agent, PeerAudio, 2*time.Second)
	if err := rooms().Delete(context.Background(), room); err != nil {
		t.Fatal(err)
	}
	closed := false
	for e := range agent.Events() { // the caller's leaving may be heard first
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
	room := newRoom(t)
	agent, caller := enter(t, room, "agent", true), enter(t, room, "caller", false)
	next(t, agent, PeerJoined, time.Second)
	agent.SetAttributes(map[string]string{"lk.agent.state": "thinking"})
	caller.SetAttributes(map[string]string{"lk.agent.state": "forged"})
	state := func() (agents, callers string) {
		members, err := rooms().Participants(context.Background(), room)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range members {
			if m.Agent != (m.Identity == "agent") || !m.Speaks {
				t.Errorf("member %+v", m)
			}
			if m.Agent {
				agents = m.Attributes["lk.agent.state"]
			} else {
				callers = m.Attributes["lk.agent.state"]
			}
		}
		return agents, callers
	}
	for end := time.Now().Add(2 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		agents, callers := state()
		if agents == "thinking" && callers == "" {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the agent's state is %q, the caller's %q", agents, callers)
		}
	}
}

func TestJoinRefused(t *testing.T) {
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
		start := time.Now()
		if _, err := joiner.Join(tc.ctx, JoinOptions{URL: tc.url, Token: tc.token}); !errors.Is(err, tc.want) || strings.Contains(err.Error(), "eyJ") {
			t.Errorf("%s: %v", tc.name, err)
		}
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("%s: refused after %v only", tc.name, took)
		}
	}
}

func TestBurstOfJoins(t *testing.T) {
	const burst = 20
	names := make([]string, burst)
	for i := range names {
		names[i] = newRoom(t)
	}
	took := make([]time.Duration, burst)
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() {
			start := time.Now()
			p, err := tryEnter(name, "agent", true, server.URL())
			if err != nil {
				t.Error(err)
				return
			}
			took[i] = time.Since(start)
			p.Leave()
		})
	}
	all.Wait()
	slices.Sort(took)
	t.Logf("burst of %d: p50 %v, max %v", burst, took[burst/2], took[burst-1])
	var one []time.Duration
	for range 15 {
		room := newRoom(t)
		start := time.Now()
		p := enter(t, room, "agent", true)
		one = append(one, time.Since(start))
		p.Leave()
	}
	slices.Sort(one)
	t.Logf("one at a time: p50 %v, max %v", one[len(one)/2], one[len(one)-1])
}

func TestLeaveLeavesNothing(t *testing.T) {
	room := newRoom(t)
	agent, caller := enter(t, room, "agent", true), enter(t, room, "caller", false)
	next(t, agent, PeerJoined, time.Second)
	next(t, agent, PeerAudio, 2*time.Second)
	agent.Leave()
	caller.Leave()
	agent.Leave()
	if _, ok := <-agent.Frames(); ok {
		for range agent.Frames() {
		}
	}
	for end := time.Now().Add(3 * time.Second); ; time.Sleep(20 * time.Millisecond) {
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

func TestKilledCallerIsNoticed(t *testing.T) {
	t.Parallel()
	room := newRoom(t)
	agent := enter(t, room, "agent", true)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "MEDIA_TEST_CALLER="+room, "MEDIA_TEST_URL="+server.URL())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }()
	next(t, agent, PeerJoined, 10*time.Second)
	next(t, agent, PeerAudio, 2*time.Second)
	awaitTone(t, agent, 500)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if e := next(t, agent, PeerLeft, 25*time.Second); e.HungUp {
		t.Errorf("a killed caller left as %+v", e)
	} else {
		t.Logf("noticed after %v, as %s", time.Since(start), e.Reason)
	}
}

// callUntilKilled is the caller's process of the test above.
func callUntilKilled(room string) {
	p, err := tryEnter(room, "caller", false, os.Getenv("MEDIA_TEST_URL"))
	if err != nil {
		os.Exit(1)
	}
	playTone(&testing.T{}, p, 500, nil)
}

// An agent that is told whom to listen to meets nobody else, whoever comes first.
func TestAgentListensToItsPeer(t *testing.T) {
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
	if e := next(t, agent, PeerJoined, 5*time.Second); e.Identity != "phone" {
		t.Errorf("the agent met %q", e.Identity)
	}
}
