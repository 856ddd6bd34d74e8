package media

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"

	"parley/internal/fault"
)

// refuse answers with a status for each code, and the error's text.
func refuse(w http.ResponseWriter, _ *http.Request, err error) {
	statuses := map[fault.Code]int{
		fault.NotFound: http.StatusNotFound, fault.MethodNotAllowed: http.StatusMethodNotAllowed, fault.Validation: http.StatusUnprocessableEntity,
		fault.InvalidToken: http.StatusUnauthorized, fault.ServiceUnavailable: http.StatusServiceUnavailable,
	}
	http.Error(w, err.Error(), statuses[fault.CodeOf(err)])
}

func TestGuard(t *testing.T) {
	own := Tokens{Key: "key", Secret: strings.Repeat("s", 32)}
	sign := func(t Tokens, now time.Time) string {
		token, _ := t.Caller("room", "caller", now, time.Minute)
		return token
	}
	good := sign(own, time.Now())
	expired, _ := own.sign("room", "caller", 0, nil, time.Now(), -time.Hour)
	noIdentity, _ := own.Caller("room", "", time.Now(), time.Minute)
	var reached *http.Request
	guard := Guard(own, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { reached = r }), refuse)
	for _, c := range []struct {
		name, method, target, bearer, body string
		status                             int
	}{
		{"join", "GET", "/rtc?access_token=" + good, "", "", 200},
		{"join by header", "GET", "/rtc/v1?join_request=" + packed(t, &livekit.JoinRequest{}), good, "", 200},
		{"no join request", "GET", "/rtc/v1?join_request=x", good, "", 422},
		{"a join request with many tracks", "GET", "/rtc/v1?join_request=" + packed(t, &livekit.JoinRequest{AddTrackRequests: make([]*livekit.AddTrackRequest, maxTracks+1)}), good, "", 422},
		{"a join request with many sections", "GET", "/rtc/v1?join_request=" + packed(t, &livekit.JoinRequest{PublisherOffer: &livekit.SessionDescription{Sdp: strings.Repeat("\nm=", maxMediaSections+1)}}), good, "", 422},
		{"validate", "HEAD", "/rtc/validate?access_token=" + good, "", "", 200},
		{"preflight", "OPTIONS", "/rtc/validate", "", "", 204},
		{"other path", "GET", "/rtc/other?access_token=" + good, "", "", 404},
		{"other method", "POST", "/rtc/validate?access_token=" + good, "", "", 405},
		{"a body", "GET", "/rtc/validate?access_token=" + good, "", "body", 422},
		{"no token", "GET", "/rtc", "", "", 401},
		{"no token of anybody", "GET", "/rtc?access_token=x", "", "", 401},
		{"a token of another key", "GET", "/rtc?access_token=" + sign(Tokens{"other", own.Secret}, time.Now()), "", "", 401},
		{"a token of another secret", "GET", "/rtc?access_token=" + sign(Tokens{"key", strings.Repeat("x", 32)}, time.Now()), "", "", 401},
		{"an expired token", "GET", "/rtc?access_token=" + expired, "", "", 401},
		{"a token without identity", "GET", "/rtc?access_token=" + noIdentity, "", "", 401},
		{"a bad header beside a good parameter", "GET", "/rtc?access_token=" + good, "x", "", 401},
	} {
		reached = nil
		r := httptest.NewRequest(c.method, c.target, strings.NewReader(c.body))
		if c.bearer != "" {
			r.Header.Set("Authorization", "Bearer "+c.bearer)
		}
		w := httptest.NewRecorder()
		guard.ServeHTTP(w, r)
		if w.Code != c.status || (reached != nil) != (c.status == 200) {
			t.Errorf("%s: %d %s; reached the media server: %t", c.name, w.Code, w.Body, reached != nil)
		}
		if c.status != 200 && w.Header().Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: pages cannot read the answer", c.name)
		}
	}

	r := httptest.NewRequest("GET", "/rtc?access_token="+good+"&access_token=x&publish=2&attributes=e30=&disable_ice_lite=1&auto_subscribe=1&new=1", nil)
	guard.ServeHTTP(httptest.NewRecorder(), r)
	if want := (url.Values{"access_token": {good}, "auto_subscribe": {"1"}}).Encode(); reached == nil || reached.URL.RawQuery != want {
		t.Errorf("the media server is asked %v, want %s", reached, want)
	}
}

// A caller's server does not send first, to addresses that the caller names.
func TestServersOfCallersDoNotSendFirst(t *testing.T) {
	for _, disabled := range []bool{true, false} {
		given := packed(t, &livekit.JoinRequest{ParticipantSid: "PA_1", ConnectionSettings: &livekit.ConnectionSettings{AutoSubscribe: true, DisableIceLite: disabled}})
		restricted, err := restrictJoin(given)
		if err != nil {
			t.Fatal(err)
		}
		join, err := unpackJoin(restricted)
		if err != nil || join.GetConnectionSettings().GetDisableIceLite() || !join.GetConnectionSettings().GetAutoSubscribe() || join.GetParticipantSid() != "PA_1" {
			t.Errorf("disabled %t: forwarded %v, %v", disabled, join, err)
		}
	}
}

func packed(t *testing.T, join *livekit.JoinRequest) string {
	t.Helper()
	parameter, err := packJoin(join)
	if err != nil {
		t.Fatal(err)
	}
	return parameter
}

// A room admits agents and as many callers as it was created for; a participant that joins again replaces its earlier connection.
func TestRoomHoldsItsCallers(t *testing.T) {
	t.Parallel()
	const room = "one-caller"
	if err := rooms().Create(t.Context(), room, CallRoom(time.Minute, time.Minute)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rooms().Delete(context.Background(), room) })
	enter(t, room, "agent", true)
	enter(t, room, "caller", false)
	if p, err := tryEnter(room, "another", false, server.URL()); err == nil {
		p.Leave()
		t.Error("two callers are in the room of one")
	}
	// The page was reloaded. The first connection may reconnect concurrently, and win.
	await(t, "the caller is in the room again", func() bool {
		p, err := tryEnter(room, "caller", false, server.URL())
		if err == nil {
			t.Cleanup(p.Leave)
		}
		return err == nil
	})
}
