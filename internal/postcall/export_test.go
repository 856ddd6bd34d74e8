package postcall

import (
	"context"
	"testing"
)

// Once runs all due analyses, one after another, and returns how many there were.
func (r *Runner) Once(t *testing.T) (n int) {
	t.Helper()
	jobs, err := r.claim(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, job := range jobs {
		r.run(t.Context(), job)
		r.finished(job.ID)
	}
	return len(jobs)
}

// Claim claims due analyses and leaves them, as a process does that is killed.
func (r *Runner) Claim(t *testing.T) (finish func(context.Context)) {
	t.Helper()
	jobs, err := r.claim(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context) {
		for _, job := range jobs {
			r.run(ctx, job)
		}
	}
}
