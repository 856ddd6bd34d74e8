package voice

import (
	"slices"
	"strings"
	"time"
)

// staleBackchannel is how long before the agent's end an "mm-hm" must have
// been said to mean nothing; said later it may answer the agent's question.
const staleBackchannel = time.Second

// maxGoOn is how often in a turn the agent goes on after noise. A caller who
// has asked shall get an answer though they coughed; one who sits beside a
// television shall not hear its beginning for ever.
const maxGoOn = 3

// stableInterim is how long an interim transcript must have stood, once the
// caller is silent, to be worth a draft.
const stableInterim = 150 * time.Millisecond

// lateInterim is the silence after which an interim transcript is worth a draft
// that came while the caller still spoke, and so lacks what they said since. A
// final transcript that comes as soon as it is asked for is there by then.
const lateInterim = 300 * time.Millisecond

// Move is what the turn-taker wants done.
type Move int

// The moves.
const (
	// Wait: nothing to do before the next event or deadline.
	Wait Move = iota
	// Draft: what the caller said so far may be the whole turn; prepare an
	// answer to it, but play nothing.
	Draft
	// Discard: the caller goes on, or has said nothing; forget the draft.
	Discard
	// Commit: the turn is over; let the answer be heard.
	Commit
	// Pause the agent's audio: somebody speaks over it.
	Pause
	// Resume the paused audio: it was a cough or an "mm-hm".
	Resume
	// Interrupt: the caller has taken the floor; drop the agent's audio.
	Interrupt
	// GoOn: what interrupted the agent held no word after all; let it go on.
	GoOn
)

// TurnTaker decides who has the floor. It is told what happens, with the time
// it happened, and answers with a move; it has no clock and no goroutine.
type TurnTaker struct {
	options TurnOptions

	callerSpeaks bool
	speechStart  time.Time // of the caller's current or last speech
	lastSpeech   time.Time // last moment the caller was heard

	finals      string    // of the caller's turn so far
	newest      string    // the last of them
	partial     string    // newest text not yet final
	partialAt   time.Time // when it last changed
	partialSeen time.Time // when it last came, changed or not
	text        string    // both together
	unfinished  bool      // text ends where a caller usually goes on
	backchannel bool      // text wants nothing
	complete    bool      // the recogniser judges the utterance complete
	completeAt  time.Time
	awaiting    bool      // a final transcript is due
	awaitedFrom time.Time // the wait for it counts from here, if that is later than lastSpeech
	overdue     string    // what was taken for a final transcript that was given up
	salvaged    bool      // partial is of a recogniser that is no more
	deaf        bool      // there is no recogniser

	drafted  string // the text that the draft answers
	agentOn  bool   // the agent has the floor
	paused   bool
	overlaps bool // the caller's current speech goes over the agent's
	wordless bool // the agent was interrupted, and no word of it has come that stands
	wentOn   int  // how often, in this turn, the agent did after such an interruption
}

// NewTurnTaker makes a turn-taker for a call.
func NewTurnTaker(o TurnOptions) *TurnTaker { return &TurnTaker{options: o, backchannel: true} }

// Tune changes the times that turn-taking goes by.
func (t *TurnTaker) Tune(o TurnOptions) { t.options = o }

// Text is what the caller said in the turn so far.
func (t *TurnTaker) Text() string { return t.text }

// LastSpeech is when the caller was last heard.
func (t *TurnTaker) LastSpeech() time.Time { return t.lastSpeech }

// CallerSpeaks reports whether the caller is speaking.
func (t *TurnTaker) CallerSpeaks() bool { return t.callerSpeaks }

// SpeechStarted tells that the caller has been speaking since start.
func (t *TurnTaker) SpeechStarted(start, now time.Time) Move {
	if t.agentOn && t.backchannel && start.Sub(t.lastSpeech) > staleBackchannel {
		t.write("", "")
	}
	t.callerSpeaks, t.awaiting, t.complete = true, false, false
	t.overdue = ""
	t.speechStart, t.lastSpeech = start, now
	t.overlaps = t.agentOn
	if t.drafted != "" {
		t.drafted = ""
		return Discard
	}
	return t.Elapsed(now)
}

// SpeechGoesOn tells that the caller is still being heard.
func (t *TurnTaker) SpeechGoesOn(now time.Time) Move {
	t.lastSpeech, t.complete = now, false
	return t.Elapsed(now)
}

// SpeechEnded tells that the caller fell silent at last; a final transcript of
// it has been asked for.
func (t *TurnTaker) SpeechEnded(last, now time.Time) Move {
	t.callerSpeaks, t.lastSpeech = false, last
	t.awaiting = !t.complete || t.completeAt.Before(last)
	return t.Elapsed(now)
}

// Heard tells what the recogniser heard.
func (t *TurnTaker) Heard(text string, final, endOfTurn bool, now time.Time) Move {
	if text = strings.TrimSpace(text); len(words(text)) == 0 {
		text = "" // punctuation alone is nothing
	}
	text = t.unsaid(text)
	if text != "" && !t.callerSpeaks && now.After(t.awaitedUntil()) {
		t.lastSpeech = now // speech too soft for the ear but not for the recogniser
	}
	if !final {
		t.partialSeen = now
	}
	switch {
	case final:
		t.awaiting = false
		if text != "" {
			t.complete = endOfTurn
		} else if t.finals != "" && endOfTurn {
			t.complete = true
		}
		if endOfTurn {
			t.completeAt = now
		}
		if text == "" && t.salvaged {
			text = t.partial // better than nothing
		}
		if text != "" {
			t.newest = text
		}
		t.write(join(t.finals, text), "")
	case text != "" && !t.callerSpeaks && !t.awaiting && t.partial == "" && beginsWith(t.newest, text):
		// It was overtaken by its final transcript.
	case text == "" && t.salvaged:
		// The next recogniser has not got so far yet.
	case text != t.partial:
		t.partialAt = now
		t.write(t.finals, text)
		if text != "" && !t.callerSpeaks {
			t.awaiting = true
		}
	}
	if t.agentOn && text != "" && !t.backchannel {
		return t.interrupt()
	}
	return t.Elapsed(now)
}

// Typed handles a text of the caller's: their turn is complete with it,
// and the agent yields.
func (t *TurnTaker) Typed(text string, now time.Time) Move {
	t.awaiting, t.overdue, t.newest = false, "", text
	t.write(join(t.text, text), "")
	t.backchannel, t.unfinished = false, false
	t.complete, t.completeAt = true, now
	if !t.callerSpeaks {
		t.lastSpeech = now
	}
	if t.agentOn {
		return t.interrupt()
	}
	return t.Elapsed(now)
}

// unsaid is what a transcript holds beyond the words that were taken already
// because it did not come in time. The last of these may have been half a word.
func (t *TurnTaker) unsaid(text string) string {
	taken, all := words(t.overdue), words(text)
	sure := max(len(taken)-1, 1)
	if len(taken) == 0 || len(all) < sure || !slices.Equal(all[:sure], taken[:sure]) {
		return text
	}
	return strings.Join(all[min(len(taken), len(all)):], " ")
}

// Owed reports whether something may have been said that no final transcript
// has come of.
func (t *TurnTaker) Owed() bool { return t.callerSpeaks || t.awaiting || t.partial != "" }

// RecognitionLost tells that the recogniser broke. What it heard last counts
// until another one hears it better.
func (t *TurnTaker) RecognitionLost(now time.Time) {
	t.deaf, t.awaitedFrom, t.salvaged = true, now, t.partial != ""
	if t.partial != "" && !t.callerSpeaks {
		t.awaiting = true
	}
}

// RecognitionBack tells that another recogniser hears the caller, and at what
// time it has heard everything.
func (t *TurnTaker) RecognitionBack(at time.Time) { t.deaf, t.awaitedFrom = false, at }

// gaveUp reports whether a final transcript that is due is not waited for any
// longer. Without a recogniser it is, if there are no words to go by.
func (t *TurnTaker) gaveUp(now time.Time) bool {
	return !now.Before(t.awaitedUntil()) && !(t.deaf && t.text == "")
}

// awaitedUntil is when a final transcript that is due is given up.
func (t *TurnTaker) awaitedUntil() time.Time {
	from := t.lastSpeech
	if t.awaitedFrom.After(from) {
		from = t.awaitedFrom
	}
	return from.Add(t.options.TranscriptWait)
}

// DraftLost tells that the draft could not be made, or is no more.
func (t *TurnTaker) DraftLost() { t.drafted = "" }

// AgentHasFloor tells whether the agent has the floor: it prepares an answer
// that is to be heard, speaks it, or is paused in it.
func (t *TurnTaker) AgentHasFloor(has bool, now time.Time) {
	if has == t.agentOn {
		return
	}
	t.agentOn, t.paused = has, false
	t.overlaps = has && t.callerSpeaks
	t.wordless = false
	if !has && !t.callerSpeaks && t.backchannel && now.Sub(t.lastSpeech) > staleBackchannel {
		t.write("", "")
	}
}

// Elapsed tells that time went by and nothing else.
func (t *TurnTaker) Elapsed(now time.Time) Move {
	if t.agentOn {
		return t.elapsedOverAgent(now)
	}
	if t.callerSpeaks {
		return Wait
	}
	if t.awaiting && t.gaveUp(now) {
		t.awaiting = false
		t.overdue = t.partial
		t.write(t.text, "") // better than nothing
	}
	switch {
	case t.text == "" && t.drafted != "": // the recogniser took back what it had heard
		t.drafted = ""
		return Discard
	case t.due(now):
		return Commit
	case t.draftable(now):
		t.drafted = t.text
		return Draft
	case t.wordless && !t.awaiting && t.text == "":
		t.wordless = false
		t.wentOn++
		return GoOn
	}
	return Wait
}

func (t *TurnTaker) elapsedOverAgent(now time.Time) Move {
	switch over := t.lastSpeech.Sub(t.speechStart); {
	case t.callerSpeaks && t.overlaps && over >= t.options.InterruptAfter:
		return t.interrupt()
	case t.callerSpeaks && t.overlaps && !t.paused && over >= t.options.PauseAfter:
		t.paused = true
		return Pause
	case t.paused && !t.callerSpeaks && now.Sub(t.lastSpeech) >= t.options.ResumeAfter:
		t.paused, t.awaiting = false, false
		t.write("", "") // a backchannel is no turn
		return Resume
	}
	return Wait
}

func (t *TurnTaker) interrupt() Move {
	t.agentOn, t.paused, t.overlaps = false, false, false
	t.wordless = t.finals == "" && t.wentOn < maxGoOn
	return Interrupt
}

// due reports whether the caller's turn is over.
func (t *TurnTaker) due(now time.Time) bool {
	return !t.callerSpeaks && !t.awaiting && t.finals != "" && now.Sub(t.lastSpeech) >= t.endpoint()
}

// draftable reports whether there is something new and firm enough to answer.
func (t *TurnTaker) draftable(now time.Time) bool {
	firm := !t.awaiting
	if t.partial != "" {
		firm = !now.Before(t.firmAt())
	}
	return firm && t.text != "" && !sameWords(t.text, t.drafted)
}

// firmAt is when an interim transcript is worth a draft.
func (t *TurnTaker) firmAt() time.Time {
	at := t.partialAt.Add(stableInterim)
	if missed := t.lastSpeech.Add(lateInterim); t.partialSeen.Before(t.lastSpeech) && missed.After(at) {
		return missed
	}
	return at
}

// endpoint is the silence that ends the turn as it stands.
func (t *TurnTaker) endpoint() time.Duration {
	switch {
	case t.complete:
		return t.options.EndpointComplete
	case t.unfinished:
		return t.options.EndpointUnfinished
	default:
		return t.options.EndpointDefault
	}
}

// Deadline is when Elapsed has to be called at the latest; zero for never.
func (t *TurnTaker) Deadline() time.Time {
	switch {
	case t.callerSpeaks:
		return time.Time{} // the next frame tells
	case t.agentOn && t.paused:
		return t.lastSpeech.Add(t.options.ResumeAfter)
	case t.agentOn:
		return time.Time{}
	case t.awaiting && t.partial != "" && !sameWords(t.text, t.drafted):
		return earlier(t.firmAt(), t.awaitedUntil())
	case t.awaiting && t.deaf && t.text == "":
		return time.Time{}
	case t.awaiting:
		return t.awaitedUntil()
	case t.finals != "":
		return t.lastSpeech.Add(t.endpoint())
	}
	return time.Time{}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// Taken hands out the caller's turn and begins the next one.
func (t *TurnTaker) Taken() string {
	text := t.text
	t.write("", "")
	t.complete, t.wordless, t.wentOn, t.drafted, t.newest = false, false, 0, "", ""
	return text
}

// write sets what the caller said, and what follows from it.
func (t *TurnTaker) write(finals, partial string) {
	t.salvaged = t.salvaged && partial != "" && partial == t.partial
	t.finals, t.partial = finals, partial
	t.text = join(finals, partial)
	t.unfinished, t.backchannel = looksUnfinished(t.text), isBackchannel(t.text)
	t.wordless = t.wordless && t.finals == "" // an interim transcript may be taken back
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}
