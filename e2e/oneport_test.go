package e2e

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/livekit/protocol/livekit"
	wire "github.com/livekit/protocol/signalling"
	"google.golang.org/protobuf/proto"

	"parley/e2e/binary"
	"parley/internal/audio"
	"parley/internal/media"
)

// A caller whose network permits only TCP to the HTTP port receives the agent's audio, and is counted and closed like other
// connections there.
func TestCallerReachesTheHTTPPortAlone(t *testing.T) {
	t.Parallel()
	port, err := binary.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, filepath.Join(t.TempDir(), "data"), map[string]string{
		"PARLEY_ADDR": net.JoinHostPort("0.0.0.0", strconv.Itoa(port)), "PARLEY_PUBLIC_URL": "http://127.0.0.1:" + strconv.Itoa(port),
		"PARLEY_RTC_NODE_IP": "127.0.0.1", "PARLEY_DEMO": "true", "PARLEY_ALLOW_PRIVATE_NETWORKS": "true",
	}, "--without=sip")
	d := beginWith(t, s, "demo")
	caller, err := joiner.Join(t.Context(), media.JoinOptions{URL: firewall(t, d.URL, port), Token: d.Token})
	if err != nil {
		t.Fatal(err)
	}
	defer caller.Leave()
	await(t, "the agent is heard", func() bool {
		select {
		case pcm := <-caller.Frames():
			return audio.Level(pcm) > -40
		default:
			return false
		}
	})
}

// firewall returns the URL of signalling whose client exchanges media with one TCP port of the server alone: it learns no
// other candidate, and the server learns none of the client's, to which it would send.
func firewall(t *testing.T, server string, port int) string {
	t.Helper()
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		far, _, err := websocket.Dial(r.Context(), server+r.URL.RequestURI(), &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": r.Header["Authorization"]}})
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		near, err := websocket.Accept(w, r, nil)
		if err != nil {
			_ = far.CloseNow()
			return
		}
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		go func() {
			defer cancel()
			pump(ctx, far, near, func(data []byte) bool {
				request := new(livekit.SignalRequest)
				return proto.Unmarshal(data, request) == nil && request.GetTrickle() == nil
			})
		}()
		pump(ctx, near, far, func(data []byte) bool {
			response := new(livekit.SignalResponse)
			if proto.Unmarshal(data, response) != nil {
				return false
			}
			if response.GetTrickle() == nil {
				return true
			}
			candidate, err := wire.FromProtoTrickle(response.GetTrickle())
			return err == nil && strings.Contains(candidate.Candidate, " tcp ") && strings.Contains(candidate.Candidate, " "+strconv.Itoa(port)+" typ ")
		})
		_, _ = near.CloseNow(), far.CloseNow()
	}))
	t.Cleanup(front.Close)
	return "ws" + strings.TrimPrefix(front.URL, "http")
}

// pump forwards the messages that the filter accepts until one end closes.
func pump(ctx context.Context, to, from *websocket.Conn, passes func([]byte) bool) {
	from.SetReadLimit(4 << 20)
	for {
		kind, data, err := from.Read(ctx)
		if err != nil {
			return
		}
		if passes(data) && to.Write(ctx, kind, data) != nil {
			return
		}
	}
}
