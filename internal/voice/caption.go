package voice

import (
	"context"
	"time"

	"github.com/google/uuid"

	"parley/internal/dialogue"
)

// captionInterval is how often the words of an answer that is being heard are
// published at most.
const captionInterval = 200 * time.Millisecond

// captions publishes what one side says, as it is said.
type captions struct {
	role    dialogue.Role
	publish func(Caption)

	segment string    // "" before the first words of a segment
	text    string    // that was published of it
	at      time.Time // when
}

// say publishes the text of the current segment, unless it is as before.
func (c *captions) say(text string, now time.Time) {
	if text == c.text {
		return
	}
	if c.segment == "" {
		c.segment = uuid.NewString()
	}
	c.text, c.at = text, now
	c.publish(Caption{Segment: c.segment, Role: c.role, Text: text})
}

// end publishes the final text of the current segment; what is said next is
// another one. A segment of which nothing was said is none.
func (c *captions) end(text string) {
	if c.segment == "" && text == "" {
		return
	}
	if c.segment == "" {
		c.segment = uuid.NewString()
	}
	c.publish(Caption{Segment: c.segment, Role: c.role, Text: text, Final: true})
	c.segment, c.text = "", ""
}

// captionCaller publishes what the caller has said in the turn so far.
func (s *Session) captionCaller(now time.Time) { s.callerWords.say(s.turn.Text(), now) }

// captionAgent publishes how much of the answer was heard.
func (s *Session) captionAgent(now time.Time) {
	if now.Sub(s.agentWords.at) >= captionInterval {
		s.agentWords.say(s.out.SpokenText(), now)
	}
}

// readText takes what the caller wrote: a whole turn, to which what they said
// just before belongs.
func (s *Session) readText(ctx context.Context, text string, now time.Time) {
	s.quiet.broken(now)
	s.do(ctx, s.turn.TextTyped(text, now), now)
	s.captionCaller(now)
}
