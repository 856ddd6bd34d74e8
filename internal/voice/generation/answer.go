// Package generation generates the agent's answers: the model's rounds with its
// tools, and their synthesis sentence by sentence. An answer may be generated
// preemptively, before the caller's turn is over.
//
// Two goroutines work on an answer, one for the text and one for the voice. They
// report events to the session's loop, which alone decides what is audible.
package generation

import (
	"context"
	"sync/atomic"
	"time"

	"parley/internal/voice/providers"
	"parley/internal/voice/routing"
	"parley/internal/voice/speechtext"
)

// Answer is one reply, greeting or other speech of the agent. Cancelling it stops its providers at once.
type Answer struct {
	Agent string // that speaks

	ctx         context.Context
	cancel      context.CancelFunc
	reports     chan<- Report
	committed   chan struct{}              // closed unless the answer is preemptive
	replacement chan providers.Speaker     // the voice that replaces a failed one; closed: there is none
	filler      chan routing.Rendered      // the text to speak while tools run; buffered for one
	holding     chan routing.Rendered      // a text to speak while the model has none; buffered for one
	pardon      routing.Rendered           // the text to speak when the voice refuses all others; empty for none
	buffered    atomic.Int64               // audio that waits to be played, nanoseconds
	textSent    bool                       // text was sent to the voice; used by the goroutine that generates it
	onCancel    func(played time.Duration) // of a realtime model's answer; nil for none
}

// NewAnswer makes an answer whose context is derived from ctx. Until Commit, a
// preemptive one synthesises its first segment only, and runs no tools.
func NewAnswer(ctx context.Context, agent string, preemptive bool, reports chan<- Report) *Answer {
	a := &Answer{Agent: agent, reports: reports, committed: make(chan struct{}), replacement: make(chan providers.Speaker, 1), filler: make(chan routing.Rendered, 1), holding: make(chan routing.Rendered, 1)}
	a.ctx, a.cancel = context.WithCancel(ctx)
	if !preemptive {
		close(a.committed)
	}
	return a
}

// Commit lifts the limits of a preemptive answer: the turn is over. It may be called once.
func (a *Answer) Commit() { close(a.committed) }

// Cancel stops the answer's providers; played is how much of its audio was played. Its later reports are ignored.
func (a *Answer) Cancel(played time.Duration) {
	if a.onCancel != nil {
		a.onCancel(played)
	}
	a.cancel()
}

// SetBuffered sets how much audio waits to be played, which limits how much more is synthesised.
func (a *Answer) SetBuffered(d time.Duration) { a.buffered.Store(int64(d)) }

// SayFiller synthesises a text while the answer's tools run. One that cannot be taken yet is dropped.
func (a *Answer) SayFiller(text routing.Rendered) {
	select {
	case a.filler <- text:
	default:
	}
}

// SayMeanwhile synthesises a text at once, before any text of the answer that follows. One that cannot be taken yet is dropped, and so is
// one for which a voice without audio would be needed.
func (a *Answer) SayMeanwhile(text routing.Rendered) {
	select {
	case a.holding <- text:
	default:
	}
}

// ReplaceVoice answers VoiceFailed with another voice.
func (a *Answer) ReplaceVoice(s providers.Speaker) { a.replacement <- s }

// NoReplacementVoice answers VoiceFailed where there is no other voice.
func (a *Answer) NoReplacementVoice() { close(a.replacement) }

// segment is text for the voice, or the texts of a fixed text, or, if empty, a flush.
type segment struct {
	text  speechtext.Text
	fixed []speechtext.Text
}

// segmentWriter sends an answer's text to the voice as it is generated.
type segmentWriter struct {
	ctx      context.Context
	segments chan<- segment
	language string // of the text
}

// writeText sends a complete text, sentence by sentence.
func (s segmentWriter) writeText(text string) error {
	for _, segment := range split(text, s.language) {
		if err := s.writeSegment(segment); err != nil {
			return err
		}
	}
	return nil
}

// split returns the sentences of a complete text.
func split(text, language string) []speechtext.Text {
	segmenter := speechtext.NewSegmenter(language)
	return append(segmenter.Push(text), segmenter.Flush()...)
}

// writeFixed sends a text that the model did not generate. Where it is fixed, it is an utterance of its own.
func (s segmentWriter) writeFixed(text routing.Rendered) error {
	if !isCacheable(text) {
		return s.writeText(text.Text)
	}
	return s.send(segment{fixed: split(text.Text, s.language)})
}

func (s segmentWriter) writeSegment(text speechtext.Text) error { return s.send(segment{text: text}) }

// flush ends the utterance, so that all text so far is spoken. It precedes a wait: a provider may close an utterance that
// receives no text for a while.
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

// report sends an event to the session's loop, unless the answer is cancelled.
func (a *Answer) report(e Event) {
	select {
	case a.reports <- Report{a, time.Now(), e}:
	case <-a.ctx.Done():
	}
}
