package media

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/livekit/protocol/livekit"
)

const (
	// reconnectLimit is how long a participant tries to get back into its room; the server keeps its place no longer.
	reconnectLimit = time.Minute
	// resumeLimit is how much of it goes to taking up the same session while the server cannot be reached.
	resumeLimit = 15 * time.Second
	// tryLimit bounds one try; the pause after it doubles from the first to the last.
	tryLimit              = 5 * time.Second
	firstPause, lastPause = 200 * time.Millisecond, 2 * time.Second
)

// connect makes a new connection to the room.
func (p *Participant) connect(ctx context.Context) (*connection, error) {
	c, err := newConnection(p)
	if err != nil {
		return nil, err
	}
	if err := c.join(ctx, p.options.URL, p.latestToken()); err != nil {
		_ = c.leave() // in case it is half in the room
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
	p.connection, p.reconnecting = c, false
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
	p.reconnecting = true
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
	began := time.Now()
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		var err error
		if resume {
			if err = p.try(c.resume); err != nil && (!errors.Is(err, errUnreachable) || time.Since(began) > resumeLimit) && !refused(err) {
				resume = false
				c.close()
				continue
			}
		} else {
			c, err = p.anew()
		}
		switch {
		case err == nil && p.adopt(c):
			p.sayAgain(c)
			return
		case err == nil: // it broke again, or the participant has left meanwhile
			_ = c.leave()
			c.close()
		case errors.Is(err, ErrNoRoom):
			p.finish(&Event{Kind: RoomClosed, Reason: livekit.DisconnectReason_ROOM_CLOSED.String()}, false)
			return
		case refused(err) || time.Since(began) > reconnectLimit:
			p.finish(&Event{Kind: Disconnected, Reason: livekit.DisconnectReason_SIGNAL_CLOSE.String()}, false)
			return
		}
		p.log.Warn("get back into the room", "error", redact(fmt.Sprint(err)))
		select {
		case <-time.After(pause):
		case <-p.life.Done():
			return
		}
	}
}

// try gives one try its time.
func (p *Participant) try(way func(ctx context.Context, at, token string) error) error {
	ctx, cancel := context.WithTimeout(p.life, tryLimit)
	defer cancel()
	return way(ctx, p.options.URL, p.latestToken())
}

// anew enters the room a second time.
func (p *Participant) anew() (c *connection, err error) {
	ctx, cancel := context.WithTimeout(p.life, tryLimit)
	defer cancel()
	return p.connect(ctx)
}

// sayAgain tells a session of the server's what an earlier one knew.
func (p *Participant) sayAgain(c *connection) {
	p.mu.Lock()
	attributes := maps.Clone(p.attributes)
	p.mu.Unlock()
	if len(attributes) > 0 {
		c.setAttributes(attributes)
	}
}
