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
	Frames() <-chan []int16
	Events() <-chan media.Event
	Play(pcm []int16) error
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
	room           Line
	lines          []line
	interruptAfter time.Duration
	hangUp         bool

	step    step
	since   time.Time // when the step began
	turns   []*turn
	frame   int // next one of the line being said
	ear     ear
	heard   []int16     // all that came
	audio   media.Event // PeerAudio, the first
	audioAt time.Time
	over    bool // the agent is gone
	silent  []int16
}

func newConversation(room Line, lines []line, o Options) *conversation {
	return &conversation{
		room: room, lines: lines, interruptAfter: o.InterruptAfter, hangUp: o.HangUp,
		silent: make([]int16, dialogue.SpeakRate/50),
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
		return c.room.Play(c.silent)
	}
	t := c.turns[len(c.turns)-1]
	if err := c.room.Play(t.line.frames[c.frame]); err != nil {
		return err
	}
	t.last = time.Now()
	if c.frame == 0 {
		t.first = t.last
	}
	if c.frame++; c.frame == len(t.line.frames) {
		c.enter(waiting, t.last)
	}
	return nil
}

// hear takes a frame of the agent's.
func (c *conversation) hear(frame []int16, now time.Time) {
	c.heard = append(c.heard, frame...)
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
		case c.interruptAfter > 0 && elapsed >= c.interruptAfter && talking && len(c.turns) < len(c.lines):
			c.proceed(now)
			c.turns[len(c.turns)-1].interrupting = true
		}
	case ending:
		c.over = elapsed >= goodbyeWait
	}
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
	switch {
	case len(c.turns) < len(c.lines):
		c.turns = append(c.turns, &turn{line: c.lines[len(c.turns)]})
		c.frame = 0
		c.enter(speaking, now)
	case c.hangUp:
		c.over = true
	default:
		c.enter(ending, now)
	}
}

func (c *conversation) enter(s step, at time.Time) { c.step, c.since = s, at }

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

// said is what was said of the lines, as far as it came.
func (c *conversation) said() []string {
	texts := make([]string, len(c.turns))
	for i, t := range c.turns {
		texts[i] = t.line.text
	}
	return texts
}
