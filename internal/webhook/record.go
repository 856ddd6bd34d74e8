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
	// recordBatchSize is the maximum number of results per transaction.
	recordBatchSize = 200
	// unrecordedText replaces the text of an attempt that the database rejects.
	unrecordedText = "the result of this attempt could not be recorded"
)

// recordResults writes results in batches until the channel closes. While the
// database is unreachable it retries until Run must end; deliveries with unwritten
// results are repeated when their lease ends.
func (r *run) recordResults(ctx context.Context) {
	for res := range r.results {
		results := []result{*res}
		for more := true; more && len(results) < recordBatchSize; {
			select {
			case res, more = <-r.results:
				if more {
					results = append(results, *res)
				}
			default:
				more = false
			}
		}
		for left := results; len(left) > 0; {
			var err error
			if left, err = r.recordBatch(ctx, left); err == nil {
				break
			}
			r.log.Error("webhook delivery results are waiting for the database", "error", err)
			select {
			case <-r.stopped:
				left = nil
			case <-time.After(poll):
			}
		}
		r.queues.removeRecorded(results)
	}
}

// recordBatch writes results in one transaction, or one by one if the database
// rejects that, so that one result does not block the others. If the database is
// unreachable it returns the remaining results and the error.
func (r *run) recordBatch(ctx context.Context, results []result) (left []result, err error) {
	if err := r.writeResults(ctx, lease, results, true); err == nil {
		return nil, nil
	} else if !r.databaseWritable(ctx, results) {
		return results, err
	}
	for i, res := range results {
		if err := r.recordOne(ctx, res); err != nil {
			return results[i:], err
		}
	}
	return nil, nil
}

// recordOne writes a result that the database may reject: twice unchanged, then
// without untrusted text, then without counting its failure, then without both. If
// all are rejected, the attempt is repeated when the lease ends. An error means
// that the database is unreachable.
func (r *run) recordOne(ctx context.Context, res result) error {
	redacted := res
	if redacted.attempted {
		redacted.body, redacted.err = "", unrecordedText
	}
	var rejection error
	for i, variant := range []struct {
		result         result
		countsFailures bool
	}{{res, true}, {res, true}, {redacted, true}, {res, false}, {redacted, false}} {
		err := r.writeResults(ctx, 2*poll, []result{variant.result}, variant.countsFailures)
		if err == nil {
			if i > 1 {
				r.resultLogger(res).Error("webhook delivery result stored without fields that the database rejected", "error", rejection)
			}
			return nil
		}
		if !r.databaseWritable(ctx, []result{res}) {
			return err
		}
		rejection = err
	}
	r.resultLogger(res).Error("webhook delivery result rejected by the database; the delivery will be repeated", "error", rejection)
	return nil
}

// databaseWritable reports whether the database accepts writes. It also renews the
// leases of the waiting results.
func (r *run) databaseWritable(ctx context.Context, results []result) bool {
	ctx, cancel := context.WithTimeout(ctx, poll)
	defer cancel()
	ids := make([]string, len(results))
	for i, res := range results {
		ids[i] = res.job.Delivery.ID
	}
	return r.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error { return r.store.renew(ctx, tx, r.holder, ids) }) == nil
}

// writeResults writes results in one transaction and logs finished deliveries. With countsFailures they update the
// failure counts of their endpoints.
func (r *run) writeResults(ctx context.Context, within time.Duration, results []result, countsFailures bool) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var recorded, disabled []result
	err := r.scope.Write(ctx, func(ctx context.Context, tx database.Tx) (err error) {
		if countsFailures {
			if disabled, err = countFailures(ctx, tx, r.errorLog, results); err != nil {
				return err
			}
		}
		ids, err := r.store.record(ctx, tx, r.holder, results)
		if err != nil {
			return err
		}
		recorded = slices.DeleteFunc(slices.Clone(results), func(res result) bool { return !slices.Contains(ids, res.job.Delivery.ID) })
		if !countsFailures {
			return nil
		}
		return logFailed(ctx, tx, r.errorLog, recorded)
	})
	if err != nil {
		return err
	}
	r.logResults(recorded)
	for _, res := range disabled {
		r.bus.Publish(event.Webhooks, res.job.ID)
		r.log.Warn("webhook disabled: its endpoint has failed for too long", "tenant", res.job.TenantID, "webhook", res.job.ID, "host", host(res.job.URL))
	}
	return nil
}

// logResults writes the log line of each finished delivery.
func (r *run) logResults(recorded []result) {
	for _, res := range recorded {
		if r.options.Ended != nil && res.status.isFinal() {
			r.options.Ended(res.job.TenantID, res.status)
		}
		line := r.resultLogger(res)
		switch {
		case !res.attempted && res.err != "":
			line.Error("webhook delivery could not be prepared", "error", res.err)
		case res.status == Delivered:
			line.Info("webhook delivered")
		case res.status == Failed:
			line.Warn("webhook delivery failed", "error", res.err)
		case res.attempted:
			line.Debug("webhook attempt failed", "error", res.err, "retry_in", res.wait)
		}
	}
}

// resultLogger returns the log line of a result.
func (r *run) resultLogger(res result) *slog.Logger {
	return r.log.With("delivery", res.job.Delivery.ID, "event", res.job.Event.ID, "type", res.job.Event.Type, "tenant", res.job.TenantID, "webhook", res.job.ID,
		"host", host(res.job.URL), "attempt", res.job.Delivery.Attempts+1, "http_status", res.code, "duration_ms", res.duration.Milliseconds())
}

func host(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return u.Host
}
