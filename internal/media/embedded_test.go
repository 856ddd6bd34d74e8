package media

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestPortInUse(t *testing.T) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	taken, busy := tcp.Addr().(*net.TCPAddr).Port, udp.LocalAddr().(*net.UDPAddr).Port
	for _, tc := range []struct {
		options EmbeddedOptions
		want    string
	}{
		{EmbeddedOptions{LoopbackOnly: true, Port: taken}, "PARLEY_RTC_PORT: "},
		{EmbeddedOptions{LoopbackOnly: true, UDPPort: busy}, "PARLEY_RTC_UDP_PORT: "},
		{EmbeddedOptions{NodeIP: "127.0.0.1", TCPPort: taken}, "PARLEY_RTC_TCP_PORT: "},
		{EmbeddedOptions{NodeIP: "127.0.0.1", UDPPort: busy}, "PARLEY_RTC_UDP_PORT: "},
		{EmbeddedOptions{NodeIP: "nowhere"}, "PARLEY_RTC_NODE_IP: "},
	} {
		tc.options.Key, tc.options.Secret = testKey, testSecret
		e, err := StartEmbedded(context.Background(), tc.options)
		if err == nil {
			_ = e.Stop(context.Background())
			t.Errorf("%s: it started", tc.want)
			continue
		}
		if !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %q, want one line with %q", err, tc.want)
		}
	}
}

// A second server in one process, beside the shared one and after another, works and releases its ports.
func TestStartAgain(t *testing.T) {
	o := EmbeddedOptions{LoopbackOnly: true, Key: testKey, Secret: testSecret}
	for range 2 {
		e, err := StartEmbedded(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		r := NewRooms(e.URL(), testKey, testSecret)
		if err := r.Create(context.Background(), "again", RoomOptions{}); err != nil {
			t.Error(err)
		}
		if got, err := r.List(context.Background()); err != nil || len(got) != 1 || got[0].Name != "again" {
			t.Errorf("rooms %v, %v", got, err)
		}
		token, _ := tokens.Caller("again", "caller", time.Now(), time.Minute)
		p, err := joiner.Join(context.Background(), JoinOptions{URL: e.URL(), Token: token})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if err := e.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		if err := e.Stop(context.Background()); err != nil {
			t.Errorf("stopping twice: %v", err)
		}
		if err := e.Wait(); err != nil {
			t.Error(err)
		}
		t.Logf("stopped in %v", time.Since(start))
		p.Leave()
		l, err := net.Listen("tcp", e.URL()[len("ws://"):])
		if err != nil {
			t.Fatalf("its port is still taken: %v", err)
		}
		o.Port = l.Addr().(*net.TCPAddr).Port
		_ = l.Close()
	}
}

func TestProxyCarriesACall(t *testing.T) {
	t.Parallel()
	var arrivals []string
	var full error
	left := make(chan struct{}, 2)
	proxy, err := Proxy(server.URL(), tokens, func(_ context.Context, room string) (func(), error) {
		arrivals = append(arrivals, room)
		return func() { left <- struct{}{} }, full
	}, nil, refuse)
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
	stop := make(chan struct{})
	go playTone(t, agent, 800, stop)
	awaitTone(t, caller, 800)
	close(stop)
	select {
	case <-left:
		t.Error("a caller who is there is said to have left")
	default:
	}
	caller.Leave()
	select {
	case <-left:
	case <-time.After(testLimit):
		t.Error("no event that the caller left")
	}

	get := func(h http.Handler, path string) *http.Response {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("Origin", "https://elsewhere.example")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Result()
	}
	token, _ := tokens.Caller(room, "caller", time.Now(), time.Minute)
	if got := get(proxy, "/rtc/validate?access_token="+token); got.StatusCode != http.StatusOK || got.Header.Get("Access-Control-Allow-Origin") == "" {
		t.Errorf("validate: %s %v", got.Status, got.Header)
	}
	get(proxy, "/rtc?access_token="+token[:len(token)-2])
	if len(arrivals) != 1 || arrivals[0] != room {
		t.Errorf("one caller came to %s; told of were %v", room, arrivals)
	}
	full = errors.New("no room can be made")
	if got := get(proxy, "/rtc?access_token="+token); got.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a room that cannot be made: %s", got.Status)
	}
	full = ErrCallEnded
	if got := get(proxy, "/rtc?access_token="+token); got.StatusCode != http.StatusNotFound {
		t.Errorf("a room whose call is over: %s", got.Status)
	}
	if got := get(proxy, "/rtc/validate?access_token=x"); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("validate a bad token: %s", got.Status)
	}
	for _, path := range []string{"/rtc/other", "/rtc/../twirp/livekit.RoomService/ListRooms", "/twirp/livekit.RoomService/ListRooms", "/", "/agent"} {
		if got := get(proxy, path); got.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s", path, got.Status)
		}
	}
	dead, err := Proxy("ws://127.0.0.1:1", Tokens{}, nil, nil, refuse)
	if err != nil {
		t.Fatal(err)
	}
	if got := get(dead, "/rtc"); got.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("no media server: %s", got.Status)
	}
	if _, err := Proxy("ftp://x", Tokens{}, nil, nil, refuse); err == nil {
		t.Error("a proxy to ftp")
	}
}

// A browser's leave message and the close frame behind it, even in one write, reach the server closeDelay apart; so does
// the end of the connection.
func TestLeavePrecedesClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		frame := []byte{0x88, 0x82, 1, 2, 3, 4, 5, 6}
		conn := &delayedCloseConn{near}
		go func() {
			if n, err := conn.Write(append([]byte("goodbye"), frame...)); n != 15 || err != nil {
				t.Errorf("wrote %d, %v", n, err)
			}
			_ = conn.Close()
		}()
		start := time.Now()
		for _, want := range []struct {
			data string
			err  error
			at   time.Duration
		}{{"goodbye", nil, 0}, {string(frame), nil, closeDelay}, {"", io.EOF, 2 * closeDelay}} {
			buf := make([]byte, 64)
			n, err := far.Read(buf)
			if string(buf[:n]) != want.data || err != want.err || time.Since(start) != want.at {
				t.Errorf("after %v: %q, %v; want %q, %v after %v", time.Since(start), buf[:n], err, want.data, want.err, want.at)
			}
		}
	})
}
