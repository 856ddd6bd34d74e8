package generation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/internal/dialogue"
	"parley/internal/template"
	"parley/internal/tool"
	"parley/internal/voice/providers"
	"parley/internal/voice/routing"
)

// maxExecution bounds the duration of one call of a tool, with all its requests.
const maxExecution = 5 * time.Minute

// SaveTimeout bounds how long a tool waits until the snapshot that names it is
// saved: calls continue without a database.
const SaveTimeout = 2 * time.Second

// Bounds of the executions that are saved for a worker that takes over the call.
const (
	maxSaved          = 20
	maxSavedAnswer    = 1000 // bytes of each answer
	maxSavedArguments = 8000 // bytes of the arguments; of longer ones none are saved
)

// Tools runs a tenant's tools. package tool's Runner is one.
type Tools interface {
	Run(ctx context.Context, c tool.Call) tool.Outcome
}

// Execution is the execution of one call of a tool. It continues when its answer is interrupted; the result is added to the
// history then.
type Execution struct {
	Round     *Round
	Call      dialogue.ToolCall
	Tool      tool.Definition
	StartedAt time.Time // zero before it is started

	Outcome     *tool.Outcome // nil before it ends
	duplicateOf *Execution    // the same call, made earlier, that has not ended: its outcome is this one's too; nil for none
}

// InBackground reports whether no answer waits for the execution.
func (x *Execution) InBackground() bool { return x.Tool.Config.Async }

// isDetached reports whether its round does not wait for the execution: it runs in the background.
func (x *Execution) isDetached() bool {
	return x.InBackground() && (!x.StartedAt.IsZero() || x.duplicateOf != nil)
}

// Result returns what the model gets when the round ends.
func (x *Execution) Result() string {
	switch {
	case x.Outcome != nil:
		return x.Outcome.Answer
	case x.duplicateOf != nil:
		return RunsAlready
	}
	return Running
}

// Round is the tools that a model called together. The answer sends it to the
// session's loop, which runs them and sends the result back.
type Round struct {
	Answer *Answer
	Calls  []dialogue.ToolCall
	Executions

	done chan RoundResult // buffered for one
}

// RoundResult is what an answer continues with after a round of tools.
type RoundResult struct {
	Messages []dialogue.Message
	// Functions and SystemPrompt are those after the round: tools change the data of
	// conditions and templates.
	Functions    routing.Functions
	SystemPrompt string
	// EndsAnswer: the answer ends with Message, which may be empty; a follow-up is
	// executed then.
	EndsAnswer bool
	Message    string
}

// SendResult sends the result to the answer.
func (r *Round) SendResult(result RoundResult) { r.done <- result }

// Executions are the executions of a round, in the order of its calls.
type Executions struct {
	StartedAt    time.Time
	WaitTexts    int       // that were spoken meanwhile
	WaitTextAt   time.Time // of the last of these
	List         []*Execution
	applied      int // how many of List NextEnded has returned
	historyIndex int // of the message of the first result
}

// NextEnded returns the next execution whose changes are to be applied: in the
// order in which the tools were called. It is nil while that tool runs. Tools that run in the background are passed over.
func (e *Executions) NextEnded() *Execution {
	for e.applied < len(e.List) && e.List[e.applied].isDetached() {
		e.applied++
	}
	if e.applied == len(e.List) || e.List[e.applied].Outcome == nil {
		return nil
	}
	e.applied++
	return e.List[e.applied-1]
}

// Ended reports whether NextEnded has returned all executions.
func (e *Executions) Ended() bool { return e.applied == len(e.List) }

// SpeaksOnWait returns the first execution whose tool configures what the agent says meanwhile; nil for none.
func (e *Executions) SpeaksOnWait() *Execution {
	for _, x := range e.List {
		if c := x.Tool.Config; !x.InBackground() && (c.Filler != nil || c.OnWait != nil) {
			return x
		}
	}
	return nil
}

// startable returns the executions that can be started: all but those that may depend on the changes of an earlier one,
// which are not applied yet.
func (e *Executions) startable() (list []*Execution) {
	for n, x := range e.List {
		if !x.StartedAt.IsZero() || x.duplicateOf != nil {
			continue
		}
		waits := slices.ContainsFunc(e.List[min(e.applied, n):n], func(earlier *Execution) bool {
			return !earlier.isDetached() && x.Tool.Config.Awaits(earlier.Tool.Config)
		})
		if !waits {
			list = append(list, x)
		}
	}
	return list
}

// ExecutionEnded is the end of a tool's execution.
type ExecutionEnded struct {
	Execution *Execution
	Outcome   tool.Outcome
}

// Executor runs the tools of a call. Its methods are for the session's loop.
type Executor struct {
	tools      Tools
	work       *sync.WaitGroup
	rounds     []*Round     // the rounds that have not ended
	background []*Execution // of rounds that have ended
	ended      chan ExecutionEnded
	saved      []SavedExecution
}

// NewExecutor makes an executor; saved is what an earlier session of the call has
// run. work counts the goroutines.
func NewExecutor(tools Tools, work *sync.WaitGroup, saved []SavedExecution) *Executor {
	return &Executor{tools: tools, work: work, ended: make(chan ExecutionEnded), saved: saved}
}

// Ended returns the channel of executions that have ended, for RecordEnd.
func (e *Executor) Ended() <-chan ExecutionEnded { return e.ended }

// AddRound adds a round, and adds its calls to the history.
func (e *Executor) AddRound(r *Round, definition func(name string) tool.Definition, h *History) {
	r.StartedAt = time.Now()
	r.historyIndex = h.addRound(r.Calls)
	e.rounds = append(e.rounds, r)
	for _, call := range r.Calls {
		r.List = append(r.List, &Execution{Round: r, Call: call, Tool: definition(call.Name), duplicateOf: e.findRunning(call)})
	}
}

// findRunning returns the execution, of this answer or of an interrupted one, of the same tool with the same arguments
// that has not ended; nil for none.
func (e *Executor) findRunning(call dialogue.ToolCall) *Execution {
	for _, x := range e.all() {
		if x.Outcome == nil && x.duplicateOf == nil && x.Call.Name == call.Name && template.Same(x.Call.Arguments, call.Arguments) {
			return x
		}
	}
	return nil
}

// all returns the executions of rounds that have not ended, and those that run in the background.
func (e *Executor) all() (list []*Execution) {
	for _, r := range e.rounds {
		list = append(list, r.List...)
	}
	return append(list, e.background...)
}

// StartReady starts the executions of a round that can be started. Each runs after
// the snapshot that names it is saved, so that a worker that takes over the call
// does not run it again. save returns a channel that is closed when it is saved. It reports whether it started any.
func (e *Executor) StartReady(ctx context.Context, r *Round, prepare func(*Execution) tool.Call, save func() <-chan struct{}) (started bool) {
	list := r.startable()
	for _, x := range list {
		x.StartedAt = time.Now()
		e.saved = append(e.saved[max(0, len(e.saved)-maxSaved+1):], SavedExecution{Name: x.Call.Name, Arguments: savedArguments(x.Call)})
		saved := save()
		e.run(ctx, x, prepare(x), saved)
	}
	return len(list) > 0
}

func (e *Executor) run(ctx context.Context, x *Execution, call tool.Call, saved <-chan struct{}) {
	e.work.Go(func() {
		select {
		case <-saved:
		case <-time.After(SaveTimeout):
		case <-ctx.Done():
			return
		}
		limited, cancel := context.WithTimeout(ctx, maxExecution)
		defer cancel()
		var outcome tool.Outcome
		if providers.CatchPanic(func() error { outcome = e.tools.Run(limited, call); return nil }) != nil {
			outcome = tool.Outcome{Failed: true, Answer: "The function broke.", Problems: []tool.Problem{{Critical: true, Message: "tool " + call.Name + ": broke"}}}
		}
		select {
		case e.ended <- ExecutionEnded{x, outcome}:
		case <-ctx.Done():
		}
	})
}

// RecordEnd sets the outcome of an execution and its duplicates. It returns all rounds.
func (e *Executor) RecordEnd(end ExecutionEnded) []*Round {
	end.Execution.Outcome = &end.Outcome
	e.background = slices.DeleteFunc(e.background, func(x *Execution) bool { return x == end.Execution })
	for _, r := range e.rounds {
		for _, x := range r.List {
			if x.duplicateOf == end.Execution && !x.InBackground() { // the changes are applied once; the follow-up is for the answer that waits
				x.Outcome = &tool.Outcome{Answer: end.Outcome.Answer, Next: end.Outcome.Next}
			}
		}
	}
	e.recordSavedEnd(end.Execution.Call, end.Outcome.Answer)
	return slices.Clone(e.rounds)
}

// RemoveRound removes a round that has ended; what runs in the background runs on. It reports whether a result of it is new,
// that is, no duplicate in another round has it.
func (e *Executor) RemoveRound(r *Round) (isNew bool) {
	e.rounds = slices.DeleteFunc(e.rounds, func(other *Round) bool { return other == r })
	for _, x := range r.List {
		if x.Outcome == nil && x.duplicateOf == nil {
			e.background = append(e.background, x)
		}
	}
	return slices.ContainsFunc(r.List, func(x *Execution) bool { return x.Outcome != nil && !e.isAwaited(x) })
}

// HasRound reports whether a round has not ended.
func (e *Executor) HasRound(r *Round) bool { return slices.Contains(e.rounds, r) }

// isAwaited reports whether an execution has a duplicate in a round.
func (e *Executor) isAwaited(x *Execution) bool {
	return slices.ContainsFunc(e.rounds, func(r *Round) bool {
		return slices.ContainsFunc(r.List, func(other *Execution) bool { return other.duplicateOf == x })
	})
}

// IsBusy reports whether a round has not ended, or a tool runs in the background.
func (e *Executor) IsBusy() bool { return len(e.rounds)+len(e.background) > 0 }

// RoundOf returns the round that an answer waits for, or nil.
func (e *Executor) RoundOf(a *Answer) *Round {
	n := slices.IndexFunc(e.rounds, func(r *Round) bool { return r.Answer == a })
	if n < 0 {
		return nil
	}
	return e.rounds[n]
}

// Unfinished returns the executions that have begun and not ended.
func (e *Executor) Unfinished() (list []*Execution) {
	for _, x := range e.all() {
		if x.Outcome == nil && !x.StartedAt.IsZero() {
			list = append(list, x)
		}
	}
	return list
}

// SavedExecution is a tool that was run, so that a worker that takes over the call does not run it again.
type SavedExecution struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Ended     bool            `json:"ended"`
	Answer    string          `json:"answer,omitempty"`
}

// Saved returns the executions to be saved, the last maxSaved.
func (e *Executor) Saved() []SavedExecution { return e.saved }

// DescribeSaved returns the message that lists, for a model, the tools that an earlier session ran.
func DescribeSaved(list []SavedExecution) string {
	var b strings.Builder
	b.WriteString("Functions that were called in this call so far. Do not call them again for the same reason.")
	for _, x := range list {
		answer := x.Answer
		if !x.Ended {
			answer = "not known: it may have been done or not"
		}
		fmt.Fprintf(&b, "\n%s %s: %s", x.Name, x.Arguments, answer)
	}
	return b.String()
}

func savedArguments(call dialogue.ToolCall) json.RawMessage {
	if len(call.Arguments) > maxSavedArguments || !json.Valid(call.Arguments) {
		return json.RawMessage("{}")
	}
	return call.Arguments
}

func (e *Executor) recordSavedEnd(call dialogue.ToolCall, answer string) {
	for n, x := range slices.Backward(e.saved) {
		if x.Name == call.Name && !x.Ended && template.Same(x.Arguments, savedArguments(call)) {
			if len(answer) > maxSavedAnswer {
				answer = strings.ToValidUTF8(answer[:maxSavedAnswer], "")
			}
			e.saved[n].Ended, e.saved[n].Answer = true, answer
			return
		}
	}
}
