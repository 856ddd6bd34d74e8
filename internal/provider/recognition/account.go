package recognition

import (
	"strings"
	"time"

	"parley/internal/dialogue"
)

// answerWait is the limit for a vendor's answer to Finalize when no speech is pending. Vendors do not promise an
// answer then. Together with the preceding 200 ms of silence it is within the default endpointing delay, so it adds
// no latency.
const answerWait = 400 * time.Millisecond

// A vendor that sent nothing for silentFor, and did not answer the last silentAsks Finalize messages, is considered
// stuck.
const (
	silentFor  = 15 * time.Second
	silentAsks = 3
)

// account tracks what was recognised and what is pending. It is used by one goroutine and reads no clock.
type account struct {
	// keepsInterim is that of the Dialect.
	keepsInterim bool

	partial string // the last interim text of a segment that is not final
	likely  bool   // it is likely the whole turn
	speech  bool   // the vendor has detected speech without words so far
	open    bool   // final text arrived without an end of turn
	asked   bool   // a Finalize was sent and not answered

	ignored   int       // consecutive Finalize without a message after them
	lastHeard time.Time // the vendor's last message
}

// recordFinalize records that a Finalize was sent.
func (a *account) recordFinalize() { a.asked = true }

// answerOverdue is called answerWait after the last Finalize was sent. It returns an empty final transcript in place of a
// vendor that has nothing to say, unless words are pending.
func (a *account) answerOverdue() (dialogue.Transcript, bool) {
	if !a.asked {
		return dialogue.Transcript{}, false
	}
	a.ignored++
	if a.partial != "" || a.speech {
		return dialogue.Transcript{}, false
	}
	a.asked = false
	return dialogue.Transcript{Final: true}, true
}

// stuck reports whether the vendor has stopped responding although the connection is open.
func (a *account) stuck(now time.Time) bool {
	return a.ignored >= silentAsks && now.Sub(a.lastHeard) >= silentFor
}

// handleMessage handles a message of the vendor and returns the transcript to deliver, if any.
func (a *account) handleMessage(h Message, now time.Time) (dialogue.Transcript, bool) {
	a.ignored, a.lastHeard = 0, now
	begins := h.Speech && !a.speech && !h.Results
	a.speech = a.speech || h.Speech
	if !h.Results {
		return dialogue.Transcript{SpeechStarted: begins}, begins
	}
	text := strings.TrimSpace(h.Text)
	if !h.Final {
		if text == a.partial && h.LikelyEndOfTurn == a.likely {
			return dialogue.Transcript{}, false
		}
		a.partial, a.likely = text, h.LikelyEndOfTurn
		return dialogue.Transcript{Text: text, LikelyEndOfTurn: h.LikelyEndOfTurn}, true
	}
	a.likely = false
	if text == "" && a.keepsInterim {
		text, h.Words = a.partial, nil
	}
	if text != "" {
		a.partial, a.speech, a.open = "", false, !h.ends()
		a.asked = a.asked && !h.Answer
		return dialogue.Transcript{Text: text, Language: h.Language, Words: h.Words, Final: true, EndOfTurn: h.EndOfTurn, EndOfSpeech: h.EndOfSpeech}, true
	}
	return a.handleEmptyFinal(h)
}

// handleEmptyFinal handles a final result without text. Vendors send many; it matters only when it answers Finalize, ends
// a turn, or withdraws an interim text.
func (a *account) handleEmptyFinal(h Message) (dialogue.Transcript, bool) {
	retracts := a.partial != ""
	a.partial = ""
	if h.Answer || h.ends() {
		a.speech = false
	}
	ends := h.ends() && a.open
	switch {
	case h.Answer && a.asked:
		a.asked = false
	case ends:
	case retracts:
		return dialogue.Transcript{}, true
	default:
		return dialogue.Transcript{}, false
	}
	a.open = a.open && !ends
	return dialogue.Transcript{Final: true, EndOfTurn: ends && h.EndOfTurn, EndOfSpeech: ends && h.EndOfSpeech}, true
}
