package media

import (
	"strings"
	"testing"
	"time"
)

// Whoever has left by the time that their coming is looked at has not come: their leaving may have been heard of before.
func TestComingAfterLeaving(t *testing.T) {
	room := newRoom(t)
	agent, caller := enter(t, room, "agent", true), enter(t, room, "caller", false)
	next(t, agent, PeerJoined, 10*time.Second)
	next(t, agent, PeerAudio, 10*time.Second)
	agent.mu.Lock()
	agent.peer = "" // nobody was met yet
	who := agent.room.GetParticipantByIdentity("caller")
	met := make(chan struct{})
	go func() {
		agent.onJoined(who)
		close(met)
	}()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		if stacks := running("(*Participant).onJoined"); len(stacks) > 0 && strings.Contains(stacks[0], "sync.(*Mutex).Lock") {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the coming does not wait")
		}
	}
	caller.Leave()
	for end := time.Now().Add(10 * time.Second); agent.room.GetParticipantByIdentity("caller") != nil; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the caller does not leave")
		}
	}
	agent.mu.Unlock()
	<-met
	select {
	case e := <-agent.Events():
		t.Errorf("%s, of a caller who had left", e.Kind)
	default:
	}
}
