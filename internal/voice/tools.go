package voice

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"parley/internal/dialogue"
	"parley/internal/mcpclient"
	"parley/internal/redact"
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
	hidden       *redact.Placeholders
	journal      Journal
	problems     problemLog
	phone        tool.Phone
	dialsPersons bool
	saveSnapshot func() (saved <-chan struct{})
	callID       string
	tenant       tool.Tenant
	sessions     *mcpclient.Sessions // with MCP servers

	maxTransfers int // 0 for no limit
	transfers    int // that tools requested

	// lateResults counts the results that no answer awaited, and readResults those of them that the model has read.
	lateResults, readResults int
	lateAt                   time.Time // of the last one
}

// run runs a round of tools. finish is called if it ends at once, because all of them run in the background.
func (t *toolRunner) run(ctx context.Context, r *generation.Round, finish finishRound) {
	t.executor.AddRound(r, t.router.Tool, t.history)
	t.advance(ctx, r, finish)
}

// finishRound handles the end of a round. isNew: the model has not read its results.
type finishRound func(r *generation.Round, isNew bool)

// advance applies the changes of a round's tools in the order in which they were called, starts those that waited for a change, and calls
// finish when the round has ended.
func (t *toolRunner) advance(ctx context.Context, r *generation.Round, finish finishRound) {
	for {
		for x := r.NextEnded(); x != nil; x = r.NextEnded() {
			t.applyChanges(x)
		}
		if r.Ended() {
			finish(r, t.executor.RemoveRound(r))
			return
		}
		if !t.startReady(ctx, r) {
			return
		}
	}
}

// applyChanges applies the changes of a tool that has ended to the context.
func (t *toolRunner) applyChanges(x *generation.Execution) {
	agent := x.Round.Answer.Agent
	t.router.ApplyChanges(agent, x.Call.Name, x.Outcome.Changes...)
	t.problems.reportWarnings(t.router.Warnings(), agent)
}

// startReady starts the tools of a round that can be started, and reports whether there were any.
func (t *toolRunner) startReady(ctx context.Context, r *generation.Round) bool {
	return t.executor.StartReady(ctx, r, func(x *generation.Execution) tool.Call {
		if x.InBackground() {
			t.writeStart(x)
		}
		return tool.Call{ID: x.Call.ID, CallID: t.callID, Tenant: t.tenant, Name: x.Call.Name, Tool: x.Tool, Arguments: t.hidden.RestoreJSON(x.Call.Arguments), Scope: t.router.ToolScope(r.Answer.Agent, x.Tool), Phone: t.phone, DialsPersons: t.dialsPersons, Sessions: t.sessions}
	}, t.saveSnapshot)
}

// handleEnd handles the end of an execution. finish is called for each round that has ended, and late with the result of a tool that ran
// in the background.
func (t *toolRunner) handleEnd(ctx context.Context, e generation.ExecutionEnded, finish finishRound, late func(*generation.Execution)) {
	x := e.Execution
	rounds := t.executor.RecordEnd(e)
	t.writeEnd(x)
	for _, p := range e.Outcome.Problems {
		t.problems.report(Problem{Service: ToolUse, Critical: p.Critical, Message: p.Message, Agent: x.Round.Answer.Agent, Tool: x.Call.Name, At: time.Now()})
	}
	if x.InBackground() {
		t.applyChanges(x)
		if !t.executor.HasRound(x.Round) {
			late(x)
		}
	}
	for _, r := range rounds {
		t.advance(ctx, r, finish)
	}
	t.saveSnapshot()
}

// entry returns the transcript's entry of an execution.
func (t *toolRunner) entry(x *generation.Execution) Entry {
	call := x.Call
	call.Arguments = t.problems.mask.JSON(call.Arguments)
	return Entry{Role: dialogue.RoleAssistant, At: x.StartedAt, Agent: x.Round.Answer.Agent, Tool: &call}
}

// writeStart writes the start of a tool that runs in the background to the transcript.
func (t *toolRunner) writeStart(x *generation.Execution) {
	e := t.entry(x)
	e.Phase = ToolStarted
	t.journal.EntryAdded(e)
}

// writeEnd writes an execution that has ended to the transcript.
func (t *toolRunner) writeEnd(x *generation.Execution) {
	e, now := t.entry(x), time.Now()
	e.Duration, e.Answer, e.Failed = now.Sub(x.StartedAt), maskAnswer(*t.problems.mask, x.Outcome.Answer), x.Outcome.Failed
	if x.InBackground() {
		e.Phase, e.At = ToolEnded, now
	}
	t.journal.EntryAdded(e)
}

// writeUnfinished writes the executions that have not ended to the transcript: the end of the call cancels them.
func (t *toolRunner) writeUnfinished() {
	for _, x := range t.executor.Unfinished() {
		e := t.entry(x)
		if x.InBackground() {
			e.Phase, e.At = ToolCancelled, time.Now()
		}
		t.journal.EntryAdded(e)
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
		results[n] = x.Result()
		if x.Outcome == nil || x.Outcome.Next == nil || followUp != nil {
			continue
		}
		requested := x.Outcome.Next
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
		t.reportForgotten(r.Answer.Agent, now)
	}
	return messages, followUp
}

func (t *toolRunner) reportForgotten(agent string, now time.Time) {
	t.problems.report(Problem{Service: ToolUse, Agent: agent, At: now,
		Message: fmt.Sprintf("old results of tools are forgotten: the call keeps at most %d KiB in all (limit call_memory)", routing.MaxContext>>10)})
}

// addLateResult adds the result of a tool that ran in the background to the history, and returns its messages.
func (t *toolRunner) addLateResult(x *generation.Execution, now time.Time) []dialogue.Message {
	messages, firstForgotten := t.history.AddLateResult(x.Call, x.Outcome.Answer, t.router.FreeBytes())
	if firstForgotten {
		t.reportForgotten(x.Round.Answer.Agent, now)
	}
	t.countLateResult(now)
	return messages
}

func (t *toolRunner) countLateResult(now time.Time) { t.lateResults, t.lateAt = t.lateResults+1, now }

// followUpNotDone is the message to the model about the action of a tool, %s, that was not executed.
const followUpNotDone = "The caller interrupted: %s was not done. If it is still wanted, it has to be asked for again."

// toolFollowUp is an action that a tool requests for after the answer.
type toolFollowUp struct {
	action   string
	to       routing.Destination // of a handoff or an end
	number   string              // of a transfer
	transfer *tool.Transfer      // of a transfer to a person
	message  string              // to be spoken before it
}

// planFollowUp returns how to execute the action that a tool requests. The error is for the model.
func (t *toolRunner) planFollowUp(next *tool.Next) (*toolFollowUp, error) {
	f := &toolFollowUp{action: next.Action, number: next.Number, transfer: next.Transfer, message: next.Message}
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

// finishRound adds the results of a round to the history, and sends them to its answer if that still awaits them. isNew:
// the model has not read them.
func (s *Session) finishRound(r *generation.Round, isNew bool) {
	now := time.Now()
	s.silence.recordActivity(now)
	a := s.output.current
	awaited := a != nil && a.Answer == r.Answer
	messages, followUp := s.tools.addResults(r, awaited, now)
	if !awaited {
		if isNew {
			s.tools.countLateResult(now)
		}
		s.feed.add(messages...)
		return
	}
	result := generation.RoundResult{Messages: messages, Functions: s.router.Functions(), SystemPrompt: s.router.SystemPrompt()}
	s.reportRouting()
	a.destinations = result.Functions.Destinations
	if followUp != nil {
		a.followUp, result.EndsAnswer, result.Message = followUp, true, followUp.message
	}
	r.SendResult(result)
}

// addLateResult adds the result of a tool that ran in the background, for the next answer.
func (s *Session) addLateResult(x *generation.Execution) {
	now := time.Now()
	s.silence.recordActivity(now)
	s.feed.add(s.tools.addLateResult(x, now)...)
}
