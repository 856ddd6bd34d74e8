package recognition

import (
	"strings"
	"time"

	"parley/internal/dialogue"
)

// answerWait is how long the vendor has to answer Finalize when it heard
// nothing that a transcript must come of. Vendors do not promise an answer
// then. With the 200 ms of silence before, it is over when the default
// endpointing delay is, so that it makes nobody wait.
const answerWait = 400 * time.Millisecond

// A vendor that said nothing at all for silentFor, and answered none of the
// last silentAsks Finalize, is stuck.
const (
	silentFor  = 15 * time.Second
	silentAsks = 3
)

// account is what was heard and what is due. One goroutine has it; it knows no
// clock of its own.
type account struct {
	partial string // the last interim text, of a stretch that is not final
	likely  bool   // it was likely the whole turn
	speech  bool   // the vendor hears speech that it told no words of
	open    bool   // final text came whose end of turn did not
	asked   bool   // a Finalize was sent and not answered

	ignored   int       // Finalize in a row with no message of the vendor after
	lastHeard time.Time // the vendor's last message
}

// ask notes that a Finalize was sent.
func (a *account) ask() { a.asked = true }

// due is called answerWait after a Finalize was sent, unless another one was.
// It answers for a vendor that has nothing to say. Where words are to come it
// does not: the true answer will have them.
func (a *account) due() (dialogue.Transcript, bool) {
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

// stuck tells that the vendor is there no more, though its connection is.
func (a *account) stuck(now time.Time) bool {
	return a.ignored >= silentAsks && now.Sub(a.lastHeard) >= silentFor
}

// take notes a message of the vendor, and what the caller of the recognition
// has to hear of it.
func (a *account) take(h Heard, now time.Time) (dialogue.Transcript, bool) {
	a.ignored, a.lastHeard = 0, now
	if h.Speech {
		a.speech = true
	}
	if !h.Results {
		return dialogue.Transcript{}, false
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
	if text != "" {
		a.partial, a.speech, a.open = "", false, !h.EndOfTurn
		a.asked = a.asked && !h.Answer
		return dialogue.Transcript{Text: text, Final: true, EndOfTurn: h.EndOfTurn}, true
	}
	return a.takeEmpty(h)
}

// takeEmpty notes a final result without text. Vendors send many of them; one
// is news when it answers Finalize, ends a turn, or takes an interim text back.
func (a *account) takeEmpty(h Heard) (dialogue.Transcript, bool) {
	retracts := a.partial != ""
	a.partial = ""
	if h.Answer || h.EndOfTurn {
		a.speech = false
	}
	ends := h.EndOfTurn && a.open
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
	return dialogue.Transcript{Final: true, EndOfTurn: ends}, true
}
