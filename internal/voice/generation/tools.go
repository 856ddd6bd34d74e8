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

// SaveTimeout bounds how long a tool waits until it is saved that it begins:
// calls continue without a database.
const SaveTimeout = 2 * time.Second

// defaultFiller is the filler of tools without one of their own.
const defaultFiller = "One moment, please."

// Bounds of what is saved of tools for a worker that takes over the call.
const (
	maxSaved          = 20
	maxSavedAnswer    = 1000 // bytes of each answer
	maxSavedArguments = 8000 // bytes of the arguments; of longer ones none are saved
)

// Tools runs a tenant's tools. package tool's Runner is one.
type Tools interface {
	Run(ctx context.Context, c tool.Call) tool.Outcome
}

// Execution is one call of a tool. It continues when its answer is interrupted: its result is in the history then.
type Execution struct {
	Round     *Round
	Call      dialogue.ToolCall
	Tool      tool.Definition
	StartedAt time.Time // zero: not started

	Outcome     *tool.Outcome // nil: not ended
	duplicateOf *Execution    // was called before and has not ended: this one awaits its outcome
}

// Round is tools that a model called at once: on its way from the answer to the
// session's loop, which runs them, and back.
type Round struct {
	Answer *Answer
	Calls  []dialogue.ToolCall
	Executions

	done chan RoundResult // buffered for one
}

// RoundResult is what an answer continues with.
type RoundResult struct {
	Messages []dialogue.Message
	// Functions and System are as they are now: tools change what conditions and
	// templates see.
	Functions    routing.Functions
	SystemPrompt string
	// EndsAnswer: the answer ends with Message, which may be empty, because
	// something else follows it.
	EndsAnswer bool
	Message    string
}

// SendResult hands the result to the answer.
func (r *Round) SendResult(result RoundResult) { r.done <- result }

// Executions are the executions of a round, in the order of its calls.
type Executions struct {
	StartedAt    time.Time
	List         []*Execution
	applied      int // how many of them have had their effects
	historyIndex int // in the history, where the first result stands
}

// NextOutcome yields the executions that have ended in the order in which they
// were called: their effects are to be applied in that order.
func (e *Executions) NextOutcome() (*tool.Outcome, bool) {
	if e.applied == len(e.List) || e.List[e.applied].Outcome == nil {
		return nil, false
	}
	e.applied++
	return e.List[e.applied-1].Outcome, true
}

// Ended reports whether all have ended and had their effects.
func (e *Executions) Ended() bool { return e.applied == len(e.List) }

// Filler returns what is said while the round takes long: the filler of its first tool that has one; "" for nothing.
func (e *Executions) Filler() string {
	for _, x := range e.List {
		if line := x.Tool.Config.Filler; line != nil {
			return *line
		}
	}
	return defaultFiller
}

// startable returns the executions that can be started: several at once, but none before the effects of an earlier one
// that it may depend on.
func (e *Executions) startable() (list []*Execution) {
	for n, x := range e.List {
		if !x.StartedAt.IsZero() || x.duplicateOf != nil {
			continue
		}
		waits := slices.ContainsFunc(e.List[min(e.applied, n):n], func(earlier *Execution) bool { return x.Tool.Config.Awaits(earlier.Tool.Config) })
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

// Executor runs the tools of a call. Its methods belong to the session's loop.
type Executor struct {
	tools  Tools
	work   *sync.WaitGroup
	rounds []*Round // those that have not ended
	ended  chan ExecutionEnded
	saved  []SavedExecution
}

// NewExecutor makes an executor; saved is what an earlier session of the call has
// run. Work counts the goroutines.
func NewExecutor(tools Tools, work *sync.WaitGroup, saved []SavedExecution) *Executor {
	return &Executor{tools: tools, work: work, ended: make(chan ExecutionEnded), saved: saved}
}

// Ended yields executions that have ended, for End.
func (e *Executor) Ended() <-chan ExecutionEnded { return e.ended }

// AddRound adds a round, and its calls to the history.
func (e *Executor) AddRound(r *Round, definition func(name string) tool.Definition, h *History) {
	r.StartedAt = time.Now()
	r.historyIndex = h.addRound(r.Calls)
	e.rounds = append(e.rounds, r)
	for _, call := range r.Calls {
		r.List = append(r.List, &Execution{Round: r, Call: call, Tool: definition(call.Name), duplicateOf: e.findRunning(call)})
	}
}

// findRunning returns an earlier call of the same tool with the same arguments that has not ended, or nil: of the same
// answer, or of one that was interrupted.
func (e *Executor) findRunning(call dialogue.ToolCall) *Execution {
	for _, r := range e.rounds {
		for _, x := range r.List {
			if x.Outcome == nil && x.duplicateOf == nil && x.Call.Name == call.Name && template.Same(x.Call.Arguments, call.Arguments) {
				return x
			}
		}
	}
	return nil
}

// StartReady starts the executions of a round that can be started. Each runs once it is
// saved that it begins: were the worker to vanish first, the next one would run it
// again. Save returns a channel that is closed when that is so.
func (e *Executor) StartReady(ctx context.Context, r *Round, prepare func(*Execution) tool.Call, save func() <-chan struct{}) {
	for _, x := range r.startable() {
		x.StartedAt = time.Now()
		e.saved = append(e.saved[max(0, len(e.saved)-maxSaved+1):], SavedExecution{Name: x.Call.Name, Arguments: savedArguments(x.Call)})
		saved := save()
		e.run(ctx, x, prepare(x), saved)
	}
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
			outcome = tool.Outcome{Answer: "The function broke.", Problems: []tool.Problem{{Critical: true, Message: "tool " + call.Name + ": broke"}}}
		}
		select {
		case e.ended <- ExecutionEnded{x, outcome}:
		case <-ctx.Done():
		}
	})
}

// RecordEnd sets the outcome of an execution, and of those that awaited it. It returns the rounds that have not ended.
func (e *Executor) RecordEnd(end ExecutionEnded) []*Round {
	end.Execution.Outcome = &end.Outcome
	for _, r := range e.rounds {
		for _, x := range r.List {
			if x.duplicateOf == end.Execution { // the effects are the other's; what is to follow is for who waits
				x.Outcome = &tool.Outcome{Answer: end.Outcome.Answer, Next: end.Outcome.Next}
			}
		}
	}
	e.recordSavedEnd(end.Execution.Call, end.Outcome.Answer)
	return slices.Clone(e.rounds)
}

// RemoveRound forgets a round that has ended. It reports whether a result of it is new:
// no other round awaits it.
func (e *Executor) RemoveRound(r *Round) (isNew bool) {
	e.rounds = slices.DeleteFunc(e.rounds, func(other *Round) bool { return other == r })
	return slices.ContainsFunc(r.List, func(x *Execution) bool { return !e.isAwaited(x) })
}

// isAwaited reports whether another call awaits an execution's outcome.
func (e *Executor) isAwaited(x *Execution) bool {
	return slices.ContainsFunc(e.rounds, func(r *Round) bool {
		return slices.ContainsFunc(r.List, func(other *Execution) bool { return other.duplicateOf == x })
	})
}

// IsBusy reports whether any round has not ended.
func (e *Executor) IsBusy() bool { return len(e.rounds) > 0 }

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
	for _, r := range e.rounds {
		for _, x := range r.List {
			if x.Outcome == nil && !x.StartedAt.IsZero() {
				list = append(list, x)
			}
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

// Saved returns the tools that were run, as far as they are saved.
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
