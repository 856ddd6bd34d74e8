package voice

import (
	"context"
	"time"

	"parley/internal/voice/turn"
)

// phase is where a conversation is on its way to the next agent or its end.
type phase int

const (
	// conversing: caller and agent take turns.
	conversing phase = iota
	// introducing: the same; an agent that got the call by a handoff has not spoken
	// yet, because the caller was speaking.
	introducing
	// handingOff: the call goes over to an agent whose providers are being opened.
	handingOff
	// transferring: the caller is being connected with another number.
	transferring
	// apologizing: a provider failed for good; the agent's last words are spoken.
	apologizing
	// closing: the call ends at a known time.
	closing
	phases
)

// takesTurns reports whether actions of turn detection are carried out.
func (p phase) takesTurns() bool { return p == conversing || p == introducing }

// ends reports whether the call is bound to end.
func (p phase) ends() bool { return p == apologizing || p == closing }

// reaction is what the events that depend on the phase do in one of them.
type reaction struct {
	// action of turn detection.
	action func(*Session, context.Context, turn.Action, time.Time)
	// idle: neither side speaks, nor is about to.
	idle func(*Session, context.Context, time.Time)
	// answered: the current answer was played to its end.
	answered func(*Session, context.Context, *answer, time.Time)
	// opened: the providers of the current agent are open.
	opened func(*Session, context.Context)
	// failed: a provider failed and has no replacement. The problem is reported.
	failed func(*Session, context.Context, Problem)
}

// reactions is the table of phases.
var reactions [phases]reaction

// The reactions refer to the table, which therefore cannot be initialised with
// them.
func init() {
	reactions = [phases]reaction{
		conversing:   {(*Session).carryOut, (*Session).speakUnprompted, (*Session).followUp, (*Session).giveVoice, (*Session).apologize},
		introducing:  {(*Session).carryOut, (*Session).introduceAfterNoise, (*Session).followUp, (*Session).giveVoice, (*Session).apologize},
		handingOff:   {(*Session).ignoreAction, nil, (*Session).followUp, (*Session).introduce, (*Session).apologize},
		transferring: {(*Session).ignoreAction, nil, (*Session).followUp, (*Session).giveVoice, (*Session).apologize},
		apologizing:  {(*Session).ignoreAction, nil, (*Session).closeAfterApology, (*Session).giveVoice, (*Session).closeIfMute},
		closing:      {(*Session).ignoreAction, nil, nil, (*Session).giveVoice, (*Session).closeIfMute},
	}
}
