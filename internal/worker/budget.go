package worker

import (
	"context"
	"time"

	"github.com/shopspring/decimal"

	"parley/internal/cost"
)

// costInterval is how often the cost of a call with a limit is computed.
const costInterval = time.Second

// limitsCost reports whether the call's dispatch or one of its agents limits what it may cost.
func (s *session) limitsCost() bool {
	if s.settings.MaxCost != "" {
		return true
	}
	for _, c := range s.plan.Agents {
		if c.MaxCost != "" {
			return true
		}
	}
	return false
}

// maxCost returns what the call may cost while an agent has it, the lower one of the dispatch's and the agent's; zero for no limit.
func (s *session) maxCost(agent string) (most decimal.Decimal) {
	for _, text := range []string{s.settings.MaxCost, s.plan.Agents[agent].MaxCost} {
		if limit, set := cost.ParseLimit(text); set && (most.IsZero() || limit.LessThan(most)) {
			most = limit
		}
	}
	return most
}

// watchCost closes s.spent when the call has cost as much as it may, unless ctx ends before.
func (s *session) watchCost(ctx context.Context) {
	running, err := s.w.options.Calls.RunningCost(ctx, s.call)
	if err != nil {
		s.log.WarnContext(ctx, "the cost of a call is not limited", "error", err)
	}
	if running == nil {
		return
	}
	began := time.Now().Add(-time.Duration(s.call.DurationAtRead()) * time.Second)
	ticker := time.NewTicker(costInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		most := s.maxCost(s.journal.currentAgent())
		if !most.IsZero() && running.Of(s.meter.total(), int64(time.Since(began)/time.Second)).GreaterThanOrEqual(most) {
			close(s.spent)
			return
		}
	}
}
