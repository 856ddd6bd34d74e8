package voice

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"parley/internal/dialogue"
)

// frameSamples is the length of one frame that is played.
const frameSamples = dialogue.SpeakRate / 50

// maxLateness is how late a frame may be before the clock starts anew.
const maxLateness = 100 * time.Millisecond

// samplesPerByte is how long a byte of text is spoken at most: 17 of them a
// second. It stands in for what is not known before a text was synthesised to
// its end.
const samplesPerByte = dialogue.SpeakRate / 17

// playout is the queue of the agent's audio: paced by an absolute clock,
// held, paused and dropped as turn-taking wants, and remembering what was
// heard of it. Silence is not sent.
type playout struct {
	play func(pcm []int16) error

	pcm    []int16         // of this utterance; from head on not yet played
	head   int             // how much of pcm was played
	marks  []mark          // where each text begins
	words  []dialogue.Word // of the utterance, where the provider tells
	origin int             // where in the utterance the voice that speaks now began
	queued int             // samples ever queued in this utterance
	played int             // samples ever played in this utterance
	ended  bool            // no more audio follows

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
	*p = playout{play: p.play, pcm: p.pcm[:0], marks: p.marks[:0], words: p.words[:0], held: held}
}

// add queues a piece of the utterance.
func (p *playout) add(s dialogue.Speech) {
	if s.Text != "" {
		p.marks = append(p.marks, mark{at: p.queued, text: s.Text})
	}
	for _, w := range s.Words {
		w.Start, w.End = w.Start+duration(p.origin), w.End+duration(p.origin)
		p.words = append(p.words, w)
	}
	if p.head > dialogue.SpeakRate && p.head > len(p.pcm)/2 { // what was played need not be kept
		p.pcm = p.pcm[:copy(p.pcm, p.pcm[p.head:])]
		p.head = 0
	}
	p.pcm = append(p.pcm, s.PCM...)
	p.queued += len(s.PCM)
}

// rewind drops the audio of the text that is not complete, because its voice
// broke, and returns what is left of that text. If it is being heard, the words
// that are complete stay, or, where their times are not known, those that were
// heard.
func (p *playout) rewind() (unspoken []string) {
	if len(p.marks) == 0 {
		return nil
	}
	last := &p.marks[len(p.marks)-1]
	end, kept, rest := last.at, "", last.text
	if p.played > last.at {
		end, kept = p.played, p.cut(*last, p.queued, true)
		if said, until := p.complete(*last); until > 0 {
			kept, end = said, max(until, p.played)
		}
		rest = strings.TrimSpace(strings.TrimPrefix(last.text, kept))
	}
	p.pcm = p.pcm[:len(p.pcm)-(p.queued-end)]
	p.words = slices.DeleteFunc(p.words, func(w dialogue.Word) bool { return w.End > duration(end) })
	p.queued, p.origin = end, end
	if last.text = kept; kept == "" {
		p.marks = p.marks[:len(p.marks)-1]
	}
	if rest == "" {
		return nil
	}
	return []string{rest}
}

// complete is the part of a text whose words are all queued to their ends, and
// where it ends; 0 where the provider tells no times.
func (p *playout) complete(m mark) (said string, until int) {
	n := 0
	for _, w := range p.words {
		if w.Start >= duration(m.at) && w.End <= duration(p.queued) {
			n, until = n+1, int(w.End*dialogue.SpeakRate/time.Second)
		}
	}
	return prefixWords(m.text, n), until
}

// prefixWords are the first words of a text.
func prefixWords(text string, n int) string {
	rest := text
	for ; n > 0 && rest != ""; n-- {
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		if space := strings.IndexFunc(rest, unicode.IsSpace); space >= 0 {
			rest = rest[space:]
		} else {
			rest = ""
		}
	}
	return strings.TrimSpace(text[:len(text)-len(rest)])
}

// breathe tells that the voice begins anew with what follows: its word times
// count from there.
func (p *playout) breathe() { p.origin = p.queued }

// end tells that the utterance is complete.
func (p *playout) end() {
	if rest := (len(p.pcm) - p.head) % frameSamples; rest > 0 && !p.ended {
		p.pcm = append(p.pcm, silence[rest:]...)
	}
	p.ended = true
}

var silence [frameSamples]int16

// release lets a held utterance be heard.
func (p *playout) release() { p.held = false }

// pause stops playing after the frames already sent.
func (p *playout) pause() { p.paused = true }

// resume goes on where pause stopped.
func (p *playout) resume() { p.paused, p.base = false, time.Time{} }

// ready reports whether there is something to play now or at a known time.
func (p *playout) ready() bool { return !p.held && !p.paused && len(p.pcm)-p.head >= frameSamples }

// finished reports whether everything was played.
func (p *playout) finished() bool { return p.ended && p.head == len(p.pcm) }

// next is when the next frame is due; zero when there is none.
func (p *playout) next() time.Time {
	if !p.ready() {
		return time.Time{}
	}
	if p.base.IsZero() {
		return time.Unix(0, 1) // at once
	}
	return p.due()
}

func (p *playout) due() time.Time {
	return p.base.Add(time.Duration(p.sent) * dialogue.FrameDuration)
}

// tick plays every frame that is due. An error of the line does not keep time
// from going by.
func (p *playout) tick(now time.Time) (err error) {
	for p.ready() {
		if p.base.IsZero() || now.Sub(p.due()) > maxLateness { // ran dry: catching up would be a burst
			p.base, p.sent = now, 0
		}
		if now.Before(p.due()) {
			break
		}
		frame := p.pcm[p.head : p.head+frameSamples : p.head+frameSamples]
		p.head += frameSamples
		p.sent++
		p.played = min(p.played+frameSamples, p.queued)
		if refused := p.play(frame); refused != nil {
			err = refused
		}
	}
	return err
}

// heard is the text that was played so far, cut at a word.
func (p *playout) heard() string {
	var texts []string
	for i, m := range p.marks {
		last := i+1 == len(p.marks)
		end := p.queued
		if !last {
			end = p.marks[i+1].at
		}
		if p.played >= end && (p.ended || !last) {
			texts = append(texts, m.text)
			continue
		}
		if cut := p.cut(m, end, last && !p.ended); cut != "" {
			texts = append(texts, cut)
		}
	}
	return strings.Join(texts, " ")
}

// cut keeps the words of a text that were played: by the provider's word
// times, or else by the share of its audio. More tells that audio of the text
// is still to come.
func (p *playout) cut(m mark, end int, more bool) string {
	if p.played <= m.at {
		return ""
	}
	at, played := duration(m.at), duration(p.played)
	said, timed := 0, 0
	for _, w := range p.words {
		if w.Start < at || w.Start >= duration(end) {
			continue
		}
		timed++
		if w.End <= played {
			said++
		}
	}
	if fields := strings.Fields(m.text); timed > 0 && !unspaced(m.text) {
		return strings.Join(fields[:min(said, len(fields))], " ")
	} else if timed > 0 {
		return cutWords(m.text, float64(said)/float64(timed))
	}
	whole := max(end-m.at, 1)
	if more {
		whole = max(whole, len(m.text)*samplesPerByte)
	}
	return cutWords(m.text, float64(p.played-m.at)/float64(whole))
}

// unheard is the length of the audio that waits to be played.
func (p *playout) unheard() time.Duration { return duration(p.queued - p.played) }

func duration(samples int) time.Duration {
	return time.Duration(samples) * time.Second / dialogue.SpeakRate
}

// cutWords keeps the words that were spoken after a share of the audio; where
// none are told apart, the characters.
func cutWords(text string, share float64) string {
	limit := int(share * float64(len(text)))
	if limit >= len(text) {
		return text
	}
	cut := 0
	for i, r := range text {
		if i > limit {
			break
		}
		if r == ' ' || unicode.In(r, scriptsWithoutSpaces...) {
			cut = i
		}
	}
	return text[:cut]
}

// scriptsWithoutSpaces do not tell words apart.
var scriptsWithoutSpaces = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// unspaced reports whether a text is written without spaces between words.
func unspaced(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return unicode.In(r, scriptsWithoutSpaces...) }) >= 0
}
