package call

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"parley/internal/control"
	"parley/internal/database"
	"parley/internal/event"
	"parley/internal/fault"
	"parley/internal/seal"
)

const (
	// controlWait is how long Control waits for the session to execute a request.
	controlWait = 3 * time.Second
	// maxWaitingControls is the most requests of a call that wait for its session, and maxControls the most of a call in all.
	maxWaitingControls, maxControls = 32, 5_000
)

// Control is a request of the tenant to the session of a call, and its outcome.
type Control struct {
	bun.BaseModel `bun:"table:call_controls,alias:x"`

	ID        string        `bun:"id,pk"`
	TenantID  string        `bun:"tenant_id"`
	CallID    string        `bun:"call_id"`
	Kind      control.Kind  `bun:"kind"`
	Body      []byte        `bun:"body"` // the control.Request, encrypted; empty when it has its outcome
	Key       *string       `bun:"idempotency_key"`
	Request   []byte        `bun:"request"` // digest of a request with a key
	Status    ControlStatus `bun:"status"`
	Detail    string        `bun:"detail"` // why it was refused
	CreatedAt time.Time     `bun:"created_at"`
	TakenAt   time.Time     `bun:"taken_at,nullzero"` // when a session received it
}

// ControlStatus is the outcome of a Control.
type ControlStatus string

// The outcomes.
const (
	ControlPending ControlStatus = "pending"
	ControlApplied ControlStatus = "applied"
	ControlRefused ControlStatus = "refused"
)

// ControlOutcome is the outcome of a Control that a session reports. Detail is why it was refused; "" if it was applied.
type ControlOutcome struct{ ID, Detail string }

// Control has the session of an active call execute a request, and returns it as it is after at most controlWait. A key makes the request
// idempotent within the call. A call that is not active is a conflict, and so is a request that the session refuses.
func (s *Service) Control(ctx context.Context, tenantID, callID string, r control.Request, key *Idempotency) (*Control, error) {
	changes, unsubscribe := s.bus.Subscribe(event.Calls, 8)
	defer unsubscribe()
	x, err := s.addControl(ctx, tenantID, callID, r, key)
	if err != nil {
		return nil, err
	}
	if x.Status == ControlPending {
		_, err = awaitChange(ctx, tenantID, changes, controlWait, func() (bool, error) {
			err := s.db.Tenant(tenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
				return tx.NewSelect().Model(x).WherePK().Scan(ctx)
			})
			return x.Status != ControlPending, err
		})
		if err != nil {
			return nil, fmt.Errorf("await the outcome of a control: %w", err)
		}
	}
	if x.Status == ControlRefused {
		return nil, fault.New(fault.Conflict, "the request was not executed: %s", x.Detail)
	}
	return x, nil
}

// addControl stores a request, or returns the stored one with the same key.
func (s *Service) addControl(ctx context.Context, tenantID, callID string, r control.Request, key *Idempotency) (*Control, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode a control: %w", err)
	}
	x := &Control{ID: uuid.Must(uuid.NewV7()).String(), TenantID: tenantID, CallID: callID, Kind: r.Kind, Status: ControlPending}
	x.Body = s.sealer.Seal(body, controlPlace(x.ID, tenantID))
	err = s.db.Tenant(tenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		c, err := lockCall(ctx, tx, callID)
		if err != nil {
			return err
		}
		if key != nil {
			first := new(Control)
			err := tx.NewSelect().Model(first).Where("tenant_id = ? AND call_id = ? AND idempotency_key = ?", tenantID, callID, key.Key).Scan(ctx)
			switch {
			case err == nil && !bytes.Equal(first.Request, key.Request):
				return errOtherRequest
			case err == nil:
				*x = *first
				return nil
			case !database.NoRows(err):
				return err
			}
			x.Key, x.Request = &key.Key, key.Request
		}
		if c.Status != Active {
			return NotActive(c)
		}
		var all, waiting int
		if err := tx.NewRaw("SELECT COUNT(*), COALESCE(SUM(CASE WHEN status = ? THEN 1 ELSE 0 END), 0) FROM call_controls WHERE tenant_id = ? AND call_id = ?",
			ControlPending, tenantID, callID).Scan(ctx, &all, &waiting); err != nil {
			return err
		}
		if all >= maxControls || waiting >= maxWaitingControls {
			return fault.New(fault.Conflict, "the call has %d requests, of which %d wait: at most %d may, and %d in all", all, waiting, maxWaitingControls, maxControls)
		}
		x.CreatedAt = tx.Now()
		tx.AfterCommit(func() { s.bus.Publish(event.Controls, callID) })
		_, err = tx.NewInsert().Model(x).Exec(ctx)
		return err
	})
	return x, err
}

// NotActive is the error of a request that needs an active call.
func NotActive(c *Call) error {
	return fault.New(fault.Conflict, "the call is not active: it is %s", c.Status)
}

// TakenControl is a request that a session has received.
type TakenControl struct {
	ID string
	control.Request
}

// WaitingControls returns which of the calls have requests that their sessions have not received.
func (s *Service) WaitingControls(ctx context.Context, calls []string) (waiting []string, err error) {
	err = s.db.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		return tx.NewRaw("SELECT DISTINCT call_id FROM call_controls WHERE taken_at IS NULL AND call_id IN (?)", bun.List(calls)).Scan(ctx, &waiting)
	})
	if err != nil && !database.NoRows(err) {
		return nil, fmt.Errorf("find controls: %w", err)
	}
	return waiting, nil
}

// TakeControls returns the requests of a call that its sessions have not received, in order. Each is returned once.
func (s *Service) TakeControls(ctx context.Context, l Lease) (taken []TakenControl, err error) {
	err = s.withLease(ctx, l, func(ctx context.Context, tx database.Tx, c *Call) error {
		var waiting []Control
		err := tx.NewSelect().Model(&waiting).Where("tenant_id = ? AND call_id = ? AND taken_at IS NULL", c.TenantID, c.ID).OrderExpr("created_at, id").Scan(ctx)
		if err != nil || len(waiting) == 0 {
			return err
		}
		ids := make([]string, len(waiting))
		for n, x := range waiting {
			body, err := s.sealer.Open(x.Body, controlPlace(x.ID, x.TenantID))
			if err != nil {
				return fmt.Errorf("decrypt a control: %w", err)
			}
			request, err := control.Decode(body)
			if err != nil {
				return err
			}
			ids[n], taken = x.ID, append(taken, TakenControl{x.ID, request})
		}
		_, err = tx.ExecContext(ctx, "UPDATE call_controls SET taken_at = ? WHERE id IN (?)", tx.Now(), bun.List(ids))
		return err
	})
	return taken, err
}

// writeControls stores the outcomes of requests.
func writeControls(ctx context.Context, tx database.Tx, c *Call, outcomes []ControlOutcome) error {
	for _, o := range outcomes {
		status := ControlApplied
		if o.Detail != "" {
			status = ControlRefused
		}
		if err := endControls(ctx, tx, status, sanitizeText(o.Detail), "tenant_id = ? AND call_id = ? AND id = ?", c.TenantID, c.ID, o.ID); err != nil {
			return err
		}
	}
	return nil
}

// endControls stores the outcome of those requests, of the ones that a condition selects, that have none.
func endControls(ctx context.Context, tx database.Tx, status ControlStatus, detail, which string, args ...any) error {
	args = append([]any{status, detail, []byte{}, ControlPending}, args...)
	_, err := tx.ExecContext(ctx, "UPDATE call_controls SET status = ?, detail = ?, body = ?, taken_at = COALESCE(taken_at, created_at) WHERE status = ? AND "+which, args...)
	if err != nil {
		return fmt.Errorf("write the outcome of a control: %w", err)
	}
	return nil
}

func controlPlace(id, tenantID string) seal.Place {
	return seal.Place{Table: "call_controls.body", Row: id, Tenant: tenantID}
}
