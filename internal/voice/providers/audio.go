package providers

import (
	"time"

	"parley/internal/dialogue"
)

const (
	// bufferLimit is the most audio that is kept while there is no recogniser.
	bufferLimit = 20 * time.Second
	// Preroll is what a recogniser gets of the audio before speech.
	Preroll = 200 * time.Millisecond
	// Unsettled is the audio before a final transcript that it may not cover yet.
	Unsettled = 300 * time.Millisecond
	// replaySpeed is how many frames of a backlog are written in the time of one.
	// Vendors want audio at about the speed of speech: AssemblyAI may end a session
	// that gets much more of it.
	replaySpeed = 4
	// silenceBatch is how much silence is written at once: a message for each frame
	// of it would cost much. It is no more than a frame of speech can take along.
	silenceBatch = replaySpeed * dialogue.FrameDuration
	// staleBacklog is the backlog from which audio belongs to the past.
	staleBacklog = 50 * time.Millisecond
)

// AudioBuffer is the caller's audio on its way to the recogniser. Audio of which
// no transcript has come is kept, so that a recogniser's replacement can be given
// it in the middle of an utterance. The zero value is ready.
type AudioBuffer struct {
	pcm      []int16   // what is kept, the newest last
	sent     int       // samples of it that the recogniser has
	finalize bool      // the caller fell silent; a final transcript is wanted
	quiet    bool      // nobody speaks, and no transcript is due
	nextAt   time.Time // when more of a backlog may be written
}

// Push adds a frame.
func (b *AudioBuffer) Push(pcm []int16) {
	if len(b.pcm) >= samples(bufferLimit) {
		b.cut(samples(bufferLimit / 10))
	}
	b.pcm = append(b.pcm, pcm...)
}

// Keep forgets all but the newest audio, as far as it was written.
func (b *AudioBuffer) Keep(newest time.Duration) {
	if surplus := min(len(b.pcm)-samples(newest), b.sent); surplus > 0 {
		b.cut(surplus)
	}
}

// Trim forgets audio while nobody speaks and all that was said is transcribed.
func (b *AudioBuffer) Trim() {
	if len(b.pcm) > 2*samples(Preroll) { // not at each frame: it costs a copy
		b.Keep(Preroll)
	}
}

func (b *AudioBuffer) cut(oldest int) {
	b.pcm = b.pcm[:copy(b.pcm, b.pcm[oldest:])]
	b.sent = max(0, b.sent-oldest)
}

// RequestFinal asks for a final transcript of the audio so far, or does not any
// more.
func (b *AudioBuffer) RequestFinal(wanted bool) { b.finalize = wanted }

// SetQuiet says whether nobody speaks and no transcript is due: silence is
// written in batches then.
func (b *AudioBuffer) SetQuiet(quiet bool) { b.quiet = quiet }

// Replay has a new recogniser get all that is kept.
func (b *AudioBuffer) Replay() { b.sent = 0 }

// Skip has a new recogniser begin with what comes next.
func (b *AudioBuffer) Skip() { b.pcm, b.sent, b.finalize = b.pcm[:0], 0, false }

// Backlog is how long it takes until the recogniser has everything.
func (b *AudioBuffer) Backlog() time.Duration {
	return time.Duration(len(b.pcm)-b.sent) * time.Second / (dialogue.ListenRate * replaySpeed)
}

// IsStale reports whether the backlog belongs to the past.
func (b *AudioBuffer) IsStale() bool { return b.Backlog() > staleBacklog }

// WriteDueAt is when to call WriteTo; zero for not before the next frame.
func (b *AudioBuffer) WriteDueAt(to dialogue.Recognition) time.Time {
	if to == nil || b.sent == len(b.pcm) && !b.finalize || b.isBatching() {
		return time.Time{}
	}
	return b.nextAt
}

// isBatching reports whether silence waits for more of it.
func (b *AudioBuffer) isBatching() bool {
	return b.quiet && !b.finalize && len(b.pcm)-b.sent < samples(silenceBatch)
}

// WriteTo writes what the recogniser does not have yet, a backlog at no more than
// replaySpeed, and asks for the final transcript when that is due.
func (b *AudioBuffer) WriteTo(to dialogue.Recognition, now time.Time) (err error) {
	if now.Before(b.nextAt) || b.isBatching() {
		return nil
	}
	frame := samples(dialogue.FrameDuration)
	if b.quiet && len(b.pcm)-b.sent == samples(silenceBatch) {
		frame = samples(silenceBatch)
	}
	for n := 0; b.sent < len(b.pcm); n++ {
		if n == replaySpeed {
			b.nextAt = now.Add(dialogue.FrameDuration)
			return err
		}
		end := min(b.sent+frame, len(b.pcm))
		if refused := to.Write(b.pcm[b.sent:end]); refused != nil {
			err = refused
		}
		b.sent = end
	}
	if b.finalize {
		b.finalize = false
		if refused := to.Finalize(); refused != nil {
			err = refused
		}
	}
	return err
}

// samples is how many samples of the caller's audio last that long.
func samples(d time.Duration) int { return int(d * dialogue.ListenRate / time.Second) }
