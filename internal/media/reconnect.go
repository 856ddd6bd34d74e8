package media

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"time"

	"github.com/livekit/protocol/livekit"
)

const (
	// reconnectLimit is how long a participant starts further attempts to rejoin its room.
	reconnectLimit = time.Minute
	// resumeLimit is the part of it in which the session is resumed while the server is unreachable and media are
	// lost too.
	resumeLimit = 15 * time.Second
	// tryLimit bounds the first attempt; later ones have longer. The pause between attempts doubles from firstPause
	// to lastPause, with jitter of up to the same length, because many participants may reconnect together.
	tryLimit, lastTryLimit = 5 * time.Second, 15 * time.Second
	firstPause, lastPause  = 200 * time.Millisecond, 2 * time.Second
)

// connect makes a new connection to the room. leaves, called after a failure, reports whether the participant gives up: only
// then a leave request ends the session that the server may have begun, because others would see the participant leave.
// Otherwise the next connection replaces that session.
func (p *Participant) connect(ctx context.Context, leaves func() bool) (*connection, error) {
	c, err := newConnection(p)
	if err != nil {
		return nil, err
	}
	if err := c.join(ctx, p.options.URL, p.latestToken()); err != nil {
		if leaves() {
			c.sendLeave()
		}
		c.close()
		return nil, err
	}
	return c, nil
}

func (p *Participant) hasLeft() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.over
}

func (p *Participant) latestToken() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.token
}

// adopt makes c the current connection, unless the participant has left or c has failed.
func (p *Participant) adopt(c *connection) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over || c.failure() != nil {
		return false
	}
	if p.reconnecting {
		p.reconnecting = false
		close(p.back)
		p.send(Event{Kind: Rejoined, RoomLost: p.roomLost})
		p.refreshPeer()
	}
	p.connection = c
	p.mic.sendLevel(levelExtension(c.sender))
	return true
}

// lost starts the reconnection after c has failed: by resuming the session if mayResume.
func (p *Participant) lost(c *connection, mayResume bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over || p.reconnecting || p.connection != c {
		return
	}
	p.reconnecting, p.back, p.leaveReason, p.roomLost = true, make(chan struct{}), livekit.DisconnectReason_UNKNOWN_REASON, false
	p.send(Event{Kind: Reconnecting})
	p.running.Go(func() { p.reconnect(c, mayResume) })
}

// removed ends the participant after the server has removed it.
func (p *Participant) removed(c *connection, reason livekit.DisconnectReason) {
	p.mu.Lock()
	mine := p.connection == c
	p.mu.Unlock()
	if !mine {
		return
	}
	kind := Disconnected
	if roomEnded(reason) {
		kind = RoomClosed
	}
	p.finish(&Event{Kind: kind, Reason: reason.String()}, false)
}

// reconnect tries until the participant is back in the room, is rejected, or reconnectLimit has passed.
func (p *Participant) reconnect(c *connection, resume bool) {
	began, limit := time.Now(), tryLimit
	if !resume {
		c.close() // otherwise the server removes it as a duplicate
	}
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		var err error
		if resume {
			err = p.resume(c, limit)
			lasting := time.Since(began) > resumeLimit && !c.connected()
			if err != nil && !refused(err) && (lasting || !errors.Is(err, ErrUnreachable)) {
				resume = false
				c.close()
				continue
			}
		} else {
			c, err = p.rejoin(limit)
		}
		if err == nil {
			if p.adopt(c) {
				p.resendState()
				return
			}
			// It failed again, or the participant has left meanwhile.
			resume, err = false, cmp.Or(c.failure(), errGone)
			if p.hasLeft() {
				c.sendLeave()
			}
			c.close()
		}
		if errors.Is(err, ErrNoRoom) && p.options.MakeRoom != nil {
			if resume {
				resume = false
				c.close()
			}
			if err = p.makeRoom(limit); err == nil {
				err = errStale
			}
		}
		switch {
		case errors.Is(err, ErrNoRoom):
			p.finish(&Event{Kind: RoomClosed, Reason: livekit.DisconnectReason_ROOM_CLOSED.String()}, false)
			return
		case refused(err) || time.Since(began) > reconnectLimit:
			p.finish(&Event{Kind: Disconnected, Reason: livekit.DisconnectReason_SIGNAL_CLOSE.String()}, false)
			return
		}
		p.log().Warn("failed to reconnect to the room", "error", redacted{err})
		limit = min(limit+tryLimit, lastTryLimit)
		select {
		case <-time.After(pause + rand.N(pause)):
		case <-p.ctx.Done():
			return
		}
	}
}

func (p *Participant) makeRoom(limit time.Duration) error {
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	return p.options.MakeRoom(ctx)
}

func (p *Participant) resume(c *connection, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	return c.resume(ctx, p.options.URL, p.latestToken())
}

// rejoin joins the room again, when the Joiner permits.
func (p *Participant) rejoin(limit time.Duration) (*connection, error) {
	release, err := p.joiner.acquire(p.ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	return p.connect(ctx, p.hasLeft)
}

// resendState sends what the participant has set to the server again; a new session does not inherit it.
func (p *Participant) resendState() {
	p.attributeLock.Lock()
	defer p.attributeLock.Unlock()
	p.mu.Lock()
	c, attributes := p.connection, maps.Clone(p.attributes)
	p.mu.Unlock()
	if len(attributes) > 0 {
		c.setAttributes(attributes)
	}
}
