package voice

import (
	"context"
	"time"

	"parley/internal/voice/turn"
)

// phaseHandlers handle, in one phase, the events whose effect depends on the phase.
type phaseHandlers struct {
	// onTurnAction handles an action of turn detection.
	onTurnAction func(*Session, context.Context, turn.Action, time.Time)
	// onIdle is called while neither side speaks, nor is about to; nil does nothing.
	onIdle func(*Session, context.Context, time.Time)
	// onAnswered is called when the answer was played to its end; nil does nothing.
	onAnswered func(*Session, context.Context, *answer, time.Time)
	// onProvidersOpened is called when the current agent's providers are open.
	onProvidersOpened func(*Session, context.Context)
	// onFailure handles a provider's failure without a replacement. The problem is reported already.
	onFailure func(*Session, context.Context, Problem)
}

var handlersByPhase [phases]phaseHandlers

// The handlers refer to the table, which therefore cannot be initialised where it is declared.
func init() {
	handlersByPhase = [phases]phaseHandlers{
		conversing:       {(*Session).executeTurnAction, (*Session).speakUnprompted, (*Session).executeFollowUp, (*Session).sendReplacementVoice, (*Session).apologize},
		greetingPending:  {(*Session).executeTurnAction, (*Session).greetAfterNoise, (*Session).executeFollowUp, (*Session).sendReplacementVoice, (*Session).apologize},
		handingOff:       {(*Session).ignoreTurnAction, nil, nil, (*Session).greetAfterHandoff, (*Session).apologize},
		changingLanguage: {(*Session).ignoreTurnAction, nil, nil, (*Session).answerInLanguage, (*Session).keepLanguage},
		transferring:     {(*Session).ignoreTurnAction, nil, nil, (*Session).sendReplacementVoice, (*Session).apologize},
		holding:          {(*Session).dropTurn, nil, (*Session).endSpeechInTransfer, (*Session).sendReplacementVoice, (*Session).failInTransfer},
		bridged:          {(*Session).ignoreTurnAction, nil, nil, (*Session).sendReplacementVoice, (*Session).ignoreFailure},
		observing:        {(*Session).recordOtherSide, nil, nil, (*Session).sendReplacementVoice, (*Session).ignoreFailure},
		operated:         {(*Session).recordOtherSide, nil, nil, (*Session).sendReplacementVoice, (*Session).ignoreFailure},
		detectingAnswer:  {(*Session).recordOtherSide, nil, nil, (*Session).sendReplacementVoice, (*Session).apologize},
		identifying:      {(*Session).recordOtherSide, nil, (*Session).listenAfterIdentifying, (*Session).sendReplacementVoice, (*Session).apologize},
		leavingMessage:   {(*Session).recordOtherSide, nil, (*Session).endAfterMessage, (*Session).sendReplacementVoice, (*Session).apologize},
		navigating:       {(*Session).recordOtherSide, nil, nil, (*Session).sendReplacementVoice, (*Session).apologize},
		apologizing:      {(*Session).ignoreTurnAction, nil, (*Session).closeAfterApology, (*Session).sendReplacementVoice, (*Session).closeWithoutVoice},
		closing:          {(*Session).ignoreTurnAction, nil, nil, (*Session).sendReplacementVoice, (*Session).closeWithoutVoice},
	}
}
