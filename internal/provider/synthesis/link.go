package synthesis

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"parley/internal/dialogue"
	"parley/internal/provider/vendorerror"
)

const (
	dialTimeout  = 10 * time.Second
	writeTimeout = 10 * time.Second
	// Pings detect connections that a gateway has dropped before a caller waits for an answer on one.
	pingInterval = 30 * time.Second
	pingTimeout  = 10 * time.Second
	// maxMessage limits a message: more than a minute of speech in base64.
	maxMessage = 4 << 20
	// maxUnsent limits the messages waiting to be sent.
	maxUnsent = 256
)

// client follows no redirect, which would disclose the key, and keeps no idle connections. It resumes TLS sessions,
// because every call opens a connection.
var client = &http.Client{
	Transport: func() http.RoundTripper {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.DisableKeepAlives = true
		t.TLSClientConfig = &tls.Config{ClientSessionCache: tls.NewLRUClientSessionCache(0)}
		return t
	}(),
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// link is a connection.
type link struct {
	vendor Vendor
	conn   *websocket.Conn
	unsent chan []byte // nil ends the link
	ctx    context.Context
	cancel context.CancelCauseFunc // ends the connection, and says why

	mu         sync.Mutex
	utterances int                   // that may open contexts here
	live       map[string]*utterance // by context
	lingering  map[string]bool       // contexts cancelled here that the vendor has not ended yet
	useful     bool                  // a valid message has arrived
	retired    bool                  // accepts no new utterances
	down       bool
}

func connect(ctx context.Context, vendor Vendor) (*link, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	url, header := vendor.Endpoint()
	dialer := client
	if own := vendor.Client(); own != nil {
		dialer = own
	}
	conn, answer, err := websocket.Dial(ctx, url, &websocket.DialOptions{HTTPClient: dialer, HTTPHeader: header}) //nolint:bodyclose // it is the connection, or in memory
	if err != nil {
		return nil, vendorerror.OfHandshake(err, answer, dialTimeout, vendor.Secret())
	}
	conn.SetReadLimit(maxMessage)
	l := &link{
		vendor: vendor, conn: conn,
		unsent:    make(chan []byte, maxUnsent),
		live:      map[string]*utterance{},
		lingering: map[string]bool{},
	}
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	return l, nil
}

// send queues messages without blocking.
func (l *link) send(messages []any) error {
	for _, m := range messages {
		data, err := json.Marshal(m)
		if err != nil {
			return fmt.Errorf("encoding a message: %w", err)
		}
		select {
		case l.unsent <- data:
		default:
			l.cancel(errBlocked)
			return errBlocked
		}
	}
	return nil
}

// write sends the queue until the link ends.
func (l *link) write() {
	for {
		select {
		case data := <-l.unsent:
			if data == nil {
				l.cancel(errClosed)
				return
			}
			ctx, cancel := context.WithTimeout(l.ctx, writeTimeout)
			err := l.conn.Write(ctx, websocket.MessageText, data)
			cancel()
			if err != nil {
				l.cancel(lost(err))
				return
			}
		case <-l.ctx.Done():
			return
		}
	}
}

// ping pings the vendor until the link ends.
func (l *link) ping() {
	tick := time.NewTicker(pingInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			ctx, cancel := context.WithTimeout(l.ctx, pingTimeout)
			err := l.conn.Ping(ctx)
			cancel()
			if err != nil {
				l.cancel(lost(err))
				return
			}
		case <-l.ctx.Done():
			return
		}
	}
}

// read delivers messages to the utterances until the link ends; they then fail with its error.
func (l *link) read() {
	err := l.receive()
	l.cancel(err)
	l.conn.CloseNow() //nolint:errcheck // it is broken or no longer wanted
	err = vendorerror.HideKey(context.Cause(l.ctx), l.vendor.Secret())
	l.mu.Lock()
	l.down = true
	live := l.live
	l.live = nil
	l.mu.Unlock()
	for id, u := range live {
		u.handleMessage(Message{Context: id, Err: err})
	}
}

func (l *link) receive() error {
	var received bytes.Buffer // one for all messages, which are of the same size: vendor.Read keeps nothing of it
	for {
		kind, message, err := l.conn.Reader(l.ctx)
		if err != nil {
			return lost(err)
		}
		received.Reset()
		if _, err := received.ReadFrom(message); err != nil {
			return lost(err)
		}
		if kind != websocket.MessageText {
			return dialogue.NewError("an answer is not of the protocol: binary")
		}
		m, err := l.vendor.Read(received.Bytes())
		if err != nil {
			return dialogue.Wrap("an answer is not of the protocol", err)
		}
		if m.Context == "" {
			if m.Err != nil {
				return m.Err
			}
			continue
		}
		m.Err = vendorerror.HideKey(m.Err, l.vendor.Secret())
		l.mu.Lock()
		l.useful = true
		u := l.live[m.Context]
		if m.Done || m.Err != nil {
			delete(l.live, m.Context)
			delete(l.lingering, m.Context)
		}
		l.mu.Unlock()
		if u != nil { // otherwise it was cancelled
			u.handleMessage(m)
		}
	}
}

// usable reports whether the link accepts a new utterance.
func (l *link) usable() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.free()
}

// free is like usable; the lock is held.
func (l *link) free() bool {
	limit := l.vendor.Limits().Contexts
	return !l.down && !l.retired && l.ctx.Err() == nil && (limit == 0 || l.utterances+len(l.lingering) < limit)
}

// attach adds a new utterance until detach, and reports whether the link accepts it.
func (l *link) attach() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.free() {
		return false
	}
	l.utterances++
	return true
}

func (l *link) detach() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.utterances--
	l.endRetired()
}

// retire closes the link when its utterances have ended.
func (l *link) retire() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.retired = true
	l.endRetired()
}

// endRetired closes a retired link without utterances once everything is sent. The lock is held.
func (l *link) endRetired() {
	if !l.retired || l.utterances > 0 {
		return
	}
	select {
	case l.unsent <- nil:
	default:
		l.cancel(errClosed)
	}
}

// listen routes the messages of a context to an utterance.
func (l *link) listen(id string, u *utterance) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.down {
		return vendorerror.HideKey(context.Cause(l.ctx), l.vendor.Secret())
	}
	l.live[id] = u
	return nil
}

// giveUp cancels a context at the vendor, whether or not it was ended.
func (l *link) giveUp(id string, ended bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.live[id] == nil {
		return
	}
	delete(l.live, id)
	if l.vendor.Limits().Contexts > 0 {
		l.lingering[id] = true
	}
	l.send(l.vendor.Cancel(id, ended)) //nolint:errcheck // a full queue ends the link
}

// forget stops routing a context that the vendor closes by itself.
func (l *link) forget(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.live, id)
}
