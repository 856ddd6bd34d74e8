package worker

import (
	"context"
	"errors"
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
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		calls, claimed := claimedCall(t, db)
		if _, err := calls.Lapse(t.Context(), func(string) bool { return true }); err != nil {
			t.Fatal(err)
		}
		next, err := calls.TakeOver(t.Context(), "next", 1)
		if err != nil || len(next) != 1 {
			t.Fatalf("took over %d, %v", len(next), err)
		}
		var rooms cleared
		late := newSession(&Worker{o: Options{Calls: calls, Rooms: &rooms, Log: slog.New(slog.DiscardHandler)}}, claimed)
		late.finish(t.Context(), call.WorkerLost)
		if len(rooms.names) != 0 {
			t.Fatalf("rooms %q of another worker's call were deleted", rooms.names)
		}
		if _, err := calls.Finish(t.Context(), next[0].Lease(), call.WorkerLost); err != nil {
			t.Fatal(err)
		}
		late.finish(t.Context(), call.WorkerLost)
		if len(rooms.names) != 1 || rooms.names[0] != claimed.RoomName {
			t.Errorf("rooms %q deleted, want that of the call", rooms.names)
		}
	})
}

// The database may be away for a while: what a call cannot go on without is tried again, but not for ever, not after the
// call was lost, and not longer than the call is wanted.
func TestInsist(t *testing.T) {
	s := &session{log: slog.New(slog.DiscardHandler)}
	away := errors.New("away")
	for _, tc := range []struct {
		name  string
		fails []error // of the first tries
		want  error
		tries int
	}{
		{"at once", nil, nil, 1},
		{"after a while", []error{away, away}, nil, 3},
		{"lost", []error{away, call.ErrFenced}, call.ErrFenced, 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			tries := 0
			err := s.insist(t.Context(), func(context.Context) error {
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
		if err := s.insist(t.Context(), func(context.Context) error { return away }); !errors.Is(err, away) || time.Since(began) > time.Minute {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		if err := s.insist(ctx, func(context.Context) error { return away }); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a call that nobody wants any more: %v", err)
		}
	})
}

// awayRooms is a media server that is away.
type awayRooms struct{ noRooms }

func (awayRooms) Create(context.Context, string, media.RoomOptions) error { return errors.New("away") }

// How calls end whose session breaks, or is told to, before their callers come.
func TestEndsOfPendingCalls(t *testing.T) {
	for _, tc := range []struct {
		name  string
		spoil func(o *Options, c *call.Call)
		why   error // for which the session is cancelled
		want  call.Reason
	}{
		{"the plan cannot be read", func(_ *Options, c *call.Call) { c.Plan = []byte(`{`) }, nil, call.ProviderError},
		{"the session panics", func(o *Options, _ *call.Call) {
			o.Providers = func(context.Context, string) voice.Providers { panic("broke") }
		}, nil, call.WorkerLost},
		{"the server stops at once", func(*Options, *call.Call) {}, over{call.ServerShutdown}, call.ServerShutdown},
		{"the media server is away", func(_ *Options, c *call.Call) { c.JoinBy = c.Claimed() }, nil, call.NoWorker},
	} {
		t.Run(tc.name, func(t *testing.T) {
			databasetest.Each(t, func(t *testing.T, db *database.DB) {
				calls, claimed := claimedCall(t, db)
				o := Options{Calls: calls, Rooms: awayRooms{}, Log: slog.New(slog.DiscardHandler),
					Providers: func(context.Context, string) voice.Providers { return nil }}
				tc.spoil(&o, claimed)
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if tc.why != nil {
					cancel(tc.why)
				}
				newSession(&Worker{o: o}, claimed).run(ctx)
				c, err := calls.Get(t.Context(), acme, claimed.ID)
				if err != nil || c.Status != call.Failed || c.StatusReason == nil || *c.StatusReason != tc.want {
					t.Errorf("%s, %v, %v; want failed with %s", c.Status, c.StatusReason, err, tc.want)
				}
			})
		})
	}
}

// A room goes when its media server does, or stays empty for too long: what that means depends on who was in it.
func TestRoomGone(t *testing.T) {
	for _, tc := range []struct {
		status call.Status
		joined bool
		want   error
	}{
		{call.Pending, false, errDraining},
		{call.Pending, true, over{call.ConnectionLost}},
		{call.Active, false, over{call.WorkerLost}},
		{call.Active, true, over{call.ConnectionLost}},
	} {
		s := &session{call: &call.Call{Status: tc.status}}
		if got := s.roomless(tc.joined); got != tc.want {
			t.Errorf("%s, caller there: %t: %v, want %v", tc.status, tc.joined, got, tc.want)
		}
	}
}
