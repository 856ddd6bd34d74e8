// Package generation makes the agent's answers: the model's rounds with its
// tools, and their synthesis sentence by sentence. An answer may be generated
// preemptively, before the caller's turn is over.
//
// Two goroutines work on an answer, one for the words and one for the voice.
// They report events to the session's loop, which alone decides what is audible.
package generation

import (
	"context"
	"sync/atomic"
	"time"

	"parley/internal/voice/providers"
)

// Answer is one thing that the agent says. Cancelling it stops its providers at
// once.
type Answer struct {
	Agent string // who says it

	ctx         context.Context
	cancel      context.CancelFunc
	reports     chan<- Report
	committed   chan struct{}          // closed when the answer is not preemptive, or not any more
	replacement chan providers.Speaker // another voice, when the one it had failed
	filler      chan string            // what to say while tools run; takes one
	buffered    atomic.Int64           // nanoseconds of audio that wait to be played
	worded      bool                   // text was passed on; of the goroutine for the words
}

// NewAnswer makes an answer that lives no longer than the context. A preemptive
// one synthesises its first segment only, and runs no tools, until Commit.
func NewAnswer(ctx context.Context, agent string, preemptive bool, reports chan<- Report) *Answer {
	a := &Answer{Agent: agent, reports: reports, committed: make(chan struct{}), replacement: make(chan providers.Speaker, 1), filler: make(chan string, 1)}
	a.ctx, a.cancel = context.WithCancel(ctx)
	if !preemptive {
		close(a.committed)
	}
	return a
}

// Commit makes a preemptive answer the answer to the turn.
func (a *Answer) Commit() { close(a.committed) }

// Cancel stops the answer's providers. Its reports are late from then on.
func (a *Answer) Cancel() { a.cancel() }

// SetBuffered says how much audio waits to be played: synthesis does not run far
// ahead of it.
func (a *Answer) SetBuffered(d time.Duration) { a.buffered.Store(int64(d)) }

// SayFiller has the answer say a text while its tools run. It may be called once.
func (a *Answer) SayFiller(text string) { a.filler <- text }

// ReplaceVoice answers VoiceFailed with another voice.
func (a *Answer) ReplaceVoice(s providers.Speaker) { a.replacement <- s }

// NoReplacementVoice answers VoiceFailed where there is no other voice.
func (a *Answer) NoReplacementVoice() { close(a.replacement) }

// segment is text for the voice, or, when empty, a flush: it takes a while until
// there is more.
type segment struct{ text string }

// script is where an answer's words go as they are composed.
type script struct {
	ctx      context.Context
	segments chan<- segment
}

// say has a text spoken; nothing when it is empty.
func (s script) say(text string) error {
	if text == "" {
		return nil
	}
	return s.send(segment{text})
}

// flush has what was said so far spoken to its end, as an utterance of its own: a
// provider may close one that gets no text for a while.
func (s script) flush() error { return s.send(segment{}) }

func (s script) send(seg segment) error {
	select {
	case s.segments <- seg:
		return nil
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
}

// Report is an event of an answer in the making.
type Report struct {
	Answer *Answer
	At     time.Time
	Event  Event
}

// report sends an event to the session's loop, unless the answer was cancelled.
func (a *Answer) report(e Event) {
	select {
	case a.reports <- Report{a, time.Now(), e}:
	case <-a.ctx.Done():
	}
}
