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
	"parley/internal/transferpage"
)

// ErrFenced is returned to a worker that no longer holds the call: another worker has claimed it, or it has ended.
var ErrFenced = errors.New("the call is no longer this worker's")

// finishGrace is added to MaxDuration as the upper bound of a call's recorded duration, for the closing message.
const finishGrace = time.Minute

// advance moves a call to a state and appends the state's event in the same transaction. Every change of state goes
// through it. c must have been read and locked in tx; advance updates it.
func (s *Service) advance(ctx context.Context, tx database.Tx, c *Call, to Status, reason Reason) error {
	if err := checkTransition(c.Status, to, reason); err != nil {
		return err
	}
	from, storedBefore := c.Status, c.StoredBytes
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
			// Bounded, because the clock may have been set while no process ran, and an end may be written late.
			c.DurationSeconds = int64(min(max(0, c.EndedAt.Sub(c.StartedAt)), s.options.MaxDuration+finishGrace) / time.Second)
		}
		if len(c.AgentHistory) > 0 {
			if err := readPlans(ctx, tx, c); err != nil {
				return err
			}
			if err := s.enqueueAnalyses(ctx, tx, c); err != nil {
				return err
			}
		}
		prompts, err := c.keepPrompts(ctx, tx)
		if err != nil {
			return err
		}
		tx.AfterCommit(func() { s.stored.add(c.TenantID, prompts) })
		if err := endControls(ctx, tx, ControlRefused, "the call has ended", "tenant_id = ? AND call_id = ?", c.TenantID, c.ID); err != nil {
			return err
		}
		if err := transferpage.CallEnded(ctx, tx, c.ID); err != nil {
			return err
		}
		if err := s.settle(ctx, tx, c); err != nil {
			return err
		}
		c.StoredBytes = max(0, c.StoredBytes-int64(len(c.Snapshot)))
		c.CurrentAgent, c.Held, c.Snapshot, c.ClaimedBy, c.LeaseUntil = nil, false, nil, nil, time.Time{}
	}
	name, hasEvent := eventOf[to]
	if hasEvent {
		c.StoredBytes += c.eventBytes()
	}
	s.countStored(tx, c, storedBefore)
	result, err := tx.NewUpdate().Model(c).
		Column("status", "status_reason", "arrived_at", "started_at", "ended_at", "duration_seconds", "current_agent", "held", "plan", "plan_hash", "context", "claimed_by", "lease_until",
			"stored_bytes", "cost").
		Where("id = ? AND status = ?", c.ID, from).Exec(ctx)
	if err != nil {
		return fmt.Errorf("move call to %s: %w", to, err)
	}
	if n, err := result.RowsAffected(); err != nil || n != 1 {
		return ErrFenced
	}
	if reason == Transferred {
		if err := s.appendEvent(ctx, tx, c, event.CallTransferred, nil); err != nil {
			return err
		}
	}
	if hasEvent {
		if err := s.appendEvent(ctx, tx, c, name, nil); err != nil {
			return err
		}
	} else { // no event for this state; live streams are notified all the same
		tx.AfterCommit(func() { s.bus.Publish(event.Calls, c.TenantID) })
	}
	if to.Terminal() { // last: concurrent transactions wait for the rows of sums
		if c.Cost != nil {
			if err := s.spend(ctx, tx, c, c.Cost.Known); err != nil {
				return err
			}
		}
		return countEnded(ctx, tx, c)
	}
	return nil
}

// appendEvent writes an event of the call with the data that every receiver gets. The call's row must be locked in
// tx, or new, so that sequence grows in commit order across processes.
func (s *Service) appendEvent(ctx context.Context, tx database.Tx, c *Call, name string, more map[string]any) error {
	sequence := int64(1)
	if name != event.CallStarted { // always the first event
		var err error
		if sequence, err = event.NextSequence(ctx, tx, c.TenantID, c.ID); err != nil {
			return err
		}
	}
	phone, metadata := c.publicFields()
	data := map[string]any{
		"sequence": sequence,
		"call_id":  c.ID, "room_name": c.RoomName, "workflow_slug": c.WorkflowSlug, "agent_name": c.AgentName,
		"user_id": c.UserID, "call_type": c.CallType, "direction": c.Direction, "phone_number": phone,
		"status": c.Status, "status_reason": c.StatusReason, "metadata": metadata,
		"started_at": event.StampOrNull(c.StartedAt), "ended_at": event.StampOrNull(c.EndedAt), "duration_seconds": c.Duration(tx.Now()),
	}
	if c.Status.Terminal() {
		data["agent_history"] = c.AgentHistory
		if c.Quality != nil {
			data["quality"] = c.Quality
		}
		if c.Cost != nil {
			data["cost"] = c.Cost
		}
		if c.AnsweredBy != nil {
			data["answered_by"] = c.AnsweredBy
		}
		if c.StatusReason.dialFailed() {
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

// lockCall reads a call for an update in the same transaction.
func lockCall(ctx context.Context, tx database.Tx, id string) (*Call, error) {
	c := new(Call)
	query := tx.NewSelect().Model(c).Where("id = ?", id)
	if tx.TenantID() != "" {
		query = query.Where("tenant_id = ?", tx.TenantID())
	}
	if tx.Postgres() {
		query = query.For("UPDATE")
	}
	return c, notFoundError(query.Scan(ctx))
}

// notFoundError maps the database's "no rows" to not_found.
func notFoundError(err error) error {
	if database.NoRows(err) {
		return fault.Missing("call")
	}
	return err
}
