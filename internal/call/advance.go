package call

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"parley/internal/database"
	"parley/internal/event"
	"parley/internal/fault"
)

// ErrFenced says that the call is no longer the worker's: another has claimed
// it, or it is over.
var ErrFenced = errors.New("the call is no longer this worker's")

// finishGrace is how much longer than it may be active a call is said to have
// lasted at most: for its goodbye.
const finishGrace = time.Minute

// advance moves a call to a state, in one transaction with the event that
// tells of it. It is the only way that a call's state changes. The call given
// must have been read in tx, locked; it is brought up to date.
func (s *Service) advance(ctx context.Context, tx database.Tx, c *Call, to Status, reason Reason) error {
	if err := check(c.Status, to, reason); err != nil {
		return err
	}
	from := c.Status
	c.Status = to
	if reason != NoReason {
		c.StatusReason = &reason
	}
	switch to {
	case Connecting:
		c.ArrivedAt = tx.Now()
	case Active:
		c.StartedAt = tx.Now()
	}
	if to.Terminal() {
		c.EndedAt = tx.Now()
		if !c.StartedAt.IsZero() {
			jump, err := tx.Jump(ctx)
			if err != nil {
				return err
			}
			c.StartedAt = jump.Move(c.StartedAt, 0)
			// Bounded, for a clock that was set while no process ran, or an end that could not be written before.
			c.DurationSeconds = int64(min(max(0, c.EndedAt.Sub(c.StartedAt)), s.o.MaxDuration+finishGrace) / time.Second)
		}
		c.CurrentAgent, c.Plan, c.Context, c.ClaimedBy, c.LeaseUntil = nil, nil, nil, nil, time.Time{}
	}
	result, err := tx.NewUpdate().Model(c).
		Column("status", "status_reason", "arrived_at", "started_at", "ended_at", "duration_seconds", "current_agent", "plan", "context", "claimed_by", "lease_until").
		Where("id = ? AND status = ?", c.ID, from).Exec(ctx)
	if err != nil {
		return fmt.Errorf("move call to %s: %w", to, err)
	}
	if n, err := result.RowsAffected(); err != nil || n != 1 {
		return ErrFenced
	}
	if name, ok := announced[to]; ok {
		if err := s.announce(ctx, tx, c, name, nil); err != nil {
			return err
		}
	} else { // no event, but those who watch want to know
		tx.AfterCommit(func() { s.bus.Publish(event.Calls, c.TenantID) })
	}
	if to.Terminal() { // last, for others wait for the counts
		return countIn(ctx, tx, c)
	}
	return nil
}

// announce writes an event of the call, with what every receiver may see. The
// call's row must be locked in tx, or new: sequence then grows in the order of
// the commits, whichever process writes.
func (s *Service) announce(ctx context.Context, tx database.Tx, c *Call, name string, more map[string]any) error {
	sequence := int64(1)
	if name != event.CallStarted { // nothing precedes that one
		var err error
		if sequence, err = event.NextSequence(ctx, tx, c.TenantID, c.ID); err != nil {
			return err
		}
	}
	phone, metadata := c.shown()
	data := map[string]any{
		"sequence": sequence,
		"call_id":  c.ID, "room_name": c.RoomName, "workflow_slug": c.WorkflowSlug, "agent_name": c.AgentName,
		"user_id": c.UserID, "call_type": c.CallType, "direction": c.Direction, "phone_number": phone,
		"status": c.Status, "status_reason": c.StatusReason, "metadata": metadata,
		"started_at": event.StampOrNull(c.StartedAt), "ended_at": event.StampOrNull(c.EndedAt), "duration_seconds": c.Duration(tx.Now()),
	}
	if c.Status.Terminal() {
		data["agent_history"] = c.AgentHistory
		if c.StatusReason.dialled() {
			data["sip_status"] = c.SIPStatus
		}
	}
	for k, v := range more {
		data[k] = v
	}
	encoded, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("encode event %s: %w", name, err)
	}
	return s.events.Append(ctx, tx, event.Event{TenantID: c.TenantID, CallID: c.ID, Type: name, Livemode: c.Livemode, Data: encoded})
}

// locked reads a call for a change in the same transaction.
func locked(ctx context.Context, tx database.Tx, id string) (*Call, error) {
	c := new(Call)
	query := tx.NewSelect().Model(c).Where("id = ?", id)
	if tx.TenantID() != "" {
		query = query.Where("tenant_id = ?", tx.TenantID())
	}
	if tx.Postgres() {
		query = query.For("UPDATE")
	}
	return c, found(query.Scan(ctx))
}

// found turns the database's "no rows" into what a client is told.
func found(err error) error {
	if database.NoRows(err) {
		return fault.Missing("call")
	}
	return err
}
