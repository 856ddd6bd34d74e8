package playout

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"parley/internal/dialogue"
	"parley/internal/voice/speechtext"
)

// samplesPerByte is an upper estimate of the speech of a byte of text, in samples, from 17 bytes a second. It is used for
// text whose audio is not complete.
const samplesPerByte = dialogue.SpeakRate / 17

// EstimateDuration returns an upper estimate of the speech of a text of so many bytes.
func EstimateDuration(bytes int) time.Duration { return duration(bytes * samplesPerByte) }

// StartText adds a text whose audio begins with what is appended next.
func (q *Queue) StartText(text speechtext.Text) {
	q.texts = append(q.texts, textStart{at: q.queued, text: text})
}

// ExtendText appends to the last text.
func (q *Queue) ExtendText(text string) {
	if n := len(q.texts); n > 0 {
		q.texts[n-1].text = append(q.texts[n-1].text, speechtext.Plain(text)...)
	} else {
		q.StartText(speechtext.Plain(text))
	}
}

// Text returns the text whose audio is queued or was played, as the voice speaks it.
func (q *Queue) Text() string {
	var texts []string
	for _, t := range q.texts {
		texts = append(texts, t.text.Spoken())
	}
	return strings.Join(texts, " ")
}

// SpokenText returns the text that was played so far, as it was written, cut at a word.
func (q *Queue) SpokenText() string { return q.playedText(speechtext.Text.Written) }

// VoicedText returns the text that was played so far, as the voice speaks it, cut at a word.
func (q *Queue) VoicedText() string { return q.playedText(speechtext.Text.Spoken) }

func (q *Queue) playedText(form func(speechtext.Text) string) string {
	var played []string
	for i, t := range q.texts {
		last := i+1 == len(q.texts)
		end := q.queued
		if !last {
			end = q.texts[i+1].at
		}
		heard := t.text
		if q.played < end || last && !q.ended {
			heard, _ = t.text.At(q.playedPart(t, end, last && !q.ended))
		}
		if words := form(heard); words != "" {
			played = append(played, words)
		}
	}
	return strings.Join(played, " ")
}

// playedPart returns how many bytes of a text, as it is spoken, were played: by the provider's word times, or else by the played share
// of its audio, which ends at sample end. more: the audio of the text is not complete.
func (q *Queue) playedPart(t textStart, end int, more bool) int {
	if q.played <= t.at {
		return 0
	}
	at, played := duration(t.at), duration(q.played)
	spoken, timed := 0, 0
	for _, w := range q.words {
		if w.Start < at || w.Start >= duration(end) {
			continue
		}
		timed++
		if w.End <= played {
			spoken++
		}
	}
	text := t.text.Spoken()
	if timed > 0 && !isUnspaced(text) {
		return endOfWords(text, spoken)
	} else if timed > 0 {
		return cutAtWord(text, float64(spoken)/float64(timed))
	}
	whole := max(end-t.at, 1)
	if more {
		whole = max(whole, len(text)*samplesPerByte)
	}
	return cutAtWord(text, float64(q.played-t.at)/float64(whole))
}

// DropIncomplete drops the audio of the last text, whose synthesis broke off, and
// returns what of the text is still to be spoken. If it is audible already, the words
// whose audio is complete are kept, or, without word times, those that were played.
func (q *Queue) DropIncomplete() (unspoken []speechtext.Text) {
	if len(q.texts) == 0 {
		return nil
	}
	last := &q.texts[len(q.texts)-1]
	end, kept := last.at, 0
	if q.played > last.at {
		end, kept = q.played, q.playedPart(*last, q.queued, true)
		if words, until := q.completeWords(*last); until > 0 {
			kept, end = words, max(until, q.played)
		}
	}
	q.pcm = q.pcm[:len(q.pcm)-(q.queued-end)]
	q.words = slices.DeleteFunc(q.words, func(w dialogue.Word) bool { return w.End > duration(end) })
	q.queued, q.origin = end, end
	heard, rest := last.text.At(kept)
	if last.text = heard; heard.Spoken() == "" {
		q.texts = q.texts[:len(q.texts)-1]
	}
	if rest.Spoken() == "" {
		return nil
	}
	return []speechtext.Text{rest}
}

// completeWords returns how many bytes of a text are words whose audio is queued to their ends, and the sample at which it ends; 0 if
// the provider sends no word times.
func (q *Queue) completeWords(t textStart) (bytes, until int) {
	n := 0
	for _, w := range q.words {
		if w.Start >= duration(t.at) && w.End <= duration(q.queued) {
			n, until = n+1, int(w.End*dialogue.SpeakRate/time.Second)
		}
	}
	return endOfWords(t.text.Spoken(), n), until
}

// endOfWords returns where the first n words of a text end.
func endOfWords(text string, n int) int {
	rest, end := text, 0
	for ; n > 0 && rest != ""; n-- {
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		if space := strings.IndexFunc(rest, unicode.IsSpace); space >= 0 {
			rest = rest[space:]
		} else {
			rest = ""
		}
		end = len(text) - len(rest)
	}
	return end
}

// cutAtWord returns where the words of a text end that were spoken after a share of its audio; characters in scripts that do not
// separate words.
func cutAtWord(text string, share float64) int {
	limit := int(share * float64(len(text)))
	if limit >= len(text) {
		return len(text)
	}
	cut := 0
	for i, r := range text {
		if i > limit {
			break
		}
		if r == ' ' || unicode.In(r, unspacedScripts...) {
			cut = i
		}
	}
	return cut
}

// unspacedScripts do not separate words by spaces.
var unspacedScripts = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

func isUnspaced(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return unicode.In(r, unspacedScripts...) }) >= 0
}
