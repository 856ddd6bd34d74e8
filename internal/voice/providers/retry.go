package providers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"time"

	"parley/internal/agent"
)

// backoff are the waits before the attempts after the first. Where there is a
// fallback, only the first of them is waited.
var backoff = []time.Duration{100 * time.Millisecond, 2 * time.Second}

// Retry makes attempts with backoff until one succeeds or another is of no use:
// after the last of backoff, when the context has ended, or when the provider
// refused. A provider that timed out is not tried again if it has a fallback.
func Retry(ctx context.Context, hasFallback bool, attempt func() error) error {
	waits := backoff
	if hasFallback {
		waits = backoff[:1]
	}
	for n := 0; ; n++ {
		err := attempt()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil || n == len(waits) || isRefused(err) || hasFallback && errors.As(err, new(TimeoutError)) {
			return attemptsError{err, n + 1}
		}
		select {
		case <-time.After(waits[n]):
		case <-ctx.Done():
			return attemptsError{err, n + 1}
		}
	}
}

// Timeout is how long a provider may keep a caller waiting before it counts as
// failed: to be opened, for the next words of an answer, for audio.
func Timeout(hasFallback bool) time.Duration {
	if hasFallback {
		return 5 * time.Second
	}
	return 10 * time.Second
}

// FirstTokenTimeout is how long a model may take to the first token of an
// answer, whatever else it sends meanwhile.
func FirstTokenTimeout(m agent.LLM, hasFallback bool) time.Duration {
	switch {
	case m.FirstTokenTimeoutMS != nil:
		return time.Duration(*m.FirstTokenTimeoutMS) * time.Millisecond
	case hasFallback:
		return 8 * time.Second
	}
	return Timeout(hasFallback)
}

// checkTimeout is how long a vendor may take to say whether it accepts a key.
const checkTimeout = 3 * time.Second

// openWithin opens what lives as long as the context, giving up after limit.
// Nothing is open when it fails.
func openWithin[T io.Closer](ctx context.Context, limit time.Duration, open func(context.Context) (T, error)) (stream T, err error) {
	attempt, giveUp := context.WithCancelCause(ctx)
	timer := time.AfterFunc(limit, func() { giveUp(TimeoutError(limit)) })
	err = CatchPanic(func() (err error) { stream, err = open(attempt); return err })
	inTime := timer.Stop()
	if err == nil && inTime {
		return stream, nil
	}
	var none T
	if err == nil { // it came as the context ended that it lives by
		stream.Close()
		err = TimeoutError(limit)
	}
	if cause := context.Cause(attempt); cause != nil && ctx.Err() == nil {
		err = cause
	}
	giveUp(err)
	return none, err
}

// CatchPanic makes an error of a panic: what one provider sends may end one
// call, never the process that holds others.
func CatchPanic(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("provider panics", "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("broke: %v", p)
		}
	}()
	return do()
}
