package sip

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/livekit/protocol/auth"
	"github.com/livekit/protocol/livekit"
	"github.com/twitchtv/twirp"
)

// outside is an outside LiveKit, of which the service uses only the API.
type outside struct {
	livekit.SIP
	livekit.RoomService
	answer func(ctx context.Context) error // to a dial; nil comes too late

	polled chan struct{} // closed when the phone's status was first asked for
	once   sync.Once

	mu      sync.Mutex
	dials   []*livekit.CreateSIPParticipantRequest
	status  string // of the phone in its room
	removed int
}

func (o *outside) CreateSIPParticipant(ctx context.Context, r *livekit.CreateSIPParticipantRequest) (*livekit.SIPParticipantInfo, error) {
	o.mu.Lock()
	o.dials = append(o.dials, r)
	o.mu.Unlock()
	if o.answer == nil {
		return nil, o.late(ctx)
	}
	return &livekit.SIPParticipantInfo{}, o.answer(ctx)
}

// late is the answer to a dial when the phone was looked at and the ringing timeout, of 1.4 s, is over.
func (o *outside) late(ctx context.Context) error {
	select {
	case <-o.polled:
	case <-ctx.Done():
	}
	select {
	case <-time.After(1500 * time.Millisecond):
	case <-ctx.Done():
	}
	return twirp.NewError(twirp.DeadlineExceeded, "timed out")
}

func (o *outside) GetParticipant(context.Context, *livekit.RoomParticipantIdentity) (*livekit.ParticipantInfo, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.once.Do(func() { close(o.polled) })
	return &livekit.ParticipantInfo{Attributes: map[string]string{"sip.callStatus": o.status}}, nil
}

func (o *outside) RemoveParticipant(context.Context, *livekit.RoomParticipantIdentity) (*livekit.RemoveParticipantResponse, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.removed++
	return &livekit.RemoveParticipantResponse{}, nil
}

func serveOutside(t *testing.T, o *outside) *Service {
	o.polled = make(chan struct{})
	mux := http.NewServeMux()
	mux.Handle("/twirp/livekit.SIP/", livekit.NewSIPServer(o))
	mux.Handle("/twirp/livekit.RoomService/", livekit.NewRoomServiceServer(o))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		parsed, err := auth.ParseAPIToken(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		if err == nil {
			var grants *auth.ClaimGrants
			if _, grants, err = parsed.Verify(testSecret); err == nil && strings.Contains(r.URL.Path, "SIP/") && (grants.SIP == nil || !grants.SIP.Call) {
				err = errors.New("it may not dial")
			}
		}
		if err != nil {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return NewService(ServiceOptions{URL: "ws" + strings.TrimPrefix(server.URL, "http"), Key: testKey, Secret: testSecret})
}

// An outside LiveKit receives one request for each dial, and Dial returns its result.
func TestService(t *testing.T) {
	t.Parallel()
	status := func(code string) func(context.Context) error {
		return func(context.Context) error {
			return twirp.NewError(twirp.Unavailable, "sip status").WithMeta("sip_status_code", code)
		}
	}
	away := func(context.Context) error { return twirp.NewError(twirp.Unavailable, "no response from servers") }
	trunk := OutboundRoute{Address: "203.0.113.7:5060", Transport: TLS, Username: "acme", Password: "pa55word", Headers: map[string]string{"X-A": "b"}, Platform: true}
	private := trunk
	private.Platform, private.Address = false, "127.0.0.1"
	sixth := trunk
	sixth.Address = "[2001:db8::1]:5060"
	for name, test := range map[string]struct {
		trunk   OutboundRoute
		answer  func(context.Context) error
		status  string
		want    *DialError // nil: answered, or an error that is none
		err     bool
		asked   int
		removed int
	}{
		"answered":            {trunk, func(context.Context) error { return nil }, "", nil, false, 1, 0},
		"busy":                {trunk, status("486"), "", &DialError{Cause: Busy, Status: 486}, true, 1, 0},
		"unavailable":         {trunk, status("503"), "", &DialError{Cause: Unreachable, Status: 503}, true, 1, 0},
		"unheard of":          {trunk, status("408"), "dialing", &DialError{Cause: Unreachable}, true, 1, 0},
		"rings for ever":      {trunk, nil, "ringing", &DialError{Cause: RingTimeout}, true, 1, 1},
		"never rings":         {trunk, nil, "dialing", &DialError{Cause: Unreachable}, true, 1, 1},
		"no SIP service":      {trunk, away, "", &DialError{Cause: Unreachable}, true, 1, 1},
		"IPv6":                {sixth, away, "", &DialError{Cause: Unreachable}, true, 0, 0},
		"a tenant's, private": {private, away, "", &DialError{Cause: Unreachable}, true, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &outside{answer: test.answer, status: test.status}
			s := serveOutside(t, o)
			err := s.Dial(t.Context(), DialRequest{Room: "room", Identity: "phone-1", Number: "+4930123456", Trunk: test.trunk, RingTimeout: 1400 * time.Millisecond, MaxDuration: time.Hour})
			var got *DialError
			switch errors.As(err, &got); {
			case (err != nil) != test.err || (got == nil) != (test.want == nil):
				t.Errorf("got %v", err)
			case got != nil && (got.Cause != test.want.Cause || got.Status != test.want.Status):
				t.Errorf("got %+v", got)
			}
			if err := s.Check(t.Context()); (err != nil) != (name == "no SIP service") {
				t.Errorf("health: %v", err)
			}
			if len(o.dials) != test.asked || o.removed != test.removed {
				t.Errorf("asked for %d dials, removed the phone %d times", len(o.dials), o.removed)
			}
			for _, r := range o.dials {
				if r.Trunk.Hostname != trunk.Address || r.Trunk.Transport != livekit.SIPTransport_SIP_TRANSPORT_TLS || r.Trunk.AuthUsername != "acme" || r.Trunk.AuthPassword != "pa55word" ||
					r.SipCallTo != "+4930123456" || r.SipNumber != "acme" || r.RoomName != "room" || r.ParticipantIdentity != "phone-1" || !r.HidePhoneNumber || !r.WaitUntilAnswered ||
					r.RingingTimeout.AsDuration() != 1400*time.Millisecond || r.MaxCallDuration.AsDuration() != time.Hour || r.Headers["X-A"] != "b" {
					t.Errorf("asked for %v", r)
				}
			}
		})
	}
	t.Run("given up", func(t *testing.T) {
		t.Parallel()
		enough := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		o := &outside{answer: func(ctx context.Context) error {
			cancel(enough)
			<-ctx.Done()
			return ctx.Err()
		}}
		s := serveOutside(t, o)
		if err := s.Dial(ctx, DialRequest{Room: "room", Identity: "phone-1", Number: "+4930123456", Trunk: trunk, RingTimeout: time.Minute}); !errors.Is(err, enough) || o.removed != 1 {
			t.Errorf("got %v, removed the phone %d times", err, o.removed)
		}
	})
}
