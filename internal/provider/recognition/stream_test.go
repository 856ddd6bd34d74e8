package recognition

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"parley/internal/dialogue"
	"parley/internal/leaktest"
)

// patience is how long a test waits for what has to come.
const patience = time.Minute

// dialect says "text" for interim and "text." for final text.
func dialect() Dialect {
	return Dialect{
		Vendor: "Vendor", Piece: 20 * time.Millisecond, Finalize: "finalize", Farewell: "farewell",
		Parse: func(message []byte) (Message, error) {
			text, final := strings.CutSuffix(string(message), ".")
			return Message{Results: true, Text: text, Final: final, Answer: final}, nil
		},
		Refuses: func(code websocket.StatusCode, _ string) bool { return code == websocket.StatusPolicyViolation },
	}
}

// serve runs a vendor on loopback. No goroutine may be left after the test.
func serve(t *testing.T, vendor func(ctx context.Context, conn *websocket.Conn)) string {
	t.Helper()
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { leaktest.None(t, before) })
	ctx, cancel := context.WithCancel(context.Background())
	var streams sync.WaitGroup
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		streams.Add(1)
		defer streams.Done()
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.CloseNow()
		vendor(ctx, conn)
	}))
	t.Cleanup(func() { cancel(); server.Close(); streams.Wait() })
	return server.URL
}

func open(t *testing.T, d Dialect, url string) *Stream {
	t.Helper()
	s, err := Open(t.Context(), d, Request{URL: url, Secret: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func (s *Stream) ended(t *testing.T) error {
	t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case _, ok := <-s.Transcripts():
			if !ok {
				return s.Err()
			}
		case <-timeout:
			t.Fatalf("the stream goes on after %v", patience)
		}
	}
}

func TestKeepAlive(t *testing.T) {
	heard := make(chan string, 100)
	d := dialect()
	d.KeepAlive, d.KeepAliveAfter = "alive", 30*time.Millisecond
	s := open(t, d, serve(t, func(ctx context.Context, conn *websocket.Conn) {
		for {
			kind, message, err := conn.Read(ctx)
			if err != nil {
				return
			}
			if kind == websocket.MessageBinary {
				message = []byte("audio")
			}
			heard <- string(message)
		}
	}))
	for range 3 {
		if said := <-heard; said != "alive" {
			t.Fatalf("said %q in silence", said)
		}
	}
	s.Write(make([]int16, 320))
	for said := range heard {
		if said == "audio" {
			break
		}
	}
	if said := <-heard; said != "alive" {
		t.Errorf("said %q after the audio", said)
	}
}

// TestFarewell: the vendor receives it, and its remaining messages are awaited no longer than farewellWait.
func TestFarewell(t *testing.T) {
	last := make(chan string, 1)
	s := open(t, dialect(), serve(t, func(ctx context.Context, conn *websocket.Conn) {
		for {
			_, message, err := conn.Read(ctx)
			if err != nil {
				return
			}
			last <- string(message)
		}
	}))
	began := time.Now()
	s.Close()
	if took := time.Since(began); took < farewellWait {
		t.Errorf("the vendor had %v", took)
	}
	if said := <-last; said != "farewell" {
		t.Errorf("said %q", said)
	}
}

// TestNetworkStalls: audio that the network does not accept ends the stream, and no call blocks on it.
func TestNetworkStalls(t *testing.T) {
	s := open(t, dialect(), serve(t, func(ctx context.Context, conn *websocket.Conn) { <-ctx.Done() }))
	frame := make([]int16, 320*5)
	var err error
	for sent := 0; err == nil && sent < 256<<20; sent += 2 * len(frame) {
		err = s.Write(frame)
	}
	if err == nil || !strings.Contains(err.Error(), "stalls") {
		t.Fatalf("Write: %v", err)
	}
	if got := s.ended(t); got != err {
		t.Errorf("Err = %v, want %v", got, err)
	}
}

// TestBreaks: a vendor's protocol violation becomes an error that names it.
func TestBreaks(t *testing.T) {
	for _, test := range []struct {
		name    string
		vendor  func(ctx context.Context, conn *websocket.Conn)
		want    string
		refused bool
	}{
		{"a binary message", func(ctx context.Context, conn *websocket.Conn) {
			conn.Write(ctx, websocket.MessageBinary, []byte{1, 2, 3})
		}, "Vendor sent a binary message of 3 bytes, which its protocol does not have", false},
		{"a message too long", func(ctx context.Context, conn *websocket.Conn) {
			conn.Write(ctx, websocket.MessageText, make([]byte, longestMessage+1))
			<-ctx.Done()
		}, "Vendor sent a message of over 1048576 bytes", false},
		{"refused later", func(_ context.Context, conn *websocket.Conn) {
			conn.Close(websocket.StatusPolicyViolation, "no credit for secret")
		}, "Vendor: refused by the provider: 1008 no credit for [key]", true},
		{"its own trouble", func(_ context.Context, conn *websocket.Conn) {
			conn.Close(websocket.StatusInternalError, "NET-0000")
		}, "Vendor closed the connection: 1011 NET-0000", false},
		{"dropped", func(_ context.Context, conn *websocket.Conn) { conn.CloseNow() }, "Vendor dropped the connection", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := open(t, dialect(), serve(t, test.vendor))
			err := s.ended(t)
			if err == nil || err.Error() != test.want || errors.Is(err, dialogue.ErrRefused) != test.refused {
				t.Errorf("Err = %v, refused %v; want %q", err, errors.Is(err, dialogue.ErrRefused), test.want)
			}
		})
	}
}

// TestLastWords: transcripts from before a failure are delivered, even to a slow reader.
func TestLastWords(t *testing.T) {
	s := open(t, dialect(), serve(t, func(ctx context.Context, conn *websocket.Conn) {
		for _, text := range []string{"one.", "two.", "three"} {
			conn.Write(ctx, websocket.MessageText, []byte(text))
		}
	}))
	<-s.io.Done() // it broke
	var heard []dialogue.Transcript
	for transcript := range s.Transcripts() {
		heard = append(heard, transcript)
	}
	want := []dialogue.Transcript{{Text: "one", Final: true}, {Text: "two", Final: true}, {Text: "three"}}
	if diff := cmp.Diff(want, heard); diff != "" {
		t.Error(diff)
	}
}

// TestUnread: interim text that nobody reads gives way to newer text.
func TestUnread(t *testing.T) {
	s := open(t, dialect(), serve(t, func(ctx context.Context, conn *websocket.Conn) {
		for range longestOutbox {
			conn.Write(ctx, websocket.MessageText, []byte("o"))
			conn.Write(ctx, websocket.MessageText, []byte("one"))
		}
		conn.Write(ctx, websocket.MessageText, []byte("one."))
		conn.Read(ctx)
	}))
	if err := s.conn.Ping(t.Context()); err != nil { // answered after all that
		t.Fatal(err)
	}
	if heard, want := <-s.Transcripts(), (dialogue.Transcript{Text: "one", Final: true}); heard != want {
		t.Errorf("heard %+v, want %+v", heard, want)
	}
}

// TestUnreadFinals: text that must not be lost is not kept without bound.
func TestUnreadFinals(t *testing.T) {
	s := open(t, dialect(), serve(t, func(ctx context.Context, conn *websocket.Conn) {
		for ctx.Err() == nil {
			if conn.Write(ctx, websocket.MessageText, []byte("one.")) != nil {
				return
			}
		}
	}))
	<-s.io.Done()
	if err := s.ended(t); err == nil || err.Error() != "nobody reads the transcripts" {
		t.Errorf("Err = %v", err)
	}
}

// TestHandshakeErrors: a tenant reads them.
func TestHandshakeErrors(t *testing.T) {
	for _, test := range []struct {
		status  int
		body    string
		want    string
		refused bool
	}{
		{401, `{"err_code":"INVALID_AUTH","err_msg":"Invalid credentials."}`, "connect to Vendor: the key is refused by the provider: Invalid credentials.", true},
		{403, `{"error":"the key secret may not"}`, "connect to Vendor: the key is refused by the provider: the key [key] may not", true},
		{402, ``, "connect to Vendor: the account is refused by the provider", true},
		{404, "<h1>\n\tnot\x00 here</h1>", "connect to Vendor: the request is refused by the provider", true},
		{429, `{"message":"slow down"}`, "connect to Vendor: too many requests at once: slow down", false},
		{500, strings.Repeat("x", 900), "connect to Vendor: the provider fails with status 500: " + strings.Repeat("x", 200) + "…", false},
		{302, "", "connect to Vendor: the request is refused by the provider", true},
		{200, "hello", "connect to Vendor: the provider fails with status 200: hello", false},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
			w.WriteHeader(test.status)
			w.Write([]byte(test.body))
		}))
		_, err := Open(t.Context(), dialect(), Request{URL: server.URL, Secret: "secret"})
		server.Close()
		if err == nil || err.Error() != test.want || errors.Is(err, dialogue.ErrRefused) != test.refused {
			t.Errorf("%d: %v, refused %v; want %q", test.status, err, errors.Is(err, dialogue.ErrRefused), test.want)
		}
	}
}

func TestEndpoint(t *testing.T) {
	for base, want := range map[string]string{
		"https://api.example.com":        "https://api.example.com/v1/listen?a=b+c",
		"wss://api.example.com/":         "wss://api.example.com/v1/listen?a=b+c",
		"http://127.0.0.1:9/v1":          "http://127.0.0.1:9/v1/listen?a=b+c",
		"ws://127.0.0.1:9/deep/gram/v1/": "ws://127.0.0.1:9/deep/gram/v1/listen?a=b+c",
		"https://example.com/x?key=1#y":  "https://example.com/x/v1/listen?a=b+c",
	} {
		if got, err := Endpoint(base, "/v1", "/listen", map[string][]string{"a": {"b c"}}); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", base, got, err, want)
		}
	}
	for _, base := range []string{"", "api.example.com", "ftp://example.com", "https://\x7f", "https://"} {
		if got, err := Endpoint(base, "/v1", "/listen", nil); err == nil {
			t.Errorf("%q is taken: %s", base, got)
		}
	}
}
