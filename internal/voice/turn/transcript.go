package turn

import (
	"slices"
	"strings"
	"time"
)

// addFinal adds a final transcript to the turn, and returns what counts for it.
func (d *Detector) addFinal(text string, endOfTurn bool, now time.Time) string {
	d.finalDue = false
	switch {
	case text != "":
		d.complete, d.wordsComplete = endOfTurn, endOfTurn
	case d.final != "" && (endOfTurn || d.wordsComplete): // what followed a complete utterance held no words
		d.complete = true
	}
	if endOfTurn {
		d.completeAt = now
	}
	if text == "" && d.interimOrphaned {
		text = d.interim // better than nothing
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
		// Its final transcript came first.
	case text == "" && d.interimOrphaned:
		// The recogniser's replacement has not come as far yet.
	case text != d.interim:
		d.interimChanged = now
		d.setWords(d.final, text)
		if text != "" && !d.callerSpeaks {
			d.finalDue = true
		}
	}
}

// withoutAccepted returns the words of a transcript beyond those that were accepted because it did not come in time.
// The last of these may have been half a word.
func (d *Detector) withoutAccepted(text string) string {
	accepted, all := Words(d.accepted), Words(text)
	sure := max(len(accepted)-1, 1)
	if len(accepted) == 0 || len(all) < sure || !slices.Equal(all[:sure], accepted[:sure]) {
		return text
	}
	return strings.Join(all[min(len(accepted), len(all)):], " ")
}

// finalTimedOut reports whether a final transcript is not awaited any longer. Without a recogniser it is, if there is
// no interim transcript.
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

// acceptInterim uses the interim transcript in place of the final one that did not come.
func (d *Detector) acceptInterim() {
	d.finalDue = false
	d.accepted = d.interim
	d.setWords(d.text, "")
}

// setWords sets the transcript of the turn, and what is derived from it.
func (d *Detector) setWords(final, interim string) {
	d.interimOrphaned = d.interimOrphaned && interim != "" && interim == d.interim
	d.final, d.interim = final, interim
	d.text = join(final, interim)
	d.unfinished, d.backchannel = looksUnfinished(d.text), isBackchannel(d.text)
	d.doubtful = d.doubtful && isShortWord(d.text)
	d.byNoise = d.byNoise && d.final == "" // an interim transcript may be retracted
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}
