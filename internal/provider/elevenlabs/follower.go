package elevenlabs

import (
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/dialogue"
	"parley/internal/provider/synthesis"
)

// follower tells the texts of a context apart by counting the letters that the
// alignment says are spoken: it repeats the text as it was sent. Where there
// is no alignment, flush_done tells.
type follower struct {
	synthesis.Track
	letters []int // of each text, spaces not counted
	spoken  int   // letters of the current text that were spoken
	aligned bool  // letters have come
	audible bool  // audio has come since flush_done
	word    dialogue.Word
	words   []dialogue.Word // complete, to be told with their audio
}

func (f *follower) Said(text, spoken string) {
	f.Track.Said(text, spoken)
	f.letters = append(f.letters, count(spoken))
}

// count is the number of letters that are not white space.
func count(text string) (n int) {
	for _, field := range strings.Fields(text) {
		n += utf8.RuneCountInString(field)
	}
	return n
}

// Take cuts the audio where the next text begins.
func (f *follower) Take(m synthesis.Message) []dialogue.Speech {
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

// endWord completes the word that the letters so far make.
func (f *follower) endWord() {
	if f.word.Text != "" {
		f.words = append(f.words, f.word)
		f.word = dialogue.Word{}
	}
}

// play plays audio and tells the words that are complete.
func (f *follower) play(audio []byte) {
	f.Play(audio)
	f.Tell(f.words...)
	f.words = nil
}

// Rest tells the last word, and the texts that brought no audio.
func (f *follower) Rest() []dialogue.Speech {
	f.endWord()
	f.play(nil)
	return f.Finish()
}

// Spoken reports nothing: the vendor keeps a context open for minutes.
func (f *follower) Spoken() bool { return false }

func samples(d time.Duration) int { return int(d * dialogue.SpeakRate / time.Second) }

func duration(samples int) time.Duration {
	return time.Duration(samples) * time.Second / dialogue.SpeakRate
}
