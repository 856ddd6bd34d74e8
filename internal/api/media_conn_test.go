package api

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"testing"
	"time"
)

// A listener of HTTP whose media connections echo.
func mediaListener(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	server := HTTPServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }), log)
	server.ReadHeaderTimeout = 200 * time.Millisecond
	echo := func(conn *net.TCPConn, first []byte) {
		_, _ = conn.Write(first)
		_, _ = io.Copy(conn, conn)
	}
	go func() {
		_ = server.Serve(Listener(l, ConnectionLimits{}, echo, log)) // ends with Close
	}()
	t.Cleanup(func() { _ = server.Close() })
	return l.Addr().String()
}

func dialMedia(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return conn
}

var firstPacket = []byte{0, 20, 0, 1, 0, 0, 0x21, 0x12, 0xa4, 0x42, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}

// Media connections are distinguished from HTTP by their first bytes, however these arrive, and are exempt from the header timeout.
func TestMediaAtTheListenerOfHTTP(t *testing.T) {
	t.Parallel()
	address := mediaListener(t)
	for name, cuts := range map[string][]int{"at once": {22}, "byte by byte": {1, 2, 3, 9, 10, 22}} {
		t.Run(name, func(t *testing.T) {
			conn, sent := dialMedia(t, address), 0
			for _, cut := range cuts {
				if _, err := conn.Write(firstPacket[sent:cut]); err != nil {
					t.Fatal(err)
				}
				sent = cut
				time.Sleep(2 * time.Millisecond)
			}
			got := make([]byte, len(firstPacket))
			if _, err := io.ReadFull(conn, got); err != nil || !slices.Equal(got, firstPacket) {
				t.Fatalf("got %x, %v", got, err)
			}
			time.Sleep(400 * time.Millisecond) // longer than ReadHeaderTimeout
			if _, err := conn.Write([]byte("frame")); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(conn, got[:5]); err != nil || string(got[:5]) != "frame" {
				t.Fatalf("got %q, %v", got[:5], err)
			}
		})
	}
}

// What begins like media and is not gets the answer of a malformed request, and what says nothing more is closed.
func TestNoMedia(t *testing.T) {
	t.Parallel()
	address := mediaListener(t)
	for name, c := range map[string]struct {
		first  []byte
		status int
	}{
		"a request":              {[]byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), http.StatusTeapot},
		"another STUN message":   {append([]byte{0, 20, 0, 3}, append(slices.Clone(firstPacket[4:]), "\r\n\r\n"...)...), http.StatusUnprocessableEntity},
		"without a magic cookie": {append([]byte{0, 20, 0, 1, 0, 0, 1, 2, 3, 4}, "\r\n\r\n"...), http.StatusUnprocessableEntity},
	} {
		t.Run(name, func(t *testing.T) {
			conn := dialMedia(t, address)
			if _, err := conn.Write(c.first); err != nil {
				t.Fatal(err)
			}
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			if answer.StatusCode != c.status {
				t.Errorf("status %d, want %d", answer.StatusCode, c.status)
			}
		})
	}
	for name, first := range map[string][]byte{"nothing": nil, "half a header": firstPacket[:5]} {
		t.Run(name, func(t *testing.T) {
			conn := dialMedia(t, address)
			if _, err := conn.Write(first); err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(conn); err != nil {
				t.Errorf("the connection stays open: %q, %v", got, err)
			}
		})
	}
}
