package call_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"parley/internal/call"
	"parley/internal/database"
)

var someWorkflows = []string{"0193a6f0-0000-7000-8000-0000000000a1", "0193a6f0-0000-7000-8000-0000000000a2"}

// scatter ends n calls as the service does and then moves them over the days
// before base, with their counts.
func (h *fixture) scatter(n int, base time.Time, days int) {
	h.t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	rows := make([]call.Call, n)
	for i := range rows {
		at := base.Add(-time.Duration(random.Int64N(int64(days) * 24 * int64(time.Hour)))).Truncate(time.Second)
		c := call.Call{ID: uuid.Must(uuid.NewV7()).String(), TenantID: acme, RoomName: fmt.Sprintf("%s-%d", base, i), CreatedAt: at, JoinBy: at,
			Status: call.Statuses[random.IntN(len(call.Statuses))], Direction: call.Inbound, CallType: call.VoIP, Livemode: random.IntN(5) > 0, AgentHistory: []string{}}
		if w := random.IntN(3); w < 2 {
			c.WorkflowID = &someWorkflows[w]
		}
		if u := random.IntN(4); u > 0 {
			user := fmt.Sprint("user-", u)
			c.UserID = &user
		}
		if c.Status.Terminal() {
			c.EndedAt = at.Add(3 * time.Hour)
		}
		if random.IntN(2) == 0 {
			c.StartedAt = at.Add(time.Duration(random.IntN(90)) * time.Minute)
		}
		rows[i] = c
	}
	if err := h.db.System().Write(h.t.Context(), func(ctx context.Context, tx database.Tx) error {
		for batch := range slices.Chunk(rows, 500) {
			if _, err := tx.NewInsert().Model(&batch).Exec(ctx); err != nil {
				return err
			}
		}
		return recount(ctx, tx)
	}); err != nil {
		h.t.Fatal(err)
	}
}

// recount recomputes the counts from the calls.
func recount(ctx context.Context, tx database.Tx) error {
	start := map[bool][2]string{
		true:  {"date_trunc('day', listed_at, 'UTC')", "date_trunc('hour', listed_at, 'UTC')"},
		false: {"substr(listed_at, 1, 10) || ' 00:00:00+00:00'", "substr(listed_at, 1, 13) || ':00:00+00:00'"},
	}[tx.Postgres()]
	all := map[bool]string{true: "to_timestamp(0)", false: "'1970-01-01 00:00:00+00:00'"}[tx.Postgres()]
	for _, statement := range []string{
		"DELETE FROM call_counts", "DELETE FROM call_user_counts",
		count("all", all), count("day", start[0]), count("hour", start[1]),
		`INSERT INTO call_user_counts SELECT tenant_id, user_id, COALESCE(CAST(workflow_id AS TEXT), ''), status, livemode, COUNT(*)
			FROM calls WHERE ended_at IS NOT NULL AND user_id IS NOT NULL GROUP BY 1, 2, 3, 4, 5`,
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

func count(span, start string) string {
	return "INSERT INTO call_counts SELECT tenant_id, '" + span + "', " + start + `, COALESCE(CAST(workflow_id AS TEXT), ''), status, livemode, COUNT(*)
		FROM calls WHERE ended_at IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6`
}

// counts are the rows of the tables of counts, in an order to compare.
func (h *fixture) counts() (found []string) {
	h.t.Helper()
	if err := h.db.System().Read(h.t.Context(), func(ctx context.Context, tx database.Tx) error {
		for _, query := range []string{
			"SELECT span, at, workflow, status, livemode, n FROM call_counts",
			"SELECT user_id, '', workflow, status, livemode, n FROM call_user_counts",
		} {
			rows, err := tx.QueryContext(ctx, query)
			if err != nil {
				return err
			}
			for rows.Next() {
				var a, b, c, d, e, n any
				if err := rows.Scan(&a, &b, &c, &d, &e, &n); err != nil {
					return err
				}
				if at, ok := b.(time.Time); ok {
					b = at.UTC()
				}
				found = append(found, fmt.Sprint(a, b, c, d, e, n))
			}
			if err := rows.Close(); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		h.t.Fatal(err)
	}
	slices.Sort(found)
	return found
}

func TestListSelectsSortsAndCounts(t *testing.T) {
	base := time.Date(2026, 11, 20, 13, 37, 11, 0, time.UTC)
	each(t, defaults, func(t *testing.T, h *fixture) {
		h.scatter(3000, base, 4)
		everything, total, err := h.calls.List(t.Context(), acme, call.Filter{}, 5000, 0)
		if err != nil || total != 3000 || len(everything) != 3000 {
			t.Fatalf("%d of %d calls, %v", len(everything), total, err)
		}
		at := func(c *call.Call) time.Time {
			if c.StartedAt.IsZero() {
				return c.CreatedAt
			}
			return c.StartedAt
		}
		if !slices.IsSortedFunc(everything, func(a, b *call.Call) int {
			if d := at(b).Compare(at(a)); d != 0 {
				return d
			}
			return strings.Compare(b.ID, a.ID)
		}) {
			t.Error("not the newest first")
		}
		truth, falsity, user, nobody := true, false, "user-1", "nobody"
		random := rand.New(rand.NewPCG(3, 4))
		for range 60 {
			var f call.Filter
			if random.IntN(2) == 0 {
				f.Status = call.Statuses[random.IntN(len(call.Statuses))]
			}
			f.WorkflowID = []*string{nil, nil, &someWorkflows[0], &someWorkflows[1]}[random.IntN(4)]
			f.UserID = []*string{nil, nil, nil, &user, &nobody}[random.IntN(5)]
			f.Livemode = []*bool{nil, &truth, &falsity}[random.IntN(3)]
			moment := func() time.Time {
				t := base.Add(-time.Duration(random.Int64N(int64(5 * 24 * time.Hour))))
				return []time.Time{{}, t, t.Truncate(time.Second), t.Truncate(time.Hour), t.Truncate(24 * time.Hour), at(everything[random.IntN(3000)])}[random.IntN(6)]
			}
			f.After, f.Before = moment(), moment()
			var want []string
			for _, c := range everything {
				if (f.Status == "" || f.Status == c.Status) && (f.WorkflowID == nil || c.WorkflowID != nil && *f.WorkflowID == *c.WorkflowID) &&
					(f.UserID == nil || c.UserID != nil && *f.UserID == *c.UserID) && (f.Livemode == nil || *f.Livemode == c.Livemode) &&
					!at(c).Before(f.After) && (f.Before.IsZero() || at(c).Before(f.Before)) {
					want = append(want, c.ID)
				}
			}
			whole := len(want)
			offset := []int{0, random.IntN(whole + 5), 1000, 2000}[random.IntN(4)]
			want = want[min(offset, whole):min(offset+20, whole)]
			page, total, err := h.calls.List(t.Context(), acme, f, 20, int64(offset))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range page {
				got = append(got, c.ID)
			}
			filter, _ := json.Marshal(f)
			if int(total) != whole || !slices.Equal(got, want) {
				t.Errorf("%s from %d: %d calls of %d, want %d of %d", filter, offset, len(got), total, len(want), whole)
			}
		}
		// The lookup by counts agrees with stepping over.
		for offset := 1000; offset < 3000; offset += 97 {
			page, _, err := h.calls.List(t.Context(), acme, call.Filter{}, 1, int64(offset))
			if err != nil || len(page) != 1 || page[0].ID != everything[offset].ID {
				t.Errorf("the call at %d: %v", offset, err)
			}
		}
		if page, total, err := h.calls.List(t.Context(), other, call.Filter{}, 20, 0); err != nil || total != 0 || len(page) != 0 {
			t.Errorf("another tenant lists %d of %d calls, %v", len(page), total, err)
		}
	})
}

func TestCountsFollowTheCalls(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		user := "ada"
		h.active()
		for i := range 8 {
			c, _, err := h.calls.Dispatch(t.Context(), call.Request{TenantID: acme, AgentName: "desk", UserID: &user, CallType: call.VoIP, Livemode: i%2 == 0})
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				continue
			}
			if _, err := h.calls.End(t.Context(), acme, c.ID); err != nil {
				t.Fatal(err)
			}
		}
		lease := h.active()
		if _, err := h.calls.Finish(t.Context(), lease, call.CallerHangup); err != nil {
			t.Fatal(err)
		}
		kept := h.counts()
		if err := h.db.System().Write(t.Context(), recount); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(h.counts(), kept); diff != "" || len(kept) == 0 {
			t.Errorf("counted anew (-), kept (+):\n%s", diff)
		}
		if _, total, err := h.calls.List(t.Context(), acme, call.Filter{UserID: &user}, 1, 0); err != nil || total != 8 {
			t.Errorf("%d calls of the user, %v", total, err)
		}
	})
}

func TestActiveCalls(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		first, second := h.dispatch(), h.dispatch()
		ended := h.dispatch()
		if _, err := h.calls.End(t.Context(), acme, ended.ID); err != nil {
			t.Fatal(err)
		}
		calls, err := h.calls.ListActive(t.Context(), acme, nil, 100)
		if err != nil || len(calls) != 2 || calls[0].ID != second.ID || calls[1].ID != first.ID {
			t.Fatalf("active %v, %v", calls, err)
		}
		if calls, err = h.calls.ListActive(t.Context(), acme, nil, 1); err != nil || len(calls) != 1 {
			t.Errorf("%d calls, %v; want the limit", len(calls), err)
		}
		for tenant, livemode := range map[string]bool{acme: false, other: true} {
			if calls, err = h.calls.ListActive(t.Context(), tenant, &livemode, 100); err != nil || len(calls) != 0 {
				t.Errorf("%d calls of tenant %s with livemode %t, %v", len(calls), tenant, livemode, err)
			}
		}
	})
}

// The duration of an open call is computed with the database's clock, as its start is, in every read.
func TestCallsLast(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		id := h.active().CallID
		var now time.Time
		if err := h.db.System().Read(t.Context(), func(_ context.Context, tx database.Tx) error {
			now = tx.Now()
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		listed, _, err := h.calls.List(t.Context(), acme, call.Filter{}, 10, 0)
		if err != nil || len(listed) != 1 {
			t.Fatalf("%d listed, %v", len(listed), err)
		}
		active, err := h.calls.ListActive(t.Context(), acme, nil, 10)
		if err != nil || len(active) != 1 {
			t.Fatalf("%d active, %v", len(active), err)
		}
		for i, c := range []*call.Call{h.get(id), listed[0], active[0]} {
			if c.ReadAt.Before(now) || c.ReadAt.After(now.Add(time.Minute)) {
				t.Errorf("%d: read at %v, after %v", i, c.ReadAt, now)
			}
			if c.ReadAt = c.StartedAt.Add(90 * time.Second); c.DurationAtRead() != 90 {
				t.Errorf("%d: lasted %d s, want 90", i, c.DurationAtRead())
			}
		}
	})
}
