package api

import (
	"context"

	"parley/internal/analytics"
	"parley/internal/api/wire"
	"parley/internal/auth"
)

type resultsIn struct {
	RangeIn
	Analysis string `query:"analysis" required:"true" minLength:"1" maxLength:"100" doc:"Name of the analysis." example:"outcome"`
	GroupBy  string `query:"group_by" enum:"none,agent,workflow,day" default:"none" doc:"What the figures are for. A call counts for the agent that has held it last."`
}

type resultItem struct {
	Group   string            `json:"group" doc:"Name of the agent, slug of the workflow, or the day (UTC). Empty for a call without a workflow, and without group_by." example:"2026-11-01"`
	Name    string            `json:"name" doc:"Name of the criterion, or data. and the name of the property." example:"booked"`
	Calls   int64             `json:"calls" doc:"Number of calls with an answer." example:"40"`
	Share   *float64          `json:"yes_share" nullable:"true" doc:"Percentage of yes in calls, with one decimal; null for a score and for data, and if neither yes nor no was given." example:"62.5"`
	Average *float64          `json:"average" nullable:"true" doc:"Average of the scores, or of the numbers; null for others, and without any." example:"8.2"`
	Answers []resultAnswerRow `json:"answers" nullable:"false" doc:"How often each answer was given, the most frequent first; of scores rounded to whole numbers, of data the 20 most frequent values."`
}

type resultAnswerRow struct {
	Value string `json:"value" doc:"Answer: yes, no, unknown, a score rounded to a whole number, or a value of the data." example:"yes"`
	Calls int64  `json:"calls" doc:"Number of calls with the answer." example:"25"`
}

func (s *Server) results(ctx context.Context, who auth.Principal, in *resultsIn) (*wire.Answer[[]resultItem], error) {
	found, err := s.deps.Analytics.Results(ctx, in.query(who), in.Analysis, analytics.Group(in.GroupBy))
	if err != nil {
		return nil, err
	}
	items := make([]resultItem, len(found))
	for n, r := range found {
		items[n] = resultItem{Group: r.Group, Name: r.Name, Calls: r.Calls, Share: r.YesShare, Average: r.Average, Answers: make([]resultAnswerRow, len(r.Answers))}
		for i, a := range r.Answers {
			items[n].Answers[i] = resultAnswerRow{a.Value, a.Calls}
		}
	}
	return wire.NewAnswer(items), nil
}
