package providers

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley/internal/dialogue"
)

// Failure is the failure of a provider, after all attempts.
type Failure struct {
	Choice   Choice
	Agent    string
	Err      error
	Replaced bool // by its fallback
	At       time.Time
}

// NewFailure returns the failure of an agent's choice, now.
func NewFailure(c Choice, agent string, err error) Failure {
	return Failure{Choice: c, Agent: agent, Err: err, At: time.Now()}
}

// NewReplacedFailure is NewFailure for a choice that its fallback replaces.
func NewReplacedFailure(c Choice, agent string, err error) Failure {
	f := NewFailure(c, agent, err)
	f.Replaced = true
	return f
}

// Error returns the failure without anything that the provider sent: it is logged and shown to the tenant.
func (f Failure) Error() string {
	message := fmt.Sprintf("%s provider %s: %s", f.Choice.Kind, f.Choice.Provider, dialogue.Summary(f.Err))
	if f.Replaced {
		message += "; the fallback takes its place"
	}
	return message
}

// FailureCause is why a provider failed.
type FailureCause string

// The causes, for programs; the message has details.
const (
	Refused  FailureCause = "refused" // the vendor rejected the key or the request: no retry helps
	TimedOut FailureCause = "timeout" // no answer in time
	Broken   FailureCause = "failed"  // anything else
)

// Cause returns why the provider failed.
func (f Failure) Cause() FailureCause {
	switch {
	case isRefused(f.Err):
		return Refused
	case errors.As(f.Err, new(TimeoutError)), errors.Is(f.Err, context.DeadlineExceeded):
		return TimedOut
	}
	return Broken
}

// Attempts returns the number of attempts.
func (f Failure) Attempts() int {
	var several attemptsError
	if errors.As(f.Err, &several) {
		return several.attempts
	}
	return 1
}

// isRefused reports whether a retry does not help.
func isRefused(err error) bool { return errors.Is(err, dialogue.ErrRefused) }

// TimeoutError is the error of a provider that sent nothing for so long.
type TimeoutError time.Duration

// Summary implements dialogue.Summary.
func (e TimeoutError) Summary() string { return e.Error() }

func (e TimeoutError) Error() string { return fmt.Sprintf("no answer for %v", time.Duration(e)) }

// attemptsError is the last error of several attempts.
type attemptsError struct {
	error
	attempts int
}

func (e attemptsError) Unwrap() error { return e.error }
