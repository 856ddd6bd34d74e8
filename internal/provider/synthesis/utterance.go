package synthesis

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"parley/internal/dialogue"
)

const (
	// maxWaiting limits the speech waiting for its reader.
	maxWaiting = 2 * 60 * dialogue.SpeakRate
	// suspicious is how long a vendor may not answer a text before its connection is replaced, once the utterance
	// is cancelled.
	suspicious = 2 * time.Second
)

// utterance is a dialogue.Utterance: one context at the vendor, or several in sequence where the vendor closes one
// before the last text.
type utterance struct {
	voice  *Voice
	link   *link
	caller context.Context
	audio  chan dialogue.Speech
	done   chan struct{}
	ready  chan struct{} // queue or over changed

	mu       sync.Mutex
	context  string   // open at the vendor; "" for none
	follower Follower // of that context
	heard    time.Time
	asked    time.Time // since when an answer is pending; zero for none
	voiced   int       // samples before the context
	unspoken string    // texts without pronounceable characters
	ended    bool      // no more text
	queue    []dialogue.Speech
	waiting  int  // samples in the queue
	over     bool // nothing more is added to the queue
	err      error
}

// newUtterance returns an utterance that is attached to its link.
func newUtterance(ctx context.Context, v *Voice, l *link) *utterance {
	return &utterance{
		voice: v, link: l, caller: ctx,
		audio: make(chan dialogue.Speech),
		done:  make(chan struct{}),
		ready: make(chan struct{}, 1),
	}
}

// Say queues a text.
func (u *utterance) Say(text string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := u.closed(); err != nil {
		return err
	}
	if u.ended {
		return errEnded
	}
	text = strings.TrimSpace(text)
	mark := strings.TrimSpace(u.unspoken + " " + text)
	if !strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		u.unspoken = mark
		return nil
	}
	if err := u.open(); err != nil {
		return err
	}
	u.unspoken = ""
	u.follower.Said(mark, text)
	if u.asked.IsZero() {
		u.asked = time.Now()
	}
	u.voice.used.Report(dialogue.SpeechUsage{Characters: utf8.RuneCountInString(text) + u.link.vendor.Limits().Separator})
	return u.link.send(u.link.vendor.Say(u.context, text))
}

// open opens a context unless there is one.
func (u *utterance) open() error {
	if u.leaveIdle(); u.context != "" {
		return nil
	}
	id := rand.Text()
	if err := u.link.listen(id, u); err != nil {
		return err
	}
	u.context, u.follower = id, u.link.vendor.Follow(u.voiced)
	return u.link.send(u.link.vendor.Begin(id))
}

// leaveIdle abandons a context that the vendor is about to close, because a message to it might arrive too late.
func (u *utterance) leaveIdle() {
	idle := u.link.vendor.Limits().Idle
	if u.context != "" && idle > 0 && u.follower.Spoken() && time.Since(u.heard) > idle {
		u.link.forget(u.context)
		u.leave()
	}
}

// leave detaches from a completed context.
func (u *utterance) leave() {
	u.push(u.follower.Rest())
	u.voiced = u.follower.Samples()
	u.context, u.follower = "", nil
}

// End marks the end of the text.
func (u *utterance) End() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ended {
		return nil
	}
	if err := u.closed(); err != nil {
		return err
	}
	u.ended = true
	if u.leaveIdle(); u.context == "" {
		u.finish(nil)
		return nil
	}
	return u.link.send(u.link.vendor.End(u.context))
}

func (u *utterance) Audio() <-chan dialogue.Speech { return u.audio }

func (u *utterance) Err() error {
	<-u.done
	return u.err
}

// closed returns why no text is accepted, nil if it is.
func (u *utterance) closed() error {
	switch {
	case u.err != nil:
		return u.err
	case u.over:
		return errEnded
	default:
		return u.stopped()
	}
}

// stopped returns the cause of a cancellation, or nil.
func (u *utterance) stopped() error {
	if err := u.caller.Err(); err != nil {
		return err
	}
	if u.voice.ctx.Err() != nil {
		return errClosed
	}
	return nil
}

// handleMessage handles a message of the vendor.
func (u *utterance) handleMessage(m Message) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.over || m.Context != u.context {
		return
	}
	if m.Err != nil {
		u.finish(m.Err)
		return
	}
	u.heard, u.asked = time.Now(), time.Time{}
	u.push(u.follower.HandleMessage(m))
	if !m.Done || u.over {
		return
	}
	mute := u.follower.Samples() == u.voiced
	u.leave()
	switch {
	case mute:
		u.finish(errNoAudio)
	case u.ended:
		u.finish(nil)
	}
}

// push adds to the queue. A full queue fails the utterance, because the connection is shared and must not block.
func (u *utterance) push(pieces []dialogue.Speech) {
	for _, p := range pieces {
		u.waiting += len(p.PCM)
	}
	u.queue = append(u.queue, pieces...)
	if u.waiting > maxWaiting && !u.over {
		u.link.giveUp(u.context, u.ended)
		u.finish(errOverflow)
	}
	signal(u.ready)
}

// finish ends the utterance once the queue is delivered.
func (u *utterance) finish(err error) {
	if u.unspoken != "" && err == nil {
		u.queue = append(u.queue, dialogue.Speech{Text: u.unspoken})
	}
	u.over, u.err = true, err
	signal(u.ready)
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// deliver sends speech to the reader until everything is delivered or the context ends.
func (u *utterance) deliver() {
	defer close(u.done)
	defer close(u.audio)
	defer u.release()
	for u.deliverQueue() {
		select {
		case <-u.ready:
		case <-u.caller.Done():
		case <-u.voice.ctx.Done():
		}
	}
}

// deliverQueue delivers the queue, and reports whether more may come.
func (u *utterance) deliverQueue() bool {
	u.mu.Lock()
	queue, over := u.queue, u.over
	u.queue, u.waiting = nil, 0
	u.mu.Unlock()
	for len(queue) > 0 && u.stopped() == nil { // select chooses at random
		select {
		case u.audio <- queue[0]:
			queue = queue[1:]
		case <-u.caller.Done():
		case <-u.voice.ctx.Done():
		}
	}
	if len(queue) == 0 && over {
		return false
	}
	err := u.stopped()
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.err == nil {
		u.err = err
	}
	return err == nil
}

// release detaches the utterance from its link.
func (u *utterance) release() {
	u.mu.Lock()
	u.over, u.queue = true, nil
	ignored := !u.asked.IsZero() && u.heard.IsZero() && time.Since(u.asked) > suspicious
	if u.context != "" {
		u.link.giveUp(u.context, u.ended)
	}
	u.mu.Unlock()
	if ignored {
		u.link.retire()
	}
	u.link.detach()
	u.voice.freshen()
}
