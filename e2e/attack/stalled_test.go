package attack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
)

// stall opens n connections that announce a body of 10 MB for a path and send its beginning, as much as the server
// reads. They stay open until the test ends.
func stall(t *testing.T, s *binary.Server, path string, n int) {
	t.Helper()
	part := strings.Repeat("x", 1<<20)
	for range n {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		go func() {
			_, _ = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10485760\r\n\r\n", path)
			for range 9 {
				if _, err := conn.Write([]byte(part)); err != nil {
					return
				}
			}
		}()
	}
}

// Bodies that never end, on paths without authentication, use no memory.
func TestStalledBodies(t *testing.T) {
	s := start(t, nil)
	for _, path := range []string{"/rtc/validate", "/rtc", "/api/v1/auth/login", "/api/v1/auth/refresh", "/api/v1/calls", "/nowhere"} {
		before, most := memory(t, s), 0
		stall(t, s, path, size(60, 200))
		for end := time.Now().Add(3 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
			most = max(most, memory(t, s)-before)
		}
		if most > 20<<20 {
			t.Errorf("%s: %d MB more", path, most>>20)
		}
		if answer, _ := send(t, s, "", http.MethodGet, "/health/live", ""); answer.StatusCode != http.StatusOK {
			t.Errorf("%s: others get %s", path, answer.Status)
		}
	}
}

// A request whose body never comes ends at every listener, whether or not the body is of use there: a response that is
// longer than net/http's buffer waits for the body, too.
func TestStalledRequestsEnd(t *testing.T) {
	port, err := binary.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	operator := fmt.Sprintf("127.0.0.1:%d", port)
	s := start(t, map[string]string{"PARLEY_METRICS_ADDR": operator})
	clients, media := strings.TrimPrefix(s.URL, "http://"), "127.0.0.1:"+s.RTCPort
	var all sync.WaitGroup
	for _, r := range []struct{ address, method, path string }{
		{clients, "GET", "/"}, {clients, "GET", "/openapi.json"}, {clients, "GET", "/metrics"}, {clients, "GET", "/rtc"}, {clients, "POST", "/api/v1/auth/login"},
		{operator, "GET", "/metrics"}, {operator, "POST", "/health"},
		{media, "GET", "/rtc/validate"}, {media, "POST", "/twirp/livekit.RoomService/ListRooms"},
	} {
		conn, err := net.Dial("tcp", r.address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		all.Go(func() {
			_, _ = fmt.Fprintf(conn, "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{", r.method, r.path)
			_ = conn.SetReadDeadline(time.Now().Add(limit))
			var late net.Error
			if _, err := io.Copy(io.Discard, conn); errors.As(err, &late) && late.Timeout() {
				t.Errorf("%s %s at %s stays open", r.method, r.path, r.address)
			}
		})
	}
	all.Wait()
}

// Nothing reaches the media server but joins with a valid token.
func TestSignalling(t *testing.T) {
	s := start(t, nil)
	call := dispatch(t, s)
	await(t, "the call's room is open", func() bool {
		answer, _ := send(t, s, "", http.MethodGet, "/rtc/validate?access_token="+call.Token, "")
		return answer.StatusCode == http.StatusOK
	})
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{http.MethodGet, "/rtc/validate?access_token=" + call.Token, http.StatusOK},
		{http.MethodPost, "/rtc/validate?access_token=" + call.Token, http.StatusMethodNotAllowed},
		{http.MethodPut, "/rtc", http.StatusMethodNotAllowed},
		{http.MethodGet, "/rtc/validate", http.StatusUnauthorized},
		{http.MethodGet, "/rtc/validate?access_token=" + call.Token[:len(call.Token)-4] + "AAAA", http.StatusUnauthorized},
		{http.MethodGet, "/rtc/v1/validate?access_token=x", http.StatusUnauthorized},
		{http.MethodGet, "/rtc/other", http.StatusNotFound},
		{http.MethodGet, "/twirp/livekit.RoomService/ListRooms", http.StatusNotFound},
	} {
		answer, body := send(t, s, "", c.method, c.path, "")
		if answer.StatusCode != c.status {
			t.Errorf("%s %.30s: %s %s", c.method, c.path, answer.Status, body)
		}
		if c.status == http.StatusUnauthorized && !strings.Contains(string(body), `"invalid_token"`) {
			t.Errorf("%s: not the envelope: %s", c.path, body)
		}
	}
}

// dispatch dispatches a call of the demo workflow.
func dispatch(t *testing.T, s *binary.Server) *client.Dispatch {
	t.Helper()
	call, err := s.API.Calls.Start(t.Context(), client.StartCall{WorkflowSlug: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	return call
}

// An address that opens more connections than it may keeps nobody out, and stalled headers end.
func TestFloodOfConnections(t *testing.T) {
	s := start(t, map[string]string{"PARLEY_MAX_CONNECTIONS_PER_ADDRESS": "10"})
	address := strings.TrimPrefix(s.URL, "http://")
	from := func(ip string) *net.Dialer { return &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(ip)}} }
	closed := make(chan struct{}, 1000)
	var refused atomic.Int64
	for range size(150, 1000) {
		conn, err := from("127.0.0.2").DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		_, _ = conn.Write([]byte("GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "))
		go func() {
			if answer, err := io.ReadAll(conn); bytes.HasPrefix(answer, []byte("HTTP/1.1 429 ")) || errors.Is(err, syscall.ECONNRESET) && len(answer) == 0 {
				refused.Add(1)
			}
			closed <- struct{}{}
		}()
	}
	other := http.Client{Transport: &http.Transport{DialContext: from("127.0.0.3").DialContext}}
	answer, err := other.Get(s.URL + "/health/live")
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("another address: %v, %v", answer, err)
	}
	_ = answer.Body.Close()
	other.CloseIdleConnections()
	for range size(150, 1000) {
		select {
		case <-closed:
		case <-time.After(limit):
			t.Fatal("a connection with stalled headers stays open")
		}
	}
	if refused.Load() == 0 {
		t.Error("no connection of the address is refused")
	}
}
