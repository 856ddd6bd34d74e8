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
	// sweepInterval is how often the media server's rooms are compared with the calls. On an outside LiveKit, where
	// joining clients create rooms, they are compared every second while the server answers, so that holders of
	// unexpired tokens cannot keep using the room of an ended call.
	sweepInterval = 30 * time.Second
	// roomAge is the minimum age of a room without a known call before it is deleted, because its call may be about
	// to be committed.
	roomAge = 30 * time.Second
	// jobTimeout bounds one run of a background job, because the media server may be unreachable.
	jobTimeout = 20 * time.Second
	// roomsAtOnce limits the rooms in one query.
	roomsAtOnce = 500
)

// Rooms manages the rooms of the media server.
type Rooms interface {
	// Delete deletes a room and disconnects its participants. A missing room is not an error.
	Delete(ctx context.Context, name string) error
	// List returns the existing rooms.
	List(ctx context.Context) ([]Room, error)
	// Caller reports whether a participant other than an agent is in a room; false for a missing room.
	Caller(ctx context.Context, name string) (bool, error)
	// Own reports whether the media server belongs to this installation alone.
	Own() bool
}

// Room is a room of the media server.
type Room struct {
	Name     string
	Created  time.Time // media server time
	Occupied bool      // has any participant
}

// roomName returns the name of a call's room.
func roomName(callID string) string { return roomPrefix + callID }

// callIDOf returns the id of the call of a room; ok is false if the name is not that of a call's room.
func callIDOf(room string) (id string, ok bool) {
	id, ok = strings.CutPrefix(room, roomPrefix)
	return id, ok && len(id) == 36 && uuid.Validate(id) == nil
}

// roomPrefix is the prefix of call rooms; LiveKit uses it for phone calls too.
const roomPrefix = "call-"

// backgroundJob is work of the reaper that runs beside its main loop, one run at a time, so that an unreachable
// media server does not delay it.
type backgroundJob struct {
	name    string // for the log
	run     func(ctx context.Context) error
	running sync.WaitGroup
	busy    atomic.Bool
	failed  atomic.Bool // the last run failed
}

// start starts a run unless one is in progress.
func (j *backgroundJob) start(ctx context.Context, log *slog.Logger) {
	if !j.busy.CompareAndSwap(false, true) {
		return
	}
	j.running.Go(func() {
		defer j.busy.Store(false)
		limited, cancel := context.WithTimeout(ctx, jobTimeout)
		defer cancel()
		err := j.run(limited)
		j.failed.Store(err != nil)
		if err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "background job failed", "job", j.name, "error", err)
		}
	})
}

func (j *backgroundJob) wait() { j.running.Wait() }

// sweepRooms deletes rooms whose call has ended: the process that ended it may have crashed, or a participant may have
// rejoined. A room of an unknown call is deleted only where all rooms belong to this installation.
func (s *Service) sweepRooms(ctx context.Context, rooms Rooms) (deleted []string, err error) {
	// The rooms first: rooms of calls that are dispatched meanwhile are then not in the list.
	existing, err := rooms.List(ctx)
	if err != nil {
		return nil, err
	}
	byCall := map[string]Room{}
	var ids []string
	for _, room := range existing {
		if id, ours := callIDOf(room.Name); ours {
			byCall[id] = room
			ids = append(ids, id)
		}
	}
	var failed []error
	for chunk := range slices.Chunk(ids, roomsAtOnce) {
		ended, err := s.findEnded(ctx, chunk, func(id string) bool { return rooms.Own() && time.Since(byCall[id].Created) > roomAge })
		if err != nil {
			return deleted, err
		}
		for _, id := range ended {
			if err := rooms.Delete(ctx, byCall[id].Name); err != nil {
				if failed = append(failed, err); ctx.Err() != nil { // the next sweep continues
					return deleted, errors.Join(failed...)
				}
				continue
			}
			deleted = append(deleted, byCall[id].Name)
		}
	}
	return deleted, errors.Join(failed...)
}

// findEnded returns the calls that have ended, and the unknown ones for which unknown returns true.
func (s *Service) findEnded(ctx context.Context, ids []string, unknown func(id string) bool) (found []string, err error) {
	var known []struct {
		ID    string
		Ended bool
	}
	err = s.db.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		return tx.NewRaw("SELECT id, ended_at IS NOT NULL AS ended FROM calls WHERE id IN (?)", bun.List(ids)).Scan(ctx, &known)
	})
	if err != nil && !database.NoRows(err) {
		return nil, fmt.Errorf("find calls of rooms: %w", err)
	}
	ended := map[string]bool{}
	for _, c := range known {
		ended[c.ID] = c.Ended
	}
	for _, id := range ids {
		if over, exists := ended[id]; over || !exists && unknown(id) {
			found = append(found, id)
		}
	}
	return found, nil
}
