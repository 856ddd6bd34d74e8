package caller

import (
	"context"
	"fmt"
	"time"

	"parley/internal/dialogue"
	"parley/internal/media"
)

const (
	// replyEnd is the silence after which an agent has said its say; sentences of one reply follow closer.
	replyEnd = 900 * time.Millisecond
	// greetingWait is how long the agent may take to say its first word, and replyWait to answer a line.
	greetingWait = 10 * time.Second
	replyWait    = 15 * time.Second
	// goodbyeWait is how long after its last reply the agent may take to end the call before the caller hangs up.
	goodbyeWait = 20 * time.Second
	// silenced is the silence that tells that an interruption was noticed.
	silenced = 300 * time.Millisecond
	// stall is how late frames may be to be made up for; after more, the sound has a gap rather than a rush.
	stall = 200 * time.Millisecond
)

// Line is the caller's end of the room; *media.Participant is one.
type Line interface {
	// Frames yields the agent's sound; nil for a packet that was not listened to.
	Frames() <-chan []int16
	Events() <-chan media.Event
	PlayPacket(media.Packet) error
}

// step is where a conversation is.
type step uint8

const (
	greeting  step = iota // the agent has the first word
	speaking              // a line is being said
	waiting               // for the reply
	listening             // to the reply
	ending                // all is said: the agent ends the call
)

// turn is what came of a line.
type turn struct {
	line          line
	first, last   time.Time // when its first and its last packet were sent
	replied       time.Time // when the first packet of the reply came
	cut           time.Time // when the last packet of the reply that it interrupted came
	interrupting  bool
	interruptDone bool
}

// conversation is one goroutine's: it sends a frame every 20 ms, speech or silence as a microphone does, hears what
// comes, and decides when to say the next line.
type conversation struct {
	room   Line
	script script
	hangUp bool
	attend func(bool) // tells the line whether frames are to be listened to
	record bool

	step    step
	since   time.Time // when the step began
	turns   []*turn
	frame   int // next one of the line being said
	ear     ear
	heard   []int16     // all that came, if it is recorded
	audio   media.Event // PeerAudio, the first
	audioAt time.Time
	over    bool // the agent is gone
}

// script is what a caller says.
type script interface {
	// next is the nth line, counted from 0; ok is false when nothing is left to say.
	next(n int) (l line, ok bool)
	// interruptAfter is how long after a reply began the nth line interrupts it; 0 waits for its end.
	interruptAfter(n int) time.Duration
}

// recital is lines that are said one after the other.
type recital struct {
	lines     []line
	interrupt time.Duration
}

func (r recital) next(n int) (line, bool) {
	if n >= len(r.lines) {
		return line{}, false
	}
	return r.lines[n], true
}

func (r recital) interruptAfter(int) time.Duration { return r.interrupt }

func newConversation(room Line, lines []line, o Options) *conversation {
	return &conversation{
		room: room, script: recital{lines, o.InterruptAfter}, hangUp: o.HangUp, record: o.Record != "",
		attend: func(bool) {},
	}
}

// run talks until the call is over, all is said, or the context ends; only that is an error.
func (c *conversation) run(ctx context.Context) error {
	start := time.Now()
	c.since = start
	next := start // an absolute clock: a frame that is late does not delay those after it
	timer := time.NewTimer(0)
	defer timer.Stop()
	frames, events := c.room.Frames(), c.room.Events()
	for !c.over {
		select {
		case <-ctx.Done():
			return fmt.Errorf("call: %w", ctx.Err())
		case e, ok := <-events:
			if !ok {
				return nil
			}
			c.happened(e, time.Now())
		case frame, ok := <-frames:
			if !ok {
				frames = nil // events tell why
				continue
			}
			c.hear(frame, time.Now())
		case <-timer.C:
			now := time.Now()
			if now.Sub(next) > stall {
				next = now
			}
			for ; !next.After(now); next = next.Add(dialogue.FrameDuration) {
				if err := c.play(); err != nil {
					return nil // the room is closed; its events may not have come yet
				}
			}
			c.decide(now)
			timer.Reset(time.Until(next))
		}
	}
	return nil
}

// play sends the next frame.
func (c *conversation) play() error {
	if c.step != speaking {
		return c.room.PlayPacket(pause())
	}
	t := c.turns[len(c.turns)-1]
	if err := c.room.PlayPacket(t.line.packets[c.frame]); err != nil {
		return err
	}
	t.last = time.Now()
	if c.frame == 0 {
		t.first = t.last
	}
	if c.frame++; c.frame == len(t.line.packets) {
		c.enter(waiting, t.last)
	}
	return nil
}

// hear takes a frame of the agent's.
func (c *conversation) hear(frame []int16, now time.Time) {
	if c.record {
		c.heard = append(c.heard, frame...)
	}
	began := c.ear.hear(frame, now)
	if c.step == waiting && began {
		if t := c.turns[len(c.turns)-1]; c.ear.first.After(t.last) {
			t.replied = c.ear.first
			c.enter(listening, c.ear.first)
		}
	}
}

// decide goes on to the next step when the one at hand is done.
func (c *conversation) decide(now time.Time) {
	c.noticeInterruption(now)
	elapsed, silence := now.Sub(c.since), c.ear.silence(now)
	switch c.step {
	case greeting:
		if c.ear.first.IsZero() && elapsed >= greetingWait || !c.ear.first.IsZero() && silence >= replyEnd {
			c.proceed(now)
		}
	case waiting:
		if elapsed >= replyWait {
			c.proceed(now)
		}
	case listening:
		talking := silence < 5*dialogue.FrameDuration
		switch {
		case silence >= replyEnd:
			c.proceed(now)
		case talking && c.interrupts(elapsed):
			before := len(c.turns)
			if c.proceed(now); len(c.turns) > before {
				c.turns[before].interrupting = true
				c.attend(true)
			}
		}
	case ending:
		c.over = elapsed >= goodbyeWait
	}
}

// interrupts tells whether the next line is to be said although the agent speaks.
func (c *conversation) interrupts(elapsed time.Duration) bool {
	after := c.script.interruptAfter(len(c.turns))
	_, more := c.script.next(len(c.turns))
	return more && after > 0 && elapsed >= after
}

// noticeInterruption finds when the agent fell silent for the line that interrupts it.
func (c *conversation) noticeInterruption(now time.Time) {
	if len(c.turns) == 0 {
		return
	}
	t := c.turns[len(c.turns)-1]
	if !t.interrupting || t.interruptDone || t.first.IsZero() {
		return
	}
	if t.interruptDone = c.ear.silence(now) >= silenced; t.interruptDone {
		t.cut = c.ear.last
	}
}

// proceed says the next line, or ends.
func (c *conversation) proceed(now time.Time) {
	next, more := c.script.next(len(c.turns))
	switch {
	case more:
		c.turns = append(c.turns, &turn{line: next})
		c.frame = 0
		c.enter(speaking, now)
	case c.hangUp:
		c.over = true
	default:
		c.enter(ending, now)
	}
}

// enter goes to a step. The agent is listened to as long as something is to be found in its sound: where its reply
// begins, or where it falls silent for an interruption.
func (c *conversation) enter(s step, at time.Time) {
	c.step, c.since = s, at
	switch s {
	case waiting:
		c.attend(true)
	case listening:
		c.attend(false)
	}
}

// happened takes an event of the room. An agent that is lost without a goodbye may be followed by another.
func (c *conversation) happened(e media.Event, now time.Time) {
	switch e.Kind {
	case media.PeerAudio:
		if c.audioAt.IsZero() {
			c.audio, c.audioAt = e, now
		}
	case media.PeerLeft:
		c.over = e.HungUp
	case media.RoomClosed, media.Disconnected:
		c.over = true
	}
}

// interruptions are how long the agent went on speaking over each line that interrupted it. One that came to its end
// just before the line began was not interrupted.
func (c *conversation) interruptions() (cuts []time.Duration) {
	for _, t := range c.turns {
		if t.cut.After(t.first) {
			cuts = append(cuts, t.cut.Sub(t.first))
		}
	}
	return cuts
}

// said is what was said of the lines, as far as it came.
func (c *conversation) said() []string {
	texts := make([]string, len(c.turns))
	for i, t := range c.turns {
		texts[i] = t.line.text
	}
	return texts
}
