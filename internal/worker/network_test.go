package worker

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/livekit/protocol/auth"
	"github.com/livekit/protocol/livekit"

	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/dialogue"
	"parley/internal/media"
	"parley/internal/sip"
	"parley/internal/voice"
)

// server is a media server that the tests share; each has its own rooms.
var (
	server *media.Embedded
	joiner *media.Joiner
	tokens = media.Tokens{Key: "key", Secret: strings.Repeat("s", 32)}
)

func TestMain(m *testing.M) {
	log := slog.New(slog.DiscardHandler)
	joiner = media.NewJoiner(log)
	var err error
	if server, err = media.StartEmbedded(context.Background(), media.EmbeddedOptions{LoopbackOnly: true, Key: tokens.Key, Secret: tokens.Secret, Logger: log}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := server.Stop(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// network is a telephone network that does with whom it rings what a test wants.
type network struct {
	answer func(ctx context.Context, d sip.DialRequest) error

	mu    sync.Mutex
	dials []sip.DialRequest

	transfers []string
}

func (n *network) Dial(ctx context.Context, d sip.DialRequest) error {
	n.mu.Lock()
	n.dials = append(n.dials, d)
	n.mu.Unlock()
	return n.answer(ctx, d)
}

// Transfer records the number that the room's participant is transferred to.
func (n *network) Transfer(_ context.Context, room, identity, number string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.transfers = append(n.transfers, room+" "+identity+" "+number)
	return nil
}

func (n *network) dialled() []sip.DialRequest {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.dials)
}

// phone brings whom a number belongs to into a call's room, as the gateway does: it rings there, or was answered.
func phone(t *testing.T, room, identity, status string) *media.Participant {
	t.Helper()
	grant := &auth.VideoGrant{RoomJoin: true, Room: room}
	token, err := auth.NewAccessToken(tokens.Key, tokens.Secret).SetVideoGrant(grant).SetKind(livekit.ParticipantInfo_SIP).
		SetIdentity(identity).SetAttributes(map[string]string{livekit.AttrSIPCallStatus: status}).SetValidFor(time.Minute).ToJWT()
	if err != nil {
		t.Error(err)
		return nil
	}
	p, err := joiner.Join(t.Context(), media.JoinOptions{URL: server.URL(), Token: token})
	if err != nil {
		t.Error(err)
		return nil
	}
	t.Cleanup(p.Leave)
	return p
}

// providers recognise nothing and answer every turn with the same sentence.
type providers struct{}

func (providers) Recognizer(string) (dialogue.Recognizer, error)       { return providers{}, nil }
func (providers) Synthesizer(string) (dialogue.Synthesizer, error)     { return providers{}, nil }
func (providers) LanguageModel(string) (dialogue.LanguageModel, error) { return providers{}, nil }

func (providers) Recognize(context.Context, dialogue.RecognizeOptions) (dialogue.Recognition, error) {
	return &silentRecognition{transcripts: make(chan dialogue.Transcript)}, nil
}

func (providers) Generate(context.Context, dialogue.Prompt) iter.Seq2[dialogue.Delta, error] {
	return func(yield func(dialogue.Delta, error) bool) { yield(dialogue.Delta{Text: "Good morning!"}, nil) }
}

func (providers) Open(context.Context, dialogue.VoiceOptions) (dialogue.Voice, error) {
	return providers{}, nil
}
func (providers) Close() error { return nil }
func (providers) Speak(context.Context) (dialogue.Utterance, error) {
	return &utterance{audio: make(chan dialogue.Speech, 16)}, nil
}

type silentRecognition struct {
	once        sync.Once
	transcripts chan dialogue.Transcript
}

func (r *silentRecognition) Write([]int16) error                     { return nil }
func (r *silentRecognition) Finalize() error                         { return nil }
func (r *silentRecognition) Transcripts() <-chan dialogue.Transcript { return r.transcripts }
func (r *silentRecognition) Err() error                              { return nil }
func (r *silentRecognition) Close() error {
	r.once.Do(func() { close(r.transcripts) })
	return nil
}

type utterance struct{ audio chan dialogue.Speech }

func (u *utterance) Say(text string) error {
	u.audio <- dialogue.Speech{PCM: make([]int16, dialogue.SpeakRate/50), Text: text}
	return nil
}
func (u *utterance) End() error {
	close(u.audio)
	return nil
}
func (u *utterance) Audio() <-chan dialogue.Speech { return u.audio }
func (u *utterance) Err() error                    { return nil }

// fixture is a worker, its database and a telephone network.
type fixture struct {
	t     *testing.T
	db    *database.DB
	calls *call.Service
	rooms *media.Rooms
	net   *network
	w     *Worker
}

const number = "+493012345678"

// ringTimeout is how long phones may ring: longer than a test on a busy machine.
const ringTimeout = 10 * time.Minute

// testTimeout is how long a test waits for what must happen.
const testTimeout = time.Minute

func newFixture(t *testing.T, db *database.DB) *fixture {
	t.Helper()
	calls, bus := desk(t, db)
	h := &fixture{t: t, db: db, calls: calls, rooms: media.NewRooms(server.URL(), tokens.Key, tokens.Secret), net: new(network)}
	h.w = New(Options{Name: "w", Capacity: 10, Calls: h.calls, Bus: bus, Rooms: h.rooms, Joiner: joiner, Tokens: tokens, MediaURL: server.URL(), Log: slog.New(slog.DiscardHandler),
		Providers: func(context.Context, string) voice.Providers { return providers{} }, SilenceTimeout: time.Minute,
		CheckDial: func(context.Context, string, string) error { return nil }, OutboundRoute: func(context.Context, string, string, bool) (sip.OutboundRoute, error) {
			return sip.OutboundRoute{Address: "trunk.example.com"}, nil
		}, Phones: h.net, RingTimeout: ringTimeout})
	return h
}

// call is a phone call held by a worker.
func (h *fixture) call() *call.Call {
	h.t.Helper()
	if _, _, err := h.calls.Dispatch(h.t.Context(), call.Request{TenantID: acme, AgentName: "desk", CallType: call.SIP, PhoneNumber: new(number)}); err != nil {
		h.t.Fatal(err)
	}
	claimed, err := h.calls.Claim(h.t.Context(), "w", 1)
	if err != nil || len(claimed) != 1 {
		h.t.Fatalf("claimed %d, %v", len(claimed), err)
	}
	return claimed[0]
}

// takeOver has the call's worker vanish, and another claim the call.
func (h *fixture) takeOver() *call.Call {
	h.t.Helper()
	if _, err := h.calls.ExpireLeases(h.t.Context(), call.ServerRestart, func(string) bool { return true }); err != nil {
		h.t.Fatal(err)
	}
	taken, err := h.calls.TakeOver(h.t.Context(), "next", 1)
	if err != nil || len(taken) != 1 {
		h.t.Fatalf("took over %d, %v", len(taken), err)
	}
	return taken[0]
}

// run runs a call, and returns what ends its session from outside and how it ended.
func (h *fixture) run(c *call.Call) (s *session, over func() *call.Call) {
	s = newSession(h.w, c)
	ctx, cancel := context.WithCancelCause(h.t.Context())
	s.cancel = cancel
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer cancel(nil)
		s.run(ctx)
	}()
	return s, func() *call.Call {
		h.t.Helper()
		select {
		case <-done:
		case <-time.After(2 * testTimeout):
			h.t.Fatal("the call does not end")
		}
		ended, err := h.calls.Get(h.t.Context(), acme, c.ID)
		if err != nil {
			h.t.Fatal(err)
		}
		if rooms, err := h.rooms.List(h.t.Context(), c.RoomName); err != nil || len(rooms) != 0 {
			h.t.Errorf("%d rooms are left, %v", len(rooms), err)
		}
		return ended
	}
}

// await waits until a call is in a state.
func (h *fixture) await(id string, status call.Status) {
	h.t.Helper()
	for end := time.Now().Add(testTimeout); ; time.Sleep(10 * time.Millisecond) {
		c, err := h.calls.Get(h.t.Context(), acme, id)
		if err != nil {
			h.t.Fatal(err)
		}
		if c.Status == status {
			return
		}
		if c.Status.Terminal() || time.Now().After(end) {
			h.t.Fatalf("the call is %s, want %s", c.Status, status)
		}
	}
}

// recordAgent waits until the agent has spoken.
func (h *fixture) spoken(id string) {
	h.t.Helper()
	for end := time.Now().Add(testTimeout); ; time.Sleep(10 * time.Millisecond) {
		said, err := h.calls.Transcript(h.t.Context(), acme, id)
		if err != nil || time.Now().After(end) {
			h.t.Fatalf("the transcript is %+v, %v", said, err)
		}
		if len(said) > 0 {
			return
		}
	}
}

func (h *fixture) ended(c *call.Call, status call.Status, reason call.Reason) {
	h.t.Helper()
	why := call.NoReason
	if c.StatusReason != nil {
		why = *c.StatusReason
	}
	if c.Status != status || why != reason {
		h.t.Errorf("%s with %q, want %s with %q", c.Status, why, status, reason)
	}
}
