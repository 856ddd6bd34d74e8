package synthesis

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"
	"time"
	"unicode"

	"parley/internal/dialogue"
)

const (
	// maxWaiting bounds the speech that waits for its listener.
	maxWaiting = 2 * 60 * dialogue.SpeakRate
	// suspicious is how long a vendor may be silent about a text until its
	// connection is replaced, once the utterance is given up.
	suspicious = 2 * time.Second
)

// utterance is a dialogue.Utterance: a context at the vendor, or several after
// one another where the vendor closes one before the last text.
type utterance struct {
	voice  *Voice
	link   *link
	caller context.Context
	audio  chan dialogue.Speech
	done   chan struct{}
	ready  chan struct{} // queue or over changed

	mu       sync.Mutex
	context  string   // open at the vendor; "" when none is
	follower Follower // of that context
	heard    time.Time
	asked    time.Time // since when the vendor owes an answer; zero when not
	voiced   int       // samples before the context
	unspoken string    // texts with nothing to be heard in them
	ended    bool      // no more text
	queue    []dialogue.Speech
	waiting  int  // samples in the queue
	over     bool // nothing is added to the queue any more
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

// Say has a text spoken after those before it.
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
	return u.link.send(u.link.vendor.Say(u.context, text))
}

// open sees to it that there is a context to speak in.
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

// leaveIdle leaves a context that the vendor is about to close by itself: what
// is sent to it then may or may not be in time.
func (u *utterance) leaveIdle() {
	idle := u.link.vendor.Limits().Idle
	if u.context != "" && idle > 0 && u.follower.Spoken() && time.Since(u.heard) > idle {
		u.link.forget(u.context)
		u.leave()
	}
}

// leave takes leave of a context that is done.
func (u *utterance) leave() {
	u.push(u.follower.Rest())
	u.voiced = u.follower.Samples()
	u.context, u.follower = "", nil
}

// End says that no more text follows.
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

// closed says why nothing can be said any more, nil when it can.
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

// stopped says who stopped the utterance, nil when nobody did.
func (u *utterance) stopped() error {
	if err := u.caller.Err(); err != nil {
		return err
	}
	if u.voice.ctx.Err() != nil {
		return errClosed
	}
	return nil
}

// take adds what a message of the vendor's brings.
func (u *utterance) take(m Message) {
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
	u.push(u.follower.Take(m))
	if !m.Done || u.over {
		return
	}
	mute := u.follower.Samples() == u.voiced
	u.leave()
	switch {
	case mute:
		u.finish(errMute)
	case u.ended:
		u.finish(nil)
	}
}

// push adds to the queue. A queue that is not emptied ends the utterance: the
// connection is others' too and does not wait.
func (u *utterance) push(pieces []dialogue.Speech) {
	for _, p := range pieces {
		u.waiting += len(p.PCM)
	}
	u.queue = append(u.queue, pieces...)
	if u.waiting > maxWaiting && !u.over {
		u.link.giveUp(u.context, u.ended)
		u.finish(errSlow)
	}
	signal(u.ready)
}

// finish ends the utterance once what is in the queue was delivered.
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

// deliver hands speech to the listener until all is delivered or the context
// ends.
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

// deliverQueue hands on what is there. It reports whether more may come.
func (u *utterance) deliverQueue() bool {
	u.mu.Lock()
	queue, over := u.queue, u.over
	u.queue, u.waiting = nil, 0
	u.mu.Unlock()
	for len(queue) > 0 && u.stopped() == nil { // the select below chooses at random
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

// release parts the utterance from its link.
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
