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

// runTools runs a round of tools that the current answer's model called.
func (s *Session) runTools(ctx context.Context, r *generation.Round) {
	s.tools.AddRound(r, s.router.Tool, &s.history)
	s.startTools(ctx, r)
}

// startTools starts the tools of a round that can be started.
func (s *Session) startTools(ctx context.Context, r *generation.Round) {
	s.tools.StartReady(ctx, r, func(x *generation.Execution) tool.Call {
		return tool.Call{Name: x.Call.Name, Tool: x.Tool, Arguments: x.Call.Arguments, Scope: s.router.ToolScope(r.Answer.Agent, x.Tool), Phone: s.options.Phone}
	}, s.saveSnapshot)
}

// handleToolEnded handles the end of a tool. Tools have their effects in the order
// in which they were called; those that waited for an effect are started.
func (s *Session) handleToolEnded(ctx context.Context, e generation.ExecutionEnded) {
	x := e.Execution
	rounds := s.tools.RecordEnd(e)
	s.writeExecution(x, time.Since(x.StartedAt))
	for _, p := range e.Outcome.Problems {
		s.problems.report(Problem{Service: ToolUse, Critical: p.Critical, Message: p.Message, Agent: x.Round.Answer.Agent, Tool: x.Call.Name, At: time.Now()})
	}
	for _, r := range rounds {
		for outcome, more := r.NextOutcome(); more; outcome, more = r.NextOutcome() {
			s.router.ApplyChanges(r.Answer.Agent, outcome.Changes...)
			s.reportWarnings(r.Answer.Agent)
		}
		if r.Ended() {
			s.finishRound(r, s.tools.RemoveRound(r))
		} else {
			s.startTools(ctx, r)
		}
	}
	s.saveSnapshot()
}

// writeExecution writes a tool's execution into the transcript; duration is 0 for one that did not end.
func (s *Session) writeExecution(x *generation.Execution, duration time.Duration) {
	call := x.Call
	call.Arguments = s.problems.mask.JSON(call.Arguments)
	e := Entry{Role: dialogue.RoleAssistant, At: x.StartedAt, Agent: x.Round.Answer.Agent, Tool: &call, Duration: duration}
	if x.Outcome != nil {
		e.Answer = maskAnswer(s.problems.mask, x.Outcome.Answer)
	}
	s.options.Journal.EntryAdded(e)
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

// finishRound adds a round's results to the history, and passes them to its answer if that still waits for them. isNew:
// the model has not read them yet.
func (s *Session) finishRound(r *generation.Round, isNew bool) {
	now := time.Now()
	s.silence.recordActivity(now)
	awaited := s.current != nil && s.current.Answer == r.Answer
	var next *toolFollowUp
	results := make([]string, len(r.List))
	for n, x := range r.List {
		results[n] = x.Outcome.Answer
		if wanted := x.Outcome.Next; wanted != nil && next == nil {
			switch f, err := s.planFollowUp(wanted); {
			case err != nil:
				results[n] += "\n" + err.Error()
				s.problems.report(Problem{Service: ToolUse, Message: "tool " + x.Call.Name + ": " + err.Error(), Agent: r.Answer.Agent, Tool: x.Call.Name, At: now})
			case !awaited:
				results[n] += "\n" + fmt.Sprintf(followUpNotDone, wanted.Action)
			default:
				next = f
			}
		}
	}
	messages, firstForgotten := s.history.SetResults(r, results, s.router.FreeBytes())
	if firstForgotten {
		s.problems.report(Problem{Service: ToolUse, Agent: r.Answer.Agent, At: now,
			Message: fmt.Sprintf("old results of tools are forgotten: the call keeps at most %d KiB in all (limit call_memory)", routing.MaxContext>>10)})
	}
	if !awaited {
		s.lateResults = s.lateResults || isNew
		s.addToConversation(messages...)
		return
	}
	result := generation.RoundResult{Messages: messages, Functions: s.router.Functions(), SystemPrompt: s.router.SystemPrompt()}
	s.reportWarnings(s.router.Agent())
	s.current.destinations = result.Functions.Destinations
	if next != nil {
		s.current.followUp, result.EndsAnswer, result.Message = next, true, next.message
	}
	r.SendResult(result)
}

// planFollowUp returns how to carry out the action that a tool requests. The error is for the model.
func (s *Session) planFollowUp(next *tool.Next) (*toolFollowUp, error) {
	f := &toolFollowUp{action: next.Action, number: next.Number, message: next.Message}
	if next.Action != tool.Handoff {
		return f, nil
	}
	to, ok := s.router.FindHandoff(next.Agent)
	if !ok {
		return nil, fmt.Errorf("a handoff to %s is not possible here", next.Agent)
	}
	f.to = to
	return f, nil
}

// awaitedRound returns the round of tools that the caller waits for in silence, or nil.
func (s *Session) awaitedRound() *generation.Round {
	if s.current == nil || s.queue.Paused() || s.queue.Ready() {
		return nil
	}
	return s.tools.RoundOf(s.current.Answer)
}

// fillerAt returns when the filler is due; zero for never.
func (s *Session) fillerAt() time.Time {
	r := s.awaitedRound()
	if r == nil || s.current.fillerSent || s.settings.FillerAfter <= 0 || r.Filler() == "" {
		return time.Time{}
	}
	if s.lastPlayed.After(r.StartedAt) {
		return s.lastPlayed.Add(s.settings.FillerAfter)
	}
	return r.StartedAt.Add(s.settings.FillerAfter)
}

// speakFiller has the agent say the filler, once for each answer.
func (s *Session) speakFiller(now time.Time) {
	r := s.awaitedRound()
	if r == nil {
		return
	}
	s.agentState.set(Thinking)
	if due := s.fillerAt(); !due.IsZero() && !now.Before(due) {
		s.current.fillerSent = true
		s.current.SayFiller(r.Filler())
	}
}
