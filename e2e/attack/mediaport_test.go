package attack

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/livekit/protocol/livekit"
	"github.com/pion/stun/v3"
	"google.golang.org/protobuf/proto"

	server "parley/e2e/binary"
)

// startPublic starts a server whose ports for media over TCP are open.
func startPublic(t *testing.T, settings map[string]string, flags ...string) (s *server.Server, mediaPort string) {
	t.Helper()
	ports, err := server.FreePorts()
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(ports["PARLEY_ADDR"])
	all := map[string]string{
		"PARLEY_ADDR": "0.0.0.0:" + port, "PARLEY_PUBLIC_URL": "http://127.0.0.1:" + port, "PARLEY_RTC_NODE_IP": "127.0.0.1", "PARLEY_DEMO": "true",
		"PARLEY_ALLOW_PRIVATE_NETWORKS": "true", "PARLEY_RTC_TCP_PORT": ports["PARLEY_RTC_TCP_PORT"],
	}
	for k, v := range settings {
		all[k] = v
	}
	s = start(t, all, flags...)
	s.URL = all["PARLEY_PUBLIC_URL"]
	return s, "127.0.0.1:" + all["PARLEY_RTC_TCP_PORT"]
}

// floodMedia opens n connections to an address that accepts media over TCP, as caller of no call, and sends each as much as
// the server reads, until the test ends.
func floodMedia(t *testing.T, address string, n int) {
	t.Helper()
	packet := append(binary.BigEndian.AppendUint16(nil, 8000), make([]byte, 8000)...)
	var opening sync.WaitGroup
	for i := range n {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Logf("connection %d: %v", i, err)
			break
		}
		t.Cleanup(func() { _ = conn.Close() })
		request, err := stun.Build(stun.TransactionID, stun.BindingRequest, stun.NewUsername(fmt.Sprintf("nobody%d:nowhere", i)))
		if err != nil {
			t.Fatal(err)
		}
		opening.Go(func() {
			_ = conn.SetWriteDeadline(time.Now().Add(3 * time.Second))
			_, _ = conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(request.Raw))), request.Raw...))
			for range 60 {
				if _, err := conn.Write(packet); err != nil {
					return
				}
			}
		})
	}
	opening.Wait()
}

// Connections for media that belong to no call use little memory, at the port for media and at the HTTP port.
func TestMediaOfNoCall(t *testing.T) {
	s, media := startPublic(t, nil, "--without=sip")
	for name, address := range map[string]string{"media": media, "HTTP": strings.TrimPrefix(s.URL, "http://")} {
		most := watchMemory(t, s, func() { floodMedia(t, address, size(400, 1900)) })
		t.Logf("at the port for %s: %d MB", name, most>>20)
		if most > 60<<20 {
			t.Errorf("at the port for %s: %d MB more", name, most>>20)
		}
		if answer, _ := send(t, s, "", http.MethodGet, "/health/live", ""); answer.StatusCode != http.StatusOK {
			t.Errorf("others get %s", answer.Status)
		}
	}
}

// No caller is offered a TURN server, and no port relays: it would send to any address for whoever has a join token.
func TestNoTURN(t *testing.T) {
	s, media := startPublic(t, nil, "--without=sip,worker")
	socket, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http")+"/rtc?protocol=15&sdk=go&access_token="+dispatch(t, s).Token, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer socket.CloseNow()
	_, data, err := socket.Read(t.Context())
	first := new(livekit.SignalResponse)
	if err != nil || proto.Unmarshal(data, first) != nil || first.GetJoin() == nil {
		t.Fatalf("no join response: %v", err)
	}
	for _, offered := range first.GetJoin().GetIceServers() {
		if strings.Contains(strings.Join(offered.GetUrls(), " "), "turn") {
			t.Errorf("the caller is offered %v", offered.GetUrls())
		}
	}
	allocate, err := stun.Build(stun.TransactionID, stun.NewType(stun.MethodAllocate, stun.ClassRequest), stun.RawAttribute{Type: stun.AttrRequestedTransport, Value: []byte{17, 0, 0, 0}})
	if err != nil {
		t.Fatal(err)
	}
	for _, framed := range []bool{true, false} {
		for _, address := range []string{media, strings.TrimPrefix(s.URL, "http://")} {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			request := allocate.Raw
			if framed {
				request = append(binary.BigEndian.AppendUint16(nil, uint16(len(request))), request...)
			}
			_, _ = conn.Write(request)
			_ = conn.SetReadDeadline(time.Now().Add(limit))
			answer, err := io.ReadAll(conn)
			if errors.Is(err, os.ErrDeadlineExceeded) || len(answer) > 0 && !strings.HasPrefix(string(answer), "HTTP/1.1 4") {
				t.Errorf("%s, framed %t: answered %q, %v", address, framed, answer, err)
			}
			_ = conn.Close()
		}
	}
}

// dripHTTP opens n connections to an address and sends each a part of a request byte by byte, until the server closes it; they
// begin with a head. It returns how many the server has closed, which ends the attack.
func dripHTTP(t *testing.T, address, head string, n int) (closed int) {
	t.Helper()
	var dripping sync.WaitGroup
	var ended atomic.Int64
	for range n {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Error(err)
			break
		}
		dripping.Go(func() {
			defer conn.Close()
			_, _ = io.WriteString(conn, head)
			for end := time.Now().Add(limit); time.Now().Before(end); {
				_ = conn.SetReadDeadline(time.Now().Add(time.Second))
				if _, err := io.Copy(io.Discard, conn); !errors.Is(err, os.ErrDeadlineExceeded) {
					ended.Add(1)
					return
				}
				if _, err := conn.Write([]byte("x")); err != nil {
					ended.Add(1)
					return
				}
			}
		})
	}
	dripping.Wait()
	return int(ended.Load())
}

// Headers and bodies that arrive byte by byte end at every listener, and use little memory however many they are.
func TestDrippingRequests(t *testing.T) {
	port, err := server.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	operator := fmt.Sprintf("127.0.0.1:%d", port)
	s, media := startPublic(t, map[string]string{"PARLEY_METRICS_ADDR": operator})
	n := size(200, 2000)
	for name, address := range map[string]string{"clients": strings.TrimPrefix(s.URL, "http://"), "operator": operator, "media server": "127.0.0.1:" + s.RTCPort, "media over TCP": media} {
		for what, head := range map[string]string{"headers": "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ", "bodies": "POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 8000\r\n\r\n{"} {
			closed := 0
			most := watchMemory(t, s, func() { closed = dripHTTP(t, address, head, n) })
			t.Logf("%s, %s: %d MB", name, what, most>>20)
			if closed != n || most > 100<<20 {
				t.Errorf("%s, %s: %d of %d connections closed, %d MB more", name, what, closed, n, most>>20)
			}
		}
	}
}
