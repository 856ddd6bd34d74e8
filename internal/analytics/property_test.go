package analytics

import (
	"cmp"
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/internal/answering"
	"parley/internal/database"
	"parley/internal/database/databasetest"
)

// close compares what was added up in another order.
var close = cmpopts.EquateApprox(1e-9, 1e-6)

// TestAnswersEqualBruteForce asks about random ranges of random calls, and
// works out each answer from the calls one by one.
func TestAnswersEqualBruteForce(t *testing.T) {
	now := time.Now().UTC().Truncate(time.Microsecond)
	seed := uint64(now.UnixNano())
	t.Logf("seed %d", seed)
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		r := rand.New(rand.NewPCG(seed, 1))
		databasetest.Tenant(t, db, acme, "acme")
		databasetest.Tenant(t, db, other, "other")
		var calls []*past
		for range 125 {
			calls = append(calls, random(r, now, 70*time.Hour))
		}
		for range 125 {
			calls = append(calls, random(r, now, 2*time.Hour))
		}
		record(t, db, calls...)
		s := New(db)
		for range 100 {
			q := randomQuery(r, now)
			var seen []*past
			for _, p := range calls {
				if p.tenant == q.TenantID && (q.Livemode == nil || *q.Livemode == p.livemode) && (q.contains(p.moment()) || q.now && !p.over()) {
					seen = append(seen, p)
				}
			}
			check := func(name string, want, got any, err error) {
				t.Helper()
				if err != nil {
					t.Fatalf("%s of %+v: %v", name, q, err)
				}
				if diff := gocmp.Diff(want, got, close, cmpopts.EquateEmpty()); diff != "" {
					t.Fatalf("%s of %v to %v (-want +got):\n%s", name, q.From, q.To, diff)
				}
			}
			summary, err := s.Summary(t.Context(), q)
			check("summary", bruteSummary(seen), summary, err)
			workflows, err := s.Workflows(t.Context(), q, 3)
			check("workflows", bruteWorkflows(seen, 3), workflows, err)
			interval := []Interval{Hourly, Daily, Weekly}[r.IntN(3)]
			points, err := s.Volume(t.Context(), q, interval)
			check("volume", bruteVolume(seen, q, interval, points), points, err)
			providers, err := s.Providers(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			compareProviders(t, seen, providers)
			by := []Group{Ungrouped, ByAgent, ByWorkflow, ByDay}[r.IntN(4)]
			answered, err := s.AnsweredBy(t.Context(), q, by)
			check("answered by, by "+string(by), bruteAnswered(seen, q, by), answered, err)
		}
	})
}

func randomQuery(r *rand.Rand, now time.Time) Query {
	q := Query{TenantID: acme}
	at := func() time.Time {
		past := now.Add(-time.Duration(r.Int64N(int64(80 * time.Hour))))
		return past.Truncate([]time.Duration{time.Microsecond, time.Microsecond, time.Second, time.Minute, time.Hour, 24 * time.Hour}[r.IntN(6)])
	}
	switch r.IntN(6) {
	case 0:
		q.Range, q.now = until(now, []time.Duration{time.Hour, 24 * time.Hour, 7 * 24 * time.Hour}[r.IntN(3)]), true
	case 1:
		q.From = at()
	case 2:
		q.To = at()
	case 3: // within a minute or little more
		q.From = at()
		q.To = q.From.Add(time.Duration(1 + r.Int64N(int64(90*time.Second))))
	default:
		q.From, q.To = at(), at()
		if !q.From.Before(q.To) {
			q.From, q.To = q.To, q.From.Add(time.Microsecond)
		}
	}
	if r.IntN(2) == 0 {
		live := r.IntN(2) == 0
		q.Livemode = &live
	}
	if r.IntN(10) == 0 {
		q.TenantID = other
	}
	return q
}

func bruteSummary(calls []*past) (s Summary) {
	var durations, answered float64
	sum, n := [3]float64{}, [3]float64{}
	for _, p := range calls {
		s.Total++
		if !p.over() {
			s.Active++
			continue
		}
		switch p.status {
		case "completed":
			s.Completed++
		case "failed":
			s.Failed++
		}
		if !p.started.IsZero() {
			answered++
			durations += float64(p.duration)
		}
		if p.spent > 0 {
			s.Tokens += p.spent + 1
		}
		for _, t := range p.turns {
			for i, ms := range []*float64{t.STTMS, t.LLMMS, t.TTSMS} {
				if ms != nil {
					sum[i] += *ms
					n[i]++
				}
			}
			for _, tokens := range []*int64{t.InputTokens, t.OutputTokens} {
				if tokens != nil {
					s.Tokens += *tokens
				}
			}
		}
	}
	s.AvgDurationSeconds = durations / max(1, answered)
	s.SuccessRate = rate(s.Completed, s.Total)
	s.AvgSTTLatencyMS, s.AvgLLMLatencyMS, s.AvgTTSLatencyMS = sum[0]/max(1, n[0]), sum[1]/max(1, n[1]), sum[2]/max(1, n[2])
	return s
}

func rate(part, whole int64) float64 {
	return math.Round(1000*float64(part)/math.Max(1, float64(whole))) / 10
}

func bruteWorkflows(calls []*past, limit int) (list []WorkflowStats) {
	for n := 1; n < 4; n++ {
		var own []*past
		for _, p := range calls {
			if p.workflow == n {
				own = append(own, p)
			}
		}
		if s := bruteSummary(own); s.Total > 0 {
			list = append(list, WorkflowStats{ID: workflowID(n), Slug: workflowSlug(n), Name: workflowSlug(n), Total: s.Total, Completed: s.Completed, Failed: s.Failed,
				SuccessRate: s.SuccessRate, AvgDurationSeconds: s.AvgDurationSeconds})
		}
	}
	slices.SortStableFunc(list, func(a, b WorkflowStats) int { return cmp.Compare(b.Total, a.Total) })
	return list[:min(limit, len(list))]
}

// bruteAnswered counts the classes of each group. Open calls count only within the range.
func bruteAnswered(calls []*past, q Query, by Group) (list []Answered) {
	classes := map[string]map[string]int64{}
	for _, p := range calls {
		if p.answeredBy == "" || !q.contains(p.moment()) {
			continue
		}
		group := map[Group]string{ByAgent: "desk", ByDay: p.moment().UTC().Format(time.DateOnly)}[by]
		if by == ByWorkflow && p.workflow > 0 {
			group = workflowSlug(p.workflow)
		}
		if classes[group] == nil {
			classes[group] = map[string]int64{}
		}
		classes[group][p.answeredBy]++
	}
	for _, group := range slices.Sorted(maps.Keys(classes)) {
		a := Answered{Group: group}
		for _, n := range classes[group] {
			a.Calls += n
		}
		for _, class := range slices.Sorted(maps.Keys(classes[group])) {
			n := classes[group][class]
			a.Classes = append(a.Classes, AnsweredClass{answering.Class(class), n, math.Round(float64(n)/float64(a.Calls)*1000) / 10})
		}
		slices.SortStableFunc(a.Classes, func(a, b AnsweredClass) int { return cmp.Compare(b.Calls, a.Calls) })
		list = append(list, a)
	}
	return list
}

// bruteVolume counts by calendar, from the interval of the range's start to
// that of its end. Ends that the range leaves open are taken from the answer.
func bruteVolume(calls []*past, q Query, interval Interval, got []Point) (points []Point) {
	start := func(t time.Time) time.Time {
		t = t.UTC()
		switch interval {
		case Hourly:
			return t.Truncate(time.Hour)
		case Weekly:
			t = t.AddDate(0, 0, -(int(t.Weekday())+6)%7)
		}
		return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	}
	if len(got) == 0 {
		return []Point{{}} // there is always one
	}
	first, last := got[0].Time, got[len(got)-1].Time
	if !q.From.IsZero() {
		first = start(q.From)
	}
	if !q.To.IsZero() {
		last = start(q.To.Add(-time.Nanosecond))
	}
	for at := first; !at.After(last); at = next(at, interval) {
		p := Point{Time: at}
		for _, c := range calls {
			if !q.contains(c.moment()) || !start(c.moment()).Equal(at) {
				continue
			}
			p.Total++
			switch c.status {
			case "completed":
				p.Completed++
			case "failed":
				p.Failed++
			}
		}
		points = append(points, p)
	}
	return points
}

func next(t time.Time, interval Interval) time.Time {
	switch interval {
	case Hourly:
		return t.Add(time.Hour)
	case Daily:
		return t.AddDate(0, 0, 1)
	default:
		return t.AddDate(0, 0, 7)
	}
}

// compareProviders checks latencies: sums exactly, percentiles within 1 % of
// the measurement of that rank.
func compareProviders(t *testing.T, calls []*past, got []ProviderLatency) {
	t.Helper()
	measured := map[series][]float64{}
	used := map[series]map[string]bool{}
	for _, p := range calls {
		for _, turn := range p.turns {
			for _, m := range []struct {
				kind string
				name *string
				ms   *float64
			}{{"stt", turn.STTProvider, turn.STTMS}, {"llm", turn.LLMProvider, turn.LLMMS}, {"tts", turn.TTSProvider, turn.TTSMS}} {
				if p.over() && m.name != nil && m.ms != nil {
					k := series{m.kind, *m.name}
					measured[k] = append(measured[k], *m.ms)
					if used[k] == nil {
						used[k] = map[string]bool{}
					}
					used[k][p.id] = true
				}
			}
		}
	}
	if len(got) != len(measured) {
		t.Fatalf("%d providers, want %d", len(got), len(measured))
	}
	if !slices.IsSortedFunc(got, func(a, b ProviderLatency) int {
		return cmp.Or(slices.Index(kinds, a.Type)-slices.Index(kinds, b.Type), cmp.Compare(a.Name, b.Name))
	}) {
		t.Fatalf("out of order: %+v", got)
	}
	for _, p := range got {
		k := series{p.Type, p.Name}
		values := slices.Sorted(slices.Values(measured[k]))
		want := ProviderLatency{Type: p.Type, Name: p.Name, Avg: total(values) / float64(len(values)), Calls: int64(len(used[k])), P50: p.P50, P95: p.P95, P99: p.P99}
		if diff := gocmp.Diff(want, p, close); diff != "" {
			t.Fatal(diff)
		}
		for quantile, got := range map[float64]float64{0.5: p.P50, 0.95: p.P95, 0.99: p.P99} {
			exact := values[int(math.Ceil(quantile*float64(len(values))))-1]
			if math.Abs(got-exact) > 1.01*accuracy*exact {
				t.Errorf("%v: quantile %g is %g, want %g ± 1 %%", k, quantile, got, exact)
			}
		}
	}
}

// TestConcurrentEnds has many calls of one tenant end concurrently: nothing is lost
// and nobody waits forever.
func TestConcurrentEnds(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		databasetest.Tenant(t, db, acme, "acme")
		databasetest.Tenant(t, db, other, "other")
		now := time.Now().UTC().Truncate(time.Microsecond)
		r := rand.New(rand.NewPCG(1, 2))
		var calls []*past
		for range 160 {
			p := random(r, now, 3*time.Minute)
			p.tenant, p.status = acme, []string{"completed", "failed", "timeout"}[r.IntN(3)]
			calls = append(calls, p)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		rollups := NewRollups(nil)
		errs := make(chan error)
		const writers = 8
		for n := range writers {
			go func() {
				for i := n; i < len(calls); i += writers {
					scope := db.Tenant(acme)
					if i%2 == 0 {
						scope = db.System() // as the reaper does
					}
					if err := scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
						if err := calls[i].write(ctx, tx); err != nil {
							return err
						}
						return calls[i].finish(ctx, tx, rollups)
					}); err != nil {
						errs <- err
						return
					}
				}
				errs <- nil
			}()
		}
		for range writers {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		q := Query{TenantID: acme, Range: until(now, 2*time.Hour)} // calls may begin at the beginning of an hour
		got, err := New(db).Summary(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(bruteSummary(calls), got, close); diff != "" {
			t.Error(diff)
		}
		providers, err := New(db).Providers(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		compareProviders(t, calls, providers)
	})
}
