package webhook

import (
	"context"
	"log/slog"
	"net/url"
	"slices"
	"time"

	"parley/internal/database"
	"parley/internal/event"
)

const (
	// batch is how many results are recorded at once.
	batch = 200
	// unrecorded stands for what came of an attempt when the database does not
	// take that.
	unrecorded = "what came of this attempt could not be recorded"
)

// recordResults writes results as they come, as many at once as there are, until
// there will be no more. When the database is unreachable it tries again, until Run is
// to end: what it does not take then, another run repeats when the lease ends.
func (r *run) recordResults(ctx context.Context) {
	for o := range r.results {
		done := []result{*o}
		for more := true; more && len(done) < batch; {
			select {
			case o, more = <-r.results:
				if more {
					done = append(done, *o)
				}
			default:
				more = false
			}
		}
		for left := done; len(left) > 0; {
			var err error
			if left, err = r.recordAll(ctx, left); err == nil {
				break
			}
			r.log.Error("results of webhook deliveries wait for the database", "error", err)
			select {
			case <-r.stopped:
				left = nil
			case <-time.After(poll):
			}
		}
		r.queues.remove(done)
	}
}

// recordAll writes results, together or, when the database refuses that, one
// by one, so that one of them holds up no other. It returns what is left when
// the database is unreachable, and why.
func (r *run) recordAll(ctx context.Context, done []result) (left []result, err error) {
	if err := r.recordTogether(ctx, lease, done, true); err == nil {
		return nil, nil
	} else if !r.databaseWritable(ctx, done) {
		return done, err
	}
	for i, o := range done {
		if err := r.recordOne(ctx, o); err != nil {
			return done[i:], err
		}
	}
	return nil, nil
}

// recordOne writes a result that the database may refuse: twice as it is, then
// without text from outside, then without counting its failure, then without
// both. What the database refuses in every form is given up: the attempt is
// repeated when the lease ends. An error means that the database is unreachable.
func (r *run) recordOne(ctx context.Context, o result) error {
	bare := o
	if bare.made {
		bare.body, bare.err = "", unrecorded
	}
	var refusal error
	for i, form := range []struct {
		result         result
		countsFailures bool
	}{{o, true}, {o, true}, {bare, true}, {o, false}, {bare, false}} {
		err := r.recordTogether(ctx, 2*poll, []result{form.result}, form.countsFailures)
		if err == nil {
			if i > 1 {
				r.line(o).Error("the result of a webhook delivery was recorded without what the database refused", "error", refusal)
			}
			return nil
		}
		if !r.databaseWritable(ctx, []result{o}) {
			return err
		}
		refusal = err
	}
	r.line(o).Error("the database refuses the result of a webhook delivery, which will be repeated", "error", refusal)
	return nil
}

// databaseWritable reports whether the database takes writes at all. It prolongs the leases
// of results, which have waited.
func (r *run) databaseWritable(ctx context.Context, done []result) bool {
	ctx, cancel := context.WithTimeout(ctx, poll)
	defer cancel()
	ids := make([]string, len(done))
	for i, o := range done {
		ids[i] = o.job.Delivery.ID
	}
	return r.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error { return r.store.renew(ctx, tx, r.holder, ids) }) == nil
}

// recordTogether writes results in one transaction, which may take a time, and logs those that ended. With countsFailures
// they count for or against their endpoints.
func (r *run) recordTogether(ctx context.Context, within time.Duration, done []result, countsFailures bool) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var recorded, disabled []result
	err := r.scope.Write(ctx, func(ctx context.Context, tx database.Tx) (err error) {
		if countsFailures {
			if disabled, err = countFailures(ctx, tx, r.faults, done); err != nil {
				return err
			}
		}
		ids, err := r.store.record(ctx, tx, r.holder, done)
		if err != nil {
			return err
		}
		recorded = slices.DeleteFunc(slices.Clone(done), func(o result) bool { return !slices.Contains(ids, o.job.Delivery.ID) })
		if !countsFailures {
			return nil
		}
		return logFailed(ctx, tx, r.faults, recorded)
	})
	if err != nil {
		return err
	}
	r.report(recorded)
	for _, o := range disabled {
		r.bus.Publish(event.Webhooks, o.job.TenantID)
		r.log.Warn("webhook disabled: its endpoint has failed for too long", "tenant", o.job.TenantID, "host", host(o.job.URL))
	}
	return nil
}

// report writes the log line of each delivery that ended.
func (r *run) report(recorded []result) {
	for _, o := range recorded {
		if r.options.Ended != nil && o.status.over() {
			r.options.Ended(o.job.TenantID, o.status)
		}
		line := r.line(o)
		switch {
		case !o.made && o.err != "":
			line.Error("webhook delivery could not be prepared", "error", o.err)
		case o.status == Delivered:
			line.Info("webhook delivered")
		case o.status == Failed:
			line.Warn("webhook delivery failed", "error", o.err)
		case o.made:
			line.Debug("webhook attempt failed", "error", o.err, "retry_in", o.wait)
		}
	}
}

// line is a log line about a result.
func (r *run) line(o result) *slog.Logger {
	return r.log.With("delivery", o.job.Delivery.ID, "event", o.job.Event.ID, "type", o.job.Event.Type, "tenant", o.job.TenantID,
		"host", host(o.job.URL), "attempt", o.job.Delivery.Attempts+1, "http_status", o.code, "duration_ms", o.duration.Milliseconds())
}

func host(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return u.Host
}
