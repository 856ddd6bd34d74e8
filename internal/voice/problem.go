package voice

import (
	"errors"
	"time"

	"parley/internal/dialogue"
	"parley/internal/tool"
	"parley/internal/voice/providers"
	"parley/internal/voice/routing"
)

// problemLog reports problems to the journal.
type problemLog struct {
	journal Journal
	mask    *tool.Mask // shared by the copies of the log: the context may change
}

func (l problemLog) report(p Problem) { l.journal.Problem(l.masked(p)) }

// reportWarnings reports warnings about an agent's routing.
func (l problemLog) reportWarnings(warnings []routing.Warning, agent string) {
	for _, w := range warnings {
		l.report(Problem{Service: Workflow, Critical: w.Critical, Message: w.Message, Agent: agent, At: time.Now()})
	}
}

// masked returns a problem with the values of the user context masked: a provider's error may repeat its request.
func (l problemLog) masked(p Problem) Problem {
	p.Message = l.mask.Text(p.Message)
	return p
}

// problemOf returns the problem of a provider that failed: critical, unless its fallback replaces it.
func problemOf(f providers.Failure) Problem {
	service := Service(f.Choice.Kind)
	if f.Choice.Kind == providers.Realtime {
		service = LLM
	}
	return Problem{Service: service, Critical: !f.Replaced, Message: f.Error(), Provider: f.Choice.Provider, Agent: f.Agent,
		Cause: f.Cause(), Attempts: f.Attempts(), At: f.At}
}

// problemOfError returns the problem of an answer that failed.
func problemOfError(err error, agent string) Problem {
	var failure providers.Failure
	if errors.As(err, &failure) {
		return problemOf(failure)
	}
	return Problem{Service: LLM, Critical: true, Message: dialogue.Summary(err), Agent: agent, At: time.Now()}
}
