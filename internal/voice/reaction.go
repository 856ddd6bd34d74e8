package voice

import (
	"context"
	"time"

	"parley/internal/voice/turn"
)

// phaseHandlers is what the events that depend on the phase do in one of them.
type phaseHandlers struct {
	// onTurnAction of turn detection.
	onTurnAction func(*Session, context.Context, turn.Action, time.Time)
	// onIdle: neither side speaks, nor is about to.
	onIdle func(*Session, context.Context, time.Time)
	// onAnswered: the current answer was played to its end.
	onAnswered func(*Session, context.Context, *answer, time.Time)
	// onProvidersOpened: the providers of the current agent are open.
	onProvidersOpened func(*Session, context.Context)
	// onFailure: a provider failed and has no replacement. The problem is reported.
	onFailure func(*Session, context.Context, Problem)
}

// handlersByPhase is the table of phases.
var handlersByPhase [phases]phaseHandlers
