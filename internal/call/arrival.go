package call

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/event"
)

// Arrival identifies one arrival of a caller in a room, for MarkDeparted.
type Arrival struct {
	room string
	at   time.Time // database time; zero if the call was not waiting
}

// MarkArrived records that a caller is joining a room, and reports whether the room belongs to a call that has not
// ended. A waiting call is then claimed before calls that nobody has joined.
func (s *Service) MarkArrived(ctx context.Context, room string) (a Arrival, open bool, err error) {
	c := new(Call)
	room = callRoom(room)
	err = s.db.System().Queued(room).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		return tx.NewSelect().Model(c).Column("status", "tenant_id").Where("room_name = ? AND ended_at IS NULL", room).Scan(ctx)
	})
	switch {
	case database.NoRows(err):
		return Arrival{}, false, nil
	case err != nil:
		return Arrival{}, false, fmt.Errorf("find call of room: %w", err)
	case c.Status != Pending:
		return Arrival{}, true, nil
	}
	err = s.db.System().Queued(c.TenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		a = Arrival{room, tx.Now()}
		_, err := tx.NewRaw("UPDATE calls SET arrived_at = ? WHERE room_name = ? AND status = ?", a.at, room, Pending).Exec(ctx)
		tx.AfterCommit(func() { s.bus.Publish(event.Arrived, "") })
		return err
	})
	if err != nil {
		return Arrival{}, true, fmt.Errorf("record caller's arrival: %w", err)
	}
	return a, true, nil
}

// RoomEnded reports whether no open call has the room.
func (s *Service) RoomEnded(ctx context.Context, room string) (ended bool, err error) {
	room = callRoom(room)
	err = s.db.System().Queued(room).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		return tx.NewRaw("SELECT NOT EXISTS (SELECT 1 FROM calls WHERE room_name = ? AND ended_at IS NULL)", room).Scan(ctx, &ended)
	})
	if err != nil {
		return false, fmt.Errorf("find call of room: %w", err)
	}
	return ended, nil
}

// MarkDeparted records that the caller of an arrival has left: a call that still waits loses its priority, unless
// another caller has arrived since.
func (s *Service) MarkDeparted(ctx context.Context, a Arrival) error {
	if a.at.IsZero() {
		return nil
	}
	err := s.db.System().Queued(a.room).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		_, err := tx.NewRaw("UPDATE calls SET arrived_at = NULL WHERE room_name = ? AND status = ? AND arrived_at = ?", a.room, Pending, a.at).Exec(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("record caller's departure: %w", err)
	}
	return nil
}

// MarkHungUp records that a caller who cannot rejoin, such as a phone caller, has hung up. A call that no worker
// holds ends; a worker is notified by the room.
func (s *Service) MarkHungUp(ctx context.Context, tenantID, id string) error {
	return s.db.Tenant(tenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		c, err := lockCall(ctx, tx, id)
		if err != nil || c.Status.Terminal() || c.ClaimedBy != nil && c.LeaseUntil.After(tx.Now()) {
			return err
		}
		return s.endCall(ctx, tx, c, CallerHangup)
	})
}

// pollArrivals updates which waiting calls have callers in their rooms. It is for media servers that callers reach
// without this server's proxy.
func (s *Service) pollArrivals(ctx context.Context, rooms Rooms) error {
	existing, err := rooms.List(ctx)
	if err != nil {
		return err
	}
	var occupied []string
	for _, room := range existing {
		if isCallRoom(room.Name) && room.Occupied {
			occupied = append(occupied, room.Name)
		}
	}
	var known, waiting []string // known: rooms whose caller has arrived; waiting: occupied rooms of waiting calls
	err = s.db.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		if err := tx.NewRaw("SELECT room_name FROM calls WHERE "+arrived+" AND call_type = ?", VoIP).Scan(ctx, &known); err != nil {
			return err
		}
		for chunk := range slices.Chunk(occupied, roomsAtOnce) {
			var names []string
			if err := tx.NewRaw("SELECT room_name FROM calls WHERE room_name IN (?) AND "+queued, bun.List(chunk)).Scan(ctx, &names); err != nil {
				return err
			}
			waiting = append(waiting, names...)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("find waiting calls: %w", err)
	}
	var joined []string
	for _, room := range waiting {
		if slices.Contains(known, room) {
			continue
		}
		present, err := rooms.Caller(ctx, room)
		if err != nil {
			return err
		}
		if present {
			joined = append(joined, room)
		}
	}
	left := slices.DeleteFunc(known, func(room string) bool { return slices.Contains(waiting, room) })
	if len(joined)+len(left) == 0 {
		return nil
	}
	err = s.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		for chunk := range slices.Chunk(joined, roomsAtOnce) {
			if _, err := tx.NewRaw("UPDATE calls SET arrived_at = ? WHERE status = ? AND room_name IN (?)", tx.Now(), Pending, bun.List(chunk)).Exec(ctx); err != nil {
				return err
			}
			tx.AfterCommit(func() { s.bus.Publish(event.Arrived, "") })
		}
		for chunk := range slices.Chunk(left, roomsAtOnce) {
			if _, err := tx.NewRaw("UPDATE calls SET arrived_at = NULL WHERE status = ? AND room_name IN (?)", Pending, bun.List(chunk)).Exec(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("record callers' arrivals: %w", err)
	}
	return nil
}
