// Package emulator stands in for the vendors' servers in tests and
// measurements: one real server a wire, on loopback, written from the vendor's
// documentation and strict about what it is sent. A breach of the protocol is
// reported and refused as the vendor would refuse it.
package emulator

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// Reporter hears of breaches of a wire's protocol; *testing.T is one.
type Reporter interface {
	Errorf(format string, args ...any)
}

// Fault is what goes wrong at the vendor.
type Fault int

// The faults.
const (
	// None: all goes well.
	None Fault = iota
	// RateLimit: requests are refused as too many (429, or the wire's own
	// message where it has one).
	RateLimit
	// Garbage: the answer is not of the protocol.
	Garbage
	// Drop: the connection breaks off after the first piece of an answer.
	Drop
	// DropOnce: as Drop, of the next answer alone. Of WebSockets.
	DropOnce
	// Stall: the connection stands, and nothing comes.
	Stall
	// Broken: requests fail with status 500.
	Broken
)

// Options say how an emulator behaves.
type Options struct {
	// Key is the only key that is not refused.
	Key string
	// Delay comes before the first piece of each answer.
	Delay time.Duration
	// Speak makes the speech of an emulated synthesiser, at
	// dialogue.SpeakRate. Without it there are tones, as long as the text
	// would take to say.
	Speak func(text string) []int16
}

// Server is one running emulator. Its URL is what a client takes for the
// vendor's base URL.
type Server struct {
	URL string

	o      Options
	report Reporter
	http   *httptest.Server

	ctx     context.Context // ends with the server
	end     context.CancelFunc
	sockets sync.WaitGroup
	lines   []*line // of emulated synthesisers

	mu          sync.Mutex
	fault       Fault
	connections int
	released    int
	breaches    int
}

// start runs a handler as a server on a free port of the loopback interface.
func start(report Reporter, o Options, handler func(s *Server) http.Handler) *Server {
	s := &Server{o: o, report: report}
	s.ctx, s.end = context.WithCancel(context.Background())
	s.http = httptest.NewServer(handler(s))
	s.URL = s.http.URL
	return s
}

// Close ends the server and every connection to it. No goroutine of it is left
// then, and it reports nothing any more.
func (s *Server) Close() {
	s.end()
	s.http.CloseClientConnections()
	s.http.Close()
	s.sockets.Wait()
}

// socket makes a WebSocket of a request and serves it: until serve returns,
// the client goes, or the server is closed. net/http forgets a connection that
// became a WebSocket, so the server keeps count of them itself.
func (s *Server) socket(w http.ResponseWriter, r *http.Request, serve func(ctx context.Context, conn *websocket.Conn)) {
	s.sockets.Add(1)
	defer s.sockets.Done()
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		s.breach("no WebSocket handshake: %v", err)
		return
	}
	s.accepted()
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(1 << 20)
	serve(s.ctx, conn)
}

// Fail makes the following answers go wrong, or right again with None.
func (s *Server) Fail(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = f
}

// Fault is what goes wrong now.
func (s *Server) Fault() Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fault
}

// Connections is how many connections, or requests where each stands alone,
// were accepted so far.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connections
}

func (s *Server) accepted() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.connections++
}

// Breaches is how many breaches of the protocol were seen.
func (s *Server) Breaches() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.breaches
}

// breach reports what the client did wrong.
func (s *Server) breach(format string, args ...any) {
	s.mu.Lock()
	s.breaches++
	s.mu.Unlock()
	s.report.Errorf("emulator: %s", fmt.Sprintf(format, args...))
}

// checkKey answers a request that only a right key may make.
func (s *Server) checkKey(w http.ResponseWriter, right bool, answer, refusal string) {
	w.Header().Set("Content-Type", "application/json")
	if !right {
		w.WriteHeader(http.StatusUnauthorized)
		answer = refusal
	}
	_, _ = io.WriteString(w, answer)
}
