package postcall

import (
	"context"

	"github.com/shopspring/decimal"

	"parley/internal/analysis"
	"parley/internal/call"
	"parley/internal/cost"
	"parley/internal/dialogue"
	"parley/internal/fault"
)

// analyse runs an analysis. An error is one of the provider or the database, after which it is tried again; the result then has only what
// was used.
func (r *Runner) analyse(ctx context.Context, job *analysis.OfCall) (call.AnalysisResult, error) {
	var (
		a       *analysis.Analysis
		in      call.AnalysisInput
		unasked *call.AnalysisResult
	)
	err := r.turn(ctx, func() (err error) {
		a, in, unasked, err = r.prepare(ctx, job)
		return err
	})
	if err != nil {
		return call.AnalysisResult{}, err
	}
	if unasked != nil {
		return *unasked, nil
	}
	answers, faults, used, err := r.ask(ctx, job, a.Config, in)
	if err != nil {
		return call.AnalysisResult{Usage: used}, err
	}
	var result call.AnalysisResult
	if len(faults) > 0 {
		r.options.Log.WarnContext(ctx, "the answers of a language model to an analysis were not valid", "call", job.CallID, "tenant", job.TenantID, "analysis", job.Name)
		result = finish(job, analysis.Failed, analysis.InvalidAnswer)
	} else {
		if in.Redacted {
			answers.Redact()
		}
		job.Data, job.Criteria = answers.Data, answers.Criteria
		result = finish(job, analysis.Done, "")
	}
	result.Usage = used
	return result, nil
}

// prepare reads the analysis and its call. The result is that of an analysis that needs no language model; nil for one that does.
func (r *Runner) prepare(ctx context.Context, job *analysis.OfCall) (a *analysis.Analysis, in call.AnalysisInput, unasked *call.AnalysisResult, err error) {
	without := func(status analysis.Status, reason string) (*analysis.Analysis, call.AnalysisInput, *call.AnalysisResult, error) {
		result := finish(job, status, reason)
		return a, in, &result, nil
	}
	a, err = r.definition(ctx, job)
	if fault.Is(err, fault.NotFound) {
		return without(analysis.Skipped, analysis.Deleted)
	}
	if err != nil {
		return nil, in, nil, err
	}
	job.Version = a.Version
	if a.Config.LLM != nil {
		job.LLM = a.Config.LLM
	}
	in, err = r.options.Calls.AnalysisInput(ctx, job.TenantID, job.CallID)
	if err != nil {
		return nil, in, nil, err
	}
	if reason := a.Config.Conditions.Excludes(in.Facts, in.Transcript); reason != "" {
		return without(analysis.Skipped, reason)
	}
	if job.LLM == nil {
		return without(analysis.Failed, analysis.NoModel)
	}
	return a, in, nil, nil
}

// ask asks the language model.
func (r *Runner) ask(ctx context.Context, job *analysis.OfCall, c analysis.Config, in call.AnalysisInput) (analysis.Answers, []string, []cost.Usage, error) {
	model, err := r.options.Models(ctx, job.TenantID).LanguageModel(job.LLM.Provider)
	if err != nil {
		return analysis.Answers{}, nil, nil, err
	}
	answers, faults, used, err := c.Ask(ctx, model, *job.LLM, analysis.NewQuestion(in.Facts, in.Transcript), r.options.Timeout)
	return answers, faults, usageOf(*job.LLM, used), err
}

// usageOf returns the tokens of the answers, for the call's cost.
func usageOf(l analysis.LLM, u dialogue.Usage) (used []cost.Usage) {
	tokens := cost.Tokens(u)
	for _, unit := range cost.Units {
		if n := tokens[unit]; n > 0 {
			use := cost.Use{Kind: cost.Analysis, Provider: l.Provider, Model: l.Model, Unit: unit}
			used = append(used, cost.Usage{Use: use, Quantity: decimal.NewFromInt(int64(n))})
		}
	}
	return used
}
