package voice

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
func TestProblemsOfProviders(t *testing.T) {
	for _, tc := range []struct {
		name     string
		err      error
		spare    bool
		cause    Cause
		attempts int
	}{
		{"broken", errors.New("connection reset"), false, Broken, 3},
		{"broken, and another stands by", errors.New("connection reset"), true, Broken, 2},
		{"refused", fmt.Errorf("401: %w", dialogue.ErrRefused), false, Refused, 1},
		{"stalled", stalled(time.Second), false, TimedOut, 3},
		{"stalled, and another stands by", stalled(time.Second), true, TimedOut, 1},
		{"too late", fmt.Errorf("read: %w", context.DeadlineExceeded), false, TimedOut, 3},
	} {
		for _, service := range []Service{STT, LLM, TTS} {
			synctest.Test(t, func(t *testing.T) {
				err := retry(t.Context(), tc.spare, func() error { return tc.err })
				p := providerProblem(service, "acme", "desk", err)
				if p.Cause != tc.cause || p.Attempts != tc.attempts || p.Service != service || p.Provider != "acme" || p.Agent != "desk" || !p.Critical {
					t.Errorf("%s: %+v", tc.name, p)
				}
				if want := fmt.Sprintf("%s provider acme: %v", service, tc.err); p.Message != want {
					t.Errorf("%s: message %q, want %q", tc.name, p.Message, want)
				}
			})
		}
	}
	if p := providerProblem(LLM, "acme", "desk", errors.New("gone")); p.Attempts != 1 {
		t.Errorf("one that was tried once: %+v", p)
	}
}
