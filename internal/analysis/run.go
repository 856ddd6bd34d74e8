package analysis

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/fault"
)

// RunStatus is the status of a run.
//
//	running → done
//	        → stopped
//	        → cancelling → cancelled
type RunStatus string

// The statuses.
const (
	Running    RunStatus = "running"
	RunDone    RunStatus = "done"
	Stopped    RunStatus = "stopped"    // with a reason, before all calls were taken
	Cancelling RunStatus = "cancelling" // analyses that had begun are under way
	Cancelled  RunStatus = "cancelled"
)

// Reasons of runs.
const (
	CostReached     = "max_cost"         // of a stopped run
	BudgetExhausted = "budget_exhausted" // of a running one, which goes on when the tenant's budget has room
)

// Run is the run of an analysis over earlier calls. Its calls are taken a few at a time, the newest first, so that the analyses of calls
// that end meanwhile do not wait for it.
type Run struct {
	bun.BaseModel `bun:"table:analysis_runs,alias:run"`

	TenantID string    `bun:"tenant_id"`
	ID       string    `bun:"id,pk"`
	Analysis string    `bun:"analysis"` // name
	Status   RunStatus `bun:"status"`
	Reason   *string   `bun:"reason"` // of a stopped run, Deleted too, and why a running one waits
	// The calls: those in [From, To), by the time by which lists order them; zero From for the first one.
	Livemode  *bool     `bun:"livemode"` // nil for both
	AgentName *string   `bun:"agent_name"`
	From      time.Time `bun:"from_time,nullzero"`
	To        time.Time `bun:"to_time"`
	Sample    *int64    `bun:"sample"`     // how many of them; nil for all
	SampledTo *string   `bun:"sampled_to"` // greatest end of the ids of the sample, which are random; nil without one
	MaxCost   *int64    `bun:"max_cost"`   // 10^-12 of the currency; nil for none
	Currency  string    `bun:"currency"`   // "" without prices
	Estimate  *int64    `bun:"estimate"`   // cost of all calls, like MaxCost; nil if a price is not known
	Calls     int64     `bun:"calls"`      // selected at the start
	Taken     int64     `bun:"taken"`      // of them so far
	// The call that was taken last.
	PositionAt time.Time `bun:"position_at,nullzero"`
	PositionID *string   `bun:"position_id"`
	AtEnd      bool      `bun:"at_end"` // there are no calls after it
	CreatedAt  time.Time `bun:"created_at"`
	FinishedAt time.Time `bun:"finished_at,nullzero"`
	// Final is the progress when it finished: later runs replace its results.
	Final *Progress `bun:"final,type:jsonb,nullzero"`

	Progress Progress `bun:"-"`
}

// Progress is how far a run is. Calls whose content is deleted meanwhile do not count.
type Progress struct {
	Pending int64 `bun:"pending" json:"pending"`
	Done    int64 `bun:"done" json:"done"`
	Skipped int64 `bun:"skipped" json:"skipped"`
	Failed  int64 `bun:"failed" json:"failed"` // earlier results of these are kept
	Cost    int64 `bun:"cost" json:"cost"`     // like Run.MaxCost
	// Retrying is how many of the pending ones have failed, and wait for another attempt or run again.
	Retrying int64 `bun:"retrying" json:"-"`
}

// CurrentReason returns why the run was stopped, or what it waits for; nil for nothing.
func (r *Run) CurrentReason() *string {
	if r.Reason != nil || !r.FinishedAt.IsZero() || r.Progress.Retrying == 0 {
		return r.Reason
	}
	reason := ProviderError
	return &reason
}

// ReadProgress reads how far the run is, or was when it finished.
func (r *Run) ReadProgress(ctx context.Context, tx database.Tx) error {
	if r.Final != nil {
		r.Progress = *r.Final
		return nil
	}
	err := tx.NewSelect().Model((*OfCall)(nil)).Where("run_id = ?", r.ID).
		ColumnExpr("COUNT(CASE WHEN status = 'pending' THEN 1 END) AS pending").
		ColumnExpr("COUNT(CASE WHEN status = 'done' AND reason IS NULL THEN 1 END) AS done").
		ColumnExpr("COUNT(CASE WHEN status = 'skipped' THEN 1 END) AS skipped").
		ColumnExpr("COUNT(CASE WHEN status = 'failed' OR status = 'done' AND reason IS NOT NULL THEN 1 END) AS failed").
		ColumnExpr("COUNT(CASE WHEN status = 'pending' AND reason = ? THEN 1 END) AS retrying", ProviderError).
		ColumnExpr("CAST(COALESCE(SUM(cost), 0) AS BIGINT) AS cost").Scan(ctx, &r.Progress)
	if err != nil {
		return fmt.Errorf("read the progress of a run: %w", err)
	}
	return nil
}

// Runs returns a page of the runs of the tenant, of an analysis if it is named, newest first, and how many there are in all. livemode is of
// those that may be seen; nil for all.
func (s Store) Runs(ctx context.Context, name string, livemode *bool, limit, offset int64) (page []Run, total int64, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		q := tx.NewSelect().Model(&page).Where("tenant_id = ?", tx.TenantID())
		if name != "" {
			q = q.Where("analysis = ?", name)
		}
		if livemode != nil {
			q = q.Where("livemode = ?", *livemode)
		}
		if total, err = q.OrderExpr("created_at DESC, id DESC").Limit(limit).Offset(offset).ScanAndCount(ctx); err != nil {
			return err
		}
		for n := range page {
			if err := page[n].ReadProgress(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list runs of analyses: %w", err)
	}
	return page, total, nil
}

// Run returns a run of the tenant; livemode is as with Runs.
func (s Store) Run(ctx context.Context, id string, livemode *bool) (r *Run, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		if r, err = database.Record[Run](ctx, tx, "run", "id", id); err != nil {
			return err
		}
		if !r.seen(livemode) {
			return fault.Missing("run")
		}
		return r.ReadProgress(ctx, tx)
	})
	return r, err
}

// seen reports whether the run may be seen by who sees only the calls of a mode; nil for both.
func (r *Run) seen(livemode *bool) bool {
	return livemode == nil || r.Livemode != nil && *r.Livemode == *livemode
}

// CancelRun cancels a run of the tenant; livemode is as with Runs. Analyses that have begun are finished. A run that has finished is a conflict.
func (s Store) CancelRun(ctx context.Context, id string, livemode *bool) (r *Run, err error) {
	err = s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if r, err = database.RecordToChange[Run](ctx, tx, "run", "id", id); err != nil {
			return err
		}
		if !r.seen(livemode) {
			return fault.Missing("run")
		}
		if !r.FinishedAt.IsZero() {
			return fault.New(fault.Conflict, "the run has finished: its status is %s", r.Status)
		}
		r.Status, r.Reason = Cancelling, nil
		if err := r.Settle(ctx, tx); err != nil {
			return err
		}
		return r.ReadProgress(ctx, tx)
	})
	return r, err
}

// Settle ends a run whose status is not Running: it takes back what has not begun, and finishes when nothing is under way.
func (r *Run) Settle(ctx context.Context, tx database.Tx) error {
	if err := r.withdraw(ctx, tx); err != nil {
		return err
	}
	if err := r.ReadProgress(ctx, tx); err != nil {
		return err
	}
	if r.Progress.Pending == 0 {
		r.FinishedAt = tx.Now()
		if r.Status == Cancelling {
			r.Status = Cancelled
		}
	}
	return r.Save(ctx, tx)
}

// Save writes what changes while the run is open, and its progress when it has finished.
func (r *Run) Save(ctx context.Context, tx database.Tx) error {
	if !r.FinishedAt.IsZero() {
		if err := r.ReadProgress(ctx, tx); err != nil {
			return err
		}
		r.Final = &r.Progress
	}
	_, err := tx.NewUpdate().Model(r).Column("status", "reason", "taken", "position_at", "position_id", "at_end", "finished_at", "final").WherePK().Exec(ctx)
	if err != nil {
		return fmt.Errorf("write a run of an analysis: %w", err)
	}
	return nil
}

// withdraw deletes the run's analyses that nobody has claimed; what they would have replaced stays.
func (r *Run) withdraw(ctx context.Context, tx database.Tx) error {
	var waiting []OfCall
	q := tx.NewSelect().Model(&waiting).Where("run_id = ? AND status = ? AND leased_by IS NULL", r.ID, Pending)
	if tx.Postgres() {
		q = q.For("UPDATE SKIP LOCKED")
	}
	if err := q.Scan(ctx); err != nil {
		return fmt.Errorf("find what a run has not begun: %w", err)
	}
	for _, w := range waiting {
		var err error
		if w.Previous == nil {
			_, err = tx.NewDelete().Model(&w).WherePK().Exec(ctx)
		} else {
			w.restore(nil)
			_, err = tx.NewUpdate().Model(&w).Column(resultColumns...).WherePK().Exec(ctx)
		}
		if err != nil {
			return fmt.Errorf("take back what a run has not begun: %w", err)
		}
	}
	return nil
}

// AtOnce is how many analyses of a run wait or run at the same time.
const AtOnce = 32

// OpenRuns returns the runs of all tenants that have not finished. tx is a transaction of the system.
func OpenRuns(ctx context.Context, tx database.Tx) (runs []Run, err error) {
	if err := tx.NewSelect().Model(&runs).Where("finished_at IS NULL").OrderExpr("created_at").Scan(ctx); err != nil {
		return nil, fmt.Errorf("find open runs of analyses: %w", err)
	}
	return runs, nil
}

// Affordable returns how many more calls the run may take for its maximum cost. A call costs as much as those that are finished did on
// average, or as the estimate says if that is more.
func (r *Run) Affordable() int64 {
	if r.MaxCost == nil {
		return r.Calls
	}
	each := int64(1)
	if r.Estimate != nil {
		each = max(each, *r.Estimate/max(1, r.Calls))
	}
	if finished := r.Progress.Done + r.Progress.Skipped + r.Progress.Failed; finished > 0 {
		each = max(each, r.Progress.Cost/finished)
	}
	return (*r.MaxCost-r.Progress.Cost)/each - r.Progress.Pending
}

// Take makes the analysis of a call pending as part of the run. The call must be locked in tx.
func Take(ctx context.Context, tx database.Tx, run *Run, callID string, livemode bool, model *LLM) error {
	found := new(OfCall)
	err := tx.NewSelect().Model(found).Where("tenant_id = ? AND call_id = ? AND name = ?", run.TenantID, callID, run.Analysis).Scan(ctx)
	switch {
	case database.NoRows(err):
		made := &OfCall{TenantID: run.TenantID, ID: tx.NewID("can_"), CallID: callID, Name: run.Analysis, Status: Pending, LLM: model, Livemode: livemode, DueAt: tx.Now(),
			CreatedAt: tx.Now(), RunID: &run.ID}
		_, err = tx.NewInsert().Model(made).Exec(ctx)
	case err == nil && found.Status != Pending:
		found.Renew(run, model, tx.Now())
		_, err = tx.NewUpdate().Model(found).Column(append([]string{"attempts", "run_id", "cost"}, resultColumns...)...).WherePK().Exec(ctx)
	}
	if err != nil {
		return fmt.Errorf("make the analysis of a call pending: %w", err)
	}
	return nil
}
