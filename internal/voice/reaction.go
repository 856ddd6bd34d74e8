package voice

import (
	"context"
	"time"

	"parley/internal/voice/turn"
)

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
