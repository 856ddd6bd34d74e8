package call

import (
	"context"
	"fmt"
	"time"

	"parley/internal/database"
)

// Arrival is a caller who has come to a room.
type Arrival struct {
	room string
	at   time.Time // by the database's clock; zero where it makes no difference
}

// Arrive tells that a caller comes to a room. It reports whether a call that is
// not over has the room; when that call waits, workers hear that it is to be
// taken before those that nobody has joined.
func (s *Service) Arrive(ctx context.Context, room string) (a Arrival, going bool, err error) {
	c := new(Call)
	err = s.db.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		return tx.NewSelect().Model(c).Column("status").Where("room_name = ? AND ended_at IS NULL", room).Scan(ctx)
	})
	switch {
	case database.NoRows(err):
		return Arrival{}, false, nil
	case err != nil:
		return Arrival{}, false, fmt.Errorf("look for the call of a room: %w", err)
	case c.Status != Pending:
		return Arrival{}, true, nil
	}
	err = s.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		a = Arrival{room, tx.Now()}
		_, err := tx.NewRaw("UPDATE calls SET arrived_at = ? WHERE room_name = ? AND status = ?", a.at, room, Pending).Exec(ctx)
		tx.AfterCommit(func() { s.wakeWorkers(&Call{ArrivedAt: a.at}) })
		return err
	})
	if err != nil {
		return Arrival{}, true, fmt.Errorf("note a caller's arrival: %w", err)
	}
	return a, true, nil
}

// Depart tells that a caller has gone again: a call that still waits, waits
// like others, unless somebody has come since.
func (s *Service) Depart(ctx context.Context, a Arrival) error {
	if a.at.IsZero() {
		return nil
	}
	err := s.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		_, err := tx.NewRaw("UPDATE calls SET arrived_at = NULL WHERE room_name = ? AND status = ? AND arrived_at = ?", a.room, Pending, a.at).Exec(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("note a caller's departure: %w", err)
	}
	return nil
}
