package providers

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/dialogue"
)

// The error log says of every kind of provider why it failed and how often it was tried.
func TestFailures(t *testing.T) {
	for _, tc := range []struct {
		name     string
		err      error
		spare    bool
		cause    FailureCause
		attempts int
	}{
		{"broken", dialogue.NewError("connection reset"), false, Broken, 3},
		{"broken, and there is a fallback", dialogue.NewError("connection reset"), true, Broken, 2},
		{"refused", dialogue.Errorf("401: %w", dialogue.ErrRefused), false, Refused, 1},
		{"stalled", TimeoutError(time.Second), false, TimedOut, 2},
		{"stalled, and there is a fallback", TimeoutError(time.Second), true, TimedOut, 1},
		{"answered with nothing", dialogue.ErrorOf(dialogue.ErrDeclined, "nothing"), false, Broken, 2},
		{"rejected by a filter", dialogue.ErrPromptDeclined, false, Broken, 1},
		{"too late", fmt.Errorf("read: %w", context.DeadlineExceeded), false, TimedOut, 3},
	} {
		for _, kind := range []Kind{STT, LLM, TTS} {
			synctest.Test(t, func(t *testing.T) {
				err := Retry(t.Context(), tc.spare, func() error { return tc.err })
				p := NewFailure(Choice{kind, "acme", "m"}, "desk", err)
				if p.Cause() != tc.cause || p.Attempts() != tc.attempts || p.Choice.Kind != kind || p.Choice.Provider != "acme" || p.Agent != "desk" {
					t.Errorf("%s: %+v", tc.name, p)
				}
				if want := fmt.Sprintf("%s provider acme: %s", kind, dialogue.Summary(tc.err)); p.Error() != want {
					t.Errorf("%s: message %q, want %q", tc.name, p.Error(), want)
				}
			})
		}
	}
	if p := NewFailure(Choice{LLM, "acme", "m"}, "desk", errors.New("gone")); p.Attempts() != 1 {
		t.Errorf("one that was tried once: %+v", p)
	}
}
