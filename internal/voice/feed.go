package voice

import (
	"time"

	"parley/internal/dialogue"
)

const (
	// feedLimit is the most audio that is kept for a recogniser that is away.
	feedLimit = 20 * time.Second
	// preroll is what a recogniser gets of the sound before speech.
	preroll = 200 * time.Millisecond
	// unsettled is the part of the audio before a final transcript that it may
	// not cover yet.
	unsettled = 300 * time.Millisecond
	// feedSpeed is how many frames of a backlog are passed on in the time of
	// one. Vendors want audio at about the speed of speech: AssemblyAI may end a
	// session that gets much more of it.
	feedSpeed = 4
	// quietShare is how much silence is passed on at once: a message for each
	// frame of it would cost much and tell little. It is no more than a frame of
	// speech can take along.
	quietShare = feedSpeed * dialogue.FrameDuration
	// staleBacklog is the backlog from which audio belongs to the past.
	staleBacklog = 50 * time.Millisecond
)

// feed is the caller's audio on its way to the recogniser. What no transcript
// has come of is kept, so that another recogniser can be told of it when one
// breaks in the middle of an utterance.
type feed struct {
	pcm      []int16   // what is kept, the newest last
	sent     int       // samples of it that the recogniser has
	finalize bool      // the caller fell silent; a final transcript is wanted
	quiet    bool      // nobody speaks, and no transcript is due
	next     time.Time // when more of a backlog may be passed on
}

// push adds a frame.
func (f *feed) push(pcm []int16) {
	if len(f.pcm) >= samples(feedLimit) {
		f.cut(samples(feedLimit / 10))
	}
	f.pcm = append(f.pcm, pcm...)
}

// keep forgets all but the newest audio, as far as it was passed on.
func (f *feed) keep(newest time.Duration) {
	if surplus := min(len(f.pcm)-samples(newest), f.sent); surplus > 0 {
		f.cut(surplus)
	}
}

// idle tells that nobody speaks, and what was said is transcribed.
func (f *feed) idle() {
	if len(f.pcm) > 2*samples(preroll) { // not at each frame: it costs a copy
		f.keep(preroll)
	}
}

func (f *feed) cut(oldest int) {
	f.pcm = f.pcm[:copy(f.pcm, f.pcm[oldest:])]
	f.sent = max(0, f.sent-oldest)
}

// again has a new recogniser get all that is kept.
func (f *feed) again() { f.sent = 0 }

// skip has a new recogniser begin with what comes next.
func (f *feed) skip() { f.pcm, f.sent, f.finalize = f.pcm[:0], 0, false }

// backlog is how long it takes until the recogniser has everything.
func (f *feed) backlog() time.Duration {
	return time.Duration(len(f.pcm)-f.sent) * time.Second / (dialogue.ListenRate * feedSpeed)
}

// due is when to call pass; zero for not before the next frame.
func (f *feed) due(to dialogue.Recognition) time.Time {
	if to == nil || f.sent == len(f.pcm) && !f.finalize || f.gathering() {
		return time.Time{}
	}
	return f.next
}

// gathering reports whether silence waits for more of it.
func (f *feed) gathering() bool {
	return f.quiet && !f.finalize && len(f.pcm)-f.sent < samples(quietShare)
}

// pass hands the recogniser what it has not yet, a backlog at no more than
// feedSpeed, and asks for the final transcript when that is due.
func (f *feed) pass(to dialogue.Recognition, now time.Time) (err error) {
	if now.Before(f.next) || f.gathering() {
		return nil
	}
	frame := samples(dialogue.FrameDuration)
	if f.quiet && len(f.pcm)-f.sent == samples(quietShare) {
		frame = samples(quietShare)
	}
	for n := 0; f.sent < len(f.pcm); n++ {
		if n == feedSpeed {
			f.next = now.Add(dialogue.FrameDuration)
			return err
		}
		end := min(f.sent+frame, len(f.pcm))
		if refused := to.Write(f.pcm[f.sent:end]); refused != nil {
			err = refused
		}
		f.sent = end
	}
	if f.finalize {
		f.finalize = false
		if refused := to.Finalize(); refused != nil {
			err = refused
		}
	}
	return err
}

// samples is how many samples of the caller's audio last that long.
func samples(d time.Duration) int { return int(d * dialogue.ListenRate / time.Second) }
