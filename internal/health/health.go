// Package health watches what a process depends on: the database, the media server, the disk. The log gets one line when
// something fails and one when it works again.
package health

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

const (
	// interval is the time between two checks of the same thing.
	interval = 2 * time.Second
	// limit bounds a check; one that takes longer fails.
	limit = 2 * time.Second
	// patience is how many checks in a row must time out: a machine that is busy is slow now and then.
	patience = 3
)

// Check looks at one thing. Names are those of the answer of GET /health.
type Check struct {
	Name string
	Look func(ctx context.Context) error
	// Essential says that without it the process cannot do its work.
	Essential bool
}

// State is what the last checks found; the zero State is of something that works.
type State struct {
	Name      string
	Essential bool
	Err       error // nil while it works
	Since     time.Time
}

// Monitor checks things at an interval.
type Monitor struct {
	log    *slog.Logger
	checks []Check

	mu     sync.Mutex
	states []State
}

// New makes a monitor, for which everything works until Run has found otherwise.
func New(log *slog.Logger, checks ...Check) *Monitor {
	m := &Monitor{log: log, checks: checks, states: make([]State, len(checks))}
	for i, c := range checks {
		m.states[i] = State{Name: c.Name, Essential: c.Essential}
	}
	return m
}

// Run checks until ctx ends.
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
			if late++; late >= patience {
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
		m.log.ErrorContext(ctx, "health: fails", "check", s.Name, "error", err)
	case err == nil && before.Err != nil:
		s.Since = time.Time{}
		m.log.InfoContext(ctx, "health: works again", "check", s.Name, "after_seconds", int(time.Since(before.Since).Seconds()))
	}
}

// States returns what the last checks found, in the order of the checks.
func (m *Monitor) States() []State {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]State(nil), m.states...)
}

// Failing returns the error of a check, nil while it works or where there is no such check.
func (m *Monitor) Failing(name string) error {
	for _, s := range m.States() {
		if s.Name == name {
			return s.Err
		}
	}
	return nil
}
