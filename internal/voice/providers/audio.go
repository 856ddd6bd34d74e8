package providers

import (
	"time"

	"parley/internal/dialogue"
)

const (
	// bufferLimit is the most audio that is kept while no recogniser is open.
	bufferLimit = 20 * time.Second
	// Preroll is the audio before speech that is kept for a replacement of the recogniser.
	Preroll = 200 * time.Millisecond
	// Unsettled is the audio before a final transcript that it may not cover yet.
	Unsettled = 300 * time.Millisecond
	// replaySpeed is how many frames of a backlog are written in the time of one,
	// unless the recogniser is Paced. Vendors want audio at about the speed of
	// speech: AssemblyAI may end a session that gets much more of it.
	replaySpeed = 4
	// burst is the backlog that is written to a Paced recogniser at replaySpeed too: it
	// comes from delays in the caller's network rather than from a replay.
	burst = 500 * time.Millisecond
	// silenceBatch is how much silence is written in one message: fewer messages cost
	// less.
	silenceBatch = replaySpeed * dialogue.FrameDuration
	// staleBacklog is the backlog from which the audio belongs to an earlier turn.
	staleBacklog = 50 * time.Millisecond
)

// Paced is a recogniser that limits how fast audio may be sent.
type Paced interface {
	// Pace is the most audio that it accepts, as a multiple of real time; 0 without
	// a limit.
	Pace() float64
}

// AudioBuffer is the caller's audio on its way to the recogniser. Audio without a
// transcript is kept, so that it can be replayed to a recogniser's replacement. The
// zero value is ready.
type AudioBuffer struct {
	pcm      []int16   // the audio that is kept, the newest last
	sent     int       // samples of pcm that were written to the recogniser
	finalize bool      // a final transcript is to be requested once all audio is written
	quiet    bool      // nobody speaks, and no transcript is due
	nextAt   time.Time // when more of a backlog may be written
	pace     float64   // of the recogniser, for a backlog of more than burst; 0 for replaySpeed
	written  positions // of what was written to the recogniser
}

// PushFrame adds a frame.
func (b *AudioBuffer) PushFrame(pcm []int16) {
	if len(b.pcm) >= samples(bufferLimit) {
		b.dropOldest(samples(bufferLimit / 10))
	}
	b.pcm = append(b.pcm, pcm...)
}

// DropSentBefore drops all but the newest audio, but none that was not written.
func (b *AudioBuffer) DropSentBefore(newest time.Duration) {
	if surplus := min(len(b.pcm)-samples(newest), b.sent); surplus > 0 {
		b.dropOldest(surplus)
	}
}

// TrimSilence limits the audio that is kept while nobody speaks and no transcript is due.
func (b *AudioBuffer) TrimSilence() {
	if len(b.pcm) > 2*samples(Preroll) { // not at each frame: it costs a copy
		b.DropSentBefore(Preroll)
	}
}

func (b *AudioBuffer) dropOldest(oldest int) {
	b.pcm = b.pcm[:copy(b.pcm, b.pcm[oldest:])]
	b.sent = max(0, b.sent-oldest)
}

// SetFinalRequested sets whether a final transcript of the audio so far is requested.
func (b *AudioBuffer) SetFinalRequested(wanted bool) { b.finalize = wanted }

// SetQuiet sets whether nobody speaks and no transcript is due: audio is written in batches then.
func (b *AudioBuffer) SetQuiet(quiet bool) { b.quiet = quiet }

// Replay has all audio that is kept written to a new recogniser.
func (b *AudioBuffer) Replay(to dialogue.Recognition) { b.sent, b.pace = 0, paceOf(to) }

// paceOf returns a recogniser's pace; 0 without a limit.
func paceOf(r dialogue.Recognition) float64 {
	if limited, ok := r.(Paced); ok {
		return limited.Pace()
	}
	return 0
}

// DropAll drops all audio so far.
func (b *AudioBuffer) DropAll() { b.pcm, b.sent, b.finalize = b.pcm[:0], 0, false }

// Backlog returns how long it takes to write the audio that was not written.
func (b *AudioBuffer) Backlog() time.Duration {
	unsent := time.Duration(len(b.pcm)-b.sent) * time.Second / dialogue.ListenRate
	if b.pace == 0 || unsent <= burst {
		return unsent / replaySpeed
	}
	return time.Duration(float64(unsent-burst)/b.pace) + burst/replaySpeed
}

// IsStale reports whether the backlog is too long for the current turn.
func (b *AudioBuffer) IsStale() bool { return b.Backlog() > staleBacklog }

// WriteDueAt returns when to call WriteTo; zero for not before the next frame.
func (b *AudioBuffer) WriteDueAt(to dialogue.Recognition) time.Time {
	if to == nil || b.sent == len(b.pcm) && !b.finalize || b.isBatching() {
		return time.Time{}
	}
	return b.nextAt
}

// isBatching reports whether silence is held back until there is a batch of it.
func (b *AudioBuffer) isBatching() bool {
	return b.quiet && !b.finalize && len(b.pcm)-b.sent < samples(silenceBatch)
}

// WriteTo writes the audio that was not written, a backlog at no more than replaySpeed or the recogniser's pace, and then
// requests the final transcript if one is due.
func (b *AudioBuffer) WriteTo(to dialogue.Recognition, now time.Time) (err error) {
	if now.Before(b.nextAt) || b.isBatching() {
		return nil
	}
	b.pace = paceOf(to)
	b.written.begin(to)
	frame := samples(dialogue.FrameDuration)
	if b.quiet && len(b.pcm)-b.sent == samples(silenceBatch) {
		frame = samples(silenceBatch)
	}
	for n := 0; b.sent < len(b.pcm); n++ {
		if n == replaySpeed {
			b.nextAt = now.Add(b.replayPause())
			return err
		}
		end := min(b.sent+frame, len(b.pcm))
		if refused := to.Write(b.pcm[b.sent:end]); refused != nil {
			err = refused
		} else {
			b.written.add(end-b.sent, now.Add(-duration(len(b.pcm)-b.sent)))
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

// replayPause returns the pause after replaySpeed frames of a backlog.
func (b *AudioBuffer) replayPause() time.Duration {
	if b.pace == 0 || len(b.pcm)-b.sent <= samples(burst) {
		return dialogue.FrameDuration
	}
	return time.Duration(replaySpeed * float64(dialogue.FrameDuration) / b.pace)
}

// TimeOf returns when the caller's audio at a position of the recognition came; false if that is not known.
func (b *AudioBuffer) TimeOf(of dialogue.Recognition, position time.Duration) (time.Time, bool) {
	return b.written.timeOf(of, position)
}

func duration(samples int) time.Duration {
	return time.Duration(samples) * time.Second / dialogue.ListenRate
}

// samples returns the number of samples of the caller's audio in a duration.
func samples(d time.Duration) int { return int(d * dialogue.ListenRate / time.Second) }
