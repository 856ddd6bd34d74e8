package caller

import (
	"context"
	"fmt"
	"time"

	"parley/internal/dialogue"
	"parley/internal/media"
)

const (
	// replyEnd is the silence that ends a reply; pauses between the sentences of one reply are shorter.
	replyEnd = 900 * time.Millisecond
	// greetingWait is how long the agent may take for the greeting, replyWait for a reply.
	greetingWait = 10 * time.Second
	replyWait    = 15 * time.Second
	// toolWait is how long the agent may take for a reply, or its continuation, while it is thinking: a tool may run so long.
	toolWait = 5 * time.Minute
	// goodbyeWait is how long the agent may take to end the call after its last reply before the caller hangs up.
	goodbyeWait = 20 * time.Second
	// silenced is the silence after which an interruption counts as noticed.
	silenced = 300 * time.Millisecond
	// stall is the maximum delay of frames that is caught up; after a longer one the audio has a gap.
	stall = 200 * time.Millisecond
)

// thinking is the state of an agent that is about to speak, or whose tool runs.
const thinking = "thinking"

// Line is the caller's end of the room; *media.Participant is one.
type Line interface {
	// Frames yields the agent's sound; nil for a packet that was not listened to.
	Frames() <-chan []int16
	Events() <-chan media.Event
	PlayPacket(media.Packet) error
}

// step is the state of a conversation.
type step uint8

const (
	greeting  step = iota // the agent speaks first
	speaking              // the caller speaks a line
	waiting               // for the reply
	listening             // to the reply
	ending                // all lines are spoken: the agent ends the call
)

// turn is the measurement of a line.
type turn struct {
	line          line
	first, last   time.Time // when its first and last packets were sent
	replied       time.Time // when the first packet of the reply arrived
	cut           time.Time // when the last packet of the interrupted reply arrived
	interrupting  bool
	interruptDone bool
}

// conversation belongs to one goroutine. It sends a frame every 20 ms, speech or silence as a microphone does,
// handles received frames, and decides when to speak the next line.
type conversation struct {
	room        Line
	script      script
	hangUp      bool
	setDecoding func(bool) // switches decoding of received frames on or off
	record      bool
	ready       func(n int) bool // whether a line may be spoken; nil for always

	step     step
	since    time.Time // when the step began
	turns    []*turn
	frame    int // index of the next frame of the current line
	detector speechDetector
	heard    []int16     // all received audio, if recorded
	audio    media.Event // the first PeerAudio
	audioAt  time.Time
	over     bool // the agent has left

	agentState   string    // media.AttributeAgentState
	thoughtUntil time.Time // when it was thinking last
}

// script provides the caller's lines.
type script interface {
	// next returns the nth line, from 0; ok is false after the last one.
	next(n int) (l line, ok bool)
	// interruptAfter returns how long after the start of a reply the nth line interrupts it; 0 waits for its end.
	interruptAfter(n int) time.Duration
}

// listScript is a fixed list of lines.
type listScript struct {
	lines     []line
	interrupt time.Duration
}

func (r listScript) next(n int) (line, bool) {
	if n >= len(r.lines) {
		return line{}, false
	}
	return r.lines[n], true
}

func (r listScript) interruptAfter(int) time.Duration { return r.interrupt }

func newConversation(room Line, lines []line, o Options) *conversation {
	return &conversation{
		room: room, script: listScript{lines, o.InterruptAfter}, hangUp: o.HangUp, record: o.Record != "", ready: o.Ready,
		setDecoding: func(bool) {},
	}
}

// run runs until the call has ended, all lines are spoken, or the context ends; only the last is an error.
func (c *conversation) run(ctx context.Context) error {
	start := time.Now()
	c.since = start
	next := start // an absolute clock: a late frame does not delay the following ones
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
			c.handleEvent(e, time.Now())
		case frame, ok := <-frames:
			if !ok {
				frames = nil // events give the reason
				continue
			}
			c.handleFrame(frame, time.Now())
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

// handleFrame handles a frame of the agent.
func (c *conversation) handleFrame(frame []int16, now time.Time) {
	if c.record {
		c.heard = append(c.heard, frame...)
	}
	began := c.detector.push(frame, now)
	if c.step == waiting && began {
		if t := c.turns[len(c.turns)-1]; c.detector.first.After(t.last) {
			t.replied = c.detector.first
			c.enter(listening, c.detector.first)
		}
	}
}

// decide goes to the next step when the current one is complete.
func (c *conversation) decide(now time.Time) {
	c.noticeInterruption(now)
	elapsed, silence := now.Sub(c.since), c.detector.silence(now)
	switch c.step {
	case greeting:
		if c.detector.first.IsZero() && elapsed >= greetingWait || !c.detector.first.IsZero() && silence >= replyEnd {
			c.proceed(now)
		}
	case waiting:
		if elapsed >= replyWait && !c.thinks(elapsed) {
			c.proceed(now)
		}
	case listening:
		talking := silence < 5*dialogue.FrameDuration
		switch {
		case min(silence, now.Sub(c.thoughtUntil)) >= replyEnd && !c.thinks(silence):
			c.proceed(now)
		case talking && c.interrupts(elapsed):
			before := len(c.turns)
			if c.proceed(now); len(c.turns) > before {
				c.turns[before].interrupting = true
				c.setDecoding(true)
			}
		}
	case ending:
		c.over = elapsed >= goodbyeWait
	}
}

// thinks reports whether the reply is still to come, or to go on, after a silence.
func (c *conversation) thinks(silence time.Duration) bool {
	return c.agentState == thinking && silence < toolWait
}

// interrupts reports whether the next line interrupts the agent now.
func (c *conversation) interrupts(elapsed time.Duration) bool {
	after := c.script.interruptAfter(len(c.turns))
	_, more := c.script.next(len(c.turns))
	return more && after > 0 && elapsed >= after
}

// noticeInterruption records when the agent fell silent after an interruption.
func (c *conversation) noticeInterruption(now time.Time) {
	if len(c.turns) == 0 {
		return
	}
	t := c.turns[len(c.turns)-1]
	if !t.interrupting || t.interruptDone || t.first.IsZero() {
		return
	}
	if t.interruptDone = c.detector.silence(now) >= silenced; t.interruptDone {
		t.cut = c.detector.last
	}
}

// proceed starts the next line if it may be spoken already, or ends.
func (c *conversation) proceed(now time.Time) {
	next, more := c.script.next(len(c.turns))
	switch {
	case more && c.ready != nil && !c.ready(len(c.turns)):
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

// enter goes to a step. Received frames are decoded only in steps that look for the start of a reply or for silence
// after an interruption.
func (c *conversation) enter(s step, at time.Time) {
	c.step, c.since = s, at
	switch s {
	case waiting:
		c.setDecoding(true)
	case listening:
		c.setDecoding(false)
	}
}

// handleEvent handles an event of the room. An agent that is lost without leaving may be replaced by another.
func (c *conversation) handleEvent(e media.Event, now time.Time) {
	switch e.Kind {
	case media.PeerAudio:
		if c.audioAt.IsZero() {
			c.audio, c.audioAt = e, now
		}
	case media.PeerState:
		if c.agentState == thinking {
			c.thoughtUntil = now
		}
		c.agentState = e.State
	case media.PeerLeft:
		c.over = e.HungUp
	case media.RoomClosed, media.Disconnected:
		c.over = true
	}
}

// interruptions returns how long the agent continued to speak over each interrupting line, except those whose reply
// ended just before.
func (c *conversation) interruptions() (cuts []time.Duration) {
	for _, t := range c.turns {
		if t.cut.After(t.first) {
			cuts = append(cuts, t.cut.Sub(t.first))
		}
	}
	return cuts
}

// said returns the texts spoken so far.
func (c *conversation) said() []string {
	texts := make([]string, len(c.turns))
	for i, t := range c.turns {
		texts[i] = t.line.text
	}
	return texts
}
