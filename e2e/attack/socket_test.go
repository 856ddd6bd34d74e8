package attack

import (
	"bufio"
	bits "encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/e2e/binary"
)

// socket is a WebSocket whose client sends any frames, also those that RFC 6455 forbids.
type socket struct {
	net.Conn
	in *bufio.Reader
}

// openSocket joins a call over its signalling, with further headers. The answer is not 101 where that is refused.
func openSocket(t *testing.T, s *binary.Server, token string, headers ...string) (*socket, *http.Response) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_, _ = fmt.Fprintf(conn, "GET /rtc?protocol=15&sdk=go&auto_subscribe=1&access_token=%s HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%s\r\n", token, strings.Join(append(headers, ""), "\r\n"))
	w := &socket{conn, bufio.NewReader(conn)}
	_ = conn.SetReadDeadline(time.Now().Add(limit))
	answer, err := http.ReadResponse(w.in, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w, answer
}

// enterCall dispatches a call, waits for its room and joins over the signalling.
func enterCall(t *testing.T, s *binary.Server, headers ...string) *socket {
	t.Helper()
	w, answer := openSocket(t, s, dispatch(t, s).Token, headers...)
	if answer.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("the join is answered %s", answer.Status)
	}
	return w
}

// frameStart returns a frame up to its payload, with a masking key of zeros.
func frameStart(first byte, length uint64) []byte {
	header := []byte{first}
	switch {
	case length < 126:
		header = append(header, 0x80|byte(length))
	case length < 1<<16:
		header = bits.BigEndian.AppendUint16(append(header, 0x80|126), uint16(length))
	default:
		header = bits.BigEndian.AppendUint64(append(header, 0x80|127), length)
	}
	return append(header, 0, 0, 0, 0)
}

// frame returns a whole frame.
func frame(first byte, payload []byte) []byte {
	return append(frameStart(first, uint64(len(payload))), payload...)
}

// closeCode reads until the connection ends, and returns the status code of the close frame before; 0 for none.
func (w *socket) closeCode(t *testing.T) (code uint16) {
	t.Helper()
	_ = w.SetReadDeadline(time.Now().Add(limit))
	for {
		var header [2]byte
		if _, err := io.ReadFull(w.in, header[:]); err != nil {
			return code
		}
		length := uint64(header[1])
		if header[1] >= 126 {
			long := make([]byte, 8)
			if _, err := io.ReadFull(w.in, long[8-2<<(2*(header[1]-126)):]); err != nil {
				return code
			}
			length = bits.BigEndian.Uint64(long)
		}
		payload := make([]byte, length)
		if _, err := io.ReadFull(w.in, payload); err != nil {
			return code
		}
		if header[0] == 0x88 && length >= 2 {
			code = bits.BigEndian.Uint16(payload)
		}
	}
}
