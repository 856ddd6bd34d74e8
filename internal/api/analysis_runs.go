package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/shopspring/decimal"

	"parley/internal/analysis"
	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/call"
	"parley/internal/cost"
	"parley/internal/fault"
)

// RunAnalysisBody says which calls a run is over.
type RunAnalysisBody struct {
	From      *wire.Moment `json:"from,omitempty" doc:"Only calls that became active, or else were created, at or after this time. Default: no limit." example:"2026-11-01T00:00:00Z"`
	To        *wire.Moment `json:"to,omitempty" doc:"Only calls before this time. Default: now, which is also the latest." example:"2026-11-08T00:00:00Z"`
	AgentName *string      `json:"agent_name,omitempty" maxLength:"100" doc:"Only calls that this agent has held." example:"front-desk"`
	Livemode  *bool        `json:"livemode,omitempty" doc:"true: only calls made with a live key or a session; false: only those made with a test key. Default: both, as far as the credential may see them."`
	Sample    *int64       `json:"sample,omitempty" minimum:"1" maximum:"1000000" doc:"Number of calls, chosen at random. Default: all." example:"100"`
	MaxCost   string       `json:"max_cost,omitempty" pattern:"^([1-9][0-9]{0,5}([.][0-9]{1,12})?|0[.][0-9]{0,5}[1-9][0-9]{0,6})$" patternDescription:"an amount greater than 0, such as 5.00" doc:"Greatest cost of the run, in the currency of the price list. A run whose estimate is higher, or not known, is refused; one that reaches it takes no more calls." example:"5.00"`
}

type analysisRunIn struct {
	Name string `path:"name" example:"outcome" doc:"Name of the analysis."`
	Body RunAnalysisBody
}

// Resolve refuses a range that ends before it begins.
func (in *analysisRunIn) Resolve(huma.Context) []error {
	if in.Body.From != nil && in.Body.To != nil && in.Body.To.Before(in.Body.From.Time) {
		return []error{&huma.ErrorDetail{Location: "body.to", Message: "must not be before from"}}
	}
	return nil
}

// request returns the run that is asked for; false if the credential sees none of its calls.
func (in *analysisRunIn) request(who auth.Principal) (q call.RunRequest, ok bool, err error) {
	b := in.Body
	mode, none := livemode(who, b.Livemode)
	q = call.RunRequest{TenantID: who.TenantID, Analysis: in.Name, AgentName: b.AgentName, Livemode: mode, Sample: b.Sample}
	if b.From != nil {
		q.From = b.From.Time
	}
	if b.To != nil {
		q.To = b.To.Time
	}
	if b.MaxCost != "" {
		limit, valid := cost.ParseLimit(b.MaxCost)
		if !valid {
			return q, false, fault.Invalid([]fault.Detail{{Field: "max_cost", Message: "must be an amount above 0, with up to 6 digits before the point"}})
		}
		q.MaxCost = &limit
	}
	return q, !none, nil
}

type runEstimateBody struct {
	Calls    int64   `json:"calls" doc:"Number of calls that would be analysed." example:"120"`
	Estimate *string `json:"estimated_cost" nullable:"true" doc:"Estimated cost, from the lengths of the newest transcripts; null if a price is not known." example:"0.42"`
	Currency string  `json:"currency" doc:"ISO 4217 code of the currency of all amounts; empty without a price list." example:"USD"`
}

type analysisRunBody struct {
	ID         string     `json:"id" format:"uuid"`
	Analysis   string     `json:"analysis" doc:"Name of the analysis." example:"outcome"`
	Status     string     `json:"status" enum:"running,done,stopped,cancelling,cancelled" doc:"stopped: ended before all calls were taken, see reason. cancelling: analyses that had begun are under way." example:"running"`
	Reason     *string    `json:"reason" nullable:"true" enum:"max_cost,analysis_deleted,budget_exhausted,provider_error" doc:"Why it was stopped, or why it waits: budget_exhausted for the tenant's budget, provider_error for a language model that failed and is tried again; null for none."`
	From       *wire.Time `json:"from" nullable:"true" doc:"Start of the period; null for no limit."`
	To         wire.Time  `json:"to" doc:"End of the period."`
	AgentName  *string    `json:"agent_name" nullable:"true" doc:"Agent that has held the calls; null for any."`
	Livemode   *bool      `json:"livemode" nullable:"true" doc:"Mode of the calls; null for both."`
	Sample     *int64     `json:"sample" nullable:"true" doc:"Number of calls that was asked for; null for all." example:"100"`
	MaxCost    *string    `json:"max_cost" nullable:"true" doc:"Greatest cost; null for none." example:"5"`
	Currency   string     `json:"currency" doc:"ISO 4217 code of the currency of all amounts; empty without a price list." example:"USD"`
	Estimate   *string    `json:"estimated_cost" nullable:"true" doc:"Estimate at the start; null if a price is not known." example:"0.42"`
	Cost       string     `json:"cost" doc:"Known cost so far." example:"0.12"`
	Calls      int64      `json:"calls" doc:"Number of calls at the start of the run." example:"120"`
	Pending    int64      `json:"pending" doc:"Number of analyses that wait or run." example:"32"`
	Done       int64      `json:"done" doc:"Number of analyses that are done." example:"40"`
	Skipped    int64      `json:"skipped" doc:"Number of calls that do not meet the conditions." example:"2"`
	Failed     int64      `json:"failed" doc:"Number of analyses that failed. A done result from before the run is kept, with the reason." example:"0"`
	CreatedAt  wire.Time  `json:"created_at"`
	FinishedAt *wire.Time `json:"finished_at" nullable:"true" doc:"Time at which the run ended (UTC); null before."`
}

func showRun(r *analysis.Run) analysisRunBody {
	return analysisRunBody{r.ID, r.Analysis, string(r.Status), r.CurrentReason(), wire.NullableTime(r.From), wire.Time(r.To), r.AgentName, r.Livemode, r.Sample, picoAmount(r.MaxCost), r.Currency,
		picoAmount(r.Estimate), *picoAmount(&r.Progress.Cost), r.Calls, r.Progress.Pending, r.Progress.Done, r.Progress.Skipped, r.Progress.Failed, wire.Time(r.CreatedAt), wire.NullableTime(r.FinishedAt)}
}

// picoAmount returns an amount in 10^-12 of a currency as a decimal; nil for nil.
func picoAmount(n *int64) *string {
	if n == nil {
		return nil
	}
	amount := cost.FromPico(decimal.NewFromInt(*n))
	return nullableDecimal(&amount)
}

type listRunsIn struct {
	Analysis string `query:"analysis" maxLength:"100" doc:"Filter by the name of the analysis." example:"outcome"`
	wire.PageIn
}

type runIn struct {
	ID wire.ID `path:"id" format:"uuid" doc:"Unique identifier of the run."`
}

func (s *Server) registerAnalysisRuns() {
	wire.Register(s.router, wire.Operation{
		ID: "estimate-analysis-run", Method: http.MethodPost, Path: "/api/v1/analyses/{name}/runs/estimate", Tag: "Analyses", Scope: "analyses:read", Unaudited: true,
		Summary: "Estimate a run over earlier calls", Description: "Returns how many calls the run would analyse, and about what that would cost. Nothing is changed.", Errors: []fault.Code{fault.NotFound},
	}, func(ctx context.Context, who auth.Principal, in *analysisRunIn) (*wire.Answer[runEstimateBody], error) {
		q, sees, err := in.request(who)
		if err != nil || !sees {
			return wire.NewAnswer(runEstimateBody{}), err
		}
		e, err := s.deps.Calls.EstimateRun(ctx, q)
		if err != nil {
			return nil, err
		}
		body := runEstimateBody{Calls: e.Calls}
		if e.Cost != nil {
			body.Estimate, body.Currency = nullableDecimal(e.Cost.Total), e.Cost.Currency
		}
		return wire.NewAnswer(body), nil
	})
	wire.Register(s.router, wire.Operation{
		ID: "start-analysis-run", Method: http.MethodPost, Path: "/api/v1/analyses/{name}/runs", Tag: "Analyses", Scope: "analyses:write", Status: http.StatusCreated, Unaudited: true,
		Summary: "Run an analysis over earlier calls", Errors: []fault.Code{fault.NotFound, fault.Conflict},
		Description: "Analyses calls that ended with a transcript, the newest first, and replaces results of earlier versions of the analysis when there are new ones. Calls with a result of the present version are left out. An analysis has one run at a time.",
	}, func(ctx context.Context, who auth.Principal, in *analysisRunIn) (*wire.Answer[analysisRunBody], error) {
		q, sees, err := in.request(who)
		if err != nil {
			return nil, err
		}
		if !sees {
			return nil, fault.Invalid([]fault.Detail{{Field: "livemode", Message: "a test key cannot run analyses over live calls"}})
		}
		r, err := s.deps.Calls.StartRun(ctx, q)
		if err != nil {
			return nil, err
		}
		s.auditRequest(ctx, who, "analysis_run.start", r.ID, r.Analysis)
		return wire.NewAnswer(showRun(r)), nil
	})
	wire.Register(s.router, wire.Operation{
		ID: "list-analysis-runs", Method: http.MethodGet, Path: "/api/v1/analysis-runs", Tag: "Analyses", Scope: "analyses:read",
		Summary: "List runs over earlier calls", Description: "Newest first.",
	}, func(ctx context.Context, who auth.Principal, in *listRunsIn) (*wire.Answer[wire.Page[analysisRunBody]], error) {
		mode, _ := livemode(who, nil)
		found, total, err := s.analyses(who).Runs(ctx, in.Analysis, mode, in.Limit, in.Offset)
		if err != nil {
			return nil, err
		}
		return wire.ListOf(found, total, in.PageIn, showRun), nil
	})
	wire.Register(s.router, wire.Operation{
		ID: "get-analysis-run", Method: http.MethodGet, Path: "/api/v1/analysis-runs/{id}", Tag: "Analyses", Scope: "analyses:read",
		Summary: "Get a run over earlier calls", Errors: []fault.Code{fault.NotFound},
	}, func(ctx context.Context, who auth.Principal, in *runIn) (*wire.Answer[analysisRunBody], error) {
		mode, _ := livemode(who, nil)
		r, err := s.analyses(who).Run(ctx, in.ID.String(), mode)
		if err != nil {
			return nil, err
		}
		return wire.NewAnswer(showRun(r)), nil
	})
	wire.Register(s.router, wire.Operation{
		ID: "cancel-analysis-run", Method: http.MethodPost, Path: "/api/v1/analysis-runs/{id}/cancel", Tag: "Analyses", Scope: "analyses:write",
		Summary: "Cancel a run over earlier calls", Description: "Analyses that have begun are finished; other results stay as they were.", Errors: []fault.Code{fault.NotFound, fault.Conflict},
	}, func(ctx context.Context, who auth.Principal, in *runIn) (*wire.Answer[analysisRunBody], error) {
		mode, _ := livemode(who, nil)
		r, err := s.analyses(who).CancelRun(ctx, in.ID.String(), mode)
		if err != nil {
			return nil, err
		}
		return wire.NewAnswer(showRun(r)), nil
	})
}
