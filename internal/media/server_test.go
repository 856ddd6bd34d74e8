package media

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

const (
	testKey    = "key"
	testSecret = "a secret of at least thirty-two characters"
)

// server is shared by the tests: a room keeps them apart.
var server *Embedded

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "4"); err != nil { // these tests wait, for audio and for the server's timeouts
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	var err error
	server, err = StartEmbedded(context.Background(), EmbeddedOptions{LoopbackOnly: true, Key: testKey, Secret: testSecret, Logger: log})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := server.Stop(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	if err := server.Wait(); err != nil {
		fmt.Fprintln(os.Stderr, "server ended:", err)
		code = 1
	}
	os.Exit(code)
}

var (
	tokens  = Tokens{testKey, testSecret}
	joiner  = NewJoiner(nil)
	roomSeq atomic.Int64
)

func rooms() *Rooms { return NewRooms(server.URL(), testKey, testSecret) }

// newRoom creates a room that is deleted after the test.
func newRoom(t *testing.T) string {
	t.Helper()
	name := fmt.Sprintf("room-%d", roomSeq.Add(1))
	if err := rooms().Create(context.Background(), name, RoomOptions{EmptyTimeout: time.Minute, DepartureTimeout: time.Minute}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := rooms().Delete(context.Background(), name); err != nil {
			t.Error(err)
		}
	})
	return name
}

// enter joins the room as its agent or as a caller.
func enter(t *testing.T, room, identity string, agent bool) *Participant {
	t.Helper()
	p, err := tryEnter(room, identity, agent, server.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Leave)
	return p
}

func tryEnter(room, identity string, agent bool, url string) (*Participant, error) {
	sign := tokens.Caller
	if agent {
		sign = tokens.Agent
	}
	token, err := sign(room, identity, time.Now(), time.Minute)
	if err != nil {
		return nil, err
	}
	return joiner.Join(context.Background(), JoinOptions{URL: url, Token: token, Agent: agent})
}

// playTone plays freq, paced by the clock, until stop closes or p has left.
func playTone(t *testing.T, p *Participant, freq float64, stop <-chan struct{}) {
	const samples = dialogue.SpeakRate / 50
	tone := audio.Tone(freq, dialogue.SpeakRate, 2*time.Second)[samples : 99*samples]
	tick := time.NewTicker(dialogue.FrameDuration)
	defer tick.Stop()
	for at := 0; ; at = (at + samples) % (len(tone) - samples) {
		select {
		case <-stop:
			return
		case <-tick.C:
			err := p.Play(tone[at : at+samples])
			if errors.Is(err, errLeft) {
				return
			}
			if err != nil {
				t.Errorf("play: %v", err)
				return
			}
		}
	}
}

// testLimit limits how long a test waits for what must happen, on a machine with much else to do.
const testLimit = 2 * time.Minute

// await waits until a condition holds.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(testLimit); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("within %v not: %s", testLimit, what)
		}
	}
}

// receiveFor collects the peer's audio for d.
func receiveFor(t *testing.T, p *Participant, d time.Duration) (pcm []int16) {
	t.Helper()
	limit := time.After(testLimit)
	for audio.Duration(len(pcm), dialogue.ListenRate) < d {
		select {
		case f := <-p.Frames():
			if len(f) != listenFrame {
				t.Fatalf("a frame of %d samples", len(f))
			}
			pcm = append(pcm, f...)
		case <-limit:
			t.Fatalf("heard only %v", audio.Duration(len(pcm), dialogue.ListenRate))
		}
	}
	return pcm
}

// awaitTone waits until p receives freq.
func awaitTone(t *testing.T, p *Participant, freq float64) {
	t.Helper()
	awaitSound(t, p, 20*time.Millisecond, fmt.Sprintf("%v Hz", freq), func(pcm []int16) bool {
		return audio.Level(pcm) > -40 && audio.Power(pcm, freq, dialogue.ListenRate) > 0.8
	})
}

// awaitSound waits until d of what p receives is as wanted: on a busy machine some of it may come in pieces.
func awaitSound(t *testing.T, p *Participant, d time.Duration, what string, wanted func(pcm []int16) bool) {
	t.Helper()
	for end := time.Now().Add(testLimit); !wanted(receiveFor(t, p, d)); {
		if time.Now().After(end) {
			t.Fatalf("%s never receives %s", p.Identity(), what)
		}
	}
}

// next waits for an event of this kind and fails on any other. Before a peer's audio the peer may leave and return: on a busy
// machine its connection breaks for a moment.
func next(t *testing.T, p *Participant, kind EventKind) Event {
	t.Helper()
	limit := time.After(testLimit)
	for {
		select {
		case e, ok := <-p.Events():
			if ok && kind == PeerAudio && (e.Kind == PeerLeft || e.Kind == PeerReturned) {
				continue
			}
			if ok && e.Kind == PeerState && kind != PeerState {
				continue // comes at any time
			}
			if !ok || e.Kind != kind {
				t.Fatalf("got event %+v (%v), want %v", e, e.Kind, kind)
			}
			return e
		case <-limit:
			t.Fatalf("no event %v within %v", kind, testLimit)
		}
	}
}
