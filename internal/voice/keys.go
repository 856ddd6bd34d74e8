package voice

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"parley/internal/agent"
	"parley/internal/dialogue"
)

// Defaults of an agent's config.dtmf.
const (
	defaultMaxDigits  = 32
	defaultEndKey     = "#"
	defaultKeyTimeout = 2 * time.Second
)

// keyOptions are an agent's settings of entries by keys.
type keyOptions struct {
	enabled    bool
	maxDigits  int
	end        string
	timeout    time.Duration // 0 for none
	interrupts bool
}

func newKeyOptions(c agent.DTMF) keyOptions {
	o := keyOptions{enabled: true, maxDigits: defaultMaxDigits, end: defaultEndKey, timeout: defaultKeyTimeout, interrupts: true}
	if c.Enabled != nil {
		o.enabled = *c.Enabled
	}
	if c.MaxDigits != nil {
		o.maxDigits = cmp.Or(*c.MaxDigits, defaultMaxDigits)
	}
	if c.End != nil {
		o.end = *c.End
	}
	if c.TimeoutMS != nil {
		o.timeout = time.Duration(*c.TimeoutMS) * time.Millisecond
	}
	if c.Interrupts != nil {
		o.interrupts = *c.Interrupts
	}
	return o
}

// keyEntry collects the keys that the caller presses until they are complete: an entry, which is one turn of the caller.
type keyEntry struct {
	options  keyOptions
	keys     string
	last     time.Time // when the last key was pressed
	complete bool      // keys are an entry that waits for the agent to have spoken
	entered  string    // the entry in the caller's turn; "" without one
}

// press adds a key.
func (e *keyEntry) press(key byte, now time.Time) {
	if e.last = now; string(key) == e.options.end {
		e.complete = true
		return
	}
	e.keys += string(key)
	e.complete = e.complete || len(e.keys) >= e.options.maxDigits
}

// dueAt returns when the entry is complete without a further key; zero for never, or if it is already.
func (e *keyEntry) dueAt() time.Time {
	if e.keys == "" || e.complete || e.options.timeout == 0 {
		return time.Time{}
	}
	return e.last.Add(e.options.timeout)
}

// forModel returns the caller's words as the language model gets them.
func (e *keyEntry) forModel(text string) string {
	if text != e.entered || text == "" {
		return text
	}
	return KeysForModel(text)
}

// KeysForModel returns an entry by keys as the language model gets it.
func KeysForModel(keys string) string {
	return fmt.Sprintf("(The caller pressed keys on the phone: %s)", keys)
}

// handleSignal handles a signal of the caller's phone.
func (s *Session) handleSignal(signal Signal, now time.Time) {
	switch signal.Kind {
	case CallHeld, CallResumed:
		s.setHeld(signal.Kind == CallHeld, now)
	case KeyPressed:
		s.handleKey(signal.Key, now)
	}
}

// handleKey handles a key. The first of an entry stops the agent's speech, if keys interrupt it.
func (s *Session) handleKey(key byte, now time.Time) {
	if !s.keys.options.enabled || !s.phase.takesTurns() {
		return
	}
	s.silence.recordActivity(now)
	s.keys.press(key, now)
	if s.keysInterrupt() {
		s.output.queue.Pause()
	}
}

// keysInterrupt reports whether a key stops what the agent is saying.
func (s *Session) keysInterrupt() bool { return s.keys.options.interrupts && !s.mustFinish() }

// enterKeys makes a complete entry a turn of the caller. An entry that must not interrupt the agent waits until it has spoken.
func (s *Session) enterKeys(ctx context.Context, now time.Time) {
	k := &s.keys
	if due := k.dueAt(); !due.IsZero() && !now.Before(due) {
		k.complete = true
	}
	if !k.complete || !s.keysInterrupt() && s.output.current != nil && !s.output.current.preemptive {
		return
	}
	entry := k.keys
	k.keys, k.complete = "", false
	if entry == "" {
		s.output.queue.Resume() // the end key alone
		return
	}
	k.entered = entry
	s.feed.add(dialogue.Message{Role: dialogue.RoleUser, Content: k.forModel(entry)})
	s.handleTurnAction(ctx, s.detector.TextTyped(entry, now), now)
}
