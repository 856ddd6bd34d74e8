package media

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
	wire "github.com/livekit/protocol/signalling"
	"github.com/pion/stun/v3"
	"github.com/pion/webrtc/v4"
)

// A caller who can reach no port of the media server, only the relay to its TCP port, receives the agent's audio. The end of
// its first attempt, over UDP, is not taken for the caller's.
func TestCallerReachesTheRelayAlone(t *testing.T) {
	t.Parallel()
	s, relay := startWithTCP(t)
	front, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer front.Close()
	relayed := make(chan struct{}, 8)
	go func() {
		for {
			conn, err := front.Accept()
			if err != nil {
				return
			}
			relayed <- struct{}{}
			go func() {
				defer conn.Close()
				relay.Serve(conn.(*net.TCPConn), nil)
			}()
		}
	}()
	port := front.Addr().(*net.TCPAddr).Port
	advertise := relay.Advertise([]int{port})
	joining := make(chan struct{}, 8)
	reachable := func(r *livekit.SignalResponse) (through []*livekit.SignalResponse) {
		if r.GetJoin() != nil {
			joining <- struct{}{}
		}
		all := advertise(r)
		if all == nil {
			all = []*livekit.SignalResponse{r}
		}
		for _, r := range all {
			if r.GetTrickle() == nil || candidatePort(t, r) == port {
				through = append(through, r)
			}
		}
		if through == nil {
			return []*livekit.SignalResponse{}
		}
		return through
	}
	proxy, err := Proxy(s.URL(), tokens, nil, func(*http.Request) ResponseFilter { return reachable }, refuse)
	if err != nil {
		t.Fatal(err)
	}
	var attempts atomic.Int32
	signalling := httptest.NewServer(Guard(tokens, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if attempts.Add(1) > 1 {
			time.Sleep(4 * time.Second) // LiveKit announces changes of participants every 3 s
		}
		proxy.ServeHTTP(w, r)
	}), refuse))
	defer signalling.Close()

	if err := NewRooms(s.URL(), testKey, testSecret).Create(t.Context(), "relayed", RoomOptions{EmptyTimeout: time.Minute, DepartureTimeout: time.Minute}); err != nil {
		t.Fatal(err)
	}
	type entry struct {
		participant *Participant
		err         error
	}
	entered := make(chan entry, 1)
	go func() {
		p, err := tryEnter("relayed", "caller", false, "ws"+signalling.URL[len("http"):])
		entered <- entry{p, err}
	}()
	select {
	case <-joining: // from now on, the caller is shown to those who join
	case e := <-entered:
		t.Fatalf("the caller did not join: %v", e.err)
	}
	token, err := tokens.Agent("relayed", "agent", time.Now(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	agent, err := joiner.joinOnce(t.Context(), JoinOptions{URL: s.URL(), Token: token, Agent: true}, 1) // over TCP
	if err != nil {
		t.Fatal(err)
	}
	defer agent.Leave()
	e := <-entered
	if e.err != nil {
		t.Fatal(e.err)
	}
	caller := e.participant
	defer caller.Leave()
	select {
	case <-relayed:
	case <-time.After(testLimit):
		t.Fatal("the relay was not used")
	}
	stop := make(chan struct{})
	defer close(stop)
	go playTone(t, agent, 800, stop)
	awaitTone(t, caller, 800)
	for len(agent.Events()) > 0 {
		if e := <-agent.Events(); e.Kind == PeerLeft && e.HungUp {
			t.Errorf("the caller hung up: %s", e.Reason)
		}
	}
}

// startWithTCP starts a server on loopback whose TCP port is open.
func startWithTCP(t *testing.T) (*Embedded, TCPRelay) {
	t.Helper()
	s, err := StartEmbedded(t.Context(), EmbeddedOptions{NodeIP: "127.0.0.1", Key: testKey, Secret: testSecret, forceTCP: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	relay, open := s.Relay()
	if !open {
		t.Fatal("there is no TCP port")
	}
	return s, relay
}

// candidatePort returns the port of a trickled candidate.
func candidatePort(t *testing.T, r *livekit.SignalResponse) int {
	t.Helper()
	candidate, err := wire.FromProtoTrickle(r.GetTrickle())
	if err != nil {
		t.Error(err)
		return 0
	}
	parsed, err := parseCandidate(candidate)
	if err != nil {
		t.Error(err)
		return 0
	}
	return parsed.Port()
}

func TestAdvertise(t *testing.T) {
	t.Parallel()
	relay := TCPRelay{port: 7881}
	trickle := func(candidate string) *livekit.SignalResponse {
		return &livekit.SignalResponse{Message: &livekit.SignalResponse_Trickle{
			Trickle: wire.ToProtoTrickle(webrtc.ICECandidateInit{Candidate: candidate}, livekit.SignalTarget_SUBSCRIBER, false)}}
	}
	got := relay.Advertise([]int{443, 8080, 7881})(trickle("candidate:1 1 tcp 1671430143 203.0.113.5 7881 typ host tcptype passive"))
	want := []string{
		"candidate:1 1 tcp 1671430143 203.0.113.5 7881 typ host tcptype passive",
		"candidate:1 1 tcp 1671430142 203.0.113.5 443 typ host tcptype passive",
		"candidate:1 1 tcp 1671430142 203.0.113.5 8080 typ host tcptype passive",
	}
	if len(got) != len(want) {
		t.Fatalf("%d messages, want %d", len(got), len(want))
	}
	for i, r := range got {
		candidate, err := wire.FromProtoTrickle(r.GetTrickle())
		if err != nil || candidate.Candidate != want[i] || r.GetTrickle().GetTarget() != livekit.SignalTarget_SUBSCRIBER {
			t.Errorf("%q to %v (%v), want %q", candidate.Candidate, r.GetTrickle().GetTarget(), err, want[i])
		}
	}
	for _, other := range []*livekit.SignalResponse{
		trickle("candidate:1 1 udp 2130706431 203.0.113.5 7882 typ host"),
		trickle("candidate:1 1 tcp 1671430143 203.0.113.5 7999 typ host tcptype passive"),
		trickle("nonsense"), trickle(""),
		{Message: &livekit.SignalResponse_Pong{}},
	} {
		if got := relay.Advertise([]int{443})(other); got != nil {
			t.Errorf("%v becomes %v", other, got)
		}
	}
}

// A connection that begins like media and belongs to no call is closed by the media server.
func TestRelayedConnectionOfNobody(t *testing.T) {
	t.Parallel()
	_, relay := startWithTCP(t)
	front, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer front.Close()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		conn, err := front.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		relay.Serve(conn.(*net.TCPConn), nil)
	}()
	conn, err := net.Dial("tcp", front.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	request, err := stun.Build(stun.TransactionID, stun.BindingRequest, stun.NewUsername("nobody:nowhere"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write(append([]byte{0, byte(len(request.Raw))}, request.Raw...)); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ended:
	case <-time.After(testLimit):
		t.Error("the connection stays open")
	}
}
