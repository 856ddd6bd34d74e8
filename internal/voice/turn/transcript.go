package turn

import (
	"slices"
	"strings"
	"time"

	"parley/internal/dialogue"
)

// transcript is what the caller said in the turn so far.
type transcript struct {
	final          string    // all final transcripts
	lastFinal      string    // the last of them
	interim        string    // the newest interim transcript
	interimChanged time.Time // when its text last changed
	interimSeen    time.Time // when it last came, changed or not
	likelyComplete bool      // the recogniser expects interim to be the whole turn
	text           string    // final and interim together
	unfinished     bool      // text ends where a caller usually goes on
	backchannel    bool      // text asks for no answer
	complete       bool      // the recogniser judges the utterance complete
	completeAt     time.Time

	finalDue     bool      // a final transcript is awaited
	waitFrom     time.Time // the wait for it counts from here, if that is later than the last speech
	accepted     string    // the interim transcript that was accepted when its final one was given up
	orphaned     bool      // interim is of a recogniser that failed
	noRecognizer bool
}

// TranscriptReceived handles a transcript of the recogniser.
func (d *Detector) TranscriptReceived(t dialogue.Transcript, now time.Time) Action {
	text := strings.TrimSpace(t.Text)
	if len(words(text)) == 0 {
		text = "" // punctuation alone is nothing
	}
	text = d.withoutAccepted(text)
	if text != "" && !d.callerSpeaks && now.After(d.finalGivenUpAt()) {
		d.lastSpeech = now // speech too soft for the voice activity detector
	}
	if t.Final {
		text = d.addFinal(text, t.EndOfTurn, now)
	} else {
		d.setInterim(text, now)
		d.likelyComplete = t.LikelyEndOfTurn && text != "" && text == d.interim
	}
	return d.evaluate(text != "" && !d.backchannel, now)
}

// addFinal adds a final transcript to the turn, and returns what counts for it.
func (d *Detector) addFinal(text string, endOfTurn bool, now time.Time) string {
	d.finalDue = false
	if text != "" {
		d.complete = endOfTurn
	} else if d.final != "" && endOfTurn {
		d.complete = true
	}
	if endOfTurn {
		d.completeAt = now
	}
	if text == "" && d.orphaned {
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
	case text == "" && d.orphaned:
		// The recogniser's replacement has not come as far yet.
	case text != d.interim:
		d.interimChanged = now
		d.setWords(d.final, text)
		if text != "" && !d.callerSpeaks {
			d.finalDue = true
		}
	}
}

// withoutAccepted is what a transcript holds beyond the words that were accepted
// because it did not come in time. The last of these may have been half a word.
func (d *Detector) withoutAccepted(text string) string {
	accepted, all := words(d.accepted), words(text)
	sure := max(len(accepted)-1, 1)
	if len(accepted) == 0 || len(all) < sure || !slices.Equal(all[:sure], accepted[:sure]) {
		return text
	}
	return strings.Join(all[min(len(accepted), len(all)):], " ")
}

// RecognitionLost handles the failure of the recogniser. Its last interim
// transcript counts until a replacement hears it better.
func (d *Detector) RecognitionLost(now time.Time) {
	d.noRecognizer, d.waitFrom, d.orphaned = true, now, d.interim != ""
	if d.interim != "" && !d.callerSpeaks {
		d.finalDue = true
	}
}

// RecognitionRestored says when the recogniser's replacement will have received
// all of the caller's audio.
func (d *Detector) RecognitionRestored(at time.Time) { d.noRecognizer, d.waitFrom = false, at }

// gaveUp reports whether a final transcript is not awaited any longer. Without
// a recogniser it is, if there are no words to go by.
func (d *Detector) gaveUp(now time.Time) bool {
	return !now.Before(d.finalGivenUpAt()) && !(d.noRecognizer && d.text == "")
}

// finalGivenUpAt is when a final transcript that is due is given up.
func (d *Detector) finalGivenUpAt() time.Time {
	from := d.lastSpeech
	if d.waitFrom.After(from) {
		from = d.waitFrom
	}
	return from.Add(d.options.TranscriptWait)
}

// acceptInterim takes the interim transcript for the final one that did not come.
func (d *Detector) acceptInterim() {
	d.finalDue = false
	d.accepted = d.interim
	d.setWords(d.text, "")
}

// setWords sets what the caller said, and what follows from it.
func (d *Detector) setWords(final, interim string) {
	d.orphaned = d.orphaned && interim != "" && interim == d.interim
	d.final, d.interim = final, interim
	d.text = join(final, interim)
	d.unfinished, d.backchannel = looksUnfinished(d.text), isBackchannel(d.text)
	d.byNoise = d.byNoise && d.final == "" // an interim transcript may be taken back
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}
