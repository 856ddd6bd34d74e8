package sip

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"
)

// scriptedPhones answers with an error, or waits for the end of the request.
type scriptedPhones struct {
	err       error
	waits     bool
	dialled   chan DialRequest
	cancelled chan struct{}
}

func (p scriptedPhones) Dial(ctx context.Context, d DialRequest) error {
	p.dialled <- d
	if p.waits {
		<-ctx.Done()
		close(p.cancelled)
		return ctx.Err()
	}
	return p.err
}

func (p scriptedPhones) Transfer(_ context.Context, room, identity, number string) error {
	return errors.New(strings.Join([]string{room, identity, number}, " "))
}

func (p scriptedPhones) Check(context.Context) error { return p.err }

var remoteRequest = DialRequest{Room: "room", Identity: "phone-1", Number: "+4930123456", RingTimeout: 3 * time.Second, MaxDuration: time.Hour, Trunk: OutboundRoute{
	Address: "sip.carrier.example", Transport: TLS, Username: "acme", Password: "secret", CallerID: "+4930987654", Headers: map[string]string{"X-Account": "1"}, Platform: true,
}}

// A process without a gateway dials through another's, with the same results.
func TestRemotePhones(t *testing.T) {
	t.Parallel()
	secret := strings.Repeat("s", 32)
	for name, c := range map[string]struct{ returned, want error }{
		"answered":      {nil, nil},
		"busy":          {&DialError{Cause: Busy, Status: 486, Detail: "The line is busy (SIP 486)."}, &DialError{Cause: Busy, Status: 486, Detail: "The line is busy (SIP 486)."}},
		"not known how": {errors.New("join the phone to its room"), errors.New("join the phone to its room")},
	} {
		t.Run(name, func(t *testing.T) {
			phones := scriptedPhones{err: c.returned, dialled: make(chan DialRequest, 1)}
			server := httptest.NewServer(RemoteHandler(phones, "key", secret))
			defer server.Close()
			remote := NewRemote("ws"+strings.TrimPrefix(server.URL, "http"), "key", secret)
			if err := remote.Dial(t.Context(), remoteRequest); !sameError(err, c.want) {
				t.Errorf("dial: %v, want %v", err, c.want)
			}
			if got := <-phones.dialled; !reflect.DeepEqual(got, remoteRequest) {
				t.Errorf("dialled %+v", got)
			}
			if err := remote.Check(t.Context()); !sameError(err, c.want) {
				t.Errorf("check: %v, want %v", err, c.want)
			}
			if err := remote.Transfer(t.Context(), "room", "phone-1", "+4930"); err == nil || err.Error() != "room phone-1 +4930" {
				t.Errorf("transfer: %v", err)
			}
		})
	}
}

func sameError(got, want error) bool {
	var a, b *DialError
	if errors.As(want, &b) {
		return errors.As(got, &a) && *a == *b
	}
	return (got == nil) == (want == nil) && (got == nil || got.Error() == want.Error())
}

// A dial whose process cancels it, or dies, is cancelled at the gateway.
func TestRemoteDialIsCancelled(t *testing.T) {
	t.Parallel()
	secret := strings.Repeat("s", 32)
	phones := scriptedPhones{waits: true, dialled: make(chan DialRequest, 1), cancelled: make(chan struct{})}
	server := httptest.NewServer(RemoteHandler(phones, "key", secret))
	defer server.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the call was ended")
	go func() {
		<-phones.dialled
		cancel(why)
	}()
	if err := NewRemote(server.URL, "key", secret).Dial(ctx, remoteRequest); !errors.Is(err, why) {
		t.Errorf("dial: %v", err)
	}
	select {
	case <-phones.cancelled:
	case <-time.After(time.Minute):
		t.Error("the gateway's dial was not cancelled")
	}
}

// Only holders of the media server's secret dial.
func TestRemotePhonesRefuseStrangers(t *testing.T) {
	t.Parallel()
	phones := scriptedPhones{dialled: make(chan DialRequest, 8)}
	server := httptest.NewServer(RemoteHandler(phones, "key", strings.Repeat("s", 32)))
	defer server.Close()
	for name, remote := range map[string]*Remote{
		"another secret": NewRemote(server.URL, "key", strings.Repeat("x", 32)), "another key": NewRemote(server.URL, "other", strings.Repeat("s", 32)),
	} {
		var dialErr *DialError
		if err := remote.Dial(t.Context(), remoteRequest); err == nil || errors.As(err, &dialErr) {
			t.Errorf("%s: %v", name, err)
		}
	}
	answer, err := http.Post(server.URL+remoteDialPath, "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusUnauthorized || len(phones.dialled) > 0 {
		t.Errorf("without a token: %s, %d dialled", answer.Status, len(phones.dialled))
	}
}

// Beside a media server without a gateway the number is unreachable, and the error says why.
func TestRemoteWithoutGateway(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	var dialErr *DialError
	if err := NewRemote(server.URL, "key", strings.Repeat("s", 32)).Dial(t.Context(), remoteRequest); !errors.As(err, &dialErr) || dialErr.Cause != Unreachable {
		t.Errorf("dial: %v", err)
	}
}
