package webhook

import (
	"context"
	"log/slog"
	"net/url"
	"time"

	"parley/internal/database"
	"parley/internal/event"
)

const (
	// batch is how many outcomes are recorded at once.
	batch = 200
	// unrecorded stands for what came of an attempt when the database does not
	// take that.
	unrecorded = "what came of this attempt could not be recorded"
)

// record writes outcomes as they come, as many at once as there are, until
// there will be no more. When the database is away it tries again, until Run is
// to end: what it does not take then, another run repeats when the lease ends.
func (r *run) record(ctx context.Context) {
	for o := range r.outcomes {
		done := []outcome{*o}
		for more := true; more && len(done) < batch; {
			select {
			case o, more = <-r.outcomes:
				if more {
					done = append(done, *o)
				}
			default:
				more = false
			}
		}
		for left := done; len(left) > 0; {
			var err error
			if left, err = r.settleAll(ctx, left); err == nil {
				break
			}
			r.log.Error("outcomes of webhook deliveries wait for the database", "error", err)
			select {
			case <-r.stopped:
				left = nil
			case <-time.After(poll):
			}
		}
		r.lanes.settled(done)
	}
}

// settleAll writes outcomes, together or, when the database refuses that, one
// by one, so that one of them holds up no other. It returns what is left when
// the database is away, and why.
func (r *run) settleAll(ctx context.Context, done []outcome) (left []outcome, err error) {
	if err := r.settle(ctx, lease, done, true); err == nil {
		return nil, nil
	} else if !r.takes(ctx, done) {
		return done, err
	}
	for i, o := range done {
		if err := r.settleOne(ctx, o); err != nil {
			return done[i:], err
		}
	}
	return nil, nil
}

// settleOne writes an outcome that may be one that the database refuses: as it
// is, in two tries that tell it from bad luck, or else without what came from
// outside, or without its part in the verdict on the endpoint, or without both.
// What it refuses even so is given up, to be repeated when its lease ends. An
// error is of a database that is away.
func (r *run) settleOne(ctx context.Context, o outcome) error {
	bare := o
	if bare.made {
		bare.body, bare.err = "", unrecorded
	}
	var refusal error
	for i, form := range []struct {
		outcome outcome
		judged  bool
	}{{o, true}, {o, true}, {bare, true}, {o, false}, {bare, false}} {
		err := r.settle(ctx, 2*poll, []outcome{form.outcome}, form.judged)
		if err == nil {
			if i > 1 {
				r.line(o).Error("the outcome of a webhook delivery was recorded without what the database refused", "error", refusal)
			}
			return nil
		}
		if !r.takes(ctx, []outcome{o}) {
			return err
		}
		refusal = err
	}
	r.line(o).Error("the database refuses the outcome of a webhook delivery, which will be repeated", "error", refusal)
	return nil
}

// takes tells whether the database takes writes at all. It prolongs the leases
// of outcomes, which have waited.
func (r *run) takes(ctx context.Context, done []outcome) bool {
	ctx, cancel := context.WithTimeout(ctx, poll)
	defer cancel()
	ids := make([]string, len(done))
	for i, o := range done {
		ids[i] = o.job.Delivery.ID
	}
	return r.queue.Write(ctx, func(ctx context.Context, tx database.Tx) error { return renew(ctx, tx, r.holder, ids) }) == nil
}

// settle writes outcomes within a time and reports them. Those that are judged
// count for or against their endpoints.
func (r *run) settle(ctx context.Context, within time.Duration, done []outcome, judged bool) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var counted, disabled []outcome
	err := r.queue.Write(ctx, func(ctx context.Context, tx database.Tx) (err error) {
		if judged {
			if disabled, err = verdicts(ctx, tx, r.faults, done); err != nil {
				return err
			}
		}
		if counted, err = settle(ctx, tx, r.holder, done); err != nil || !judged {
			return err
		}
		return tellFailed(ctx, tx, r.faults, counted)
	})
	if err != nil {
		return err
	}
	r.report(counted)
	for _, o := range disabled {
		r.bus.Publish(event.Webhooks, o.job.TenantID)
		r.log.Warn("webhook disabled: its endpoint has failed for too long", "tenant", o.job.TenantID, "host", host(o.job.URL))
	}
	return nil
}

// report writes the log line of each delivery that ended.
func (r *run) report(counted []outcome) {
	for _, o := range counted {
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

// line is a log line about an outcome.
func (r *run) line(o outcome) *slog.Logger {
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
