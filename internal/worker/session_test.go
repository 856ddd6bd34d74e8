package worker

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/media"
	"parley/internal/voice"
)

// cleared remembers the rooms that were deleted.
type cleared struct {
	noRooms
	names []string
}

func (c *cleared) Delete(_ context.Context, room string) error {
	c.names = append(c.names, room)
	return nil
}

// A worker that was thought lost finds, when it wants to end its call, that another one holds it: the room and the
// caller in it are that one's. When the call is over, whoever ended it, the room goes.
func TestRoomOfACallThatWasTakenOver(t *testing.T) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		calls, claimed := claimedCall(t, db)
		next := takenOver(t, calls, claimed)
		var rooms cleared
		late := newSession(&Worker{options: Options{Calls: calls, Rooms: &rooms, Log: slog.New(slog.DiscardHandler)}}, claimed)
		late.finish(t.Context(), call.WorkerLost)
		if len(rooms.names) != 0 {
			t.Fatalf("rooms %q of another worker's call were deleted", rooms.names)
		}
		if _, err := calls.Finish(t.Context(), next.Lease(), call.WorkerLost); err != nil {
			t.Fatal(err)
		}
		late.finish(t.Context(), call.WorkerLost)
		if len(rooms.names) != 1 || rooms.names[0] != claimed.RoomName {
			t.Errorf("rooms %q deleted, want that of the call", rooms.names)
		}
	})
}

// retryDatabase retries while the database is unreachable, a limited number of times; not after the call was lost, not after
// other errors, and not after its context has ended.
func TestRetryDatabase(t *testing.T) {
	s := &session{log: slog.New(slog.DiscardHandler)}
	away, wrong := driver.ErrBadConn, errors.New("a call cannot go there")
	for _, tc := range []struct {
		name  string
		fails []error // of the first tries
		want  error
		tries int
	}{
		{"first try", nil, nil, 1},
		{"after a while", []error{away, away}, nil, 3},
		{"lost", []error{away, call.ErrFenced}, call.ErrFenced, 2},
		{"not the database's", []error{wrong, wrong}, wrong, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			tries := 0
			err := s.retryDatabase(t.Context(), requiredTries, func(context.Context) error {
				tries++
				if tries <= len(tc.fails) {
					return tc.fails[tries-1]
				}
				return nil
			})
			if !errors.Is(err, tc.want) || tries != tc.tries {
				t.Errorf("%s: %v after %d tries; want %v after %d", tc.name, err, tries, tc.want, tc.tries)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if err := s.retryDatabase(t.Context(), requiredTries, func(context.Context) error { return away }); !errors.Is(err, away) || time.Since(began) > time.Minute {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		if err := s.retryDatabase(ctx, requiredTries, func(context.Context) error { return away }); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a call that nobody wants any more: %v", err)
		}
	})
}

// unreachableRooms is a media server that does not respond.
type unreachableRooms struct{ noRooms }

func (unreachableRooms) Create(context.Context, string, media.RoomOptions) error {
	return errors.New("away")
}

// hangingRooms is a media server that accepts requests and does not answer.
type hangingRooms struct{ noRooms }

func (hangingRooms) Create(ctx context.Context, _ string, _ media.RoomOptions) error {
	<-ctx.Done()
	return ctx.Err()
}

// How calls end whose session fails, or is stopped, before their callers arrive.
func TestEndsOfPendingCalls(t *testing.T) {
	for _, tc := range []struct {
		name  string
		spoil func(o *Options, c *call.Call)
		why   error // for which the session is cancelled
		want  call.Reason

		explained bool // in the error log
	}{
		{"the plan cannot be read", func(_ *Options, c *call.Call) { c.Plan = []byte(`{`) }, nil, call.ProviderError, true},
		{"the session panics", func(o *Options, _ *call.Call) {
			o.Providers = func(context.Context, string) voice.Providers { panic("broke") }
		}, nil, call.WorkerLost, false},
		{"the server stops at once", func(*Options, *call.Call) {}, endCause{call.ServerShutdown}, call.ServerShutdown, false},
		{"the caller comes and goes at once", func(*Options, *call.Call) {}, endCause{call.CallerHangup}, call.CallerHangup, false},
		{"the caller comes and is lost at once", func(*Options, *call.Call) {}, endCause{call.ConnectionLost}, call.ConnectionLost, false},
		{"the media server is unavailable", func(_ *Options, c *call.Call) { c.JoinBy = c.Claimed() }, nil, call.ConnectionLost, true},
		{"the media server hangs", func(o *Options, _ *call.Call) { o.Rooms = hangingRooms{} }, nil, call.ConnectionLost, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
				calls, claimed := claimedCall(t, db)
				o := Options{Calls: calls, Rooms: unreachableRooms{}, Log: slog.New(slog.DiscardHandler),
					Providers: func(context.Context, string) voice.Providers { return nil }}
				tc.spoil(&o, claimed)
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if tc.why != nil {
					cancel(tc.why)
				}
				newSession(&Worker{options: o}, claimed).run(ctx)
				c, err := calls.Get(t.Context(), acme, claimed.ID)
				if err != nil || c.Status != call.Failed || c.StatusReason == nil || *c.StatusReason != tc.want {
					t.Errorf("%s, %v, %v; want failed with %s", c.Status, c.StatusReason, err, tc.want)
				}
				if explained := problems(t, db, c.ID) == 1; explained != tc.explained {
					t.Errorf("the error log says why: %t", explained)
				}
			})
		})
	}
}

// How calls end whose caller is in the room, before the conversation begins.
func TestEndsOfConnectingCalls(t *testing.T) {
	for _, reason := range []call.Reason{call.EndedByAPI, call.CallerHangup, call.ConnectionLost} {
		t.Run(string(reason), func(t *testing.T) {
			databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
				calls, claimed := claimedCall(t, db)
				if err := calls.MarkConnecting(t.Context(), claimed.Lease()); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancelCause(t.Context())
				cancel(endCause{reason})
				newSession(&Worker{options: Options{Calls: calls, Rooms: unreachableRooms{}, Log: slog.New(slog.DiscardHandler),
					Providers: func(context.Context, string) voice.Providers { return nil }}}, claimed).run(ctx)
				c, err := calls.Get(t.Context(), acme, claimed.ID)
				if err != nil || c.Status != call.Failed || c.StatusReason == nil || *c.StatusReason != reason {
					t.Errorf("%s, %v, %v; want failed with %s", c.Status, c.StatusReason, err, reason)
				}
			})
		})
	}
}

// The error log has failures of the tenant's providers and plans only, not requests to end the call, nor this server's faults.
func TestCallsThatCannotBegin(t *testing.T) {
	problem := voice.Problem{Service: voice.STT, Provider: "ear", Critical: true, Message: "ear is deaf", At: time.Now()}
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		calls, claimed := claimedCall(t, db)
		s := newSession(&Worker{options: Options{Calls: calls, Log: slog.New(slog.DiscardHandler)}}, claimed)
		for _, tc := range []struct {
			name   string
			err    error
			why    error // for which the session is cancelled
			reason call.Reason
			lost   error
			items  int
		}{
			{"a provider", fmt.Errorf("prepare: %w", problem), nil, call.ProviderError, nil, 1},
			{"the caller left", problem, endCause{call.CallerHangup}, call.CallerHangup, nil, 0},
			{"it was ended", context.Canceled, endCause{call.EndedByAPI}, call.EndedByAPI, nil, 0},
			{"another worker has it", problem, errLost, "", errLost, 0},
			{"the database is unavailable", driver.ErrBadConn, nil, call.WorkerLost, driver.ErrBadConn, 0},
		} {
			before := problems(t, db, claimed.ID)
			s.journal = newJournal(s)
			ctx, cancel := context.WithCancelCause(t.Context())
			if tc.why != nil {
				cancel(tc.why)
			}
			reason, err := s.startFailure(ctx, tc.err)
			cancel(nil)
			s.journal.close()
			if reason != tc.reason || !errors.Is(err, tc.lost) {
				t.Errorf("%s: %q, %v; want %q, %v", tc.name, reason, err, tc.reason, tc.lost)
			}
			if items := problems(t, db, claimed.ID) - before; items != tc.items {
				t.Errorf("%s: %d items in the error log, want %d", tc.name, items, tc.items)
			}
		}
	})
}

// problems is how many items the error log has of a call.
func problems(t *testing.T, db *database.DB, id string) (n int) {
	t.Helper()
	if err := db.Tenant(acme).Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
		return tx.NewRaw("SELECT count(*) FROM call_errors WHERE call_id = ?", id).Scan(ctx, &n)
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// When a worker takes a call over and cannot read its transcript, the server is at fault, not a provider.
func TestTakenOverWithoutTranscript(t *testing.T) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		calls, claimed := claimedCall(t, db)
		for _, step := range []func(context.Context, call.Lease) error{calls.MarkConnecting, calls.MarkActive} {
			if err := step(t.Context(), claimed.Lease()); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
			_, err := tx.ExecContext(ctx, "DROP TABLE transcript_entries")
			return err
		}); err != nil {
			t.Fatal(err)
		}
		claimed.Status = call.Active
		o := Options{Calls: calls, Rooms: noRooms{}, Log: slog.New(slog.DiscardHandler), Providers: func(context.Context, string) voice.Providers { return nil }}
		newSession(&Worker{options: o}, claimed).run(t.Context())
		c, err := calls.Get(t.Context(), acme, claimed.ID)
		if err != nil || c.Status != call.Disconnected || *c.StatusReason != call.WorkerLost || problems(t, db, c.ID) != 0 {
			t.Errorf("%s, %v, %v, %d items in the error log", c.Status, c.StatusReason, err, problems(t, db, c.ID))
		}
	})
}

// A call's end that the database keeps rejecting does not block the worker; the room is left to the worker that takes the call over.
func TestEndThatCannotBeWritten(t *testing.T) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		calls, claimed := claimedCall(t, db)
		var rooms cleared
		ctx, cancel := context.WithTimeout(t.Context(), finishTries*time.Second/2)
		defer cancel()
		newSession(&Worker{options: Options{Calls: calls, Rooms: &rooms, Log: slog.New(slog.DiscardHandler)}}, claimed).finish(ctx, call.Silence)
		if ctx.Err() != nil || len(rooms.names) != 0 {
			t.Errorf("%v, rooms %q were deleted", ctx.Err(), rooms.names)
		}
	})
}

// A room goes when its media server does, or stays empty for too long: what that means depends on who was in it.
func TestRoomGone(t *testing.T) {
	for _, tc := range []struct {
		status call.Status
		joined bool
		want   error
	}{
		{call.Pending, false, errReleased},
		{call.Pending, true, endCause{call.ConnectionLost}},
		{call.Active, false, endCause{call.WorkerLost}},
		{call.Active, true, endCause{call.ConnectionLost}},
	} {
		s := &session{call: &call.Call{Status: tc.status}}
		if got := s.roomClosedCause(tc.joined); got != tc.want {
			t.Errorf("%s, caller there: %t: %v, want %v", tc.status, tc.joined, got, tc.want)
		}
	}
}
