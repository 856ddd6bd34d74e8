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
	// batch is the maximum number of results per transaction.
	batch = 200
	// unrecorded replaces the text of an attempt that the database refuses to
	// store.
	unrecorded = "what came of this attempt could not be recorded"
)

// recordResults writes results in batches until the channel closes. While the
// database is unreachable it retries until Run must end; deliveries with unwritten
// results are repeated when their lease ends.
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
			r.log.Error("webhook delivery results are waiting for the database", "error", err)
			select {
			case <-r.stopped:
				left = nil
			case <-time.After(poll):
			}
		}
		r.queues.remove(done)
	}
}

// recordAll writes results in one transaction, or one by one if the database
// refuses that, so that one result does not block the others. If the database is
// unreachable it returns the remaining results and the error.
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
// without untrusted text, then without counting its failure, then without both. If
// all are refused, the attempt is repeated when the lease ends. An error means
// that the database is unreachable.
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
				r.line(o).Error("webhook delivery result stored without fields that the database rejected", "error", refusal)
			}
			return nil
		}
		if !r.databaseWritable(ctx, []result{o}) {
			return err
		}
		refusal = err
	}
	r.line(o).Error("webhook delivery result rejected by the database; the delivery will be repeated", "error", refusal)
	return nil
}

// databaseWritable reports whether the database accepts writes. It also renews the
// leases of the waiting results.
func (r *run) databaseWritable(ctx context.Context, done []result) bool {
	ctx, cancel := context.WithTimeout(ctx, poll)
	defer cancel()
	ids := make([]string, len(done))
	for i, o := range done {
		ids[i] = o.job.Delivery.ID
	}
	return r.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error { return r.store.renew(ctx, tx, r.holder, ids) }) == nil
}

// recordTogether writes results in one transaction and logs finished deliveries. With countsFailures they update the
// failure counts of their endpoints.
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

// report writes the log line of each finished delivery.
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

// line returns the log line of a result.
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
