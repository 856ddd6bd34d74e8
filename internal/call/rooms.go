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

// roomName returns the name of the room that is made for a call.
func roomName(callID string) string { return roomPrefix + callID }

// OperatorRoom returns the room in which the agent of a call speaks with a person who takes the call over by the control with an id. The
// caller is not in it.
func OperatorRoom(callRoom, controlID string) string { return callRoom + "-" + controlID }

// callRoom returns the room of the call to which a room belongs: an operator's, or the call's own.
func callRoom(room string) string {
	at := len(room) - uuidLength - 1
	if at < len(roomPrefix)+uuidLength || room[at] != '-' || uuid.Validate(room[at+1:]) != nil {
		return room
	}
	return room[:at]
}

// uuidLength is the length of a call's id.
const uuidLength = 36

// isCallRoom reports whether a room has the name of one that is made for a call.
func isCallRoom(room string) bool {
	id, ok := strings.CutPrefix(room, roomPrefix)
	return ok && len(id) == uuidLength && uuid.Validate(id) == nil
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
	created := map[string]time.Time{}
	var names []string
	for _, room := range existing {
		if strings.HasPrefix(room.Name, roomPrefix) {
			created[room.Name] = room.Created
			names = append(names, room.Name)
		}
	}
	var failed []error
	for chunk := range slices.Chunk(names, roomsAtOnce) {
		ended, err := s.findEnded(ctx, chunk, func(name string) bool {
			return isCallRoom(callRoom(name)) && rooms.Own() && time.Since(created[name]) > roomAge
		})
		if err != nil {
			return deleted, err
		}
		for _, name := range ended {
			if err := rooms.Delete(ctx, name); err != nil {
				if failed = append(failed, err); ctx.Err() != nil { // the next sweep continues
					return deleted, errors.Join(failed...)
				}
				continue
			}
			deleted = append(deleted, name)
		}
	}
	return deleted, errors.Join(failed...)
}

// findEnded returns the rooms whose call has ended, and those without a call for which unknown returns true.
func (s *Service) findEnded(ctx context.Context, names []string, unknown func(name string) bool) (found []string, err error) {
	calls := make([]string, len(names))
	for i, name := range names {
		calls[i] = callRoom(name)
	}
	ended, err := s.endedByRoom(ctx, calls)
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		if over, exists := ended[calls[i]]; over || !exists && unknown(name) {
			found = append(found, name)
		}
	}
	return found, nil
}

// endedByRoom reports for each of the rooms that has a call whether the call has ended.
func (s *Service) endedByRoom(ctx context.Context, names []string) (ended map[string]bool, err error) {
	var known []struct {
		RoomName string
		Ended    bool
	}
	err = s.db.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		return tx.NewRaw("SELECT room_name, ended_at IS NOT NULL AS ended FROM calls WHERE room_name IN (?)", bun.List(names)).Scan(ctx, &known)
	})
	if err != nil && !database.NoRows(err) {
		return nil, fmt.Errorf("find calls of rooms: %w", err)
	}
	ended = map[string]bool{}
	for _, c := range known {
		ended[c.RoomName] = c.Ended
	}
	return ended, nil
}
