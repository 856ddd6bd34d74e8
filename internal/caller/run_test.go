package caller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/client"
	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/media"
)

// mediaServer is shared by the tests; each has its own room.
var mediaServer *media.Embedded

var signer = media.Tokens{Key: "key", Secret: "a secret of at least thirty-two characters"}

func TestMain(m *testing.M) {
	var err error
	mediaServer, err = media.StartEmbedded(context.Background(), media.EmbeddedOptions{LoopbackOnly: true, Key: signer.Key, Secret: signer.Secret})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := mediaServer.Stop(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// service is a server of one call over a real media server: the API answers from what is set, and an agent in the room
// says tones.
type service struct {
	*httptest.Server
	room  string
	rooms *media.Rooms
	join  *media.Joiner

	mu      sync.Mutex
	call    client.Call
	started map[string]any // body of the dispatch
	agent   func(*media.Participant)
	running sync.WaitGroup
}

func newService(t *testing.T, agent func(*media.Participant)) *service {
	t.Helper()
	s := &service{room: t.Name(), rooms: media.NewRooms(mediaServer.URL(), signer.Key, signer.Secret), join: media.NewJoiner(nil), agent: agent}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/v1/calls/test-agent", func(w http.ResponseWriter, r *http.Request) { s.dispatch(t, w, r) })
	mux.HandleFunc("GET /api/v1/calls/call-1", func(w http.ResponseWriter, _ *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		answer(w, http.StatusOK, s.call)
	})
	mux.HandleFunc("GET /api/v1/calls/call-1/transcript", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, entries("a: Hello.", "u: one", "a: First.", "u: two", "a: Second."))
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(func() {
		s.Close()
		s.running.Wait()
	})
	return s
}

func answer(w http.ResponseWriter, status int, body any) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// dispatch makes the room and lets the agent in, 100 ms after the answer.
func (s *service) dispatch(t *testing.T, w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := json.NewDecoder(r.Body).Decode(&s.started); err != nil {
		t.Error(err)
	}
	s.call = client.Call{ID: "call-1", Status: client.Active}
	if err := s.rooms.Create(r.Context(), s.room, media.RoomOptions{EmptyTimeout: time.Minute}); err != nil {
		t.Error(err)
	}
	token, err := signer.Caller(s.room, "caller", time.Now(), time.Minute)
	agentToken, agentErr := signer.Agent(s.room, "agent", time.Now(), time.Minute)
	if err := errors.Join(err, agentErr); err != nil {
		t.Error(err)
	}
	s.running.Go(func() {
		time.Sleep(100 * time.Millisecond)
		p, err := s.join.Join(context.Background(), media.JoinOptions{URL: mediaServer.URL(), Token: agentToken, Agent: true})
		if err != nil {
			t.Error(err)
			return
		}
		s.agent(p)
		reason := "agent_ended"
		s.mu.Lock()
		s.call.Status, s.call.StatusReason = client.Completed, &reason
		s.mu.Unlock()
		p.Leave()
		if err := s.rooms.Delete(context.Background(), s.room); err != nil {
			t.Error(err)
		}
	})
	answer(w, http.StatusCreated, client.Dispatch{CallID: "call-1", RoomName: s.room, URL: mediaServer.URL(), Token: token, Status: client.Pending})
}

// say plays a tone in real time.
func say(p *media.Participant, freq float64, d time.Duration) {
	pcm := audio.Tone(freq, dialogue.SpeakRate, d)
	next := time.Now()
	for length := dialogue.SpeakRate / 50; len(pcm) >= length; pcm = pcm[length:] {
		if p.Play(pcm[:length]) != nil {
			return
		}
		next = next.Add(dialogue.FrameDuration)
		time.Sleep(time.Until(next))
	}
}

// awaitLine returns d after the last frame of speech of a line, and the line's frequency, among those given; 0 when the
// caller has left.
func awaitLine(p *media.Participant, d time.Duration, freqs ...float64) float64 {
	heard := map[float64]int{}
	var last time.Time
	for {
		select {
		case e, ok := <-p.Events():
			if !ok || e.Kind == media.PeerLeft {
				return 0
			}
		case frame, ok := <-p.Frames():
			if !ok {
				return 0
			}
			if voiced(frame) {
				last = time.Now()
				for _, f := range freqs {
					if audio.Power(frame, f, dialogue.ListenRate) > 0.8 {
						heard[f]++
					}
				}
			}
			if last.IsZero() || time.Since(last) < d {
				continue
			}
			for _, f := range freqs {
				if heard[f] > 10 { // of the 30 frames of a line
					return f
				}
			}
		}
	}
}

// awaitCaller waits until the caller sends sound, and a little, for the caller to receive what is said from now on.
func awaitCaller(p *media.Participant) {
	for e := range p.Events() {
		if e.Kind == media.PeerAudio {
			break
		}
	}
	time.Sleep(300 * time.Millisecond)
}

// tones speaks every text as a tone of 600 ms at the frequency that is the text.
type tones struct{}

func (tones) Open(context.Context, dialogue.VoiceOptions) (dialogue.Voice, error) {
	return tones{}, nil
}
func (tones) Speak(context.Context) (dialogue.Utterance, error) { return &toneUtterance{}, nil }
func (tones) Close() error                                      { return nil }

type toneUtterance struct{ pcm []int16 }

func (u *toneUtterance) Say(text string) error {
	var freq float64
	if _, err := fmt.Sscan(text, &freq); err != nil {
		return err
	}
	silence := make([]int16, dialogue.SpeakRate/5)
	u.pcm = append(append(silence, audio.Tone(freq, dialogue.SpeakRate, 600*time.Millisecond)...), silence...)
	return nil
}
func (u *toneUtterance) End() error { return nil }
func (u *toneUtterance) Audio() <-chan dialogue.Speech {
	c := make(chan dialogue.Speech, 1)
	c <- dialogue.Speech{PCM: u.pcm}
	close(c)
	return c
}
func (u *toneUtterance) Err() error { return nil }

// A whole call over WebRTC: what is said arrives, and so does what is answered. The times that a call is measured by are
// tested in virtual time, in TestConversation and its like.
func TestRun(t *testing.T) {
	t.Parallel()
	var lines []float64
	s := newService(t, func(p *media.Participant) {
		awaitCaller(p)
		say(p, 440, 1200*time.Millisecond)
		lines = append(lines, awaitLine(p, 400*time.Millisecond, 700, 1000))
		say(p, 500, 600*time.Millisecond)
		lines = append(lines, awaitLine(p, 250*time.Millisecond, 700, 1000))
		say(p, 600, 600*time.Millisecond)
		time.Sleep(200 * time.Millisecond)
	})
	path := filepath.Join(t.TempDir(), "agent.wav")
	var dispatched string
	r, err := Run(t.Context(), Options{
		Server: s.URL, APIKey: "k", Agent: "demo", Say: []string{"700", "1000"}, Synthesizer: tones{}, Joiner: s.join,
		UserContext: map[string]any{"name": "Ada"}, Record: path, Dispatched: func(d *client.Dispatch) { dispatched = d.CallID },
	})
	if err != nil {
		t.Fatal(err)
	}
	s.running.Wait()
	if len(lines) != 2 || lines[0] != 700 || lines[1] != 1000 {
		t.Errorf("the agent heard lines of %v Hz", lines)
	}
	if r.CallID != "call-1" || dispatched != "call-1" || r.Status != client.Completed || r.StatusReason != "agent_ended" {
		t.Errorf("result: %+v", r)
	}
	if s.started["agent_name"] != "demo" || fmt.Sprint(s.started["user_context"]) != "map[name:Ada]" {
		t.Errorf("dispatched with %v", s.started)
	}
	if r.DispatchToTrackMS == nil || len(r.Turns) != 2 || r.Turns[0].VoiceToVoiceMS == nil || r.Turns[1].VoiceToVoiceMS == nil {
		t.Errorf("not measured: %+v", r)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	pcm, err := audio.ReadWAV(f, dialogue.ListenRate)
	if err != nil {
		t.Fatal(err)
	}
	for _, freq := range []float64{440, 500, 600} {
		loud := 0
		for frame := pcm; len(frame) >= 1600; frame = frame[1600:] {
			if voiced(frame[:1600]) && audio.Power(frame[:1600], freq, dialogue.ListenRate) > 0.8 {
				loud++
			}
		}
		if loud < 3 {
			t.Errorf("the recording has %d ms of %v Hz, want 600", 100*loud, freq)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusNotFound, map[string]any{"error": map[string]string{"code": "not_found", "message": "agent not found"}})
	}))
	defer s.Close()
	tests := []struct {
		name string
		o    Options
		want string
	}{
		{"no server", Options{Agent: "a"}, "server's address"},
		{"nobody to call", Options{Server: s.URL}, "either a workflow or an agent"},
		{"two to call", Options{Server: s.URL, Agent: "a", Workflow: "w"}, "either a workflow or an agent"},
		{"line without speech", Options{Server: s.URL, Agent: "a", Say: []string{"0"}}, "no speech"},
		{"recording that is not there", Options{Server: s.URL, Agent: "a", WAV: filepath.Join(t.TempDir(), "x.wav")}, "x.wav"},
		{"unknown agent", Options{Server: s.URL, Agent: "a", Say: []string{"700"}}, "404 not_found: agent not found"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.o.Synthesizer = tones{}
			r, err := Run(t.Context(), test.o)
			if r != nil || err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("result %+v, error %v, want one of %q", r, err, test.want)
			}
		})
	}
}

// A call that fails as soon as its caller arrives has its reason, even if the room is deleted before the caller joins it.
func TestCallOverBeforeTheCallerIsIn(t *testing.T) {
	token, err := signer.Caller("gone", "caller", time.Now(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	now, reason := time.Now(), "provider_error"
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/v1/calls/test-agent", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusCreated, client.Dispatch{CallID: "call-1", RoomName: "gone", URL: mediaServer.URL(), Token: token, Status: client.Pending})
	})
	mux.HandleFunc("GET /api/v1/calls/call-1", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, client.Call{ID: "call-1", Status: client.Failed, StatusReason: &reason, EndedAt: &now})
	})
	mux.HandleFunc("GET /api/v1/calls/call-1/transcript", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, entries()) })
	api := httptest.NewServer(mux)
	defer api.Close()
	r, err := Run(t.Context(), Options{Server: api.URL, Agent: "a", Synthesizer: tones{}})
	if err != nil || r.Status != client.Failed || r.StatusReason != reason {
		t.Errorf("result %+v, error %v", r, err)
	}
}
