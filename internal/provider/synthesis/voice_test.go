package synthesis

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"parley/internal/dialogue"
	"parley/internal/leaktest"
	"parley/internal/provider/vendorerror"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// patience bounds the wait for a condition.
const patience = time.Minute

// toy is a vendor with the smallest protocol there can be: each text is
// answered by whatever the server likes.
type toy struct {
	url    string
	limits Limits
}

type toyMessage struct {
	Context string `json:"context"`
	Text    string `json:"text,omitempty"`
	End     bool   `json:"end,omitempty"`
	Cancel  bool   `json:"cancel,omitempty"`
	Audio   []byte `json:"audio,omitempty"`
	Done    bool   `json:"done,omitempty"`
	Error   string `json:"error,omitempty"`
}

const toyKey = "secret-of-the-toy"

func (v toy) Endpoint() (string, http.Header) {
	return v.url, http.Header{"X-Toy-Key": {toyKey}}
}
func (v toy) Secret() string            { return toyKey }
func (v toy) Client() *http.Client      { return nil }
func (v toy) Limits() Limits            { return v.limits }
func (v toy) Begin(string) []any        { return nil }
func (v toy) Say(id, text string) []any { return []any{toyMessage{Context: id, Text: text}} }
func (v toy) End(id string) []any       { return []any{toyMessage{Context: id, End: true}} }
func (v toy) Cancel(id string, _ bool) []any {
	return []any{toyMessage{Context: id, Cancel: true}}
}

func (v toy) Read(data []byte) (Message, error) {
	var m toyMessage
	if err := json.Unmarshal(data, &m); err != nil {
		return Message{}, errors.New("unreadable")
	}
	read := Message{Context: m.Context, Audio: m.Audio, Done: m.Done}
	if m.Error != "" {
		read.Err = vendorerror.Report{Status: http.StatusUnauthorized, Message: m.Error}.Err("")
	}
	return read, nil
}

func (v toy) Follow(samples int) Follower {
	track := NewTrack(samples)
	return &toyFollower{Track: track}
}

type toyFollower struct{ Track }

func (f *toyFollower) HandleMessage(m Message) []dialogue.Speech { f.Play(m.Audio); return f.Pieces() }
func (f *toyFollower) Rest() []dialogue.Speech                   { return f.Finish() }
func (f *toyFollower) Spoken() bool                              { return false }

// toyServer serves every connection with the same function, and counts them.
type toyServer struct {
	*httptest.Server
	connections atomic.Int32
}

func serve(t *testing.T, talk func(ctx context.Context, conn *websocket.Conn)) *toyServer {
	t.Helper()
	s := &toyServer{}
	ctx, end := context.WithCancel(t.Context())
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer conn.CloseNow()
		s.connections.Add(1)
		talk(ctx, conn)
	}))
	t.Cleanup(func() { end(); s.Close() })
	return s
}

// read reads a client's next message, false when it has disconnected.
func read(ctx context.Context, conn *websocket.Conn) (m toyMessage, ok bool) {
	_, data, err := conn.Read(ctx)
	return m, err == nil && json.Unmarshal(data, &m) == nil
}

func write(ctx context.Context, conn *websocket.Conn, m toyMessage) bool {
	data, err := json.Marshal(m)
	return err == nil && conn.Write(ctx, websocket.MessageText, data) == nil
}

// echo speaks ten samples a text.
func echo(ctx context.Context, conn *websocket.Conn) {
	for {
		m, ok := read(ctx, conn)
		if !ok {
			return
		}
		answer := toyMessage{Context: m.Context}
		switch {
		case m.Text != "":
			answer.Audio = make([]byte, 20)
		case m.End, m.Cancel:
			answer.Done = true
		}
		if !write(ctx, conn, answer) {
			return
		}
	}
}

func open(t *testing.T, vendor toy) *Voice {
	t.Helper()
	v, err := Open(t.Context(), vendor, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	return v
}

// say has a text spoken, to the end or not.
func say(t *testing.T, v *Voice, text string, ended bool) dialogue.Utterance {
	t.Helper()
	u, err := v.Speak(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Say(text); err != nil {
		t.Fatal(err)
	}
	if ended {
		if err := u.End(); err != nil {
			t.Fatal(err)
		}
	}
	return u
}

// drain reads an utterance to its end and returns its number of samples.
func drain(t *testing.T, u dialogue.Utterance) (samples int, err error) {
	t.Helper()
	over := time.After(patience)
	for {
		select {
		case s, more := <-u.Audio():
			if !more {
				return samples, u.Err()
			}
			samples += len(s.PCM)
		case <-over:
			t.Fatal("the utterance does not end")
		}
	}
}

func eventually(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !happened(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("there is not %s", what)
		}
	}
}

// A listener who does not listen neither keeps others waiting nor fills the
// memory.
func TestSpeechWithoutListenerIsBounded(t *testing.T) {
	second := make([]byte, 2*dialogue.SpeakRate)
	cancelled := make(chan struct{})
	server := serve(t, func(ctx context.Context, conn *websocket.Conn) {
		for {
			m, ok := read(ctx, conn)
			switch {
			case !ok:
				return
			case m.Text == "flood":
				data, err := json.Marshal(toyMessage{Context: m.Context, Audio: second})
				for range 2*maxWaiting/dialogue.SpeakRate + 10 {
					if err == nil {
						err = conn.Write(ctx, websocket.MessageText, data)
					}
				}
			case m.Cancel:
				close(cancelled)
			case m.Text != "":
				write(ctx, conn, toyMessage{Context: m.Context, Audio: second})
			default:
				write(ctx, conn, toyMessage{Context: m.Context, Done: true})
			}
		}
	})
	v := open(t, toy{url: server.URL})
	deaf := say(t, v, "flood", false)
	select {
	case <-cancelled:
	case <-time.After(patience):
		t.Fatal("the answer is not cancelled at the vendor")
	}
	if n, err := drain(t, say(t, v, "after", true)); n != dialogue.SpeakRate || err != nil {
		t.Errorf("another utterance has %d samples, error %v", n, err)
	}
	n, err := drain(t, deaf)
	if !errors.Is(err, errOverflow) || n > 2*maxWaiting+dialogue.SpeakRate {
		t.Errorf("%d s of speech were kept, error %v", n/dialogue.SpeakRate, err)
	}
}

// A connection over which nothing comes is not used again.
func TestSilentConnectionIsReplaced(t *testing.T) {
	var s *toyServer
	s = serve(t, func(ctx context.Context, conn *websocket.Conn) {
		if s.connections.Load() > 1 {
			echo(ctx, conn)
			return
		}
		for {
			if _, ok := read(ctx, conn); !ok {
				return
			}
		}
	})
	v := open(t, toy{url: s.URL})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	u, err := v.Speak(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Say("nothing comes"); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(suspicious+100*time.Millisecond, cancel)
	if _, err := drain(t, u); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if n, err := drain(t, say(t, v, "again", true)); n != 10 || err != nil {
		t.Errorf("%d samples, error %v", n, err)
	}
}

// A vendor that closes every connection is not asked again and again.
func TestConnectionClosedAtOnceIsNotReplaced(t *testing.T) {
	server := serve(t, func(_ context.Context, conn *websocket.Conn) { conn.Close(websocket.StatusGoingAway, "full house") })
	v := open(t, toy{url: server.URL})
	eventually(t, "an end of the connection", func() bool {
		v.mu.Lock()
		defer v.mu.Unlock()
		return v.link == nil
	})
	v.mu.Lock()
	again := v.dialling != nil
	v.mu.Unlock()
	if n := server.connections.Load(); n != 1 || again {
		t.Errorf("%d connections, another under way: %v", n, again)
	}
}

// A vendor with a limit of contexts never has more of them in a connection,
// and one that is full is left when the last utterance on it is over.
func TestContextsAreLimited(t *testing.T) {
	closed := make(chan struct{}, 9)
	server := serve(t, func(ctx context.Context, conn *websocket.Conn) {
		defer func() { closed <- struct{}{} }()
		contexts := map[string]bool{}
		for {
			m, ok := read(ctx, conn)
			switch {
			case !ok:
				return
			case m.Text != "":
				if contexts[m.Context] = true; len(contexts) > 2 {
					t.Errorf("%d contexts in a connection", len(contexts))
				}
				write(ctx, conn, toyMessage{Context: m.Context, Audio: make([]byte, 20)})
			case m.End:
				delete(contexts, m.Context)
				write(ctx, conn, toyMessage{Context: m.Context, Done: true})
			}
		}
	})
	v := open(t, toy{url: server.URL, limits: Limits{Contexts: 2}})
	first, second, third := say(t, v, "one", false), say(t, v, "two", false), say(t, v, "three", false)
	eventually(t, "two connections for three utterances, of which two may share one", func() bool { return server.connections.Load() == 2 })
	for _, u := range []dialogue.Utterance{first, second} {
		if err := u.End(); err != nil {
			t.Fatal(err)
		}
		if n, err := drain(t, u); n != 10 || err != nil {
			t.Errorf("%d samples, error %v", n, err)
		}
	}
	select {
	case <-closed:
	case <-time.After(patience):
		t.Error("the full connection is kept")
	}
	if err := third.End(); err != nil {
		t.Fatal(err)
	}
	if n, err := drain(t, third); n != 10 || err != nil {
		t.Errorf("%d samples, error %v", n, err)
	}
}

// What is not read by the vendor does not pile up.
func TestUnsentTextIsBounded(t *testing.T) {
	server := serve(t, func(ctx context.Context, _ *websocket.Conn) { <-ctx.Done() })
	v := open(t, toy{url: server.URL})
	u := say(t, v, "begin", false)
	text := strings.Repeat("x", 1<<14)
	for n := 1; ; n++ {
		if err := u.Say(text); err != nil {
			break
		}
		if n > 10*maxUnsent { // 40 MB
			t.Fatal("text is taken without end")
		}
	}
	if _, err := drain(t, u); !errors.Is(err, errBlocked) {
		t.Errorf("error %v", err)
	}
}

func TestRedirectDoesNotGetTheKey(t *testing.T) {
	var asked atomic.Bool
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Store(true) }))
	defer elsewhere.Close()
	server := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	_, err := Open(t.Context(), toy{url: server.URL}, nil)
	if !errors.Is(err, dialogue.ErrRefused) || asked.Load() {
		t.Errorf("error %v, asked elsewhere: %v", err, asked.Load())
	}
}

func TestAnswerTooBig(t *testing.T) {
	server := serve(t, func(ctx context.Context, conn *websocket.Conn) {
		m, _ := read(ctx, conn)
		write(ctx, conn, toyMessage{Context: m.Context, Audio: make([]byte, maxMessage)})
		read(ctx, conn)
	})
	if _, err := drain(t, say(t, open(t, toy{url: server.URL}), "boo", true)); err == nil || !strings.Contains(err.Error(), "too big") {
		t.Errorf("error %v", err)
	}
}

// A text for which the vendor has no sound is a failure, not a silent success.
func TestMuteAnswer(t *testing.T) {
	server := serve(t, func(ctx context.Context, conn *websocket.Conn) {
		m, _ := read(ctx, conn)
		write(ctx, conn, toyMessage{Context: m.Context, Done: true})
		read(ctx, conn)
	})
	if _, err := drain(t, say(t, open(t, toy{url: server.URL}), "boo", false)); !errors.Is(err, errNoAudio) {
		t.Errorf("error %v", err)
	}
}

// The key is in no error, though the vendor repeats it.
func TestKeyIsConcealed(t *testing.T) {
	check := func(err error) {
		t.Helper()
		if !errors.Is(err, dialogue.ErrRefused) || strings.Contains(err.Error(), toyKey) || !strings.Contains(err.Error(), "[key]") {
			t.Errorf("error %v", err)
		}
	}
	door := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"detail": {"message": "no such key: `+toyKey+`"}}`, http.StatusUnauthorized)
	}))
	defer door.Close()
	_, err := Open(t.Context(), toy{url: door.URL}, nil)
	check(err)

	for name, inContext := range map[string]bool{"of the context": true, "of the connection": false} {
		t.Run(name, func(t *testing.T) {
			server := serve(t, func(ctx context.Context, conn *websocket.Conn) {
				m, _ := read(ctx, conn)
				answer := toyMessage{Error: "no such key: " + toyKey}
				if inContext {
					answer.Context = m.Context
				}
				write(ctx, conn, answer)
				read(ctx, conn)
			})
			_, err := drain(t, say(t, open(t, toy{url: server.URL}), "boo", true))
			check(err)
		})
	}
}

// A handshake that nobody answers keeps neither the speaker nor Close waiting.
func TestUnansweredHandshake(t *testing.T) {
	asked, release := make(chan struct{}, 9), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked <- struct{}{}
		<-release
	}))
	defer server.Close()
	defer close(release)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	if _, err := Open(ctx, toy{url: server.URL}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// Samples that a message cuts in two are joined.
func TestSamplesCutInTwo(t *testing.T) {
	var pcm []byte
	for i := range 100 {
		pcm = append(pcm, byte(i), byte(i>>8))
	}
	for _, size := range []int{1, 2, 3, 7, 50, 199, 200} {
		track := NewTrack(0)
		track.Said("text", "text")
		var got []int16
		for from := 0; from < len(pcm); from += size {
			track.Play(pcm[from:min(from+size, len(pcm))])
			for _, s := range track.Pieces() {
				got = append(got, s.PCM...)
			}
		}
		if len(got) != 100 || track.Samples() != 100 {
			t.Fatalf("%d samples of 100 in pieces of %d bytes", len(got), size)
		}
		for i, v := range got {
			if v != int16(i) {
				t.Fatalf("sample %d is %d in pieces of %d bytes", i, v, size)
			}
		}
	}
}
