package cartesia

import (
	"time"

	"parley/internal/dialogue"
	"parley/internal/provider/synthesis"
)

// follower assigns audio to the texts of a context by the flush that follows each text: flush_id increases with the
// next text's audio, or flush_done arrives, or both. Flushes without audio between them count once, because some
// servers flush every transcript themselves when buffering is off.
type follower struct {
	synthesis.Track
	from    int  // sample of the utterance at which the context begins
	start   int  // sample at which the current text begins
	before  int  // sample at which the text before it began
	flush   int  // number of the current text, 0 unknown
	audible bool // audio of the current text has arrived
	flushed int  // texts whose audio is complete
	clock   clock
}

// clock is the origin of word times. The documentation does not say whether a flush resets it; the first words
// after one show it.
type clock int

const (
	unknown clock = iota
	ofContext
	ofText
)

func (f *follower) HandleMessage(m synthesis.Message) []dialogue.Speech {
	if m.Flush > f.flush {
		if f.flush != 0 {
			f.next()
		}
		f.flush = m.Flush
	}
	if len(m.Audio) > 0 {
		f.audible = true
		f.Play(m.Audio)
	}
	f.addWords(m)
	if m.Flushed {
		f.next()
	}
	return f.Pieces()
}

// next starts the next text.
func (f *follower) next() {
	if !f.audible {
		return
	}
	f.audible = false
	f.before, f.start = f.start, f.Samples()
	f.flushed++
	f.Next()
}

func (f *follower) addWords(m synthesis.Message) {
	if len(m.Words) == 0 {
		return
	}
	late := m.Flush != 0 && m.Flush < f.flush // words of the previous text
	if f.clock == unknown && f.start > f.from && !late {
		f.clock = ofContext
		if first := m.Words[0].Start; first < duration(f.start-f.from)/2 {
			f.clock = ofText
		}
	}
	origin := f.from
	if f.clock == ofText {
		if origin = f.start; late {
			origin = f.before
		}
	}
	words := make([]dialogue.Word, 0, len(m.Words))
	for _, w := range m.Words {
		w.Start += duration(origin)
		w.End += duration(origin)
		if !late { // rounding must not move it into the previous text
			w.Start = max(w.Start, duration(f.start))
		}
		words = append(words, w)
	}
	f.AddWords(words...)
}

// Rest marks the texts without audio.
func (f *follower) Rest() []dialogue.Speech { return f.Finish() }

// Spoken reports whether every text was flushed.
func (f *follower) Spoken() bool { return f.flushed >= f.Texts() }

func duration(samples int) time.Duration {
	return time.Duration(samples) * time.Second / dialogue.SpeakRate
}
