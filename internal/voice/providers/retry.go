package providers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"runtime/debug"
	"time"

	"parley/internal/agent"
	"parley/internal/dialogue"
)

// backoff is the waits before the second and third attempt. With a fallback there is
// no third.
var backoff = []time.Duration{100 * time.Millisecond, 2 * time.Second}

// waitsAfter returns the waits before further attempts after an error. A provider that rejects the request is not retried, nor one with
// a fallback that timed out. One that timed out without a fallback is tried again once, for the caller waits, and so is a model that works
// and gave no answer, or none to its end.
func waitsAfter(err error, hasFallback bool) []time.Duration {
	timedOut := errors.As(err, new(TimeoutError))
	switch {
	case isRefused(err), errors.Is(err, dialogue.ErrPromptDeclined), hasFallback && timedOut:
		return nil
	case hasFallback, timedOut, errors.Is(err, dialogue.ErrDeclined), errors.Is(err, dialogue.ErrUnfinished):
		return backoff[:1]
	}
	return backoff
}

// Retry makes up to three attempts, or two with a fallback, until one succeeds, another is of no use, or the context ends.
func Retry(ctx context.Context, hasFallback bool, attempt func() error) error {
	for n := 0; ; n++ {
		err := attempt()
		if err == nil {
			return nil
		}
		waits := waitsAfter(err, hasFallback)
		if ctx.Err() != nil || n >= len(waits) {
			return attemptsError{err, n + 1}
		}
		select {
		case <-time.After(waits[n]):
		case <-ctx.Done():
			return attemptsError{err, n + 1}
		}
	}
}

// maxWait is the timeout of a provider without a fallback.
const maxWait = 10 * time.Second

// minSilence is how long a model that works may need for its first token. A shorter wait that the caller ends says nothing about the model,
// and no timeout is reduced below it.
const minSilence = 2 * time.Second

// AfterSilence reduces a timeout for a model that has been silent before in answers that were interrupted: a caller who speaks again and
// again must not keep a model in use that has failed. In all it may be silent for as long as in the attempts at one answer.
func AfterSilence(limit, silence time.Duration, hasFallback bool) time.Duration {
	allowed := limit
	if !hasFallback {
		allowed = 2 * limit // it is tried twice
	}
	return min(limit, max((allowed-silence).Round(time.Second), minSilence))
}

// StallTimeout returns how long a model may send nothing before the first token of an answer. With a fallback it is the attempt timeout of LiveKit's FallbackAdapter for language models.
func StallTimeout(hasFallback bool) time.Duration {
	if hasFallback {
		return 5 * time.Second
	}
	return maxWait
}

// TokenTimeout returns how long a model may send nothing after the first token of an answer: the caller hears the beginning meanwhile,
// and silence after it.
func TokenTimeout(hasFallback bool) time.Duration {
	if hasFallback {
		return 1500 * time.Millisecond
	}
	return 4 * time.Second
}

// OpenTimeout returns the timeout for opening a stream. A handshake needs four round trips, 1.2 s around the world.
func OpenTimeout(hasFallback bool) time.Duration {
	if hasFallback {
		return 2 * time.Second
	}
	return maxWait
}

// AudioTimeout returns the timeout for a voice's audio: for the first, or, when an utterance has begun, the next. Voices over WebSockets
// need a tenth of it for their first audio, the slowest over HTTP about a second.
func AudioTimeout(hasFallback, begun bool) time.Duration {
	switch {
	case hasFallback:
		return 3 * time.Second
	case begun:
		return 4 * time.Second
	}
	return maxWait
}

// FirstTokenTimeout returns the timeout for the first token of an answer, whatever else the model sends meanwhile.
func FirstTokenTimeout(m agent.LLM, hasFallback bool) time.Duration {
	switch {
	case m.FirstTokenTimeoutMS != nil:
		return time.Duration(*m.FirstTokenTimeoutMS) * time.Millisecond
	case hasFallback:
		return 8 * time.Second
	}
	return StallTimeout(hasFallback)
}

// checkTimeout bounds the check of a key.
const checkTimeout = 3 * time.Second

// openWithin opens a stream whose life the context bounds, with a timeout. Nothing is
// open when it fails.
func openWithin[T io.Closer](ctx context.Context, limit time.Duration, open func(context.Context) (T, error)) (stream T, err error) {
	attempt, giveUp := context.WithCancelCause(ctx)
	timer := time.AfterFunc(limit, func() { giveUp(TimeoutError(limit)) })
	err = CatchPanic(func() (err error) { stream, err = open(attempt); return err })
	inTime := timer.Stop()
	if err == nil && inTime {
		return stream, nil
	}
	var none T
	if err == nil { // it was opened at the moment of the timeout, and its context has ended
		stream.Close()
		err = TimeoutError(limit)
	}
	if cause := context.Cause(attempt); cause != nil && ctx.Err() == nil {
		err = cause
	}
	giveUp(err)
	return none, err
}

// panicText returns the text of a panic of the runtime, and the type of any other, which may contain what a provider sent.
func panicText(p any) string {
	if err, ok := p.(runtime.Error); ok {
		return err.Error()
	}
	return fmt.Sprintf("%T", p)
}

// CatchPanic turns a panic into an error: a provider's response may end one call, never the process with its other
// calls.
func CatchPanic(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			slog.Error("provider panics", "panic", panicText(p), "stack", string(debug.Stack()))
			err = dialogue.Errorf("broke: %s", panicText(p))
		}
	}()
	return do()
}
