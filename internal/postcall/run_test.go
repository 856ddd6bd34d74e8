package postcall_test

import (
	"errors"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"parley/internal/analysis"
	"parley/internal/call"
	"parley/internal/fault"
	"parley/internal/provider/catalogtest"
)

// startRun starts a run of the analysis outcome.
func (h *fixture) startRun(q call.RunRequest) *analysis.Run {
	h.t.Helper()
	q.TenantID, q.Analysis = acme, "outcome"
	r, err := h.calls.StartRun(h.t.Context(), q)
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

// feed has open runs take calls, and runs what is due, until nothing is left to do.
func (h *fixture) feed() {
	h.t.Helper()
	for range 20 {
		taken, err := h.calls.FeedRuns(h.t.Context())
		if err != nil {
			h.t.Fatal(err)
		}
		if n := h.runner("a").Once(h.t); taken == 0 && n == 0 {
			return
		}
	}
	h.t.Fatal("the run does not end")
}

func (h *fixture) store() analysis.Store {
	return analysis.Registry{Providers: catalogtest.Any{}}.In(h.db.Tenant(acme))
}

func (h *fixture) ofRun(id string) *analysis.Run {
	h.t.Helper()
	r, err := h.store().Run(h.t.Context(), id, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

// change makes a new version of each analysis.
func (h *fixture) change() {
	h.t.Helper()
	for _, name := range []string{"outcome", "second"} {
		if _, _, err := h.store().Update(h.t.Context(), name, []byte(`{"instructions":"Another version `+time.Now().Format(time.RFC3339Nano)+`."}`)); err != nil {
			h.t.Fatal(err)
		}
	}
}

// A run analyses earlier calls with the present version of the analysis, and keeps an earlier result if there is no new one.
func TestRun(t *testing.T) {
	each(t, analysis.Conditions{MinTurns: 5}, func(t *testing.T, h *fixture) {
		var ids []string
		for range 3 {
			id := h.held(user("A cleaning, please."), assistant("It is booked."))
			h.model.answers = []string{answer("no")}
			h.runner("a").Once(t)
			ids = append(ids, id)
		}
		if r := h.startRun(call.RunRequest{}); r.Calls != 0 || r.Status != analysis.RunDone {
			t.Fatalf("calls that have results of this version are analysed again: %+v", r)
		}
		h.change()
		e, err := h.calls.EstimateRun(t.Context(), call.RunRequest{TenantID: acme, Analysis: "outcome"})
		if err != nil || e.Calls != 3 {
			t.Fatalf("estimate %+v, %v", e, err)
		}
		r := h.startRun(call.RunRequest{})
		if _, err := h.calls.StartRun(t.Context(), call.RunRequest{TenantID: acme, Analysis: "outcome"}); !fault.Is(err, fault.Conflict) {
			t.Errorf("a second run: %v", err)
		}
		// The newest call is answered, the others' answers are not valid.
		h.model.answers = []string{answer("unknown"), "no", "no", "no", "no"}
		h.feed()
		got := h.ofRun(r.ID)
		if got.Status != analysis.RunDone || got.Calls != 3 || got.Taken != 3 || got.Progress.Done != 1 || got.Progress.Failed != 2 || got.Progress.Pending != 0 || got.FinishedAt.IsZero() {
			t.Errorf("run %+v", got)
		}
		answers := map[string]int{}
		for _, id := range ids {
			result := h.results(id)["outcome"]
			answers[result.Criteria[0].Answer]++
			if result.Status != analysis.Done || (result.Version == 2) != (result.Reason == nil) {
				t.Errorf("result %+v", result)
			}
			if n := len(h.announced(id)); n != 2 {
				t.Errorf("%d events", n)
			}
		}
		if answers["unknown"] != 1 || answers["no"] != 2 {
			t.Errorf("answers %v", answers)
		}
		h.feed()
		if later := h.ofRun(r.ID); later.Progress != got.Progress {
			t.Errorf("a run that has ended goes on: %+v", later)
		}
		// A later run analyses those that failed again, and leaves what the earlier one says of itself.
		h.model.answers = []string{answer("no")}
		next := h.startRun(call.RunRequest{})
		h.feed()
		if first, second := h.ofRun(r.ID), h.ofRun(next.ID); first.Progress != got.Progress || second.Progress.Done != 2 {
			t.Errorf("after the run %+v the earlier one is %+v, want %+v", second.Progress, first.Progress, got.Progress)
		}
	})
}

// A run whose language model fails says so while it waits for it, and no longer when it answers.
func TestRunWaitsForProvider(t *testing.T) {
	each(t, analysis.Conditions{MinTurns: 5}, func(t *testing.T, h *fixture) {
		h.held(user("A cleaning, please."), assistant("It is booked."))
		h.model.answers = []string{answer("no")}
		h.runner("a").Once(t)
		h.change()
		r := h.startRun(call.RunRequest{})
		h.model.answers = []string{"", answer("no")}
		h.feed()
		got := h.ofRun(r.ID)
		if reason := got.CurrentReason(); got.Status != analysis.Running || got.Progress.Pending != 1 || reason == nil || *reason != analysis.ProviderError {
			t.Errorf("the provider is away: %+v", got)
		}
		time.Sleep(time.Minute)
		h.feed()
		if got = h.ofRun(r.ID); got.Status != analysis.RunDone || got.Progress.Done != 1 || got.CurrentReason() != nil {
			t.Errorf("the provider is back: %+v", got)
		}
	})
}

// A sample is of as many calls as it says; a run that is cancelled leaves the results as they were.
func TestSampleAndCancel(t *testing.T) {
	each(t, analysis.Conditions{MinTurns: 5}, func(t *testing.T, h *fixture) {
		var ids []string
		for range 6 {
			ids = append(ids, h.held(user("A cleaning, please."), assistant("It is booked.")))
		}
		h.model.answers = []string{answer("no")}
		h.runner("a").Once(t)
		h.change()
		four := int64(4)
		r := h.startRun(call.RunRequest{Sample: &four})
		if r.Calls != 4 {
			t.Fatalf("a sample of 4 has %d calls", r.Calls)
		}
		if taken, err := h.calls.FeedRuns(t.Context()); err != nil || taken != 4 {
			t.Fatalf("%d calls were taken, %v", taken, err)
		}
		test := false
		if _, err := h.store().CancelRun(t.Context(), r.ID, &test); !fault.Is(err, fault.NotFound) {
			t.Errorf("a test key cancels a run over live calls: %v", err)
		}
		cancelled, err := h.store().CancelRun(t.Context(), r.ID, nil)
		if err != nil || cancelled.Status != analysis.Cancelled || cancelled.Progress.Pending != 0 {
			t.Fatalf("%+v, %v", cancelled, err)
		}
		if n := h.runner("a").Once(t); n != 0 {
			t.Errorf("%d analyses of a cancelled run ran", n)
		}
		for _, id := range ids {
			if got := h.results(id)["outcome"]; got.Status != analysis.Done || got.Version != 1 || got.Criteria[0].Answer != "no" {
				t.Errorf("result %+v", got)
			}
		}
		if _, err := h.store().CancelRun(t.Context(), r.ID, nil); !fault.Is(err, fault.Conflict) {
			t.Errorf("cancelled again: %v", err)
		}
		// What a process has claimed is finished.
		r = h.startRun(call.RunRequest{})
		if _, err := h.calls.FeedRuns(t.Context()); err != nil {
			t.Fatal(err)
		}
		finish := h.runner("b").Claim(t)
		if cancelled, err = h.store().CancelRun(t.Context(), r.ID, nil); err != nil || cancelled.Status != analysis.Cancelling || cancelled.Progress.Pending != 6 {
			t.Fatalf("%+v, %v", cancelled, err)
		}
		finish(t.Context())
		h.feed()
		if got := h.ofRun(r.ID); got.Status != analysis.Cancelled || got.Progress.Done != 6 {
			t.Errorf("%+v", got)
		}
	})
}

// A run takes no more calls than its maximum cost allows, and none without the analysis.
func TestRunThatIsStopped(t *testing.T) {
	each(t, analysis.Conditions{MinTurns: 5}, func(t *testing.T, h *fixture) {
		for range 3 {
			h.held(user("A cleaning, please."), assistant("It is booked."))
		}
		h.model.answers = []string{answer("no")}
		h.runner("a").Once(t)
		h.change()
		var details *fault.Error
		tiny := decimal.RequireFromString("0.000001")
		if _, err := h.calls.StartRun(t.Context(), call.RunRequest{TenantID: acme, Analysis: "second", MaxCost: &tiny}); !errors.As(err, &details) || details.Details[0].Field != "max_cost" {
			t.Errorf("a run above its maximum cost: %v", err)
		}
		r := h.startRun(call.RunRequest{})
		if err := h.store().Delete(t.Context(), "outcome"); err != nil {
			t.Fatal(err)
		}
		h.feed()
		if got := h.ofRun(r.ID); got.Status != analysis.Stopped || *got.Reason != analysis.Deleted || got.FinishedAt.IsZero() {
			t.Errorf("%+v", got)
		}
	})
}

// What a run may still take follows from its maximum cost, what it has cost, and what is under way.
func TestAffordable(t *testing.T) {
	most, estimate := int64(1000), int64(1000)
	for _, test := range []struct {
		run  analysis.Run
		want int64
	}{
		{analysis.Run{Calls: 50}, 50},
		{analysis.Run{Calls: 50, MaxCost: &most, Estimate: &estimate}, 50},
		{analysis.Run{Calls: 50, MaxCost: &most, Estimate: &estimate, Progress: analysis.Progress{Pending: 32}}, 18},
		{analysis.Run{Calls: 50, MaxCost: &most, Estimate: &estimate, Progress: analysis.Progress{Pending: 2, Done: 8, Failed: 2, Cost: 500}}, 8},
		{analysis.Run{Calls: 50, MaxCost: &most, Estimate: &estimate, Progress: analysis.Progress{Done: 20, Cost: 1000}}, 0},
	} {
		if got := test.run.Affordable(); got != test.want {
			t.Errorf("%+v: %d, want %d", test.run, got, test.want)
		}
	}
}
