package generation

import (
	"context"
	"fmt"
	"sync"
	"time"

	"parley/internal/dialogue"
)

// Limits bound what one call may have its model and its tools do. 0 is no limit.
type Limits struct {
	RequestsPerMinute int // to the model, evenly
	RequestsAtOnce    int // of RequestsPerMinute
	Requests          int // to the model, in the call
	RoundCalls        int // tools that the model may call together
	ToolCalls         int // in the call
}

// Budget counts the requests to the model and the calls of tools of one call. It may be used concurrently; nil has no limits.
type Budget struct {
	limits Limits

	mu        sync.Mutex
	available float64 // requests that may be made at once; negative while some wait
	at        time.Time
	requests  int
	toolCalls int
}

// NewBudget makes the budget of a call.
func NewBudget(l Limits) *Budget {
	return &Budget{limits: l, available: float64(l.RequestsAtOnce), at: time.Now()}
}

// AllowsPreemptive reports whether a request may be made for an answer that may be discarded: half of the requests at once are kept for
// answers that will be spoken.
func (b *Budget) AllowsPreemptive() bool {
	if b == nil || b.limits.RequestsPerMinute == 0 {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refill(time.Now())
	return b.available >= float64(b.limits.RequestsAtOnce)/2
}

func (b *Budget) refill(now time.Time) {
	b.available = min(float64(b.limits.RequestsAtOnce), b.available+now.Sub(b.at).Minutes()*float64(b.limits.RequestsPerMinute))
	b.at = now
}

// requestsSpent is the error of a call that has made all its requests to the model.
type requestsSpent int

func (e requestsSpent) Error() string {
	return fmt.Sprintf("the call has made %d requests to its model, the most that a call may make (limit model_requests)", int(e))
}

// Summary implements dialogue.Summary.
func (e requestsSpent) Summary() string { return e.Error() }

// Unwrap has the error not be retried.
func (e requestsSpent) Unwrap() error { return dialogue.ErrRefused }

// reserve counts a request, and returns how long it has to wait.
func (b *Budget) reserve(now time.Time) (wait time.Duration, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.limits.Requests > 0 && b.requests >= b.limits.Requests {
		return 0, requestsSpent(b.limits.Requests)
	}
	b.requests++
	if b.limits.RequestsPerMinute == 0 {
		return 0, nil
	}
	b.refill(now)
	if b.available--; b.available >= 0 {
		return 0, nil
	}
	return time.Duration(-b.available * float64(time.Minute) / float64(b.limits.RequestsPerMinute)), nil
}

// giveBack returns a request that was not made.
func (b *Budget) giveBack() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requests--
	b.available++
}

// awaitRequest waits until a request to the model may be made.
func (a *Answer) awaitRequest(b *Budget) error {
	if b == nil {
		return nil
	}
	wait, err := b.reserve(time.Now())
	if err != nil || wait <= 0 {
		return err
	}
	a.report(LimitReached{"model_requests_per_minute",
		fmt.Sprintf("the call makes more than %d requests to its model a minute: answers wait", b.limits.RequestsPerMinute)})
	select {
	case <-time.After(wait):
		return nil
	case <-a.ctx.Done():
		b.giveBack()
		return context.Cause(a.ctx)
	}
}

// admitTools returns the calls of tools that may be run, and the others.
func (a *Answer) admitTools(b *Budget, calls []dialogue.ToolCall) (admitted, rejected []dialogue.ToolCall) {
	if b == nil || len(calls) == 0 {
		return calls, nil
	}
	b.mu.Lock()
	n := len(calls)
	var reached LimitReached
	if most := b.limits.RoundCalls; most > 0 && n > most {
		n, reached = most, LimitReached{"round_calls", fmt.Sprintf("the model called more than %d tools at once: only the first are run", most)}
	}
	if most := b.limits.ToolCalls; most > 0 && b.toolCalls+n > most {
		n, reached = max(most-b.toolCalls, 0), LimitReached{"tool_calls", fmt.Sprintf("the call has called tools %d times, the most that a call may: others are not run", most)}
	}
	b.toolCalls += n
	b.mu.Unlock()
	if n < len(calls) {
		a.report(reached)
	}
	return calls[:n:n], calls[n:]
}

// toolNotAdmitted is the result of a call that admitTools rejects, for the model.
const toolNotAdmitted = "Not run: the limit of calls is reached. Answer the caller with what you have."
