package chaos

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"parley/client"
	"parley/internal/cost"
	"parley/internal/database"
)

// The processes that run analyses are killed during runs over earlier calls: each call that a run has chosen is analysed once by it, is
// charged once and has one event call.analyzed of it, and the run finishes with all its calls and with their cost. The processes are those
// of TestKilledAnalyses.
func TestKilledAnalysisRuns(t *testing.T) { onEachDatabase(t, (*analyst).surviveRuns) }

// surviveRuns ends calls without analyses, has a run over them for each analysis, kills the processes meanwhile, and checks the results.
func (a *analyst) surviveRuns(k killable) {
	a.Helper()
	kills, calls := size(6, 50), size(100, 1000)
	db, tenantID := a.prepare(k)
	began, numbers := time.Now(), a.end(db, tenantID, calls)
	if a.Failed() {
		return
	}
	var spent decimal.Decimal
	for _, name := range names {
		r, err := k.api().Analyses.StartRun(a.Context(), name, client.RunAnalysis{})
		if err != nil {
			a.Fatal(err)
		}
		if r.Calls != calls || r.EstimatedCost == nil {
			a.Errorf("the run of %s began as %+v", name, *r)
		}
		k.kill(a, kills/len(names), calls)
		await(a.T, 200*time.Millisecond, "the run finishes", func() bool {
			r, err = k.api().Analyses.Run(a.Context(), r.ID)
			if err != nil {
				a.Fatal(err)
			}
			return r.FinishedAt != nil
		})
		if r.Status != "done" || r.Reason != nil || r.Calls != calls || r.Done != calls || r.Pending+r.Skipped+r.Failed != 0 {
			a.Errorf("the run of %s ended as %+v", name, *r)
		}
		charged := chargedForAnalyses(a.T, db)
		if of := charged.Sub(spent); !of.IsPositive() || !of.Equal(decimal.RequireFromString(r.Cost)) {
			a.Errorf("the run of %s costs %s, its calls are charged %s", name, r.Cost, of)
		}
		spent = charged
	}
	if again := a.check(db, numbers, len(names)); !a.Failed() {
		a.Logf("%d kills during %d runs over %d calls in %s: none lost, none twice; %d answers were under way at a kill, and asked for again",
			kills, len(names), calls, time.Since(began).Round(time.Second), again)
	}
}

// chargedForAnalyses returns what all calls were charged for analyses.
func chargedForAnalyses(t *testing.T, db *database.DB) (sum decimal.Decimal) {
	t.Helper()
	for _, amount := range rows[int64](t, db, "SELECT amount FROM call_costs WHERE kind = 'analysis'") {
		sum = sum.Add(cost.FromPico(decimal.NewFromInt(amount)))
	}
	return sum
}
