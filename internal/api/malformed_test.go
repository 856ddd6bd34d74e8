package api

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"parley/internal/api/wire"
	"parley/internal/fault"
)

// listen serves the API as the binary does and returns the address.
func (s *service) listen() string {
	s.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	log := slog.New(slog.NewJSONHandler(s.log, nil))
	server := HTTPServer(s, log)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(Listener(l, ConnectionLimits{}, nil, log)) // ends with Close
	}()
	s.t.Cleanup(func() { server.Close(); <-done })
	return l.Addr().String()
}

// roundTrip sends bytes and returns the answer with its body.
func roundTrip(t *testing.T, conn net.Conn, answers *bufio.Reader, request string) (*http.Response, []byte) {
	t.Helper()
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(answers, nil)
	if err != nil {
		t.Fatalf("%.80q: %v", request, err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, body
}

// Requests that net/http itself rejects get the error envelope, on a new connection and on a reused one.
func TestMalformedRequests(t *testing.T) {
	s := newThings(t)
	address := s.listen()
	const rest = " HTTP/1.1\r\nHost: test\r\n"
	for request, want := range map[string]struct {
		status int
		code   fault.Code
		field  string
	}{
		"GET /api/v1/agents/%zz" + rest + "\r\n":                                          {422, fault.Validation, "path"},
		"GET /api/v1/agents/100%?limit=%zz" + rest + "\r\n":                               {422, fault.Validation, "path"},
		"GET /api v1" + rest + "\r\n":                                                     {422, fault.Validation, "request"},
		"GET /health/live HTTP/1.1\r\n\r\n":                                               {422, fault.Validation, "request"},
		"GET /health/live HTTP/1.1\r\nHost: a b\r\n\r\n":                                  {422, fault.Validation, "request"},
		"GET /health/live HTTP/3.0\r\nHost: test\r\n\r\n":                                 {422, fault.Validation, "request"},
		"GET /health/live" + rest + "No colon\r\n\r\n":                                    {422, fault.Validation, "request"},
		"GET /health/live" + rest + "Expect: miracles\r\n\r\n":                            {422, fault.Validation, "Expect"},
		"GET /health/live" + rest + "Transfer-Encoding: gzip\r\n\r\n":                     {415, fault.UnsupportedMedia, ""},
		"GET /health/live" + rest + "X-Long: " + strings.Repeat("a", 80<<10) + "\r\n\r\n": {413, fault.PayloadTooLarge, ""},
		"nonsense\r\n\r\n": {422, fault.Validation, "request"},
	} {
		for _, used := range []bool{false, true} {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			answers := bufio.NewReader(conn)
			if used {
				if answer, body := roundTrip(t, conn, answers, "GET /health/live"+rest+"\r\n"); answer.StatusCode != http.StatusOK {
					t.Errorf("before: %d %s", answer.StatusCode, body)
				}
			}
			answer, body := roundTrip(t, conn, answers, request)
			conn.Close()
			var envelope wire.Envelope
			if err := json.Unmarshal(body, &envelope); err != nil {
				t.Errorf("%.80q: %d %s: %v", request, answer.StatusCode, body, err)
				continue
			}
			got := envelope.Error
			if answer.StatusCode != want.status || got.Code != want.code || got.Message == "" || answer.Header.Get("X-Request-Id") == "" ||
				answer.Header.Get("Content-Type") != "application/json" || !answer.Close {
				t.Errorf("%.80q: %d %v %s, want %d %s", request, answer.StatusCode, answer.Header, body, want.status, want.code)
			}
			if (want.field != "") != (len(got.Details) == 1) || want.field != "" && (got.Details[0].Field != want.field || got.Details[0].Message == "") {
				t.Errorf("%.80q: %s, want a fault of %q", request, body, want.field)
			}
		}
	}
}

// What a handler writes is sent unchanged, even if it looks like an answer of net/http's.
func TestAnswersOfHandlersStayAsTheyAre(t *testing.T) {
	s := newThings(t)
	const text = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request"
	s.mux.HandleFunc("GET /text", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(text)))
		_ = http.NewResponseController(w).Flush()
		_, _ = io.WriteString(w, text)
	})
	conn, err := net.Dial("tcp", s.listen())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	answers := bufio.NewReader(conn)
	for range 2 {
		if answer, body := roundTrip(t, conn, answers, "GET /text HTTP/1.1\r\nHost: test\r\n\r\n"); answer.StatusCode != http.StatusOK || string(body) != text {
			t.Errorf("%d %s", answer.StatusCode, body)
		}
	}
	if answer, body := roundTrip(t, conn, answers, "GET /nothing HTTP/1.1\r\nHost: test\r\n\r\n"); answer.StatusCode != http.StatusNotFound {
		t.Errorf("%d %s", answer.StatusCode, body)
	}
}
