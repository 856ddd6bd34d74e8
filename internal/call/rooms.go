package call

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"parley/internal/database"
)

const (
	// sweepInterval is how often the media server's rooms are compared with the
	// calls. Where clients that join make the room themselves, as on an outside
	// LiveKit, it is done each second as long as the server answers: the room of a
	// call that is over is to stay closed to whoever has a token still.
	sweepInterval = 30 * time.Second
	// roomAge is how old a room of an unknown call is that is cleared away: its
	// call may be about to be known.
	roomAge = 30 * time.Second
	// errandWait bounds one errand: the media server may be away.
	errandWait = 20 * time.Second
	// roomsAtOnce bounds one question to the database.
	roomsAtOnce = 500
)

// Rooms is what the reaper needs of the media server.
type Rooms interface {
	// Delete ends a room and puts everybody out; none there is no error.
	Delete(ctx context.Context, name string) error
	// List is the rooms that there are.
	List(ctx context.Context) ([]Room, error)
	// Caller reports whether somebody who is no agent is in a room; nobody is in
	// one that there is not.
	Caller(ctx context.Context, name string) (bool, error)
	// Own reports whether no other installation has rooms there.
	Own() bool
}

// Room is a room of the media server.
type Room struct {
	Name     string
	Created  time.Time // by the media server's clock
	Occupied bool      // by whomever
}

// roomOf is the name of a call's room; callOf is the call of a room, false for
// a room that is none of a call's.
func roomOf(callID string) string { return roomPrefix + callID }

func callOf(room string) (id string, ok bool) {
	id, ok = strings.CutPrefix(room, roomPrefix)
	return id, ok && len(id) == 36 && uuid.Validate(id) == nil
}

// roomPrefix is LiveKit's habit for telephone calls too: what follows it tells
// ours from others.
const roomPrefix = "call-"

// errand is something that the reaper has done about rooms beside its other
// work, once at a time: a media server that is away does not keep it from the
// calls.
type errand struct {
	what    string // for the log
	do      func(ctx context.Context) error
	running sync.WaitGroup
	busy    atomic.Bool
	failed  atomic.Bool // when it was done last
}

// begin has it done, unless it is being done.
func (e *errand) begin(ctx context.Context, log *slog.Logger) {
	if !e.busy.CompareAndSwap(false, true) {
		return
	}
	e.running.Go(func() {
		defer e.busy.Store(false)
		limited, cancel := context.WithTimeout(ctx, errandWait)
		defer cancel()
		err := e.do(limited)
		e.failed.Store(err != nil)
		if err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "errand of the reaper", "errand", e.what, "error", err)
		}
	})
}

func (e *errand) wait() { e.running.Wait() }

// sweep deletes rooms whose call is over: whoever ended it may have died, or
// not have reached the media server, or somebody joined anew. A room whose call is not known is deleted
// where all rooms are ours; elsewhere it may be another installation's.
func (s *Service) sweep(ctx context.Context, rooms Rooms) (cleared []string, err error) {
	// The rooms first: a call that is dispatched meanwhile has none of them.
	there, err := rooms.List(ctx)
	if err != nil {
		return nil, err
	}
	byCall := map[string]Room{}
	var ids []string
	for _, room := range there {
		if id, ours := callOf(room.Name); ours {
			byCall[id] = room
			ids = append(ids, id)
		}
	}
	var failed []error
	for some := range slices.Chunk(ids, roomsAtOnce) {
		idle, err := s.idle(ctx, some, func(id string) bool { return rooms.Own() && time.Since(byCall[id].Created) > roomAge })
		if err != nil {
			return cleared, err
		}
		for _, id := range idle {
			if err := rooms.Delete(ctx, byCall[id].Name); err != nil {
				if failed = append(failed, err); ctx.Err() != nil { // the rest is for the next time
					return cleared, errors.Join(failed...)
				}
				continue
			}
			cleared = append(cleared, byCall[id].Name)
		}
	}
	return cleared, errors.Join(failed...)
}

// idle are those calls that are over, and those that are not known and wanted
// too.
func (s *Service) idle(ctx context.Context, ids []string, unknown func(id string) bool) (idle []string, err error) {
	var known []struct {
		ID    string
		Ended bool
	}
	err = s.db.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		return tx.NewRaw("SELECT id, ended_at IS NOT NULL AS ended FROM calls WHERE id IN (?)", bun.List(ids)).Scan(ctx, &known)
	})
	if err != nil && !database.NoRows(err) {
		return nil, fmt.Errorf("look for the calls of rooms: %w", err)
	}
	over := map[string]bool{}
	for _, c := range known {
		over[c.ID] = c.Ended
	}
	for _, id := range ids {
		if ended, found := over[id]; ended || !found && unknown(id) {
			idle = append(idle, id)
		}
	}
	return idle, nil
}
