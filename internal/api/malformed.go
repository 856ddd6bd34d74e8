package api

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"parley/internal/api/wire"
	"parley/internal/fault"
)

const (
	maxHeaders     = 64 << 10 // bytes of a request's line and headers
	maxRequestLine = 8 << 10  // bytes of it that are kept, to say what is wrong
)

// Listener wraps a listener for HTTPServer: it bounds connections, and requests
// which net/http refuses before any handler sees them (a badly escaped path,
// malformed or too large headers) are answered with the error envelope. net/http
// writes its own text straight to the connection.
//
// A connection that begins with a STUN binding request in TCP framing is a
// caller's media; media serves it, with the bytes that have been read, until it
// ends. Nil serves none.
func Listener(l net.Listener, limits ConnectionLimits, media func(conn *net.TCPConn, first []byte), log *slog.Logger) net.Listener {
	return &listener{l, newConnections(limits, log), media, log}
}

type listener struct {
	net.Listener
	open  *connections
	media func(conn *net.TCPConn, first []byte)
	log   *slog.Logger
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		tcp, ok := accepted.(*net.TCPConn)
		if err != nil || !ok {
			return accepted, err
		}
		closed, refused := l.open.open(peerAddress(tcp))
		if refused == nil {
			return &serverConn{TCPConn: tcp, closed: closed, media: l.media, log: l.log}, nil
		}
		// Fits into the empty buffer of a new connection: nothing waits.
		_, _ = tcp.Write(closingAnswer(wire.ProblemOf(context.Background(), refused), requestID("")))
		_ = tcp.Close()
	}
}

// serverConn is a connection that replaces what net/http writes while no
// handler answers.
type serverConn struct {
	*net.TCPConn // with the methods that net/http looks for
	closed       func()
	media        func(conn *net.TCPConn, first []byte) // nil once the connection is known to be HTTP's
	log          *slog.Logger

	mu        sync.Mutex
	answering bool   // a handler has the request
	line      []byte // of the request that is being read, as far as received
}

type serverConnKey struct{}

// watchConns records on a server's connections when a handler responds.
func watchConns(server *http.Server) {
	handler := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(serverConnKey{}).(*serverConn); ok {
			c.answer(true)
		}
		handler.ServeHTTP(w, r)
	})
	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, serverConnKey{}, c)
	}
	server.ConnState = func(conn net.Conn, state http.ConnState) {
		if c, ok := conn.(*serverConn); ok && state == http.StateIdle {
			c.answer(false)
		}
	}
}

func (c *serverConn) answer(answering bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answering, c.line = answering, nil
}

// Close closes the connection, which then counts no more.
func (c *serverConn) Close() error {
	defer c.closed()
	return c.TCPConn.Close()
}

func (c *serverConn) Read(b []byte) (int, error) {
	n, err := c.TCPConn.Read(b)
	if n > 0 && c.media != nil {
		if n, err = c.serveMedia(b, n, err); n == 0 {
			return n, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.answering && len(c.line) < maxRequestLine && bytes.IndexByte(c.line, '\n') < 0 {
		c.line = append(c.line, b[:min(n, maxRequestLine)]...)
	}
	return n, err
}

func (c *serverConn) Write(b []byte) (int, error) {
	c.mu.Lock()
	answering, line := c.answering, c.line
	c.mu.Unlock()
	status, reason, ok := statusLine(b)
	if answering || !ok || status < http.StatusBadRequest {
		return c.TCPConn.Write(b)
	}
	id := requestID("")
	answer := refusal(status, reason, line)
	c.log.Info("request", "method", "", "route", "", "status", answer.Status, "request_id", id)
	if _, err := c.TCPConn.Write(closingAnswer(answer, id)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// statusLine reads the first line of an answer.
func statusLine(answer []byte) (status int, reason string, ok bool) {
	line, _, _ := bytes.Cut(answer, []byte("\r\n"))
	rest, ok := strings.CutPrefix(string(line), "HTTP/1.1 ")
	if !ok {
		return 0, "", false
	}
	code, reason, _ := strings.Cut(rest, " ")
	status, err := strconv.Atoi(code)
	return status, reason, err == nil
}

// refusal returns the answer in place of net/http's own. The reason of a 400 may say
// what is wrong behind a colon; the request's line says whether it is the path.
func refusal(status int, reason string, line []byte) *wire.Problem {
	_, found, _ := strings.Cut(reason, ": ")
	detail := fault.Detail{Field: "request", Message: "is not valid HTTP: its first line or a header is malformed"}
	switch {
	case status == http.StatusRequestHeaderFieldsTooLarge:
		return wire.ProblemOf(context.Background(), fault.New(fault.PayloadTooLarge, "the headers are larger than %d bytes", maxHeaders))
	case status == http.StatusNotImplemented:
		return wire.ProblemOf(context.Background(), fault.New(fault.UnsupportedMedia, "the transfer encoding is not supported: chunked is the only one"))
	case status == http.StatusExpectationFailed:
		detail = fault.Detail{Field: "Expect", Message: "must be 100-continue, or absent"}
	case !validTarget(line):
		detail = fault.Detail{Field: "path", Message: wire.NotEscaped}
	case found != "":
		detail.Message = "is not valid HTTP: " + found
	}
	return wire.ProblemOf(context.Background(), fault.Invalid([]fault.Detail{detail}))
}

// validTarget reports whether the escapes in a request's line can be decoded.
func validTarget(line []byte) bool {
	parts := strings.Fields(string(line))
	if len(parts) < 2 {
		return true
	}
	path, _, _ := strings.Cut(parts[1], "?")
	_, err := url.PathUnescape(path)
	return err == nil
}

// closingAnswer returns an answer with which a connection ends.
func closingAnswer(p *wire.Problem, id string) []byte {
	body, _ := json.Marshal(p) // of strings alone, which does not fail
	headers := p.GetHeaders()
	for name, value := range map[string]string{"Content-Type": "application/json", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", wire.RequestIDHeader: id} {
		headers.Set(name, value)
	}
	var b bytes.Buffer
	_ = (&http.Response{ // nor does a buffer
		StatusCode: p.Status, ProtoMajor: 1, ProtoMinor: 1, Close: true, Header: headers,
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
	}).Write(&b)
	return b.Bytes()
}
