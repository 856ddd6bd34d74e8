package media

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
	"google.golang.org/protobuf/proto"
)

// A caller whose packets stop is requested to resume its session, does so without leaving the room, and is received again.
func TestSilentPathIsResumed(t *testing.T) {
	t.Parallel()
	var joins atomic.Int32
	proxy, err := Proxy(server.URL(), tokens, nil, func(*http.Request) ResponseFilter {
		joins.Add(1)
		return ChainFilters(ShortenPings, ResumeOnRequest())
	}, refuse)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(Guard(tokens, proxy, refuse))
	defer front.Close()
	room := newRoom(t)
	agent := enter(t, room, "agent", true)
	caller, err := tryEnter(room, "caller", false, "ws"+front.URL[len("http"):])
	if err != nil {
		t.Fatal(err)
	}
	defer caller.Leave()
	next(t, agent, PeerJoined)
	next(t, agent, PeerAudio)
	next(t, caller, PeerJoined)
	session := caller.connection.sid

	stop := make(chan struct{})
	go playTone(t, caller, 700, stop)
	awaitTone(t, agent, 700)
	if n := joins.Load(); n != 1 {
		t.Fatalf("%d joins of a caller who is heard", n)
	}
	close(stop) // as a dead path: nothing arrives
	await(t, "the caller resumes its session", func() bool { return joins.Load() > 1 })
	await(t, "the caller is back", func() bool {
		caller.mu.Lock()
		defer caller.mu.Unlock()
		return !caller.reconnecting
	})
	again := make(chan struct{})
	defer close(again)
	go playTone(t, caller, 900, again)
	awaitTone(t, agent, 900)
	caller.mu.Lock()
	defer caller.mu.Unlock()
	if caller.connection.sid != session {
		t.Error("the caller made a new session")
	}
	select {
	case e := <-agent.Events():
		t.Errorf("the agent has seen %+v", e)
	default:
	}
}

func TestPathMonitor(t *testing.T) {
	t.Parallel()
	var m pathMonitor
	start := time.Now()
	requests := func(from, to time.Duration) (at []time.Duration) {
		for d := from; d <= to; d += 20 * time.Millisecond {
			if m.isResumeDue(start.Add(d)) {
				at = append(at, d)
			}
		}
		return at
	}
	if got := requests(0, time.Minute); got != nil {
		t.Errorf("requests before the first packet: %v", got)
	}
	for range 2 {
		m.recordPacket(start)
		got := requests(0, time.Minute)
		if len(got) != 3 || got[0] != 2*time.Second || got[1] != 6*time.Second || got[2] != 10*time.Second {
			t.Errorf("requests at %v", got)
		}
	}
}

// Only a new request of the agent counts, not one that was answered before the session was resumed.
func TestResumeOnRequest(t *testing.T) {
	t.Parallel()
	agent := func(value string) *livekit.ParticipantInfo {
		return &livekit.ParticipantInfo{Kind: livekit.ParticipantInfo_AGENT, Attributes: map[string]string{resumeAttribute: value}}
	}
	join := func(others ...*livekit.ParticipantInfo) *livekit.SignalResponse {
		return &livekit.SignalResponse{Message: &livekit.SignalResponse_Join{Join: &livekit.JoinResponse{OtherParticipants: others}}}
	}
	update := func(who *livekit.ParticipantInfo) *livekit.SignalResponse {
		return &livekit.SignalResponse{Message: &livekit.SignalResponse_Update{Update: &livekit.ParticipantUpdate{Participants: []*livekit.ParticipantInfo{who}}}}
	}
	caller := &livekit.ParticipantInfo{Attributes: map[string]string{resumeAttribute: "forged"}}
	for name, c := range map[string]struct {
		messages []*livekit.SignalResponse
		resumes  int
	}{
		"a request":                     {[]*livekit.SignalResponse{join(), update(agent("")), update(agent("1")), update(agent("1"))}, 1},
		"two requests":                  {[]*livekit.SignalResponse{join(agent("")), update(agent("1")), update(agent("2"))}, 2},
		"one from before the join":      {[]*livekit.SignalResponse{join(agent("1")), update(agent("1"))}, 0},
		"one from before a resumption":  {[]*livekit.SignalResponse{update(agent("1")), update(agent("1"))}, 0},
		"one after a resumption":        {[]*livekit.SignalResponse{update(agent("1")), update(agent("2"))}, 1},
		"another participant's request": {[]*livekit.SignalResponse{join(), update(caller)}, 0},
	} {
		filter, resumes := ResumeOnRequest(), 0
		for _, m := range c.messages {
			for _, r := range filter(m) {
				if r.GetLeave().GetAction() == livekit.LeaveRequest_RESUME {
					resumes++
				}
			}
		}
		if resumes != c.resumes {
			t.Errorf("%s: %d resumptions, want %d", name, resumes, c.resumes)
		}
	}
}

func TestPingOften(t *testing.T) {
	t.Parallel()
	got := ChainFilters(ShortenPings, ResumeOnRequest())(&livekit.SignalResponse{Message: &livekit.SignalResponse_Join{Join: &livekit.JoinResponse{PingInterval: 5, PingTimeout: 15}}})
	if len(got) != 1 || got[0].GetJoin().GetPingInterval() != 1 || got[0].GetJoin().GetPingTimeout() != 3 {
		t.Errorf("got %v", got)
	}
	if got := ChainFilters(ShortenPings)(&livekit.SignalResponse{Message: &livekit.SignalResponse_Pong{}}); got != nil {
		t.Errorf("another message becomes %v", got)
	}
}

func TestSendsInSilence(t *testing.T) {
	t.Parallel()
	join := func(sdk livekit.ClientInfo_SDK, packed bool) string {
		plain, err := proto.Marshal(&livekit.JoinRequest{ClientInfo: &livekit.ClientInfo{Sdk: sdk}})
		if err != nil {
			t.Fatal(err)
		}
		wrapped := &livekit.WrappedJoinRequest{JoinRequest: plain}
		if packed {
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			_, _ = w.Write(plain) // to memory
			_ = w.Close()
			wrapped.JoinRequest, wrapped.Compression = b.Bytes(), livekit.WrappedJoinRequest_GZIP
		}
		request, err := proto.Marshal(wrapped)
		if err != nil {
			t.Fatal(err)
		}
		return "join_request=" + url.QueryEscape(base64.URLEncoding.EncodeToString(request))
	}
	for query, want := range map[string]bool{
		"sdk=js": true, "sdk=android": true, "sdk=go": false, "": false, "join_request=%%%": false, "join_request=AAAA": false,
		join(livekit.ClientInfo_JS, false): true, join(livekit.ClientInfo_JS, true): true, join(livekit.ClientInfo_GO, false): false,
	} {
		if got := SendsInSilence(&http.Request{URL: &url.URL{Path: "/rtc/v1", RawQuery: query}}); got != want {
			t.Errorf("%q: %v", query, got)
		}
	}
}
