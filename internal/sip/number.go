package sip

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"parley/internal/agent"
	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/hook"
	"parley/internal/mergepatch"
	"parley/internal/tenant"
	"parley/internal/workflow"
)

// PhoneNumber is a number that callers dial, and the agent or workflow that answers it.
type PhoneNumber struct {
	bun.BaseModel `bun:"table:phone_numbers,alias:n"`

	TenantID     string    `bun:"tenant_id,pk"`
	ID           string    `bun:"id,pk"`
	Number       string    `bun:"number"` // E.164, unique within its trunk
	WorkflowSlug *string   `bun:"workflow_slug"`
	AgentName    *string   `bun:"agent_name"` // exactly one of the two
	TrunkID      *string   `bun:"trunk_id"`   // of its calls; nil for the platform's
	CreatedAt    time.Time `bun:"created_at"`
	// CallHook is asked before calls are answered; nil for none.
	CallHook *hook.CallHook `bun:"call_hook,type:jsonb,nullzero"`
}

// NumberDraft is a phone number to create.
type NumberDraft struct {
	Number       string
	WorkflowSlug *string
	AgentName    *string
	TrunkID      *string // a UUID in any spelling
	CallHook     *hook.CallHook
}

// numberTarget is what can be changed of a phone number.
type numberTarget struct {
	WorkflowSlug *string        `json:"workflow_slug"`
	AgentName    *string        `json:"agent_name"`
	CallHook     *hook.CallHook `json:"call_hook"`
}

// validate returns the errors in a draft that are not in found yet, and converts the trunk's id to its canonical
// form.
func (d *NumberDraft) validate(found fault.Found) (faults []fault.Detail) {
	addFault := func(field, message string) { faults = append(faults, fault.Detail{Field: field, Message: message}) }
	if d.Number == "" {
		addFault("number", "is required")
	}
	faults = append(faults, d.validateTarget(found)...)
	if d.TrunkID != nil {
		if id, err := uuid.Parse(*d.TrunkID); err != nil || len(*d.TrunkID) != 36 {
			addFault("trunk_id", "must be a UUID")
			d.TrunkID = nil
		} else {
			d.TrunkID = new(id.String())
		}
	}
	return faults
}

// validateTarget returns the errors in what a draft says about who answers.
func (d *NumberDraft) validateTarget(found fault.Found) (faults []fault.Detail) {
	addFault := func(field, message string) { faults = append(faults, fault.Detail{Field: field, Message: message}) }
	faults = append(faults, d.CallHook.Faults("call_hook")...)
	switch {
	case found.Covers("workflow_slug") || found.Covers("agent_name"): // given, but malformed
	case d.WorkflowSlug == nil && d.AgentName == nil:
		addFault("workflow_slug", "exactly one of workflow_slug and agent_name is required")
	case d.WorkflowSlug != nil && d.AgentName != nil:
		addFault("agent_name", "must not stand beside workflow_slug")
	}
	return faults
}

// UpdatePhoneNumber changes the target and the call hook of a number by a JSON Merge Patch. Whoever names a workflow in place of an agent, or
// the reverse, need not remove the other.
func (s Store) UpdatePhoneNumber(ctx context.Context, id string, patch []byte) (*PhoneNumber, error) {
	n := new(PhoneNumber)
	err := s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		query := tx.NewSelect().Model(n).Where("tenant_id = ? AND id = ?", tx.TenantID(), id)
		if tx.Postgres() {
			query.For("UPDATE")
		}
		if err := query.Scan(ctx); database.NoRows(err) {
			return fault.Missing("phone number")
		} else if err != nil {
			return fmt.Errorf("read phone number: %w", err)
		}
		database.SetChanged(ctx, n)
		target, before := numberTarget{}, numberTarget{n.WorkflowSlug, n.AgentName, n.CallHook}
		if err := mergepatch.Onto(before, patch, &target); err != nil {
			return err
		}
		target.replace(before)
		d := NumberDraft{WorkflowSlug: target.WorkflowSlug, AgentName: target.AgentName, CallHook: target.CallHook}
		found := fault.FoundIn(ctx)
		faults := d.validateTarget(found)
		absent, err := d.checkTarget(ctx, tx)
		if err != nil {
			return err
		}
		if err := found.With(append(faults, absent...)); err != nil {
			return err
		}
		n.WorkflowSlug, n.AgentName, n.CallHook = d.WorkflowSlug, d.AgentName, d.CallHook
		_, err = tx.NewUpdate().Model(n).Column("workflow_slug", "agent_name", "call_hook").WherePK().Exec(ctx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("update phone number: %w", err)
	}
	return n, nil
}

// replace removes the target before, if the patch has given one of the other kind.
func (t *numberTarget) replace(before numberTarget) {
	switch {
	case before.WorkflowSlug == nil && t.WorkflowSlug != nil && valueOrEmpty(t.AgentName) == valueOrEmpty(before.AgentName):
		t.AgentName = nil
	case before.AgentName == nil && t.AgentName != nil && valueOrEmpty(t.WorkflowSlug) == valueOrEmpty(before.WorkflowSlug):
		t.WorkflowSlug = nil
	}
}

// checkReferences returns errors for what a draft names and the transaction's tenant does not have, and converts the number to E.164
// by the country of its trunk. platform reports that the number is to be on the platform's trunk.
func (d *NumberDraft) checkReferences(ctx context.Context, tx database.Tx, r Registry, platform bool) (faults []fault.Detail, err error) {
	if faults, err = d.checkTarget(ctx, tx); err != nil {
		return nil, err
	}
	addFault := func(field, format, name string) {
		faults = append(faults, fault.Detail{Field: field, Message: fmt.Sprintf(format, name)})
	}
	country := ""
	if platform && r.Platform != nil {
		country = r.Platform.country()
	}
	if d.TrunkID != nil {
		query := tx.NewSelect().Model((*Trunk)(nil)).ColumnExpr("COALESCE(default_country, '')").Where("tenant_id = ? AND id = ?", tx.TenantID(), *d.TrunkID)
		if tx.Postgres() {
			query.For("KEY SHARE") // the trunk cannot be deleted before the number is written
		}
		err := query.Scan(ctx, &country)
		if database.NoRows(err) {
			addFault("trunk_id", "there is no trunk %s", *d.TrunkID)
		} else if err != nil {
			return nil, fmt.Errorf("find trunk: %w", err)
		}
	}
	if d.Number != "" {
		number, problem := readNumber(d.Number, country)
		if problem != "" {
			addFault("number", "%s", problem)
			return faults, nil
		}
		d.Number = number
	}
	if platform && d.Number != "" {
		assigned, err := tx.NewSelect().Model((*Assignment)(nil)).Where("number = ? AND tenant_id = ?", d.Number, tx.TenantID()).Exists(ctx)
		if err != nil {
			return nil, fmt.Errorf("find number's assignment: %w", err)
		}
		if !assigned {
			addFault("trunk_id", "%s", "is required: the number is not one that the operator assigned to you on the platform's trunk")
		}
	}
	return faults, nil
}

// checkTarget returns errors for a workflow or agent that a draft names and the transaction's tenant does not have.
func (d *NumberDraft) checkTarget(ctx context.Context, tx database.Tx) (faults []fault.Detail, err error) {
	addFault := func(field, format, name string) {
		faults = append(faults, fault.Detail{Field: field, Message: fmt.Sprintf(format, name)})
	}
	if d.WorkflowSlug != nil {
		_, err := workflow.Find(ctx, tx, *d.WorkflowSlug)
		if fault.Is(err, fault.NotFound) {
			addFault("workflow_slug", "there is no workflow %s", *d.WorkflowSlug)
		} else if err != nil {
			return nil, err
		}
	}
	if d.AgentName != nil {
		_, err := agent.Find(ctx, tx, *d.AgentName)
		if fault.Is(err, fault.NotFound) {
			addFault("agent_name", "there is no agent %s", *d.AgentName)
		} else if err != nil {
			return nil, err
		}
	}
	return faults, nil
}

// PhoneNumbers returns a page of numbers, newest first, and their total.
func (s Store) PhoneNumbers(ctx context.Context, limit, offset int64) (page []PhoneNumber, total int64, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		total, err = tx.NewSelect().Model(&page).Where("tenant_id = ?", tx.TenantID()).
			OrderExpr("created_at DESC, id DESC").Limit(limit).Offset(offset).ScanAndCount(ctx)
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list phone numbers: %w", err)
	}
	return page, total, nil
}

// CreatePhoneNumber creates a number. It returns all errors of the draft, or a conflict when the trunk has the
// number already or its calls could not be distinguished from another tenant's. A number without a trunk must be
// assigned to the tenant.
func (s Store) CreatePhoneNumber(ctx context.Context, d NumberDraft) (*PhoneNumber, error) {
	found := fault.FoundIn(ctx)
	platform := d.TrunkID == nil && !found.Covers("trunk_id")
	faults := d.validate(found)
	n := &PhoneNumber{TenantID: s.scope.TenantID(), ID: uuid.Must(uuid.NewV7()).String(),
		WorkflowSlug: d.WorkflowSlug, AgentName: d.AgentName, TrunkID: d.TrunkID, CallHook: d.CallHook}
	err := s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		absent, err := d.checkReferences(ctx, tx, s.registry, platform)
		if err != nil {
			return err
		}
		if err := found.With(append(faults, absent...)); err != nil {
			return err
		}
		n.Number = d.Number
		if err := tenant.Room(ctx, tx, tenant.PhoneNumbers, 1); err != nil {
			return err
		}
		if err := s.registry.checkNew(ctx, tx, n); err != nil {
			return err
		}
		n.CreatedAt = tx.Now()
		_, err = tx.NewInsert().Model(n).Exec(ctx)
		return err
	})
	switch {
	case database.Duplicate(err):
		return nil, fault.New(fault.Conflict, "the phone number is in use")
	case err != nil:
		return nil, fmt.Errorf("create phone number: %w", err)
	}
	return n, nil
}

// checkNew checks a number before it is created. One on the platform's trunk must be assigned to the tenant.
func (r Registry) checkNew(ctx context.Context, tx database.Tx, n *PhoneNumber) error {
	if err := lockNumbers(ctx, tx); err != nil {
		return err
	}
	if n.TrunkID == nil {
		return nil
	}
	t, err := r.trunk(ctx, tx, *n.TrunkID)
	if err != nil {
		return err
	}
	return r.checkConflicts(ctx, tx, []string{n.Number}, nil, t)
}

// DeletePhoneNumber deletes a number.
func (s Store) DeletePhoneNumber(ctx context.Context, id string) error {
	return s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		result, err := tx.NewDelete().Model((*PhoneNumber)(nil)).Where("tenant_id = ? AND id = ?", tx.TenantID(), id).Exec(ctx)
		if err != nil {
			return fmt.Errorf("delete phone number: %w", err)
		}
		if n, err := result.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return fault.Missing("phone number")
	})
}
