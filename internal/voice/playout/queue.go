// Package playout paces the audio of an agent's text, and tracks how much of the text was played.
package playout

import (
	"time"

	"parley/internal/dialogue"
	"parley/internal/voice/speechtext"
)

// frameSamples is the length of one played frame, 20 ms.
const frameSamples = dialogue.SpeakRate / 50

// MaxLateness is how late a frame may be before the clock is restarted.
const MaxLateness = 100 * time.Millisecond

// Queue plays the audio of one answer of the agent. It paces frames by an absolute
// clock, and can be held (nothing is audible yet), ducked, paused and reset. Between
// answers nothing is sent. It is not safe for concurrent use.
type Queue struct {
	play func(pcm []int16) error

	pcm    []int16         // of this answer; from head on not yet played
	head   int             // samples of pcm that were played
	texts  []textStart     // where each text begins
	words  []dialogue.Word // with their times, if the provider sends them
	origin int             // sample offset from which the voice's word times count
	queued int             // samples of this answer ever queued
	played int             // samples of this answer ever played
	ended  bool            // no more audio follows

	held       bool      // nothing may be audible yet
	paused     bool      // the caller speaks over the agent
	ducked     bool      // a sound over the agent may be speech
	gain       float64   // of the frame that was sent last
	faded      []int16   // buffer of fade
	clockStart time.Time // when the first frame since the start or the last pause was due
	framesSent int       // frames sent since clockStart
}

// NewQueue makes an empty queue. play sends one frame of 20 ms without waiting.
func NewQueue(play func(pcm []int16) error) *Queue { return &Queue{play: play, gain: 1} }

// Reset drops the current answer and starts a new one, held or not.
func (q *Queue) Reset(held bool) {
	*q = Queue{play: q.play, pcm: q.pcm[:0], texts: q.texts[:0], words: q.words[:0], held: held, gain: 1, faded: q.faded}
}

// Append queues more audio of the answer.
func (q *Queue) Append(s dialogue.Speech) {
	if s.Text != "" {
		q.StartText(speechtext.Plain(s.Text))
	}
	for _, w := range s.Words {
		w.Start, w.End = w.Start+duration(q.origin), w.End+duration(q.origin)
		q.words = append(q.words, w)
	}
	if q.head > dialogue.SpeakRate && q.head > len(q.pcm)/2 { // drop audio that was played
		q.pcm = q.pcm[:copy(q.pcm, q.pcm[q.head:])]
		q.head = 0
	}
	q.pcm = append(q.pcm, s.PCM...)
	q.queued += len(s.PCM)
}

// Insert queues speech of another utterance, with word times of its own, before what the voice gives next. The texts begin with its
// segments.
func (q *Queue) Insert(texts []speechtext.Text, speech []dialogue.Speech) {
	origin, before := q.origin, q.queued
	q.origin = q.queued
	for i, s := range speech {
		if len(texts[i]) > 0 {
			q.StartText(texts[i])
		}
		q.Append(s)
	}
	q.origin = origin + q.queued - before
}

// RestartWordTimes makes the word times of the audio that follows count from
// here: the voice begins another utterance.
func (q *Queue) RestartWordTimes() { q.origin = q.queued }

// End marks the answer as complete and fills up its last frame with silence.
func (q *Queue) End() {
	if rest := (len(q.pcm) - q.head) % frameSamples; rest > 0 && !q.ended {
		q.pcm = append(q.pcm, silence[rest:]...)
	}
	q.ended = true
}

var silence [frameSamples]int16

// Release makes a held answer audible.
func (q *Queue) Release() { q.held = false }

// duckedGain is the gain of ducked audio: 15 dB less.
const duckedGain = 0.178

// Duck lowers the audio after the frames already sent.
func (q *Queue) Duck() { q.ducked = true }

// Pause stops playing after the frames already sent.
func (q *Queue) Pause() { q.paused = true }

// Resume continues where Pause stopped, and ends what Duck began.
func (q *Queue) Resume() {
	q.ducked = false
	if q.paused {
		q.paused, q.clockStart, q.gain = false, time.Time{}, 1
	}
}

// fade returns a frame with the target gain, reached within the frame.
func (q *Queue) fade(frame []int16) []int16 {
	to := 1.0
	if q.ducked {
		to = duckedGain
	}
	from := q.gain
	if q.gain = to; from == 1 && to == 1 {
		return frame
	}
	q.faded = append(q.faded[:0], frame...)
	for i, v := range frame {
		q.faded[i] = int16(float64(v) * (from + (to-from)*float64(i)/float64(len(frame))))
	}
	return q.faded
}

// Paused reports whether the queue is paused.
func (q *Queue) Paused() bool { return q.paused }

// Ready reports whether there is a frame to play, now or at a known time.
func (q *Queue) Ready() bool { return !q.held && !q.paused && len(q.pcm)-q.head >= frameSamples }

// Finished reports whether the answer is complete and was played to its end.
func (q *Queue) Finished() bool { return q.ended && q.head == len(q.pcm) }

// Played returns how many samples of the answer were played.
func (q *Queue) Played() int { return q.played }

// PlayedTime returns the duration of the audio that was played.
func (q *Queue) PlayedTime() time.Duration { return duration(q.played) }

// Buffered returns the duration of the audio that waits to be played.
func (q *Queue) Buffered() time.Duration { return duration(q.queued - q.played) }

// NextFrameAt returns when the next frame is due; zero if there is none.
func (q *Queue) NextFrameAt() time.Time {
	if !q.Ready() {
		return time.Time{}
	}
	if q.clockStart.IsZero() {
		return time.Unix(0, 1) // at once
	}
	return q.nextFrameDue()
}

func (q *Queue) nextFrameDue() time.Time {
	return q.clockStart.Add(time.Duration(q.framesSent) * dialogue.FrameDuration)
}

// PlayDue plays every frame that is due. It returns the last error of play; an error
// does not stop the clock.
func (q *Queue) PlayDue(now time.Time) (err error) {
	for q.Ready() {
		if q.clockStart.IsZero() || now.Sub(q.nextFrameDue()) > MaxLateness { // underrun: no burst to catch up
			q.clockStart, q.framesSent = now, 0
		}
		if now.Before(q.nextFrameDue()) {
			break
		}
		frame := q.pcm[q.head : q.head+frameSamples : q.head+frameSamples]
		q.head += frameSamples
		q.framesSent++
		q.played = min(q.played+frameSamples, q.queued)
		if refused := q.play(q.fade(frame)); refused != nil {
			err = refused
		}
	}
	return err
}

func duration(samples int) time.Duration {
	return time.Duration(samples) * time.Second / dialogue.SpeakRate
}

// textStart is where the audio of a text begins.
type textStart struct {
	at   int // sample offset in the answer
	text speechtext.Text
}
