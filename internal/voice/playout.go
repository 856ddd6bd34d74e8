package voice

import (
	"strings"
	"time"

	"parley/internal/dialogue"
)

// frameSamples is the length of one frame that is played.
const frameSamples = dialogue.SpeakRate / 50

// maxLateness is how late a frame may be before the clock starts anew.
const maxLateness = 100 * time.Millisecond

// playout is the queue of the agent's audio: paced by an absolute clock,
// held, paused and dropped as turn-taking wants, and remembering what was
// heard of it. Silence is not sent.
type playout struct {
	play func(pcm []int16) error

	pcm    []int16 // not yet played; the front is consumed
	marks  []mark  // where each text begins
	queued int     // samples ever queued in this utterance
	played int     // samples ever played in this utterance
	ended  bool    // no more audio follows

	held   bool      // nothing may be heard yet
	paused bool      // somebody speaks over it
	base   time.Time // when frame 0 of the current run of frames was due
	sent   int       // frames sent since base
}

type mark struct {
	at   int // sample offset in the utterance
	text string
}

// begin starts a new utterance, held or not, and forgets the last.
func (p *playout) begin(held bool) {
	*p = playout{play: p.play, pcm: p.pcm[:0], held: held}
}

// add queues audio; text is what begins to be spoken with it, if anything.
func (p *playout) add(pcm []int16, text string) {
	if text != "" {
		p.marks = append(p.marks, mark{at: p.queued, text: text})
	}
	p.pcm = append(p.pcm, pcm...)
	p.queued += len(pcm)
}

// end tells that the utterance is complete.
func (p *playout) end() { p.ended = true }

// release lets a held utterance be heard.
func (p *playout) release() { p.held = false }

// pause stops playing after the frames already sent.
func (p *playout) pause() { p.paused = true }

// resume goes on where pause stopped.
func (p *playout) resume() { p.paused, p.base = false, time.Time{} }

// ready reports whether there is something to play now or at a known time.
func (p *playout) ready() bool {
	return !p.held && !p.paused && (len(p.pcm) >= frameSamples || p.ended && len(p.pcm) > 0)
}

// audible reports whether the caller hears, or is about to go on hearing, the
// utterance.
func (p *playout) audible() bool { return p.played > 0 && !p.finished() }

// finished reports whether everything was played.
func (p *playout) finished() bool { return p.ended && len(p.pcm) == 0 }

// next is when the next frame is due; zero when there is none.
func (p *playout) next() time.Time {
	if !p.ready() {
		return time.Time{}
	}
	if p.base.IsZero() {
		return time.Unix(0, 1) // at once
	}
	return p.base.Add(time.Duration(p.sent) * dialogue.FrameDuration)
}

// tick plays every frame that is due.
func (p *playout) tick(now time.Time) error {
	for p.ready() {
		if p.base.IsZero() {
			p.base, p.sent = now, 0
		}
		late := now.Sub(p.base.Add(time.Duration(p.sent) * dialogue.FrameDuration))
		if late < 0 {
			return nil
		}
		if late > maxLateness { // ran dry: catching up would be a burst
			p.base, p.sent = now, 0
		}
		var frame [frameSamples]int16
		n := copy(frame[:], p.pcm)
		p.pcm = p.pcm[n:]
		p.sent++
		p.played += n
		if err := p.play(frame[:]); err != nil {
			return err
		}
	}
	return nil
}

// heard is the text that was played so far, cut at a word.
func (p *playout) heard() string {
	var texts []string
	for i, m := range p.marks {
		end := p.queued
		if i+1 < len(p.marks) {
			end = p.marks[i+1].at
		}
		switch {
		case p.played >= end && (p.ended || i+1 < len(p.marks)):
			texts = append(texts, m.text)
		case p.played > m.at:
			if cut := cutWords(m.text, float64(p.played-m.at)/float64(max(end-m.at, 1))); cut != "" {
				texts = append(texts, cut)
			}
		}
	}
	return strings.Join(texts, " ")
}

// cutWords keeps the words that were spoken after a share of the audio.
func cutWords(text string, share float64) string {
	limit := int(share * float64(len(text)))
	if limit >= len(text) {
		return text
	}
	cut := strings.LastIndexByte(text[:max(limit, 0)], ' ')
	if cut < 0 {
		return ""
	}
	return text[:cut]
}
