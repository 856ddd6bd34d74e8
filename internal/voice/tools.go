package voice

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"parley/internal/dialogue"
	"parley/internal/tool"
	"parley/internal/voice/generation"
	"parley/internal/voice/routing"
)

// toolRunner runs the tools that the model calls, in rounds, applies their changes to the call's context, and writes
// their results to the history and the transcript.
type toolRunner struct {
	executor     *generation.Executor
	router       *routing.Router
	history      *generation.History
	journal      Journal
	problems     problemLog
	phone        tool.Phone
	saveSnapshot func() (saved <-chan struct{})
	callID       string

	maxTransfers int // 0 for no limit
	transfers    int // that tools requested

	lateResults bool // there are results that no answer awaited and the model has not read
}

// run runs a round of tools.
func (t *toolRunner) run(ctx context.Context, r *generation.Round) {
	t.executor.AddRound(r, t.router.Tool, t.history)
	t.startReady(ctx, r)
}

// startReady starts the tools of a round that can be started.
func (t *toolRunner) startReady(ctx context.Context, r *generation.Round) {
	t.executor.StartReady(ctx, r, func(x *generation.Execution) tool.Call {
		return tool.Call{ID: x.Call.ID, CallID: t.callID, Name: x.Call.Name, Tool: x.Tool, Arguments: x.Call.Arguments, Scope: t.router.ToolScope(r.Answer.Agent, x.Tool), Phone: t.phone}
	}, t.saveSnapshot)
}

// handleEnd handles the end of an execution. Changes are applied in the order in which the tools were called; tools that
// waited for a change are started. finish is called for each round that has ended; isNew: the model has not read its
// results.
func (t *toolRunner) handleEnd(ctx context.Context, e generation.ExecutionEnded, finish func(r *generation.Round, isNew bool)) {
	x := e.Execution
	rounds := t.executor.RecordEnd(e)
	t.writeExecution(x, time.Since(x.StartedAt))
	for _, p := range e.Outcome.Problems {
		t.problems.report(Problem{Service: ToolUse, Critical: p.Critical, Message: p.Message, Agent: x.Round.Answer.Agent, Tool: x.Call.Name, At: time.Now()})
	}
	for _, r := range rounds {
		for outcome, more := r.NextOutcome(); more; outcome, more = r.NextOutcome() {
			t.router.ApplyChanges(r.Answer.Agent, outcome.Changes...)
			t.problems.reportWarnings(t.router.Warnings(), r.Answer.Agent)
		}
		if r.Ended() {
			finish(r, t.executor.RemoveRound(r))
		} else {
			t.startReady(ctx, r)
		}
	}
	t.saveSnapshot()
}

// writeExecution writes an execution to the transcript; duration is 0 for one that did not end.
func (t *toolRunner) writeExecution(x *generation.Execution, duration time.Duration) {
	call := x.Call
	call.Arguments = t.problems.mask.JSON(call.Arguments)
	e := Entry{Role: dialogue.RoleAssistant, At: x.StartedAt, Agent: x.Round.Answer.Agent, Tool: &call, Duration: duration}
	if x.Outcome != nil {
		e.Answer = maskAnswer(t.problems.mask, x.Outcome.Answer)
	}
	t.journal.EntryAdded(e)
}

// writeUnfinished writes the executions that have not ended to the transcript.
func (t *toolRunner) writeUnfinished() {
	for _, x := range t.executor.Unfinished() {
		t.writeExecution(x, 0)
	}
}

// maskAnswer masks a tool's answer: the values within JSON, or else the text.
func maskAnswer(mask tool.Mask, answer string) string {
	if strings.HasPrefix(answer, "{") || strings.HasPrefix(answer, "[") {
		if value := json.RawMessage(answer); json.Valid(value) {
			return string(mask.JSON(value))
		}
	}
	return mask.Text(answer)
}

// addResults adds the results of a round that has ended to the history. It returns their messages, and the first action
// that a tool requests for after the answer; nil for none, and for a round that no answer awaits.
func (t *toolRunner) addResults(r *generation.Round, awaited bool, now time.Time) (messages []dialogue.Message, followUp *toolFollowUp) {
	results := make([]string, len(r.List))
	for n, x := range r.List {
		results[n] = x.Outcome.Answer
		requested := x.Outcome.Next
		if requested == nil || followUp != nil {
			continue
		}
		switch f, err := t.planFollowUp(requested); {
		case err != nil:
			results[n] += "\n" + err.Error()
			t.problems.report(Problem{Service: ToolUse, Message: "tool " + x.Call.Name + ": " + err.Error(), Agent: r.Answer.Agent, Tool: x.Call.Name, At: now})
		case !awaited:
			results[n] += "\n" + fmt.Sprintf(followUpNotDone, requested.Action)
		default:
			followUp = f
			if f.number != "" {
				t.transfers++
			}
		}
	}
	messages, firstForgotten := t.history.SetResults(r, results, t.router.FreeBytes())
	if firstForgotten {
		t.problems.report(Problem{Service: ToolUse, Agent: r.Answer.Agent, At: now,
			Message: fmt.Sprintf("old results of tools are forgotten: the call keeps at most %d KiB in all (limit call_memory)", routing.MaxContext>>10)})
	}
	return messages, followUp
}

// followUpNotDone is the message to the model about the action of a tool, %s, that was not executed.
const followUpNotDone = "The caller interrupted: %s was not done. If it is still wanted, it has to be asked for again."

// toolFollowUp is an action that a tool requests for after the answer.
type toolFollowUp struct {
	action  string
	to      routing.Destination // of a handoff or an end
	number  string              // of a transfer
	message string              // to be spoken before it
}

// planFollowUp returns how to execute the action that a tool requests. The error is for the model.
func (t *toolRunner) planFollowUp(next *tool.Next) (*toolFollowUp, error) {
	f := &toolFollowUp{action: next.Action, number: next.Number, message: next.Message}
	switch {
	case f.number != "" && t.maxTransfers > 0 && t.transfers >= t.maxTransfers:
		return nil, fmt.Errorf("the call cannot be transferred any more: it was tried %d times (limit transfers)", t.transfers)
	case next.Action != tool.Handoff:
		return f, nil
	}
	to, ok := t.router.FindHandoff(next.Agent)
	if !ok {
		return nil, fmt.Errorf("a handoff to %s is not possible here", next.Agent)
	}
	f.to = to
	return f, nil
}

// isAwaitedBy reports whether an answer waits for a round.
func (t *toolRunner) isAwaitedBy(a *answer) bool { return t.executor.RoundOf(a.Answer) != nil }

// roundInSilence returns the round that the current answer waits for while nothing is audible; nil for none.
func (t *toolRunner) roundInSilence(o *agentOutput) *generation.Round {
	if o.current == nil || o.queue.Paused() || o.queue.Ready() {
		return nil
	}
	return t.executor.RoundOf(o.current.Answer)
}

// fillerAt returns when the filler is due, after so much silence; zero for never.
func (t *toolRunner) fillerAt(o *agentOutput, after time.Duration) time.Time {
	r := t.roundInSilence(o)
	if r == nil || o.current.fillerSent || after <= 0 || r.Filler() == "" {
		return time.Time{}
	}
	if o.lastPlayed.After(r.StartedAt) {
		return o.lastPlayed.Add(after)
	}
	return r.StartedAt.Add(after)
}

// speakFiller has the agent speak the filler when it is due, once for each answer.
func (s *Session) speakFiller(now time.Time) {
	r := s.tools.roundInSilence(s.output)
	if r == nil {
		return
	}
	s.agentState.set(Thinking)
	if due := s.tools.fillerAt(s.output, s.settings.FillerAfter); !due.IsZero() && !now.Before(due) {
		s.output.current.fillerSent = true
		s.output.current.SayFiller(r.Filler())
	}
}

// finishRound adds the results of a round to the history, and sends them to its answer if that still awaits them. isNew:
// the model has not read them.
func (s *Session) finishRound(r *generation.Round, isNew bool) {
	now := time.Now()
	s.silence.recordActivity(now)
	a := s.output.current
	awaited := a != nil && a.Answer == r.Answer
	messages, followUp := s.tools.addResults(r, awaited, now)
	if !awaited {
		s.tools.lateResults = s.tools.lateResults || isNew
		s.feed.add(messages...)
		return
	}
	result := generation.RoundResult{Messages: messages, Functions: s.router.Functions(), SystemPrompt: s.router.SystemPrompt()}
	s.reportWarnings()
	a.destinations = result.Functions.Destinations
	if followUp != nil {
		a.followUp, result.EndsAnswer, result.Message = followUp, true, followUp.message
	}
	r.SendResult(result)
}
