// Package realtime is what the clients of speech-to-speech providers share: a WebSocket of JSON messages, and the
// streams that a dialogue.Conversation and a dialogue.Response are made of.
package realtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"parley/internal/dialogue"
	"parley/internal/provider/vendorerror"
)

const (
	// handshakeTimeout bounds connecting.
	handshakeTimeout = 5 * time.Second
	// maxMessage limits a message of the vendor: seconds of audio in base64.
	maxMessage = 16 << 20
	// maxWaiting limits what waits for the network, in bytes: 30 s of audio in base64.
	maxWaiting = 2 << 20
	// A connection that does not answer a ping within pingTimeout is dead.
	pingInterval = 5 * time.Second
	pingTimeout  = 10 * time.Second
)

var errClosed = dialogue.NewError("the conversation is closed")

// client follows no redirect, so that the key is sent to the configured host only.
var client = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Target is where to connect.
type Target struct {
	Vendor string // in errors
	URL    string // http, https, ws or wss
	Header http.Header
	Secret string // the key; errors never contain it
	// Client makes the connection; nil for the process's own.
	Client *http.Client
	// Refuses reports whether a retry is useless after the vendor closed the connection with this code and reason.
	// nil for never.
	Refuses func(code websocket.StatusCode, reason string) bool
}

// Link is a connection to a vendor.
type Link struct {
	target Target
	conn   *websocket.Conn

	io      context.Context // of the connection
	cut     context.CancelFunc
	workers sync.WaitGroup
	done    chan struct{}

	mu      sync.Mutex
	queue   [][]byte
	waiting int // bytes in the queue
	wake    chan struct{}
	ended   bool
	err     error
}

// Dial connects. An error that no retry mends is dialogue.ErrRefused.
func Dial(ctx context.Context, t Target) (*Link, error) {
	attempt, cancel := context.WithTimeout(ctx, handshakeTimeout)
	defer cancel()
	dialer := client
	if t.Client != nil {
		dialer = t.Client
	}
	conn, response, err := websocket.Dial(attempt, t.URL, &websocket.DialOptions{HTTPClient: dialer, HTTPHeader: t.Header}) //nolint:bodyclose // it is the connection, or in memory
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, dialogue.Wrap("connect to "+t.Vendor, vendorerror.OfHandshake(err, response, handshakeTimeout, t.Secret))
	}
	conn.SetReadLimit(maxMessage)
	l := &Link{target: t, conn: conn, done: make(chan struct{}), wake: make(chan struct{}, 1)}
	l.io, l.cut = context.WithCancel(context.WithoutCancel(ctx))
	return l, nil
}

// Exchange sends a message and receives until accept reports true, before Serve. It is bounded by the time of a
// handshake; when it fails the link is closed.
func (l *Link) Exchange(ctx context.Context, message any, accept func([]byte) (bool, error)) error {
	attempt, cancel := context.WithTimeout(ctx, handshakeTimeout)
	defer cancel()
	err := l.exchange(attempt, message, accept)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	} else if attempt.Err() != nil {
		err = dialogue.Wrap("connect to "+l.target.Vendor, vendorerror.OfHandshake(context.DeadlineExceeded, nil, handshakeTimeout, l.target.Secret))
	}
	l.cut()
	_ = l.conn.CloseNow()
	return err
}

func (l *Link) exchange(ctx context.Context, message any, accept func([]byte) (bool, error)) error {
	if message != nil {
		encoded, err := json.Marshal(message)
		if err != nil {
			return err
		}
		if err := l.conn.Write(ctx, websocket.MessageText, encoded); err != nil {
			return l.endError(err)
		}
	}
	for {
		_, received, err := l.conn.Read(ctx)
		if err != nil {
			return l.endError(err)
		}
		if accepted, err := accept(received); accepted || err != nil {
			return err
		}
	}
}

// Serve has the vendor's messages handled, in order, until the link ends: by Close, by Fail, by an error of handle or of
// the connection, or with the context. Ended is then called once, after the last message.
func (l *Link) Serve(ctx context.Context, handle func([]byte) error, ended func(error)) {
	unwatch := context.AfterFunc(ctx, func() { l.Fail(context.Cause(ctx)) })
	l.workers.Go(l.write)
	l.workers.Go(l.ping)
	l.workers.Go(func() {
		for {
			_, message, err := l.conn.Read(l.io)
			if err == nil {
				err = handle(message)
			} else {
				err = l.endError(err)
			}
			if err != nil {
				l.Fail(err)
				return
			}
		}
	})
	go func() {
		defer close(l.done)
		l.workers.Wait()
		unwatch()
		_ = l.conn.CloseNow()
		ended(l.reason())
	}()
}

// Send queues a message. It does not wait; a link that is too far behind fails.
func (l *Link) Send(message any) {
	encoded, err := json.Marshal(message)
	if err != nil {
		l.Fail(fmt.Errorf("encode a message to %s: %w", l.target.Vendor, err))
		return
	}
	l.mu.Lock()
	if l.ended {
		l.mu.Unlock()
		return
	}
	l.queue = append(l.queue, encoded)
	l.waiting += len(encoded)
	stalled := l.waiting > maxWaiting
	l.mu.Unlock()
	if stalled {
		l.Fail(dialogue.Errorf("connection to %s stalls", l.target.Vendor))
		return
	}
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Fail ends the link with an error, nil for none. The first call counts.
func (l *Link) Fail(err error) {
	l.mu.Lock()
	if !l.ended {
		l.ended, l.err = true, err
	}
	l.mu.Unlock()
	l.cut()
}

// Ended returns an error once the link has ended.
func (l *Link) Ended() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.ended {
		return nil
	}
	if l.err != nil {
		return l.err
	}
	return errClosed
}

// IsClosed reports whether an error only says that the link was closed by this side.
func IsClosed(err error) bool { return errors.Is(err, errClosed) }

// Close ends the link and waits until ended has returned. It may be called twice.
func (l *Link) Close() {
	l.Fail(nil)
	<-l.done
}

// Done returns a channel that is closed when the link has ended.
func (l *Link) Done() <-chan struct{} { return l.done }

func (l *Link) reason() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

func (l *Link) write() {
	for {
		select {
		case <-l.io.Done():
			return
		case <-l.wake:
		}
		for message := l.next(); message != nil; message = l.next() {
			if err := l.conn.Write(l.io, websocket.MessageText, message); err != nil {
				select { // the reader's error is more precise
				case <-time.After(time.Second):
					l.Fail(dialogue.Wrap("connection to "+l.target.Vendor, err))
				case <-l.io.Done():
				}
				return
			}
		}
	}
}

func (l *Link) next() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		return nil
	}
	message := l.queue[0]
	l.queue = l.queue[1:]
	l.waiting -= len(message)
	return message
}

// ping detects dead connections.
func (l *Link) ping() {
	ticker := time.NewTicker(pingInterval)
	defer ticker.Stop()
	for {
		select {
		case <-l.io.Done():
			return
		case <-ticker.C:
		}
		late := time.AfterFunc(pingTimeout, func() {
			l.Fail(dialogue.Errorf("connection to %s is dead: it has not answered for %v", l.target.Vendor, pingTimeout))
		})
		_ = l.conn.Ping(l.io) // the reader gets the same error
		late.Stop()
	}
}

// endError returns why a connection ended that was not closed by this side.
func (l *Link) endError(err error) error {
	return vendorerror.OfEnd(l.target.Vendor, err, maxMessage, l.target.Refuses, l.target.Secret)
}
