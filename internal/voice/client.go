package voice

import (
	"time"

	"github.com/google/uuid"

	"parley/internal/dialogue"
)

// statePublisher sends the agent's state to the caller's client. Of states that the
// line is too slow for, only the newest is sent.
type statePublisher struct {
	state  State
	states chan State
}

func newStatePublisher() statePublisher { return statePublisher{states: make(chan State, 1)} }

// publishTo sends states to a line until close is called.
func (p *statePublisher) publishTo(line Line) {
	for state := range p.states {
		line.SetState(state)
	}
}

func (p *statePublisher) close() { close(p.states) }

// set publishes a state that is not the current one. It does not wait.
func (p *statePublisher) set(state State) {
	if p.state == state {
		return
	}
	p.state = state
	select {
	case <-p.states: // not sent yet, and superseded
	default:
	}
	p.states <- state
}

// captionInterval is the least time between captions of an answer that is being played.
const captionInterval = 200 * time.Millisecond

// captions publishes the captions of one side of the conversation.
type captions struct {
	role    dialogue.Role
	publish func(Caption)

	segment string    // "" before the first words of a segment
	text    string    // published last, of the segment
	at      time.Time // when it was published
}

// isDue reports whether captionInterval has passed since the last update.
func (c *captions) isDue(now time.Time) bool { return now.Sub(c.at) >= captionInterval }

// update publishes the text of the current segment, if it has changed.
func (c *captions) update(text string, now time.Time) {
	if text == c.text {
		return
	}
	if c.segment == "" {
		c.segment = uuid.NewString()
	}
	c.text, c.at = text, now
	c.publish(Caption{Segment: c.segment, Role: c.role, Text: text})
}

// end publishes the final text of the current segment. A segment without text is not published.
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
