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
	// reconnectLimit is for how long a participant begins to try to get back into its room.
	reconnectLimit = time.Minute
	// resumeLimit is how much of it goes to taking up the same session while the server cannot be reached and the media are
	// lost too.
	resumeLimit = 15 * time.Second
	// tryLimit bounds the first try, each further one has longer; the pause after it doubles from the first to the last.
	// Up to as much again is added by chance, for what one participant has lost, others have as well.
	tryLimit, lastTryLimit = 5 * time.Second, 15 * time.Second
	firstPause, lastPause  = 200 * time.Millisecond, 2 * time.Second
)

// connect makes a new connection to the room.
func (p *Participant) connect(ctx context.Context) (*connection, error) {
	c, err := newConnection(p)
	if err != nil {
		return nil, err
	}
	if err := c.join(ctx, p.options.URL, p.latestToken()); err != nil {
		c.goodbye() // in case it is half in the room
		c.close()
		return nil, err
	}
	return c, nil
}

func (p *Participant) latestToken() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.token
}

// adopt makes c the participant's connection, unless the participant is gone or c broken.
func (p *Participant) adopt(c *connection) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over || c.broken() != nil {
		return false
	}
	if p.reconnecting {
		p.reconnecting = false
		close(p.back)
		p.send(Event{Kind: Rejoined, RoomLost: p.roomLost})
		p.lookAround()
	}
	p.connection = c
	p.mic.sendLevel(levelExtension(c.sender))
	return true
}

// lost has the participant get back into the room that c no longer leads to: by resuming the session if it may.
func (p *Participant) lost(c *connection, mayResume bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over || p.reconnecting || p.connection != c {
		return
	}
	p.reconnecting, p.back, p.parting, p.roomLost = true, make(chan struct{}), livekit.DisconnectReason_UNKNOWN_REASON, false
	p.send(Event{Kind: Reconnecting})
	p.running.Go(func() { p.reconnect(c, mayResume) })
}

// removed ends the participant, as the server has said.
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

// reconnect tries until the participant is back in the room, is not let in, or has tried for long enough.
func (p *Participant) reconnect(c *connection, resume bool) {
	began, limit := time.Now(), tryLimit
	if !resume {
		c.close() // or else the server would put it out, in favour of the next
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
			c, err = p.anew(limit)
		}
		if err == nil {
			if p.adopt(c) {
				p.sayAgain()
				return
			}
			// It broke again, or the participant has left meanwhile.
			resume, err = false, cmp.Or(c.broken(), errGone)
			c.goodbye()
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
		p.joiner.log.Warn("get back into the room", "error", redacted{err})
		limit = min(limit+tryLimit, lastTryLimit)
		select {
		case <-time.After(pause + rand.N(pause)):
		case <-p.life.Done():
			return
		}
	}
}

func (p *Participant) makeRoom(limit time.Duration) error {
	ctx, cancel := context.WithTimeout(p.life, limit)
	defer cancel()
	return p.options.MakeRoom(ctx)
}

func (p *Participant) resume(c *connection, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(p.life, limit)
	defer cancel()
	return c.resume(ctx, p.options.URL, p.latestToken())
}

// anew enters the room a second time, when it is this participant's turn.
func (p *Participant) anew(limit time.Duration) (*connection, error) {
	release, err := p.joiner.take(p.life)
	if err != nil {
		return nil, err
	}
	defer release()
	ctx, cancel := context.WithTimeout(p.life, limit)
	defer cancel()
	return p.connect(ctx)
}

// sayAgain tells the server what the participant has set; a session of the server's does not know what one before it did.
func (p *Participant) sayAgain() {
	p.saying.Lock()
	defer p.saying.Unlock()
	p.mu.Lock()
	c, attributes := p.connection, maps.Clone(p.attributes)
	p.mu.Unlock()
	if len(attributes) > 0 {
		c.setAttributes(attributes)
	}
}
