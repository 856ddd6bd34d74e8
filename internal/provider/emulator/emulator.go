// Package emulator emulates the vendors' servers for tests and benchmarks: one server per protocol, on loopback,
// written from the vendor's documentation and strict. Protocol violations are reported to the test and rejected as
// the vendor would.
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
	"github.com/shopspring/decimal"
)

// Reporter receives protocol violations; *testing.T is one.
type Reporter interface {
	Errorf(format string, args ...any)
}

// Fault is an injected fault.
type Fault int

// The faults.
const (
	// None: no fault.
	None Fault = iota
	// RateLimit: requests are rejected with 429, or the protocol's own message.
	RateLimit
	// Garbage: the response is malformed.
	Garbage
	// Drop: the connection is closed after the first part of an answer.
	Drop
	// DropOnce: Drop for the next answer only. WebSockets only.
	DropOnce
	// Stall: the connection stays open without data.
	Stall
	// Broken: requests fail with status 500.
	Broken
)

// Options configures an emulator.
type Options struct {
	// Key is the only accepted key.
	Key string
	// Delay precedes the first part of each answer.
	Delay time.Duration
	// Speak produces the speech of an emulated synthesiser, at dialogue.SpeakRate; nil for tones of the duration
	// that the text would have.
	Speak func(text string) []int16
	// NoSchemas: requests with a JSON Schema of the answer are refused with 400, as by servers that do not know it.
	NoSchemas bool
	// NoTranscribers are models that OpenAI Realtime does not transcribe with, as after their shutdown.
	NoTranscribers []string
}

// Server is a running emulator. Its URL is used as the vendor's base URL.
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
	peers       map[string]bool // of protocols without connections
	line        int             // next transcript of a protocol without connections
	released    int
	breaches    int
	bill        map[string]decimal.Decimal
}

// start runs a handler on a free port of the loopback interface.
func start(report Reporter, o Options, handler func(s *Server) http.Handler) *Server {
	s := &Server{o: o, report: report, peers: map[string]bool{}}
	s.ctx, s.end = context.WithCancel(context.Background())
	s.http = httptest.NewServer(handler(s))
	s.URL = s.http.URL
	return s
}

// Close ends the server and every connection. Afterwards none of its goroutines runs and nothing is reported.
func (s *Server) Close() {
	s.end()
	s.http.CloseClientConnections()
	s.http.Close()
	s.sockets.Wait()
}

// socket upgrades a request to a WebSocket and serves it until serve returns, the client disconnects, or the server
// is closed. It counts connections itself, because net/http does not track hijacked ones.
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

// Fail sets the fault of the following answers.
func (s *Server) Fail(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = f
}

// Fault returns the current fault.
func (s *Server) Fault() Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fault
}

// Restart makes the first line the next transcript, where a protocol without connections does not show that a call begins.
func (s *Server) Restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.line = 0
}

// Connections returns how many connections, or requests for protocols without connections, were accepted.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connections
}

// countPeer counts the connection of a request, once.
func (s *Server) countPeer(r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.peers[r.RemoteAddr] {
		s.peers[r.RemoteAddr] = true
		s.connections++
	}
}

func (s *Server) accepted() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.connections++
}

// Breaches returns the number of protocol violations.
func (s *Server) Breaches() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.breaches
}

// breach reports a protocol violation.
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
