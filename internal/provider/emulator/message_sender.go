package emulator

import (
	"context"
	"time"

	"github.com/coder/websocket"
)

// messageSender sends the messages of a WebSocket server in order, each at its time, with the server's fault. Reading
// continues meanwhile.
type messageSender struct {
	s      *Server
	conn   *websocket.Conn
	ctx    context.Context
	cancel context.CancelFunc
	queue  chan queuedMessage
	done   chan struct{}
}

type queuedMessage struct {
	after time.Duration
	from  time.Time
	text  string
	first bool                 // begins an answer
	plain bool                 // not an answer: faults do not apply
	close websocket.StatusCode // closes the connection
}

func newMessageSender(ctx context.Context, s *Server, conn *websocket.Conn) *messageSender {
	m := &messageSender{s: s, conn: conn, queue: make(chan queuedMessage, 256), done: make(chan struct{})}
	m.ctx, m.cancel = context.WithCancel(ctx)
	go m.run()
	return m
}

func (m *messageSender) enqueue(u queuedMessage) {
	u.from = time.Now()
	select {
	case m.queue <- u:
	case <-m.done:
	}
}

// greet sends a message that is not an answer.
func (m *messageSender) greet(text string) { m.enqueue(queuedMessage{text: text, plain: true}) }

// answer sends a part of an answer; the first one after the server's delay.
func (m *messageSender) answer(text string, first bool, after time.Duration) {
	m.enqueue(queuedMessage{text: text, first: first, after: after})
}

// sendClose closes the connection after the queued messages.
func (m *messageSender) sendClose(code websocket.StatusCode, reason string) {
	m.enqueue(queuedMessage{close: code, text: reason})
	close(m.queue)
	<-m.done
}

// dropQueue stops, dropping the queue.
func (m *messageSender) dropQueue() {
	m.cancel()
	_ = m.conn.CloseNow()
	<-m.done
}

func (m *messageSender) run() {
	defer close(m.done)
	for {
		select {
		case u, ok := <-m.queue:
			if !ok || !m.sendMessage(u) {
				return
			}
		case <-m.ctx.Done():
			return
		}
	}
}

func (m *messageSender) sendMessage(u queuedMessage) bool {
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
