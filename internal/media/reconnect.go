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
	// reconnectLimit is how long a participant starts further attempts to reconnect.
	reconnectLimit = time.Minute
	// resumeLimit is the part of it in which it tries to resume the session while the server is unreachable and the
	// media connection is lost too.
	resumeLimit = 15 * time.Second
	// firstTryLimit bounds the first attempt; later ones have longer. The pause between attempts doubles from firstPause
	// to lastPause, with jitter of up to the same length, because many participants may reconnect together.
	firstTryLimit, lastTryLimit = 5 * time.Second, 15 * time.Second
	firstPause, lastPause       = 200 * time.Millisecond, 2 * time.Second
)

// connect makes a new connection to the room. givesUp, called after a failure, reports whether no further attempt follows:
// only then a leave request ends the session that the server may have started, because others would see the participant
// leave. Otherwise the next connection replaces that session.
func (p *Participant) connect(ctx context.Context, givesUp func() bool) (*connection, error) {
	c, err := newConnection(p)
	if err != nil {
		return nil, err
	}
	if err := c.join(ctx, p.options.URL, p.latestToken()); err != nil {
		if givesUp() {
			c.sendLeave(livekit.DisconnectReason_CLIENT_INITIATED)
		}
		c.close()
		return nil, err
	}
	return c, nil
}

func (p *Participant) hasLeft() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

func (p *Participant) latestToken() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.token
}

// useConnection makes c the current connection. It reports false if the participant has left or c has failed.
func (p *Participant) useConnection(c *connection) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended || c.failure() != nil {
		return false
	}
	if p.reconnecting {
		p.reconnecting = false
		close(p.reconnected)
		p.sendEvent(Event{Kind: Rejoined, RoomLost: p.roomLost})
		p.refreshPeer()
	}
	p.connection = c
	p.mic.setLevelExtension(levelExtension(c.sender))
	return true
}

// handleConnectionLost starts the reconnection after c has failed: by resuming the session if mayResume.
func (p *Participant) handleConnectionLost(c *connection, mayResume bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended || p.reconnecting || p.connection != c {
		return
	}
	p.reconnecting, p.reconnected, p.leaveReason, p.roomLost = true, make(chan struct{}), livekit.DisconnectReason_UNKNOWN_REASON, false
	p.sendEvent(Event{Kind: Reconnecting})
	p.running.Go(func() { p.reconnect(c, mayResume) })
}

// handleRemoved ends the participant after the server has removed it.
func (p *Participant) handleRemoved(c *connection, reason livekit.DisconnectReason) {
	p.mu.Lock()
	current := p.connection == c
	p.mu.Unlock()
	if !current {
		return
	}
	kind := Disconnected
	if roomEnded(reason) {
		kind = RoomClosed
	}
	p.finish(&Event{Kind: kind, Reason: reason.String()}, noLeave)
}

// reconnect tries until the participant is back in the room, is rejected, or reconnectLimit has passed.
func (p *Participant) reconnect(c *connection, resume bool) {
	started, limit := time.Now(), firstTryLimit
	if !resume {
		c.close() // otherwise the server removes it as a duplicate
	}
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		var err error
		if resume {
			err = p.resume(c, limit)
			giveUpResume := time.Since(started) > resumeLimit && !c.connected()
			if err != nil && !isRejected(err) && (giveUpResume || !errors.Is(err, ErrUnreachable)) {
				resume = false
				c.close()
				continue
			}
		} else {
			c, err = p.rejoin(limit)
		}
		if err == nil {
			if p.useConnection(c) {
				p.resendState()
				return
			}
			// It failed again, or the participant has left meanwhile.
			resume, err = false, cmp.Or(c.failure(), errLeft)
			if p.hasLeft() {
				c.sendLeave(livekit.DisconnectReason_CLIENT_INITIATED)
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
			p.finish(&Event{Kind: RoomClosed, Reason: livekit.DisconnectReason_ROOM_CLOSED.String()}, noLeave)
			return
		case isRejected(err) || time.Since(started) > reconnectLimit:
			p.finish(&Event{Kind: Disconnected, Reason: livekit.DisconnectReason_SIGNAL_CLOSE.String()}, noLeave)
			return
		}
		p.log().Warn("failed to reconnect to the room", "error", redacted{err})
		limit = min(limit+firstTryLimit, lastTryLimit)
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
	release, err := p.joiner.acquireSlot(p.ctx)
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
