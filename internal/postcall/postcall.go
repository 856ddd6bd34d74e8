// Package postcall runs the analyses of calls that have ended. The queue is in the database: each analysis is claimed under a lease, which
// is renewed while it runs, so that it is run again when its process is killed.
package postcall

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"parley/internal/analysis"
	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/dialogue"
	"parley/internal/event"
)

// Calls are the calls whose analyses are run.
type Calls interface {
	AnalysisInput(ctx context.Context, tenantID, id string) (call.AnalysisInput, error)
	RecordAnalysis(ctx context.Context, holder string, r call.AnalysisResult) error
	// FeedRuns has runs over earlier calls take their next calls, and returns how many analyses it made pending.
	FeedRuns(ctx context.Context) (int64, error)
}

// Models are the language models of a tenant.
type Models interface {
	LanguageModel(name string) (dialogue.LanguageModel, error)
}

// Options configure a Runner.
type Options struct {
	Name     string // of this process in leases
	Calls    Calls
	Models   func(ctx context.Context, tenantID string) Models
	AtOnce   int           // concurrent analyses; 128 when zero
	OfTenant int           // concurrent analyses of one tenant; 32 when zero
	Timeout  time.Duration // of one answer of a language model; 90 s when zero
	Log      *slog.Logger
	Finished func(status analysis.Status) // called with each result; nil for none
}

// Runner runs due analyses. Several may share a database.
type Runner struct {
	db      *database.DB
	bus     *event.Bus
	options Options

	mu   sync.Mutex
	held map[string]string // tenants of the analyses that run, by their ids
	free chan struct{}     // has an item after one has finished
	// turns has an item for each analysis that is at work. The others wait for their language models or for a turn: many answers that arrive
	// together would occupy all processors, and calls of the same process, which answer within milliseconds, would wait for them.
	turns chan struct{}
}

// New returns a runner.
func New(db *database.DB, bus *event.Bus, o Options) *Runner {
	if o.AtOnce == 0 {
		o.AtOnce = 128
	}
	if o.OfTenant == 0 {
		o.OfTenant = 32
	}
	if o.Timeout == 0 {
		o.Timeout = 90 * time.Second
	}
	return &Runner{db: db, bus: bus, options: o, held: map[string]string{}, free: make(chan struct{}, 1), turns: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2))}
}

const (
	// poll is the interval at which the queue is read without a notification, which may be lost.
	poll = time.Second
	// logAfter is how many writes in a row fail before that is logged, about a minute: until then it is an outage of the database, which its
	// health check logs.
	logAfter = 60
)

// Run runs due analyses until ctx ends, returns those that have not finished to the queue, and returns. Call it once.
func (r *Runner) Run(ctx context.Context) {
	wake, unsubscribe := r.bus.Subscribe(event.Analyses, 1)
	defer unsubscribe()
	working, abort := context.WithCancel(context.WithoutCancel(ctx))
	defer abort()
	var running sync.WaitGroup
	timer := time.NewTimer(0)
	defer timer.Stop()
	running.Go(func() { r.feedRuns(ctx) })
	renewed, failures := time.Now(), 0
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
			continue
		case <-wake:
		case <-r.free:
		case <-timer.C:
		}
		timer.Reset(poll)
		renew := time.Since(renewed) >= analysis.Lease/3
		jobs, err := r.claim(working, renew)
		if err != nil {
			if failures++; failures == logAfter {
				r.options.Log.Error("analyses are waiting for the database", "error", err)
			}
			continue
		}
		failures = 0
		if renew {
			renewed = time.Now()
		}
		for _, job := range jobs {
			running.Go(func() {
				r.run(working, job)
				r.finished(job.ID)
			})
		}
	}
	abort()
	running.Wait()
	r.release(context.WithoutCancel(ctx))
}

// feedRuns has runs over earlier calls take their next calls until ctx ends.
func (r *Runner) feedRuns(ctx context.Context) {
	timer := time.NewTimer(poll)
	defer timer.Stop()
	for failures := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		timer.Reset(poll)
		taken, err := r.options.Calls.FeedRuns(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			if failures++; failures == 10*logAfter { // the queue of analyses logs an outage of the database
				r.options.Log.Error("runs of analyses are waiting for the database", "error", err)
			}
		case taken > 0:
			r.bus.Publish(event.Analyses, "")
			fallthrough
		default:
			failures = 0
		}
	}
}

// claim claims as many analyses as may run beside those that do, and renews the leases of these.
func (r *Runner) claim(ctx context.Context, renew bool) (jobs []analysis.OfCall, err error) {
	ctx, cancel := context.WithTimeout(ctx, analysis.Lease)
	defer cancel()
	held, room := r.holding()
	if room.Most == 0 && !renew {
		return nil, nil
	}
	err = r.db.System().Queued(analysis.Writes).With(analysis.Planner...).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if renew {
			if err := analysis.Renew(ctx, tx, r.options.Name, held); err != nil {
				return err
			}
		}
		if room.Most == 0 {
			return nil
		}
		jobs, err = analysis.Claim(ctx, tx, r.options.Name, room)
		return err
	})
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, job := range jobs {
		r.held[job.ID] = job.TenantID
	}
	return jobs, nil
}

func (r *Runner) holding() (ids []string, room analysis.Room) {
	r.mu.Lock()
	defer r.mu.Unlock()
	room = analysis.Room{Most: max(0, r.options.AtOnce-len(r.held)), PerTenant: r.options.OfTenant, Held: map[string]int{}}
	for id, tenant := range r.held {
		ids = append(ids, id)
		room.Held[tenant]++
	}
	return ids, room
}

func (r *Runner) finished(id string) {
	r.mu.Lock()
	delete(r.held, id)
	r.mu.Unlock()
	select {
	case r.free <- struct{}{}:
	default:
	}
}

// release returns what this process has claimed and not finished to the queue.
func (r *Runner) release(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := r.db.System().Write(limited, func(ctx context.Context, tx database.Tx) error { return analysis.Release(ctx, tx, r.options.Name) }); err != nil {
		r.options.Log.Error("analyses wait until their leases end", "error", err)
	}
}

// turn runs f in a turn of an analysis.
func (r *Runner) turn(ctx context.Context, f func() error) error {
	select {
	case r.turns <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-r.turns }()
	return f()
}

// run runs one analysis and writes its result.
func (r *Runner) run(ctx context.Context, job analysis.OfCall) {
	result := r.attempt(ctx, &job)
	if ctx.Err() != nil {
		return // it goes back to the queue
	}
	failures := 0
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, poll) {
		err := r.turn(ctx, func() error { return r.options.Calls.RecordAnalysis(ctx, r.options.Name, result) })
		if err == nil || ctx.Err() != nil {
			break
		}
		if failures++; failures == logAfter {
			r.options.Log.Error("the result of an analysis is waiting for the database", "call", job.CallID, "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	if r.options.Finished != nil {
		r.options.Finished(result.Status)
	}
}

// pauses are the times to wait after each attempt that failed; a day in all.
var pauses = []time.Duration{5 * time.Second, 30 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 8 * time.Hour, 8*time.Hour + 25*time.Minute}

// attempt returns the result of one attempt.
func (r *Runner) attempt(ctx context.Context, job *analysis.OfCall) call.AnalysisResult {
	if job.Attempts > len(pauses)+1 {
		return finish(job, analysis.Failed, analysis.WorkerLost)
	}
	result, err := r.analyse(ctx, job)
	if err == nil {
		return result
	}
	r.options.Log.WarnContext(ctx, "analysis failed", "call", job.CallID, "tenant", job.TenantID, "analysis", job.Name, "attempt", job.Attempts, "error", dialogue.Summary(err))
	if job.Attempts > len(pauses) {
		failed := finish(job, analysis.Failed, analysis.ProviderError)
		failed.Usage = result.Usage
		return failed
	}
	again := finish(job, analysis.Pending, analysis.ProviderError)
	again.Wait, again.Usage = pauses[job.Attempts-1], result.Usage
	return again
}

// finish sets status and reason of an analysis; "" for no reason.
func finish(job *analysis.OfCall, status analysis.Status, reason string) call.AnalysisResult {
	job.Status, job.Reason = status, nil
	if reason != "" {
		job.Reason = &reason
	}
	return call.AnalysisResult{OfCall: job}
}

// definition returns the analysis as it is now; nil if it was deleted.
func (r *Runner) definition(ctx context.Context, job *analysis.OfCall) (a *analysis.Analysis, err error) {
	err = r.db.Tenant(job.TenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		a, err = analysis.Find(ctx, tx, job.Name)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the analysis %s: %w", job.Name, err)
	}
	return a, nil
}

// ReleaseHolders ends the leases of holders that are known to have stopped, and returns the number of analyses released.
func ReleaseHolders(ctx context.Context, db *database.DB, gone func(holder string) bool) (n int64, err error) {
	err = db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		n, err = analysis.ReleaseHolders(ctx, tx, gone)
		return err
	})
	return n, err
}
