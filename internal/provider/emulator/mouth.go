package emulator

import (
	"context"
	"time"

	"github.com/coder/websocket"
)

// mouth sends the messages of a WebSocket server in order, each at its time, with the server's fault. Reading
// continues meanwhile.
type mouth struct {
	s      *Server
	conn   *websocket.Conn
	ctx    context.Context
	cancel context.CancelFunc
	queue  chan utterance
	done   chan struct{}
}

type utterance struct {
	after time.Duration
	from  time.Time
	text  string
	first bool                 // begins an answer
	plain bool                 // not an answer: faults do not apply
	close websocket.StatusCode // closes the connection
}

func newMouth(ctx context.Context, s *Server, conn *websocket.Conn) *mouth {
	m := &mouth{s: s, conn: conn, queue: make(chan utterance, 256), done: make(chan struct{})}
	m.ctx, m.cancel = context.WithCancel(ctx)
	go m.run()
	return m
}

func (m *mouth) put(u utterance) {
	u.from = time.Now()
	select {
	case m.queue <- u:
	case <-m.done:
	}
}

// greet sends a message that is not an answer.
func (m *mouth) greet(text string) { m.put(utterance{text: text, plain: true}) }

// answer sends a part of an answer; the first one after the server's delay.
func (m *mouth) answer(text string, first bool, after time.Duration) {
	m.put(utterance{text: text, first: first, after: after})
}

// bye closes the connection after the queued messages.
func (m *mouth) bye(code websocket.StatusCode, reason string) {
	m.put(utterance{close: code, text: reason})
	close(m.queue)
	<-m.done
}

// hush stops, dropping the queue.
func (m *mouth) hush() {
	m.cancel()
	_ = m.conn.CloseNow()
	<-m.done
}

func (m *mouth) run() {
	defer close(m.done)
	for {
		select {
		case u, ok := <-m.queue:
			if !ok || !m.say(u) {
				return
			}
		case <-m.ctx.Done():
			return
		}
	}
}

func (m *mouth) say(u utterance) bool {
	if u.first {
		u.after += m.s.o.Delay
	}
	if wait := time.Until(u.from.Add(u.after)); wait > 0 {
		select {
		case <-time.After(wait):
		case <-m.ctx.Done():
			return false
		}
	}
	fault := m.s.Fault()
	switch {
	case fault == Stall:
		return true
	case u.close != 0:
		m.conn.Close(u.close, u.text)
		return false
	case u.plain:
	case fault == Garbage:
		u.text = "<html><body>502 Bad Gateway</body></html>"
	case fault == Drop, fault == DropOnce:
		if fault == DropOnce {
			m.s.Fail(None)
		}
		_ = m.conn.Write(m.ctx, websocket.MessageText, []byte(u.text))
		_ = m.conn.CloseNow()
		return false
	}
	return m.conn.Write(m.ctx, websocket.MessageText, []byte(u.text)) == nil
}
