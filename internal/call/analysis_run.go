package call

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"

	"parley/internal/agent"
	"parley/internal/analysis"
	"parley/internal/cost"
	"parley/internal/database"
	"parley/internal/fault"
)

// RunRequest asks for a run of an analysis over earlier calls.
type RunRequest struct {
	TenantID  string
	Analysis  string
	From, To  time.Time // calls of [From, To), by the time by which lists order them; zero for no limit
	AgentName *string   // that has held the calls; nil for any
	Livemode  *bool     // nil for both
	Sample    *int64    // how many of the calls, chosen at random; nil for all
	MaxCost   *decimal.Decimal
}

// RunEstimate is what a run would do.
type RunEstimate struct {
	Calls int64
	Cost  *cost.Cost // of all calls; nil without prices
}

// EstimateRun returns what a run would do; not_found without the analysis.
func (s *Service) EstimateRun(ctx context.Context, q RunRequest) (e RunEstimate, err error) {
	_, e, err = s.prepare(ctx, q)
	return e, err
}

// StartRun starts a run, which is done at once without calls. It is refused if its estimate exceeds its maximum cost or cannot be known, and
// while another run of the analysis is open.
func (s *Service) StartRun(ctx context.Context, q RunRequest) (*analysis.Run, error) {
	r, e, err := s.prepare(ctx, q)
	if err != nil {
		return nil, err
	}
	if err := q.accepts(e); err != nil {
		return nil, err
	}
	r.Calls = e.Calls
	if e.Cost != nil {
		r.Currency = e.Cost.Currency
		if e.Cost.Total != nil {
			estimate := cost.ToPico(*e.Cost.Total)
			r.Estimate = &estimate
		}
	}
	err = s.db.Tenant(q.TenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if r.Calls == 0 {
			r.Status, r.FinishedAt = analysis.RunDone, tx.Now()
		}
		_, err := tx.NewInsert().Model(r).Exec(ctx)
		return err
	})
	if database.Duplicate(err) {
		return nil, fault.New(fault.Conflict, "a run of the analysis %s is under way: wait until it has finished, or cancel it", q.Analysis)
	}
	return r, err
}

// prepare returns the run that is asked for, and its estimate. It only reads: to look through many calls takes seconds, in which nothing is
// to wait for it.
func (s *Service) prepare(ctx context.Context, q RunRequest) (r *analysis.Run, e RunEstimate, err error) {
	err = s.db.Tenant(q.TenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		a, err := analysis.Find(ctx, tx, q.Analysis)
		if err != nil {
			return err
		}
		r = q.run(tx)
		e, err = s.estimate(ctx, tx, r, a)
		return err
	})
	return r, e, err
}

// accepts checks an estimate.
func (q RunRequest) accepts(e RunEstimate) error {
	switch {
	case q.MaxCost == nil || e.Calls == 0:
		return nil
	case e.Cost == nil || e.Cost.Total == nil:
		return fault.Invalid([]fault.Detail{{Field: "max_cost", Message: "cannot be kept, because the price of the language model is not known"}})
	case e.Cost.Total.GreaterThan(*q.MaxCost):
		return fault.Invalid([]fault.Detail{{Field: "max_cost", Message: fmt.Sprintf("is less than the estimate of %s %s for %d calls: raise it, or choose a smaller sample", e.Cost.Total, e.Cost.Currency, e.Calls)}})
	}
	return nil
}

// run returns the run that is asked for. Calls that end later are not part of it.
func (q RunRequest) run(tx database.Tx) *analysis.Run {
	r := &analysis.Run{TenantID: q.TenantID, ID: uuid.Must(uuid.NewV7()).String(), Analysis: q.Analysis, Status: analysis.Running, Livemode: q.Livemode,
		AgentName: q.AgentName, From: q.From.UTC(), To: tx.Now(), Sample: q.Sample, CreatedAt: tx.Now()}
	if !q.To.IsZero() && q.To.Before(r.To) {
		r.To = q.To.UTC()
	}
	if q.MaxCost != nil {
		most := cost.ToPico(*q.MaxCost)
		r.MaxCost = &most
	}
	return r
}

// ofRun selects the calls that a run has not taken yet: those that ended with a transcript and have no result of this version.
func ofRun(tx database.Tx, r *analysis.Run, version int64) func(*bun.SelectQuery) *bun.SelectQuery {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		f := Filter{Livemode: r.Livemode, After: r.From, Before: r.To, Details: Details{AgentName: r.AgentName}}
		q = q.Apply(f.selected(tx)).Where("ended_at IS NOT NULL AND purged_at IS NULL").
			Where("EXISTS (SELECT 1 FROM transcript_entries e WHERE e.tenant_id = c.tenant_id AND e.call_id = c.id)").
			Where("NOT EXISTS (SELECT 1 FROM call_analyses r WHERE r.tenant_id = c.tenant_id AND r.call_id = c.id AND r.name = ? AND (r.status = 'pending' OR r.version = ?))", r.Analysis, version)
		if r.SampledTo != nil {
			q = q.Where(randomPart(tx)+" <= ?", *r.SampledTo)
		}
		if r.PositionID != nil {
			q = q.Where("(listed_at, id) < (?, ?)", r.PositionAt, *r.PositionID)
		}
		return q
	}
}

// randomPart is the SQL of the end of a call's id, which is random.
func randomPart(tx database.Tx) string {
	if tx.Postgres() {
		return "right(c.id::text, 12)"
	}
	return "substr(c.id, 25)"
}

// estimated is how many calls an estimate reads.
const estimated = 200

// Tokens of an estimate: a token has about four characters, and an answer about so many tokens for each criterion and property.
const (
	charactersOfToken = 4
	tokensOfAnswer    = 60
)

// estimate returns what a run would do, from its newest calls, and sets its sample.
func (s *Service) estimate(ctx context.Context, tx database.Tx, r *analysis.Run, a *analysis.Analysis) (e RunEstimate, err error) {
	if r.Sample != nil {
		var last []string
		err := tx.NewSelect().ColumnExpr(randomPart(tx)+" AS part").Apply(ofRun(tx, r, a.Version)).OrderExpr("part").Limit(1).Offset(*r.Sample-1).Scan(ctx, &last)
		if err != nil && !database.NoRows(err) {
			return e, fmt.Errorf("choose a sample of calls: %w", err)
		}
		if len(last) == 1 {
			r.SampledTo = &last[0]
		}
	}
	if err := tx.NewSelect().ColumnExpr("COUNT(*)").Apply(ofRun(tx, r, a.Version)).Scan(ctx, &e.Calls); err != nil {
		return e, fmt.Errorf("count the calls of a run: %w", err)
	}
	if s.options.Prices == nil {
		return e, nil
	}
	own, err := cost.Own(ctx, tx, r.TenantID)
	if err != nil {
		return e, err
	}
	used, err := usageOfRun(ctx, tx, r, a, e.Calls)
	if err != nil {
		return e, err
	}
	total := s.options.Prices.At(own, tx.Now()).Of(used)
	e.Cost = &total
	return e, nil
}

// usageOfRun estimates the tokens of a run.
func usageOfRun(ctx context.Context, tx database.Tx, r *analysis.Run, a *analysis.Analysis, calls int64) ([]cost.Usage, error) {
	newest, err := nextOfRun(ctx, tx, r, a.Version, estimated)
	if err != nil || len(newest) == 0 {
		return nil, err
	}
	ids := make([]string, len(newest))
	for n, c := range newest {
		ids[n] = c.ID
	}
	model := a.Config.LLM
	if model == nil {
		models, err := modelsOf(ctx, tx, newest[:1])
		if err != nil {
			return nil, err
		}
		if model = models[ids[0]]; model == nil {
			return nil, nil // it will fail without a language model
		}
	}
	var characters int64
	err = tx.NewRaw("SELECT COALESCE(SUM(LENGTH(content) + COALESCE(LENGTH(CAST(tool_call AS text)), 0) + 60), 0) FROM transcript_entries WHERE tenant_id = ? AND call_id IN (?)",
		r.TenantID, bun.List(ids)).Scan(ctx, &characters)
	if err != nil {
		return nil, fmt.Errorf("measure the transcripts of a run: %w", err)
	}
	asked, err := a.Config.System()
	if err != nil {
		return nil, err
	}
	of := func(unit cost.Unit, tokens int64) cost.Usage {
		return cost.Usage{Use: cost.Use{Kind: cost.Analysis, Provider: model.Provider, Model: model.Model, Unit: unit}, Quantity: decimal.NewFromInt(tokens)}
	}
	input := (characters/int64(len(ids)) + int64(len(asked)) + int64(len(a.Config.Schema))) / charactersOfToken
	return []cost.Usage{of(cost.InputTokens, calls*input), of(cost.OutputTokens, calls*tokensOfAnswer*a.Config.Answers())}, nil
}

// nextOfRun returns the calls that a run takes next.
func nextOfRun(ctx context.Context, tx database.Tx, r *analysis.Run, version, most int64) (calls []*Call, err error) {
	q := tx.NewSelect().Model(&calls).Column("id", "started_at", "created_at", "agent_history", "livemode").Apply(ofRun(tx, r, version)).OrderExpr("listed_at DESC, id DESC").Limit(most)
	if err := q.Scan(ctx); err != nil {
		return nil, fmt.Errorf("find the calls of a run: %w", err)
	}
	return calls, nil
}

// modelsOf returns, by calls, the language model of the last of each call's agents that has one now: plans are not kept.
func modelsOf(ctx context.Context, tx database.Tx, calls []*Call) (map[string]*analysis.LLM, error) {
	var names []string
	for _, c := range calls {
		names = append(names, c.AgentHistory...)
	}
	slices.Sort(names)
	agents, err := agent.FindMany(ctx, tx, slices.Compact(names))
	if err != nil {
		return nil, err
	}
	models := map[string]*analysis.LLM{}
	for _, c := range calls {
		for _, name := range c.AgentHistory {
			if a := agents[name]; a != nil && a.Config.LLM.Provider != "" {
				models[c.ID] = &analysis.LLM{Provider: a.Config.LLM.Provider, Model: a.Config.LLM.Model}
			}
		}
	}
	return models, nil
}

// FeedRuns has the open runs take their next calls, and ends those that have none. It returns how many analyses it made pending.
func (s *Service) FeedRuns(ctx context.Context) (taken int64, err error) {
	var open []analysis.Run
	err = s.db.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		open, err = analysis.OpenRuns(ctx, tx)
		return err
	})
	for _, r := range open {
		if err != nil {
			break
		}
		var n int64
		n, err = s.feed(ctx, &r)
		taken += n
	}
	return taken, err
}

// feed has a run take its next calls. It looks for them before it writes, for the reason of prepare.
func (s *Service) feed(ctx context.Context, r *analysis.Run) (taken int64, err error) {
	var next step
	if r.Status == analysis.Running {
		exhausted := fault.Is(s.checkBudget(ctx, r.TenantID), fault.BudgetExhausted)
		err = s.db.Tenant(r.TenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
			next, err = nextStep(ctx, tx, r, exhausted)
			return err
		})
		if err != nil || next.none() {
			return 0, err
		}
	}
	for _, part := range next.parts() {
		if r, err = s.advanceRun(ctx, r, part); err != nil || r == nil {
			return taken, err
		}
		taken += int64(len(part.calls))
	}
	return taken, nil
}

// advanceRun has a run do what it does next, and returns the run as it is then; nil if another process has done it meanwhile.
func (s *Service) advanceRun(ctx context.Context, r *analysis.Run, next step) (after *analysis.Run, err error) {
	err = s.db.Tenant(r.TenantID).Queued(analysis.Writes).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		current, err := database.RecordToChange[analysis.Run](ctx, tx, "run", "id", r.ID)
		switch {
		case err != nil || !current.FinishedAt.IsZero():
			return err
		case current.Status != analysis.Running:
			return current.Settle(ctx, tx)
		case current.Taken != r.Taken:
			return nil
		}
		after = current
		return next.apply(ctx, tx, current)
	})
	return after, err
}

// step is what a run does next.
type step struct {
	calls  []*Call
	models map[string]*analysis.LLM // by calls
	end    bool                     // there are no calls left
	done   bool                     // and nothing is under way
	stop   string                   // reason to stop; "" for none
	wait   string                   // reason to take no calls at present; "" for none
}

func (s step) none() bool {
	return len(s.calls) == 0 && !s.end && !s.done && s.stop == "" && s.wait == ""
}

// takenAtOnce is how many calls a run takes in a transaction, which what calls under way write on SQLite waits for.
const takenAtOnce = 8

// parts returns the step as steps of a transaction each.
func (s step) parts() (parts []step) {
	for len(s.calls) > takenAtOnce {
		parts = append(parts, step{calls: s.calls[:takenAtOnce], models: s.models})
		s.calls = s.calls[takenAtOnce:]
	}
	return append(parts, s)
}

// nextStep returns what a run does next.
func nextStep(ctx context.Context, tx database.Tx, r *analysis.Run, exhausted bool) (next step, err error) {
	if err := r.ReadProgress(ctx, tx); err != nil {
		return next, err
	}
	a, err := analysis.Find(ctx, tx, r.Analysis)
	if fault.Is(err, fault.NotFound) {
		return step{stop: analysis.Deleted}, nil
	}
	if err != nil {
		return next, err
	}
	room := min(analysis.AtOnce-r.Progress.Pending, r.Affordable())
	switch {
	case exhausted && (r.Reason == nil || *r.Reason != analysis.BudgetExhausted):
		return step{wait: analysis.BudgetExhausted}, nil
	case exhausted:
		return next, nil
	case room <= 0 && r.Progress.Pending == 0:
		return step{stop: analysis.CostReached}, nil
	case room <= 0:
		return next, nil
	}
	if !r.AtEnd {
		if next.calls, err = nextOfRun(ctx, tx, r, a.Version, room); err != nil {
			return next, err
		}
		next.end = int64(len(next.calls)) < room
	}
	next.done = (r.AtEnd || next.end) && len(next.calls) == 0 && r.Progress.Pending == 0
	next.models, err = modelsOf(ctx, tx, next.calls)
	return next, err
}

// apply does it.
func (s step) apply(ctx context.Context, tx database.Tx, r *analysis.Run) error {
	switch {
	case s.stop != "":
		r.Status, r.Reason = analysis.Stopped, &s.stop
		return r.Settle(ctx, tx)
	case s.wait != "":
		r.Reason = &s.wait
		return r.Save(ctx, tx)
	case s.done:
		r.Status, r.Reason, r.FinishedAt = analysis.RunDone, nil, tx.Now()
		return r.Save(ctx, tx)
	}
	for _, c := range s.calls {
		if err := take(ctx, tx, r, c, s.models[c.ID]); err != nil {
			return err
		}
	}
	if n := len(s.calls); n > 0 {
		last := s.calls[n-1]
		r.PositionAt, r.PositionID, r.Taken = last.listedAt(), &last.ID, r.Taken+int64(n)
	}
	r.Reason, r.AtEnd = nil, r.AtEnd || s.end
	return r.Save(ctx, tx)
}

// take makes the analysis of a call pending. A call whose content is deleted at this moment is left out.
func take(ctx context.Context, tx database.Tx, r *analysis.Run, c *Call, model *analysis.LLM) error {
	locked, err := lockCall(ctx, tx, c.ID)
	if fault.Is(err, fault.NotFound) || err == nil && !locked.PurgedAt.IsZero() {
		return nil
	}
	if err != nil {
		return err
	}
	return analysis.Take(ctx, tx, r, c.ID, c.Livemode, model)
}
