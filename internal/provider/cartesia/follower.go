package cartesia

import (
	"time"

	"parley/internal/dialogue"
	"parley/internal/provider/synthesis"
)

// follower tells the texts of a context apart by the flush that follows each:
// flush_id rises, or flush_done comes, or both, with the audio of the next.
// Flushes without audio between them count once, for some servers flush every
// transcript themselves when nothing is to be buffered.
type follower struct {
	synthesis.Track
	from    int  // sample of the utterance at which the context begins
	start   int  // sample at which the current text begins
	before  int  // sample at which the text before it began
	flush   int  // number of the current text, 0 unknown
	audible bool // audio of the current text has come
	flushed int  // texts whose audio is complete
	clock   clock
}

// clock is what word times count from. The documentation does not say whether
// a flush sets it back; the first words after one show it.
type clock int

const (
	unknown clock = iota
	ofContext
	ofText
)

func (f *follower) Take(m synthesis.Message) []dialogue.Speech {
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
	f.tell(m)
	if m.Flushed {
		f.next()
	}
	return f.Pieces()
}

// next has the next audio speak the next text.
func (f *follower) next() {
	if !f.audible {
		return
	}
	f.audible = false
	f.before, f.start = f.start, f.Samples()
	f.flushed++
	f.Next()
}

func (f *follower) tell(m synthesis.Message) {
	if len(m.Words) == 0 {
		return
	}
	late := m.Flush != 0 && m.Flush < f.flush // words of a text whose successor has begun
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
		if !late { // rounding must not put it with the text before
			w.Start = max(w.Start, duration(f.start))
		}
		words = append(words, w)
	}
	f.Tell(words...)
}

// Rest marks the texts that brought no audio.
func (f *follower) Rest() []dialogue.Speech { return f.Finish() }

// Spoken reports whether a flush was done for each text.
func (f *follower) Spoken() bool { return f.flushed >= f.Texts() }

func duration(samples int) time.Duration {
	return time.Duration(samples) * time.Second / dialogue.SpeakRate
}
