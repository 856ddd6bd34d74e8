package elevenlabs

import (
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/dialogue"
	"parley/internal/provider/synthesis"
)

// follower assigns audio to the texts of a context by counting the characters in the alignment, which repeats the
// text as sent. Without an alignment it uses flush_done.
type follower struct {
	synthesis.Track
	letters []int // of each text, spaces not counted
	spoken  int   // letters of the current text that were spoken
	aligned bool  // letters have come
	audible bool  // audio has arrived since flush_done
	word    dialogue.Word
	words   []dialogue.Word // complete words, to be emitted with their audio
}

func (f *follower) Said(text, spoken string) {
	f.Track.Said(text, spoken)
	f.letters = append(f.letters, count(spoken))
}

// count returns the number of letters that are not white space.
func count(text string) (n int) {
	for _, field := range strings.Fields(text) {
		n += utf8.RuneCountInString(field)
	}
	return n
}

// HandleMessage splits the audio where the next text starts.
func (f *follower) HandleMessage(m synthesis.Message) []dialogue.Speech {
	audio, played := m.Audio, 0
	before := f.Samples()
	f.audible = f.audible || len(audio) > 0
	for _, l := range m.Letters {
		f.aligned = true
		n := count(l.Text)
		if n == 0 { // a space
			f.endWord()
			continue
		}
		if due := f.Due(); due > 0 && due < f.Texts() && f.spoken >= f.letters[due-1] {
			f.endWord()
			at := max(min(2*samples(l.Start), len(audio)), played)
			f.play(audio[played:at])
			played = at
			f.Next()
			f.spoken = 0
		}
		f.spoken += n
		if f.word.Text == "" {
			f.word.Start = duration(before) + l.Start
		}
		f.word.Text += l.Text
		f.word.End = duration(before) + l.End
	}
	f.play(audio[played:])
	if m.Flushed && f.audible && !f.aligned {
		f.audible = false
		f.Next()
	}
	return f.Pieces()
}

// endWord completes the current word.
func (f *follower) endWord() {
	if f.word.Text != "" {
		f.words = append(f.words, f.word)
		f.word = dialogue.Word{}
	}
}

// play adds audio and emits the complete words.
func (f *follower) play(audio []byte) {
	f.Play(audio)
	f.AddWords(f.words...)
	f.words = nil
}

// Rest emits the last word and marks the texts without audio.
func (f *follower) Rest() []dialogue.Speech {
	f.endWord()
	f.play(nil)
	return f.Finish()
}

// Spoken returns false: the vendor keeps a context open for minutes.
func (f *follower) Spoken() bool { return false }

func samples(d time.Duration) int { return int(d * dialogue.SpeakRate / time.Second) }

func duration(samples int) time.Duration {
	return time.Duration(samples) * time.Second / dialogue.SpeakRate
}
