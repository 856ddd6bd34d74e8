package turn

import (
	"slices"
	"strings"
	"time"

	"parley/internal/dialogue"
)

// addFinal adds a final transcript to the turn, and returns its text: that of the interim transcript where an empty one
// comes from the replacement of a recogniser that failed.
func (d *Detector) addFinal(text string, t dialogue.Transcript, now time.Time) string {
	d.finalDue = false
	switch {
	case text != "":
		d.complete, d.wordsComplete, d.speechEnded = t.EndOfTurn, t.EndOfTurn, t.EndOfSpeech
	case d.final != "" && (t.EndOfTurn || d.wordsComplete): // a complete utterance, and a sound without words after it
		d.complete = true
	case d.final != "":
		d.speechEnded = d.speechEnded || t.EndOfSpeech
	}
	if t.EndOfTurn || t.EndOfSpeech {
		d.endedAt = now
	}
	if text == "" && d.interimOrphaned {
		text = d.interim
	}
	if text != "" {
		d.lastFinal = text
	}
	d.setWords(join(d.final, text), "")
	return text
}

// setInterim replaces the interim transcript.
func (d *Detector) setInterim(text string, now time.Time) {
	d.interimSeen = now
	switch {
	case text != "" && !d.callerSpeaks && !d.finalDue && d.interim == "" && beginsWith(d.lastFinal, text):
		// Its final transcript arrived before it.
	case text == "" && d.interimOrphaned:
		// The recogniser's replacement has not processed this audio yet.
	case text != d.interim:
		d.interimChanged = now
		d.setWords(d.final, text)
		if text != "" && !d.callerSpeaks {
			d.finalDue = true
		}
	}
}

// withoutAccepted returns a late transcript without the words that were accepted from the interim one in its place. The
// last of those may have been half a word.
func (d *Detector) withoutAccepted(text string) string {
	accepted, all := Words(d.accepted), Words(text)
	sure := max(len(accepted)-1, 1)
	if len(accepted) == 0 || len(all) < sure || !slices.Equal(all[:sure], accepted[:sure]) {
		return text
	}
	return strings.Join(all[min(len(accepted), len(all)):], " ")
}

// finalTimedOut reports whether the wait for a final transcript is over. While there is no recogniser and no interim
// transcript, it is not.
func (d *Detector) finalTimedOut(now time.Time) bool {
	return !now.Before(d.finalTimeoutAt()) && !(d.noRecognizer && d.text == "")
}

// finalTimeoutAt returns when the wait for a final transcript ends.
func (d *Detector) finalTimeoutAt() time.Time {
	from := d.lastSpeech
	if d.waitFrom.After(from) {
		from = d.waitFrom
	}
	return from.Add(d.options.TranscriptWait)
}

// acceptInterim uses the interim transcript in place of the final one that did not arrive in time.
func (d *Detector) acceptInterim() {
	d.finalDue = false
	d.accepted = d.interim
	d.setWords(d.text, "")
}

// setWords sets the transcripts of the turn, and what is derived from them.
func (d *Detector) setWords(final, interim string) {
	d.interimOrphaned = d.interimOrphaned && interim != "" && interim == d.interim
	final, finalCut := cutText(final)
	text, textCut := cutText(join(final, interim))
	d.reported = d.reported && SameWords(text, d.text)
	d.final, d.interim, d.text, d.tooLong = final, interim, text, finalCut || textCut
	d.unfinished, d.backchannel = d.vocabulary.looksUnfinished(d.text), d.vocabulary.isBackchannel(d.text)
	d.part = d.vocabulary.isPart(d.text, d.expects)
	d.doubtful = d.doubtful && isShortWord(d.text)
	d.byNoise = d.byNoise && d.final == "" // an interim transcript may be retracted
}

// dropWords drops words over the agent that are no turn. Final ones, and those for which the agent has resumed, are kept for
// TakeIgnored.
func (d *Detector) dropWords() {
	words := d.final
	if words == "" && d.reported {
		words, d.accepted = d.interim, d.interim // its final transcript may still come
	}
	if words != "" {
		d.ignored, d.ignoredAt = join(d.ignored, words), d.lastSpeech
	}
	d.finalDue = false
	d.setWords("", "")
}

// TakeIgnored returns, once, the words that the caller said over the agent without effect, and when; "" for none.
func (d *Detector) TakeIgnored() (words string, at time.Time) {
	words, d.ignored = d.ignored, ""
	return words, d.ignoredAt
}

// MaxText is the most characters of a turn. Words beyond are dropped.
const MaxText = 10_000

// cutText returns the first MaxText characters of a text, and whether there were more.
func cutText(text string) (_ string, cut bool) {
	if len(text) <= MaxText {
		return text, false
	}
	characters := 0
	for at := range text {
		if characters == MaxText {
			return text[:at], true
		}
		characters++
	}
	return text, false
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}
