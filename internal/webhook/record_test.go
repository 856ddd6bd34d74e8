package webhook

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"parley/internal/database"
	"parley/internal/event"
)

// recording is a run that holds all that is due and has sent nothing; what it
// logs goes to logged.
func (h *fixture) recording(logged *bytes.Buffer) (r *run, jobs []job) {
	h.t.Helper()
	h.options.Log = slog.New(slog.NewTextHandler(logged, nil))
	d := NewDeliverer(h.db, h.bus, h.settings.sealer, h.extras, h.faults, h.options)
	r = &run{Deliverer: d, results: make(chan *result, 10), stopped: make(chan struct{}), queues: newEndpointQueues(10, func(job, bool) {})}
	err := h.db.System().Write(h.t.Context(), func(ctx context.Context, tx database.Tx) (err error) {
		jobs, _, err = newStore(h.db).claim(ctx, tx, r.holder, testBudget)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	r.queues.addClaimed(testBudget, jobs, nil)
	return r, jobs
}

// records runs record until all results are.
func (h *fixture) records(r *run, results ...result) {
	h.t.Helper()
	for _, o := range results {
		o.started = time.Now()
		r.queues.finishAttempt(o)
		r.results <- &o
	}
	close(r.results)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	over := make(chan struct{})
	go func() {
		defer close(over)
		r.recordResults(ctx)
	}()
	select {
	case <-over:
	case <-time.After(patience):
		h.t.Fatal("the results are not recorded")
	}
	if held := r.queues.heldIDs(); len(held) != 0 {
		h.t.Errorf("%d deliveries are still held", len(held))
	}
}

// nearDisabling makes the next failure of acme's endpoint the one that disables it.
func (h *fixture) nearDisabling() {
	h.t.Helper()
	h.streak(failed(disableAfterFailures)...)
	h.since(disableAfter + time.Minute)
}

// A result that the database refuses is recorded without what it refuses, and
// those beside it as they are.
func TestRefusedOutcome(t *testing.T) {
	for name, c := range map[string]struct {
		spoil  func(h *fixture, o *result)
		reason string // that is kept of it
	}{
		"the reason":          {func(_ *fixture, o *result) { o.err = "a\x00b" }, unrecordedText},
		"the answer":          {func(_ *fixture, o *result) { o.code, o.body = 400, "a\x00b" }, unrecordedText},
		"the error log's":     {func(h *fixture, _ *result) { h.nearDisabling() }, "no answer"},
		"and the error log's": {func(h *fixture, o *result) { h.nearDisabling(); o.body = "a\x00b" }, unrecordedText},
	} {
		t.Run(name, func(t *testing.T) {
			eachDatabase(t, func(t *testing.T, h *fixture) {
				h.faults.err = errors.New("the error log is full")
				h.configure(acme, h.newReceiver(), nil)
				h.configure(other, h.newReceiver(), nil)
				h.append(acme, event.CallCompleted, 1)
				h.append(other, event.CallCompleted, 2)
				var logged bytes.Buffer
				r, jobs := h.recording(&logged)
				var results []result
				var bad string
				for _, j := range jobs {
					o := result{job: j, attempted: true, status: Delivered, code: 200, body: "fine"}
					if j.TenantID == acme {
						o.status, o.code, o.body, o.err, bad = Failed, 0, "", "no answer", j.Delivery.ID
						c.spoil(h, &o)
					}
					results = append(results, o)
				}
				h.records(r, results...)
				for _, o := range results {
					d, attempts, err := h.queue.Delivery(t.Context(), o.job.TenantID, o.job.Delivery.ID)
					if err != nil || len(attempts) != 1 || d.Attempts != 1 || d.Status != o.status {
						t.Fatalf("%+v with %d attempts, %v", d, len(attempts), err)
					}
					body, reason := "fine", ""
					if d.ID == bad {
						body, reason = "", c.reason
					}
					if a := attempts[0]; a.ResponseBody != body || a.Error != reason {
						t.Errorf("%s: %+v", d.Status, a)
					}
				}
				if n := strings.Count(logged.String(), "level=ERROR"); n != 1 || !strings.Contains(logged.String(), "delivery="+bad) {
					t.Errorf("%d errors logged: %s", n, logged.String())
				}
			})
		})
	}
}

// What the database refuses in every form is given up, for the lease to end.
func TestHopelessOutcome(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		h.configure(acme, h.newReceiver(), nil)
		h.append(acme, event.CallCompleted, 2)
		var logged bytes.Buffer
		r, jobs := h.recording(&logged)
		h.records(r, result{job: jobs[0], attempted: true, status: "a\x00b"}, result{job: jobs[1], attempted: true, status: Delivered, code: 200})
		page, _, err := h.queue.Deliveries(t.Context(), acme, DeliveryQuery{Limit: 2})
		if err != nil || page[1].ID != jobs[0].Delivery.ID || page[1].Status != InFlight || page[0].Status != Delivered {
			t.Errorf("%+v, %v", page, err)
		}
		if !strings.Contains(logged.String(), "will be repeated") {
			t.Errorf("logged %s", logged.String())
		}
	})
}

// While the database is unreachable nothing is refused, nor recorded in another form.
func TestOutcomesWaitForDatabase(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		h.configure(acme, h.newReceiver(), nil)
		h.append(acme, event.CallCompleted, 2)
		var logged bytes.Buffer
		r, jobs := h.recording(&logged)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		done := []result{{job: jobs[0], attempted: true, status: Delivered}, {job: jobs[1], attempted: true, status: Delivered}}
		if left, err := r.recordBatch(ctx, done); len(left) != 2 || err == nil || logged.Len() != 0 {
			t.Errorf("%d results left, %v, logged %s", len(left), err, logged.String())
		}
		if left, err := r.recordBatch(t.Context(), done); len(left) != 0 || err != nil {
			t.Errorf("%d results left when it is back, %v", len(left), err)
		}
	})
}
