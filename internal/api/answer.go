package api

import (
	"bufio"
	"net"
	"net/http"
	"time"

	"parley/internal/api/wire"
	"parley/internal/inflight"
)

const (
	// writeTimeout bounds the transmission of a response. Streams extend the deadline with each message.
	writeTimeout = time.Minute
	// stallTimeout bounds the transmission of answerPiece bytes of a large response, which stays in memory meanwhile.
	stallTimeout = 15 * time.Second
	answerPiece  = inflight.Free
)

// answerWriter remembers the status of an answer, and counts a large one of a GET against the budgets of package inflight.
// If these do not suffice, the answer is an error instead. The status is therefore sent with the first byte. What a
// request changed is answered in any case: operations with large answers reserve before they run.
type answerWriter struct {
	http.ResponseWriter
	request  *http.Request
	deadline time.Time // of the response
	pending  int       // a status that is not sent yet; 0 for none
	status   int       // that is sent; 0 for none
	refused  bool      // the answer was an error instead
}

func (w *answerWriter) WriteHeader(status int) {
	switch {
	case status < 200:
		if status == http.StatusSwitchingProtocols {
			w.status = status
		}
		w.ResponseWriter.WriteHeader(status)
	case w.status == 0 && w.pending == 0:
		w.pending = status
	}
}

// commit sends the status, unless it is sent.
func (w *answerWriter) commit() {
	if w.status == 0 && w.pending != 0 {
		w.status = w.pending
		w.ResponseWriter.WriteHeader(w.status)
	}
}

func (w *answerWriter) Write(b []byte) (int, error) {
	if w.refused {
		return len(b), nil
	}
	if w.pending == 0 {
		w.pending = http.StatusOK
	}
	if w.status != 0 || len(b) <= answerPiece {
		w.commit()
		return w.ResponseWriter.Write(b)
	}
	if w.request.Method != http.MethodGet {
		w.commit()
		return w.writeLarge(b)
	}
	if err := inflight.Reserve(w.request.Context(), len(b)); err != nil {
		w.refused, w.pending = true, 0
		h := w.Header()
		h.Del("Content-Length")
		h.Del("ETag")
		wire.WriteProblem(statusWriter{w}, w.request, err)
		return len(b), nil
	}
	w.commit()
	return w.writeLarge(b)
}

// writeLarge writes an answer in pieces, each within stallTimeout.
func (w *answerWriter) writeLarge(b []byte) (written int, err error) {
	control := http.NewResponseController(w.ResponseWriter)
	for len(b) > 0 && err == nil {
		piece := b[:min(len(b), answerPiece)]
		// A test's recorder has no deadlines.
		_ = control.SetWriteDeadline(earlier(time.Now().Add(stallTimeout), w.deadline))
		var n int
		n, err = w.ResponseWriter.Write(piece)
		written, b = written+n, b[n:]
	}
	_ = control.SetWriteDeadline(w.deadline)
	return written, err
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// statusWriter writes the error that replaces an answer.
type statusWriter struct{ *answerWriter }

func (s statusWriter) WriteHeader(status int) {
	s.status = status
	s.ResponseWriter.WriteHeader(status)
}

func (s statusWriter) Write(b []byte) (int, error) { return s.ResponseWriter.Write(b) }

// Unwrap lets http.ResponseController reach deadlines, flushing and hijacking.
func (w *answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush sends what is written so far.
func (w *answerWriter) Flush() {
	w.commit()
	_ = http.NewResponseController(w.ResponseWriter).Flush()
}

// Hijack hands over the connection, for WebSocket.
func (w *answerWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.status = http.StatusSwitchingProtocols
	return http.NewResponseController(w.ResponseWriter).Hijack()
}
