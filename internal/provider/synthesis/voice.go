package synthesis

import (
	"context"
	"errors"
	"sync"
	"time"

	"parley/internal/dialogue"
)

// steady is how long a connection without any message must have lasted to be replaced immediately when it ends, so
// that a vendor that closes every connection is not flooded.
const steady = 10 * time.Second

// Voice is a dialogue.Voice with one connection, which it replaces when the vendor closes it.
type Voice struct {
	vendor Vendor
	used   dialogue.UsageFunc
	ctx    context.Context // until Close
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu       sync.Mutex
	link     *link // nil for none
	dialling *dialling
}

// dialling is a connection attempt, shared by all who wait for it.
type dialling struct {
	done chan struct{} // closed when the rest is set
	link *link
	err  error
}

var _ dialogue.Voice = (*Voice)(nil)

// Open connects. The voice outlives ctx. used receives the characters that are sent to be spoken.
func Open(ctx context.Context, vendor Vendor, used dialogue.UsageFunc) (*Voice, error) {
	v := &Voice{vendor: vendor, used: used}
	v.ctx, v.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if _, err := v.connected(ctx); err != nil {
		v.Close()
		return nil, err
	}
	return v, nil
}

// Speak starts an utterance; it connects only if the previous connection was lost or accepts no more.
func (v *Voice) Speak(ctx context.Context) (dialogue.Utterance, error) {
	for range 3 { // a connection may end, or others fill it, before it is used
		l, err := v.connected(ctx)
		if err != nil {
			return nil, err
		}
		if u, err := v.begin(ctx, l); u != nil || err != nil {
			return u, err
		}
	}
	return nil, errLost
}

// begin begins an utterance over a connection; nil if that accepts no more.
func (v *Voice) begin(ctx context.Context, l *link) (dialogue.Utterance, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ctx.Err() != nil {
		return nil, errClosed
	}
	if !l.attach() {
		return nil, nil
	}
	u := newUtterance(ctx, v, l)
	v.work.Go(u.deliver)
	return u, nil
}

// Close ends the utterances and the connection.
func (v *Voice) Close() error {
	v.mu.Lock()
	v.cancel()
	v.mu.Unlock()
	v.work.Wait()
	return nil
}

// connected returns a connection that an utterance can be spoken over.
func (v *Voice) connected(ctx context.Context) (*link, error) {
	v.mu.Lock()
	if v.ctx.Err() != nil {
		v.mu.Unlock()
		return nil, errClosed
	}
	if v.link != nil && v.link.usable() {
		defer v.mu.Unlock()
		return v.link, nil
	}
	d := v.dial()
	v.mu.Unlock()
	select {
	case <-d.done:
		return d.link, d.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// dial makes a connection in the background, one at a time. The lock is held.
func (v *Voice) dial() *dialling {
	if v.dialling != nil {
		return v.dialling
	}
	d := &dialling{done: make(chan struct{})}
	v.dialling = d
	v.work.Go(func() {
		l, err := connect(v.ctx, v.vendor)
		v.mu.Lock()
		defer v.mu.Unlock()
		defer close(d.done)
		v.dialling = nil
		if v.ctx.Err() != nil {
			err = errClosed
		}
		if d.err = err; err != nil {
			if l != nil {
				l.conn.CloseNow() //nolint:errcheck // nobody has used it
			}
			return
		}
		d.link = l
		if v.link != nil {
			v.link.retire()
		}
		v.link = l
		v.work.Go(func() { v.runConnection(l) })
	})
	return d
}

// runConnection runs a connection to its end.
func (v *Voice) runConnection(l *link) {
	began := time.Now()
	unhook := context.AfterFunc(v.ctx, func() { l.cancel(errClosed) })
	defer unhook()
	v.work.Go(l.write)
	v.work.Go(l.ping)
	l.read()

	v.mu.Lock()
	defer v.mu.Unlock()
	if v.link != l || v.ctx.Err() != nil {
		return
	}
	v.link = nil
	if refused := errors.Is(context.Cause(l.ctx), dialogue.ErrRefused); !refused && (l.useful || time.Since(began) > steady) {
		v.dial()
	}
}

// freshen opens a connection for the next utterance when the current one is open, but accepts no more utterances.
func (v *Voice) freshen() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ctx.Err() == nil && v.link != nil && v.link.ctx.Err() == nil && !v.link.usable() {
		v.dial()
	}
}
