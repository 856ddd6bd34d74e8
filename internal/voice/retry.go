package voice

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"time"
)

// retries are the waits before a provider is tried again. Where another one
// stands by, the caller is not kept waiting for the second.
var retries = []time.Duration{100 * time.Millisecond, 2 * time.Second}

// stalled is the error of a provider that kept the caller waiting for so long.
type stalled time.Duration

func (s stalled) Error() string { return fmt.Sprintf("no answer for %v", time.Duration(s)) }

// tried is the last error of several tries.
type tried struct {
	error
	attempts int
}

func (t tried) Unwrap() error { return t.error }

// retry tries a provider until it goes well or there is no use: after the last
// of retries, when the context has ended, or when the error is hopeless.
func retry(ctx context.Context, spare bool, try func() error) error {
	waits := retries
	if spare {
		waits = retries[:1]
	}
	for attempt := 0; ; attempt++ {
		err := try()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil || attempt == len(waits) || hopeless(err, spare) {
			return tried{err, attempt + 1}
		}
		select {
		case <-time.After(waits[attempt]):
		case <-ctx.Done():
			return tried{err, attempt + 1}
		}
	}
}

// open opens what lives as long as the context, giving up when that takes
// longer than limit. Nothing is open when it fails.
func open[T io.Closer](ctx context.Context, limit time.Duration, how func(context.Context) (T, error)) (opened T, err error) {
	attempt, giveUp := context.WithCancelCause(ctx)
	timer := time.AfterFunc(limit, func() { giveUp(stalled(limit)) })
	err = guard(func() (err error) { opened, err = how(attempt); return err })
	inTime := timer.Stop()
	if err == nil && inTime {
		return opened, nil
	}
	var none T
	if err == nil { // it came as the context ended that it lives by
		opened.Close()
		err = stalled(limit)
	}
	if cause := context.Cause(attempt); cause != nil && ctx.Err() == nil {
		err = cause
	}
	giveUp(err)
	return none, err
}

// guard makes an error of a panic: what one provider sends may end one call,
// never the process that holds others.
func guard(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("provider panics", "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("broke: %v", p)
		}
	}()
	return do()
}

func providerProblem(service Service, provider, agent string, err error) Problem {
	problem := Problem{Service: service, Critical: true, Message: fmt.Sprintf("%s provider %s: %v", service, provider, err),
		Provider: provider, Agent: agent, Cause: Broken, Attempts: 1, At: time.Now()}
	var several tried
	if errors.As(err, &several) {
		problem.Attempts = several.attempts
	}
	var late stalled
	switch {
	case refused(err):
		problem.Cause = Refused
	case errors.As(err, &late), errors.Is(err, context.DeadlineExceeded):
		problem.Cause = TimedOut
	}
	return problem
}
