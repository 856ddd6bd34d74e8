package worker

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/dialogue"
	"parley/internal/sip"
	"parley/internal/voice"
)

func TestClock(t *testing.T) {
	asked := time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC)
	answered := asked.Add(2 * time.Second)
	for _, tc := range []struct {
		name  string
		there time.Time
		ahead time.Duration // of this machine's
	}{
		{"the same clock", asked.Add(time.Second), 0},
		{"the same clock, asked slowly", asked, 0},
		{"an hour ahead", asked.Add(time.Hour), time.Hour - 2*time.Second}, // or up to 2 s more: that is not known
		{"an hour behind", answered.Add(-time.Hour), -time.Hour + 2*time.Second},
	} {
		c := clockOf(tc.there, asked, answered)
		at := answered.Add(90*time.Second + 1500*time.Nanosecond)
		if got, want := c.databaseTime(at), answered.Add(90*time.Second+time.Microsecond+tc.ahead); !got.Equal(want) || got.Location() != time.UTC {
			t.Errorf("%s: %v, want %v", tc.name, got, want)
		}
	}
	if got := (clock{}).databaseTime(asked.Add(1500)); !got.Equal(asked.Add(time.Microsecond)) {
		t.Errorf("without a clock %v", got)
	}
}

// ahead is the database's clock, of this machine's.
const ahead = 5 * time.Hour

// A worker that claims a call knows the database's time: problems are counted in the database's hour.
func TestProblemInTheDatabasesTime(t *testing.T) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		calls, claimed := claimedCall(t, db)
		if err := calls.Release(t.Context(), claimed.Lease()); err != nil {
			t.Fatal(err)
		}
		fromAhead := func(ctx context.Context, worker string, most int) ([]*call.Call, error) {
			claimed, err := calls.Claim(ctx, worker, most)
			for _, c := range claimed {
				c.LeaseUntil, c.JoinBy = c.LeaseUntil.Add(ahead), c.JoinBy.Add(ahead)
				c.CallType, c.Direction = call.SIP, call.Outbound // which ends immediately, with a problem
			}
			return claimed, err
		}
		w := New(Options{Name: "w", Capacity: 1, Calls: calls, Rooms: noRooms{}, Log: slog.New(slog.DiscardHandler),
			CheckDial: func(context.Context, string, string) error { return nil }, OutboundRoute: func(context.Context, string, string, bool) (sip.OutboundRoute, error) {
				return sip.OutboundRoute{}, sip.ErrNoTrunk
			}})
		before := time.Now()
		if n := w.claimFrom(t.Context(), t.Context(), fromAhead, 1); n != 1 {
			t.Fatalf("took %d", n)
		}
		w.running.Wait()
		var problem struct{ CreatedAt, Hour time.Time }
		if err := db.Tenant(acme).Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
			return tx.NewRaw("SELECT e.created_at, c.hour FROM call_errors e, error_counts c WHERE e.tenant_id = ? AND c.tenant_id = ? AND e.service = 'workflow' AND c.service = 'workflow'", acme, acme).Scan(ctx, &problem)
		}); err != nil {
			t.Fatal(err)
		}
		if d := problem.CreatedAt.Sub(before) - ahead; d.Abs() > time.Minute || !problem.Hour.Equal(problem.CreatedAt.Truncate(time.Hour)) {
			t.Errorf("the problem was at %v, in the hour from %v; it is %v there", problem.CreatedAt, problem.Hour, before.Add(ahead))
		}
	})
}

func TestConversationInTheDatabasesTime(t *testing.T) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		calls, claimed := claimedCall(t, db)
		s := newSession(&Worker{options: Options{Calls: calls, Log: slog.New(slog.DiscardHandler)}}, claimed)
		s.clock.set(clockOf(time.Now().Add(ahead), time.Now(), time.Now()))
		j := newJournal(s)
		now := time.Now()
		j.EntryAdded(voice.Entry{Role: dialogue.RoleUser, Text: "hello", At: now})
		j.TurnAnswered(voice.Turn{Agent: "desk", STT: 120 * time.Millisecond})
		j.close()
		entries, err := calls.Transcript(t.Context(), acme, claimed.ID)
		if err != nil || len(entries) != 1 {
			t.Fatalf("%d entries, %v", len(entries), err)
		}
		if d := entries[0].CreatedAt.Sub(now) - ahead; d.Abs() > time.Minute {
			t.Errorf("said at %v; it is %v there", entries[0].CreatedAt, now.Add(ahead))
		}
		moments, err := calls.Timeline(t.Context(), acme, claimed.ID)
		if err != nil {
			t.Fatal(err)
		}
		turn := moments[len(moments)-1].Turn
		if turn == nil || (turn.CreatedAt.Sub(now)-ahead).Abs() > time.Minute || *turn.STTMS != 120 {
			t.Errorf("turn %+v; it is %v there", turn, now.Add(ahead))
		}
	})
}

// The clock of the worker that takes a call over may be behind the first one's: its transcript entries still follow the
// first's, also in the model's context.
func TestTakenOverByAClockBehind(t *testing.T) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		calls, claimed := claimedCall(t, db)
		for _, step := range []func(context.Context, call.Lease) error{calls.MarkConnecting, calls.MarkActive} {
			if err := step(t.Context(), claimed.Lease()); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Second) // of virtual time, which transactions do not advance
		w := &Worker{options: Options{Calls: calls, Log: slog.New(slog.DiscardHandler)}}
		// converse keeps some of a conversation by a clock that is behind.
		converse := func(c *call.Call, behind time.Duration, words ...string) *session {
			s := newSession(w, c)
			here := func() time.Time { return time.Now().Add(-behind) }
			s.clock.set(clockOf(time.Now(), here(), here()))
			j := newJournal(s)
			for _, word := range words {
				j.EntryAdded(voice.Entry{Role: dialogue.RoleAssistant, Text: word, At: here()})
				j.EntryAdded(voice.Entry{Role: dialogue.RoleAssistant, At: here(), Tool: &dialogue.ToolCall{Name: word}})
				j.Problem(voice.Problem{Service: voice.ToolUse, Message: "problem " + word, At: here()})
			}
			j.close()
			return s
		}
		takeOver := func() *call.Call {
			t.Helper()
			if _, err := calls.ExpireLeases(t.Context(), call.ServerRestart, func(string) bool { return true }); err != nil {
				t.Fatal(err)
			}
			taken, err := calls.TakeOver(t.Context(), "next", 1)
			if err != nil || len(taken) != 1 {
				t.Fatalf("took over %d, %v", len(taken), err)
			}
			return taken[0]
		}
		converse(claimed, 0, "one", "two")
		second := takeOver()
		converse(second, time.Hour, "three", "four")
		third := newSession(w, takeOver())
		if _, err := calls.Finish(t.Context(), third.lease, call.CallerHangup); err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff([]string{"one", "", "two", "", "three", "", "four", ""}, texts(t, calls, claimed.ID)); diff != "" {
			t.Errorf("transcript, want (-), got (+):\n%s", diff)
		}
		var options voice.Options
		if err := third.resumeConversation(t.Context(), &options); err != nil {
			t.Fatal(err)
		}
		var history []string
		for _, m := range options.History {
			history = append(history, m.Content)
		}
		if diff := cmp.Diff([]string{"one", "two", "three", "four"}, history); diff != "" {
			t.Errorf("history, want (-), got (+):\n%s", diff)
		}
		moments, err := calls.Timeline(t.Context(), acme, claimed.ID)
		if err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for _, m := range moments {
			switch {
			case m.Status != nil:
				kinds = append(kinds, string(m.Status.Status))
			case m.Error != nil:
				kinds = append(kinds, m.Error.Message)
			}
		}
		if diff := cmp.Diff([]string{"pending", "active", "problem one", "problem two", "problem three", "problem four", "completed"}, kinds); diff != "" {
			t.Errorf("timeline, want (-), got (+):\n%s", diff)
		}
	})
}
