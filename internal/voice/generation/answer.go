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

// Answer is one reply, greeting or other speech of the agent. Cancelling it stops its providers at once.
type Answer struct {
	Agent string // that speaks

	ctx         context.Context
	cancel      context.CancelFunc
	reports     chan<- Report
	committed   chan struct{}              // closed when the answer is not preemptive, or not any more
	replacement chan providers.Speaker     // another voice, when the one it had failed
	filler      chan string                // what to say while tools run; buffered for one
	buffered    atomic.Int64               // nanoseconds of audio that wait to be played
	textSent    bool                       // text was passed on; of the goroutine that generates it
	onCancel    func(played time.Duration) // of a realtime model's answer; nil for none
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

// Cancel stops the answer's providers; played is how much of its audio was played. Its later reports are ignored.
func (a *Answer) Cancel(played time.Duration) {
	if a.onCancel != nil {
		a.onCancel(played)
	}
	a.cancel()
}

// SetBuffered sets how much audio waits to be played: synthesis does not run far ahead of it.
func (a *Answer) SetBuffered(d time.Duration) { a.buffered.Store(int64(d)) }

// SayFiller synthesises a text while the answer's tools run. It may be called once.
func (a *Answer) SayFiller(text string) { a.filler <- text }

// ReplaceVoice answers VoiceFailed with another voice.
func (a *Answer) ReplaceVoice(s providers.Speaker) { a.replacement <- s }

// NoReplacementVoice answers VoiceFailed where there is no other voice.
func (a *Answer) NoReplacementVoice() { close(a.replacement) }

// segment is text for the voice, or, if empty, a flush: more text may take a while.
type segment struct{ text string }

// segmentWriter receives an answer's text as it is generated.
type segmentWriter struct {
	ctx      context.Context
	segments chan<- segment
}

// writeText passes text on to the voice; an empty one is ignored.
func (s segmentWriter) writeText(text string) error {
	if text == "" {
		return nil
	}
	return s.send(segment{text})
}

// flush ends the utterance so that all text so far is spoken: a provider may close one that receives no text for a
// while.
func (s segmentWriter) flush() error { return s.send(segment{}) }

func (s segmentWriter) send(seg segment) error {
	select {
	case s.segments <- seg:
		return nil
	case <-s.ctx.Done():
		return s.ctx.Err()
	}
}

// Report is an event of an answer that is being generated.
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
