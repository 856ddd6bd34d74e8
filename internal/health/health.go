// Package health monitors the dependencies of a process: database, media server, disk. It logs one line when a
// check fails and one when it recovers.
package health

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

const (
	// interval is the time between two runs of a check.
	interval = 2 * time.Second
	// limit is the timeout of a check.
	limit = 2 * time.Second
	// timeoutsInRow is how many consecutive runs must time out, because a busy machine is occasionally slow.
	timeoutsInRow = 3
)

// Check is a check of one dependency. Names are those in GET /health.
type Check struct {
	Name string
	Look func(ctx context.Context) error
	// Essential reports whether the process cannot work without it.
	Essential bool
}

// State is the result of the last runs; the zero State is healthy.
type State struct {
	Name      string
	Essential bool
	Err       error // nil while healthy
	Since     time.Time
}

// Monitor runs checks periodically.
type Monitor struct {
	log    *slog.Logger
	checks []Check

	mu     sync.Mutex
	states []State
}

// New returns a monitor, whose checks count as healthy until Run has found otherwise.
func New(log *slog.Logger, checks ...Check) *Monitor {
	m := &Monitor{log: log, checks: checks, states: make([]State, len(checks))}
	for i, c := range checks {
		m.states[i] = State{Name: c.Name, Essential: c.Essential}
	}
	return m
}

// Run runs the checks until ctx ends.
func (m *Monitor) Run(ctx context.Context) {
	var running sync.WaitGroup
	for i := range m.checks {
		running.Go(func() { m.watch(ctx, i) })
	}
	running.Wait()
}

func (m *Monitor) watch(ctx context.Context, i int) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	late := 0
	for {
		limited, cancel := context.WithTimeout(ctx, limit)
		err := m.checks[i].Look(limited)
		timedOut := limited.Err() != nil
		cancel()
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && timedOut:
			if late++; late >= timeoutsInRow {
				m.record(ctx, i, errors.New("it does not answer"))
			}
		default:
			late = 0
			m.record(ctx, i, err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (m *Monitor) record(ctx context.Context, i int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := &m.states[i]
	before := *s
	s.Err = err
	switch {
	case err != nil && before.Err == nil:
		s.Since = time.Now()
		m.log.ErrorContext(ctx, "health check failed", "check", s.Name, "error", err)
	case err == nil && before.Err != nil:
		s.Since = time.Time{}
		m.log.InfoContext(ctx, "health check recovered", "check", s.Name, "after_seconds", int(time.Since(before.Since).Seconds()))
	}
}

// States returns the results, in the order of the checks.
func (m *Monitor) States() []State {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]State(nil), m.states...)
}

// Failing returns the error of a check; nil while it is healthy or if it does not exist.
func (m *Monitor) Failing(name string) error {
	for _, s := range m.States() {
		if s.Name == name {
			return s.Err
		}
	}
	return nil
}
