package geminilive

import (
	"fmt"
	"strings"
	"time"

	"parley/internal/dialogue"
	"parley/internal/provider/realtime"
)

// turn is a turn of the model. Its fields belong to the conversation's lock.
type turn struct {
	parts    []dialogue.ResponseEvent
	reader   *realtime.Response // nil while the session does not read it
	spoken   bool               // it answers the caller's voice, rather than a message
	complete bool               // no more comes
	dropped  bool               // no more of it is played
	cut      bool               // the caller speaks again, and the vendor stops it
	text     strings.Builder
	samples  int
}

// Respond asks for an answer. The vendor answers what the caller said by itself.
func (c *conversation) Respond(o dialogue.ResponseOptions) dialogue.Response {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.link.Ended(); err != nil {
		r := realtime.NewResponse(func(time.Duration) {})
		r.Finish(err)
		return r
	}
	if o.System != "" && o.System != c.system { // the setup cannot be changed
		c.system = o.System
		c.notes = append(c.notes, dialogue.Message{Role: dialogue.RoleSystem, Content: "Your instructions are from now on:\n" + o.System})
	}
	if o.RepliesToCaller && c.gate.Open() { // a preemptive answer, which the vendor begins when they have spoken
		if c.awaited == nil {
			c.await(&turn{spoken: true})
		}
		return c.read(c.awaited)
	}
	if len(c.results) > 0 {
		c.sendResults(c.takeNotes())
		c.await(new(turn))
		return c.read(c.awaited)
	}
	if t := c.begun(); t != nil && (t.spoken && o.RepliesToCaller && !c.hasWords() || len(c.notes) == 0) {
		return c.read(t)
	}
	if t := c.current; t != nil && t.reader == nil {
		c.forget(t, 0)
	}
	c.sendNotes(true)
	c.await(new(turn))
	return c.read(c.awaited)
}

// begun returns the turn that the vendor makes by itself: the latest, if the session may read it.
func (c *conversation) begun() *turn {
	if c.awaited != nil {
		return c.awaited
	}
	if t := c.current; t != nil && t.reader == nil && !t.dropped && !t.cut {
		return t
	}
	return nil
}

// hasWords reports whether the user's own words wait to be sent.
func (c *conversation) hasWords() bool {
	for _, m := range c.notes {
		if m.Role == dialogue.RoleUser {
			return true
		}
	}
	return false
}

// read makes a turn the session's.
func (c *conversation) read(t *turn) dialogue.Response {
	if t.reader != nil {
		t.reader.Finish(nil)
	}
	t.reader = realtime.NewResponse(func(played time.Duration) { c.truncate(t, played) })
	for _, p := range t.parts {
		t.reader.Put(p)
	}
	if t.complete {
		c.finish(t)
	}
	return t.reader
}

// finish ends the reading of a turn of which no more comes. Usage that came after the previous turn is reported with it.
func (c *conversation) finish(t *turn) {
	if c.owed != (dialogue.Usage{}) {
		owed := c.owed
		t.reader.Put(dialogue.ResponseEvent{Usage: &owed})
		c.owed = dialogue.Usage{}
	}
	t.reader.Finish(nil)
}

// drop ends the reading of a turn of which no more is played.
func (c *conversation) drop(t *turn) {
	t.dropped = true
	if t.reader != nil {
		t.reader.Finish(nil)
	}
	if t.complete {
		c.retire(t)
	}
}

// retire forgets a turn.
func (c *conversation) retire(t *turn) {
	if c.current == t {
		c.current = nil
	}
}

// truncate ends the reading of a turn. Of an answer to the caller of which nothing was played, the session may ask again. What was
// not played cannot be removed from the vendor's conversation: the model gets a note.
func (c *conversation) truncate(t *turn, played time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	reader := t.reader
	if reader == nil || c.link.Ended() != nil {
		return
	}
	t.reader = nil
	reader.Finish(nil)
	if played > 0 || !t.spoken || t.cut {
		c.forget(t, played)
	}
}

// forget ends a turn of which nothing more is played, and adds a note for the model of how much was.
func (c *conversation) forget(t *turn, played time.Duration) {
	if t.dropped {
		return
	}
	c.drop(t)
	all := time.Duration(t.samples) * time.Second / dialogue.SpeakRate
	if all > played+tolerance {
		c.notes = append(c.notes, dialogue.Message{Role: dialogue.RoleSystem, Content: addPlayedNote(t.text.String(), played, all)})
	}
}

// tolerance is less than what counts as unplayed: the last frame of an answer is filled up with silence.
const tolerance = 20 * time.Millisecond

// addPlayedNote adds a note for the model of how much of its answer was played, estimated by the share of its audio.
func addPlayedNote(text string, played, all time.Duration) string {
	words := strings.Fields(text)
	n := int(float64(len(words)) * float64(played) / float64(all))
	if n == 0 {
		return "The caller heard nothing of your last answer."
	}
	return fmt.Sprintf("The caller interrupted you. Of your last answer they heard only: %q", strings.Join(words[:min(n, len(words))], " "))
}

// generated handles a part of the model's answer. The first of an answer to the caller completes their transcript.
func (c *conversation) generated(p dialogue.ResponseEvent) error {
	t := c.current
	if t == nil || t.complete {
		if t = c.awaited; t == nil {
			t = &turn{dropped: true} // of an end that the session did not await
		}
		c.awaited, c.current, c.closing = nil, t, false
		if t.spoken {
			if err := c.finishTranscript(realtime.Inaudible); err != nil {
				return err
			}
		}
	}
	if p.Text != "" {
		p.NewItem = t.text.Len() == 0
		t.text.WriteString(p.Text)
	}
	t.samples += len(p.PCM)
	if t.reader != nil {
		t.reader.Put(p)
	}
	if !t.dropped {
		t.parts = append(t.parts, p)
	}
	return nil
}

// complete ends the current turn: no more of it is generated.
func (c *conversation) complete() {
	t := c.current
	if t == nil || t.complete {
		return
	}
	t.complete, c.closing = true, true
	if t.reader != nil {
		c.finish(t)
	}
	if t.dropped {
		c.current = nil
	}
}

// closeTurn handles the vendor's end of a turn.
func (c *conversation) closeTurn() error {
	switch {
	case c.current != nil && !c.current.complete:
		c.complete()
		c.closing = false
	case c.closing:
		c.closing = false
	case c.awaited != nil: // the model does not answer
		t := c.awaited
		c.awaited = nil
		if t.reader != nil {
			c.finish(t)
		}
		if t.spoken {
			return c.finishTranscript("")
		}
	}
	return nil
}

// addUsage reports usage, at the latest with the next answer.
func (c *conversation) addUsage(u dialogue.Usage) {
	if t := c.current; t != nil && t.reader != nil && !t.complete {
		t.reader.Put(dialogue.ResponseEvent{Usage: &u})
		return
	}
	c.owed.Add(u)
}
