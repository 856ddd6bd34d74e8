package sip

import (
	"sync"
	"testing"
	"time"

	"parley/internal/media"
)

// agentTone plays a tone of freq Hz as an agent until the returned function is called.
func agentTone(t *testing.T, agent *media.Participant, freq float64) (end func()) {
	stop := make(chan struct{})
	var playing sync.WaitGroup
	playing.Go(func() { playTone(t, agent, freq, stop) })
	return sync.OnceFunc(func() {
		close(stop)
		playing.Wait()
	})
}

// awaitHeld waits until the room sees the call on hold, or resumed.
func awaitHeld(t *testing.T, room string, held bool) {
	t.Helper()
	await(t, "the call on hold or resumed", func() bool {
		members, err := rooms().Participants(t.Context(), room)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range members {
			if m.Identity == PhoneIdentity("call") {
				return (m.Attributes[media.AttributeHeld] == "true") == held
			}
		}
		return false
	})
}

// enterWithKeys joins the room as its agent, and returns the keys that are pressed on the phone, too.
func enterWithKeys(t *testing.T, room string) (*media.Participant, <-chan byte) {
	t.Helper()
	token, err := tokens.Agent(room, "agent", time.Now(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	keys := make(chan byte, 64)
	p, err := joiner.Join(t.Context(), media.JoinOptions{URL: mediaServer.URL(), Token: token, Agent: true, Data: true, OnTone: func(key byte) { offer(keys, key) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Leave)
	return p, keys
}

// awaitKey waits for the next key that is pressed on the phone.
func awaitKey(t *testing.T, keys <-chan byte, want byte) {
	t.Helper()
	select {
	case got := <-keys:
		if got != want {
			t.Errorf("key %q is pressed, want %q", got, want)
		}
	case <-time.After(testLimit):
		t.Errorf("key %q does not arrive", want)
	}
}

// reception is a gateway with an agent that awaits a call to testNumber.
type reception struct {
	*Gateway
	desk  *desk
	agent *media.Participant
	keys  <-chan byte
}

// testNumber is the number of receptions.
const testNumber = "+4930111111"

// newReception starts a gateway for one call, which the network delivers from this machine.
func newReception(t *testing.T, route InboundRoute) *reception {
	t.Helper()
	route.Addresses = here
	r := &reception{desk: &desk{room: newRoom(t), line: route, gone: make(chan struct{})}}
	o := options()
	o.TLS = certificateFiles(t)
	o.Inbound = r.desk
	r.Gateway = start(t, o)
	r.agent, r.keys = enterWithKeys(t, r.desk.room)
	return r
}

// awaitGone waits until the caller has left the call.
func (r *reception) awaitGone(t *testing.T) {
	t.Helper()
	select {
	case <-r.desk.gone:
	case <-time.After(testLimit):
		t.Error("the caller stays")
	}
}
