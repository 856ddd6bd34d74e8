package voice

import (
	"strings"
	"time"
	"unicode"
)

// TurnOptions are the times that turn-taking goes by. An agent overrides them
// under config.turn, in milliseconds (see docs/turn-taking.md).
type TurnOptions struct {
	// EndpointComplete is the silence after which a turn ends when the
	// recogniser judges the utterance complete.
	EndpointComplete time.Duration
	// EndpointDefault is the silence that ends any other turn.
	EndpointDefault time.Duration
	// EndpointUnfinished is the silence that ends a turn whose text looks
	// unfinished: a trailing conjunction or filler, digits being read out.
	EndpointUnfinished time.Duration
	// PauseAfter is how much caller speech pauses the agent's audio.
	PauseAfter time.Duration
	// InterruptAfter is how much caller speech is an interruption even
	// without a recognised word.
	InterruptAfter time.Duration
	// ResumeAfter is the silence after which a paused agent goes on when
	// what it heard was no interruption.
	ResumeAfter time.Duration
	// TranscriptWait is how long after the caller's last sound a transcript
	// may still come before the sound is taken for noise.
	TranscriptWait time.Duration
}

// DefaultTurnOptions holds every default of turn-taking.
var DefaultTurnOptions = TurnOptions{
	EndpointComplete:   300 * time.Millisecond,
	EndpointDefault:    600 * time.Millisecond,
	EndpointUnfinished: 1200 * time.Millisecond,
	PauseAfter:         160 * time.Millisecond,
	InterruptAfter:     500 * time.Millisecond,
	ResumeAfter:        400 * time.Millisecond,
	TranscriptWait:     3 * time.Second,
}

// staleBackchannel is how long before the agent's end an "mm-hm" must have
// been said to mean nothing; said later it may answer the agent's question.
const staleBackchannel = time.Second

// Move is what the turn-taker wants done.
type Move int

// The moves.
const (
	// Wait: nothing to do before the next event or deadline.
	Wait Move = iota
	// Draft: what the caller said so far may be the whole turn; prepare an
	// answer to it, but play nothing.
	Draft
	// Discard: the caller goes on; forget the draft.
	Discard
	// Commit: the turn is over; let the answer be heard.
	Commit
	// Pause the agent's audio: somebody speaks over it.
	Pause
	// Resume the paused audio: it was a cough or an "mm-hm".
	Resume
	// Interrupt: the caller has taken the floor; drop the agent's audio.
	Interrupt
)

// TurnTaker decides who has the floor. It is told what happens, with the time
// it happened, and answers with a move; it has no clock and no goroutine.
type TurnTaker struct {
	options TurnOptions

	callerSpeaks bool
	speechStart  time.Time // of the caller's current or last speech
	lastSpeech   time.Time // last moment the caller was heard

	finals   []string // of the caller's turn so far
	partial  string   // newest text not yet final
	complete bool     // the recogniser judges the utterance complete
	awaiting bool     // speech ended, its final transcript has not come

	drafted  bool
	agentOn  bool // the agent has the floor
	paused   bool
	overlaps bool // the caller's current speech goes over the agent's
}

// NewTurnTaker makes a turn-taker for a call.
func NewTurnTaker(o TurnOptions) *TurnTaker { return &TurnTaker{options: o} }

// Text is what the caller said in the turn so far.
func (t *TurnTaker) Text() string {
	parts := t.finals
	if t.partial != "" {
		parts = append(parts[:len(parts):len(parts)], t.partial)
	}
	return strings.Join(parts, " ")
}

// LastSpeech is when the caller was last heard.
func (t *TurnTaker) LastSpeech() time.Time { return t.lastSpeech }

// CallerSpeaks reports whether the caller is speaking.
func (t *TurnTaker) CallerSpeaks() bool { return t.callerSpeaks }

// SpeechStarted tells that the caller has been speaking since start.
func (t *TurnTaker) SpeechStarted(start, now time.Time) Move {
	t.callerSpeaks, t.awaiting, t.complete = true, false, false
	t.speechStart, t.lastSpeech = start, now
	t.overlaps = t.agentOn
	if t.drafted {
		t.drafted = false
		return Discard
	}
	return t.Elapsed(now)
}

// SpeechGoesOn tells that the caller is still being heard.
func (t *TurnTaker) SpeechGoesOn(now time.Time) Move {
	t.lastSpeech = now
	return t.Elapsed(now)
}

// SpeechEnded tells that the caller fell silent at last; a final transcript of
// it has been asked for.
func (t *TurnTaker) SpeechEnded(last, now time.Time) Move {
	t.callerSpeaks, t.awaiting, t.lastSpeech = false, true, last
	return t.Elapsed(now)
}

// Heard tells what the recogniser heard.
func (t *TurnTaker) Heard(text string, final, endOfTurn bool, now time.Time) Move {
	text = strings.TrimSpace(text)
	if !final {
		t.partial = text
	} else {
		t.partial = ""
		t.awaiting = t.awaiting && t.callerSpeaks
		if text != "" {
			t.finals = append(t.finals, text)
			t.complete = endOfTurn
		}
	}
	if t.agentOn {
		if !isBackchannel(t.Text()) {
			return t.interrupt()
		}
		return t.Elapsed(now)
	}
	if final && text != "" && !t.callerSpeaks {
		if t.due(now) {
			return t.Elapsed(now)
		}
		t.drafted = true
		return Draft
	}
	return t.Elapsed(now)
}

// AgentHasFloor tells whether the agent has the floor: it prepares an answer
// that is to be heard, speaks it, or is paused in it.
func (t *TurnTaker) AgentHasFloor(has bool, now time.Time) {
	if has == t.agentOn {
		return
	}
	t.agentOn, t.paused = has, false
	t.overlaps = has && t.callerSpeaks
	if !has && !t.callerSpeaks && now.Sub(t.lastSpeech) > staleBackchannel && isBackchannel(t.Text()) {
		t.finals, t.partial = nil, ""
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
	if t.awaiting && now.Sub(t.lastSpeech) >= t.options.TranscriptWait {
		t.awaiting = false
		if t.partial != "" { // better than nothing
			t.finals, t.partial = append(t.finals, t.partial), ""
		}
	}
	if t.due(now) {
		t.drafted = false
		return Commit
	}
	return Wait
}

func (t *TurnTaker) elapsedOverAgent(now time.Time) Move {
	switch {
	case t.callerSpeaks && t.overlaps && t.lastSpeech.Sub(t.speechStart) >= t.options.InterruptAfter:
		return t.interrupt()
	case t.callerSpeaks && t.overlaps && !t.paused && t.lastSpeech.Sub(t.speechStart) >= t.options.PauseAfter:
		t.paused = true
		return Pause
	case t.paused && !t.callerSpeaks && now.Sub(t.lastSpeech) >= t.options.ResumeAfter:
		t.paused, t.awaiting = false, false
		t.finals, t.partial = nil, "" // a backchannel is no turn
		return Resume
	}
	return Wait
}

func (t *TurnTaker) interrupt() Move {
	t.agentOn, t.paused, t.overlaps = false, false, false
	return Interrupt
}

// due reports whether the caller's turn is over.
func (t *TurnTaker) due(now time.Time) bool {
	return !t.callerSpeaks && !t.awaiting && len(t.finals) > 0 && now.Sub(t.lastSpeech) >= t.endpoint()
}

// endpoint is the silence that ends the turn as it stands.
func (t *TurnTaker) endpoint() time.Duration {
	switch {
	case t.complete:
		return t.options.EndpointComplete
	case looksUnfinished(t.Text()):
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
	case t.awaiting:
		return t.lastSpeech.Add(t.options.TranscriptWait)
	case len(t.finals) > 0:
		return t.lastSpeech.Add(t.endpoint())
	}
	return time.Time{}
}

// Taken hands out the caller's turn and begins the next one.
func (t *TurnTaker) Taken() string {
	text := t.Text()
	t.finals, t.partial, t.complete, t.drafted = nil, "", false, false
	return text
}

// unfinishedEndings are last words after which a caller usually goes on.
var unfinishedEndings = map[string]bool{
	"and": true, "or": true, "but": true, "so": true, "because": true, "if": true, "that": true, "which": true,
	"the": true, "a": true, "an": true, "my": true, "to": true, "of": true, "for": true, "with": true, "at": true,
	"is": true, "are": true, "um": true, "uh": true, "er": true, "hmm": true, "like": true, "well": true,
}

// looksUnfinished reports whether a text ends where a caller usually goes on.
func looksUnfinished(text string) bool {
	words := words(text)
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	return unfinishedEndings[last] || isDigit(last) && !strings.ContainsAny(text[len(text)-1:], ".?!")
}

var digits = map[string]bool{"zero": true, "oh": true, "one": true, "two": true, "three": true, "four": true,
	"five": true, "six": true, "seven": true, "eight": true, "nine": true}

func isDigit(word string) bool {
	return digits[word] || strings.IndexFunc(word, func(r rune) bool { return !unicode.IsDigit(r) }) < 0
}

// backchannels are said to a speaker without wanting the floor.
var backchannels = map[string]bool{"mm-hm": true, "mhm": true, "mm": true, "hmm": true, "uh-huh": true, "uh": true,
	"um": true, "huh": true, "ah": true, "oh": true, "okay": true, "ok": true, "right": true, "yeah": true, "yep": true}

// isBackchannel reports whether a text wants nothing; the empty one does not.
func isBackchannel(text string) bool {
	for _, word := range words(text) {
		if !backchannels[word] {
			return false
		}
	}
	return true
}

// words splits a text into lower-case words without punctuation.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '\''
	})
}
