package api

import (
	"context"

	"parley/internal/analytics"
	"parley/internal/answering"
	"parley/internal/api/wire"
	"parley/internal/auth"
)

type answeredIn struct {
	RangeIn
	GroupBy string `query:"group_by" enum:"none,agent,workflow,day" default:"none" doc:"What the figures are for. A call counts for the agent that had it first."`
}

type answeredItem struct {
	Group   string             `json:"group" doc:"Name of the agent, slug of the workflow, or the day (UTC). Empty for a call without a workflow, and without group_by." example:"2026-11-01"`
	Calls   int64              `json:"calls" doc:"Number of calls whose answer was classified." example:"40"`
	Classes []answeredShareRow `json:"classes" nullable:"false" doc:"Shares of the classes, the most frequent first."`
}

type answeredShareRow struct {
	Class answering.Class `json:"class" enum:"human,voicemail,mailbox_full,screening,menu,fax,silence,unknown" doc:"Class of who answered." example:"voicemail"`
	Calls int64           `json:"calls" doc:"Number of calls of the class." example:"13"`
	Share float64         `json:"share" doc:"Percentage of the group's calls, with one decimal." example:"32.5"`
}

func (s *Server) answeredBy(ctx context.Context, who auth.Principal, in *answeredIn) (*wire.Answer[[]answeredItem], error) {
	groups, err := s.deps.Analytics.AnsweredBy(ctx, in.query(who), analytics.Group(in.GroupBy))
	if err != nil {
		return nil, err
	}
	items := make([]answeredItem, len(groups))
	for n, g := range groups {
		items[n] = answeredItem{Group: g.Group, Calls: g.Calls, Classes: make([]answeredShareRow, len(g.Classes))}
		for i, c := range g.Classes {
			items[n].Classes[i] = answeredShareRow(c)
		}
	}
	return wire.NewAnswer(items), nil
}
