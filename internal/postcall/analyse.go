package postcall

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/shopspring/decimal"

	"parley/internal/analysis"
	"parley/internal/call"
	"parley/internal/cost"
	"parley/internal/dialogue"
	"parley/internal/fault"
	"parley/internal/redact"
)

// maxTokens bounds an answer of a language model unless the analysis sets it.
const maxTokens = 4096

// analyse runs an analysis. An error is one of the provider or the database, after which it is tried again; the result then has only what
// was used.
func (r *Runner) analyse(ctx context.Context, job *analysis.OfCall) (call.AnalysisResult, error) {
	a, err := r.definition(ctx, job)
	if fault.Is(err, fault.NotFound) {
		return finish(job, analysis.Skipped, analysis.Deleted), nil
	}
	if err != nil {
		return call.AnalysisResult{}, err
	}
	job.Version = a.Version
	if a.Config.LLM != nil {
		job.LLM = a.Config.LLM
	}
	in, err := r.options.Calls.AnalysisInput(ctx, job.TenantID, job.CallID)
	if err != nil {
		return call.AnalysisResult{}, err
	}
	switch reason := a.Config.Conditions.Excludes(in.Facts, in.Transcript); {
	case reason != "":
		return finish(job, analysis.Skipped, reason), nil
	case job.LLM == nil:
		return finish(job, analysis.Failed, analysis.NoModel), nil
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
		job.Data, job.Criteria = answers.Data, answers.Criteria
		if in.Redacted {
			job.Data = redact.JSON(job.Data)
			for n := range job.Criteria {
				job.Criteria[n].Rationale = redact.Text(job.Criteria[n].Rationale)
			}
		}
		result = finish(job, analysis.Done, "")
	}
	result.Usage = used
	return result, nil
}

// ask asks the language model, a second time if its answer is not valid or rests on too little, and returns the answer and its faults.
func (r *Runner) ask(ctx context.Context, job *analysis.OfCall, c analysis.Config, in call.AnalysisInput) (answers analysis.Answers, faults []string, used []cost.Usage, err error) {
	model, err := r.options.Models(ctx, job.TenantID).LanguageModel(job.LLM.Provider)
	if err != nil {
		return answers, nil, nil, err
	}
	prompt := dialogue.Prompt{Model: job.LLM.Model, Temperature: job.LLM.Temperature, MaxTokens: maxTokens, ReasoningEffort: job.LLM.ReasoningEffort, JSON: true}
	if job.LLM.MaxTokens != nil {
		prompt.MaxTokens = *job.LLM.MaxTokens
	}
	if prompt.System, err = c.System(); err != nil {
		return answers, nil, nil, err
	}
	if prompt.JSONSchema, err = c.AnswerSchema(); err != nil {
		return answers, nil, nil, err
	}
	question := analysis.NewQuestion(in.Facts, in.Transcript)
	message, err := question.Message()
	if err != nil {
		return answers, nil, nil, err
	}
	prompt.Messages = []dialogue.Message{{Role: dialogue.RoleUser, Content: message}}
	for range 2 {
		text, usage, err := r.generate(ctx, model, prompt)
		if errors.Is(err, dialogue.ErrRefused) && prompt.JSONSchema != nil { // by a model or a server that does not take the schema
			prompt.JSONSchema = nil
			text, usage, err = r.generate(ctx, model, prompt)
		}
		used = cost.Add(used, usageOf(*job.LLM, usage)...)
		if err != nil {
			return answers, nil, used, err
		}
		var unproven []string
		answers, faults, unproven = c.Read(text, question.Transcript)
		if len(faults) == 0 && len(unproven) == 0 {
			break
		}
		prompt.Messages = append(prompt.Messages, dialogue.Message{Role: dialogue.RoleAssistant, Content: cmp.Or(text, "{}")},
			dialogue.Message{Role: dialogue.RoleUser, Content: analysis.Repair(slices.Concat(faults, unproven))})
	}
	return answers, faults, used, nil
}

// generate returns the whole answer of a language model.
func (r *Runner) generate(ctx context.Context, model dialogue.LanguageModel, p dialogue.Prompt) (text string, usage dialogue.Usage, err error) {
	ctx, cancel := context.WithTimeout(ctx, r.options.Timeout)
	defer cancel()
	for delta, err := range model.Generate(ctx, p) {
		if err != nil {
			return "", usage, err
		}
		text += delta.Text
		if delta.Usage != nil {
			usage.Add(*delta.Usage)
		}
	}
	return text, usage, nil
}

// usageOf returns the tokens of an answer, for the call's cost.
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
