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
	"parley/internal/tenant"
	"parley/internal/workflow"
)

// PhoneNumber is a number that callers dial, and who answers.
type PhoneNumber struct {
	bun.BaseModel `bun:"table:phone_numbers,alias:n"`

	TenantID     string    `bun:"tenant_id,pk"`
	ID           string    `bun:"id,pk"`
	Number       string    `bun:"number"` // E.164, unique within its trunk
	WorkflowSlug *string   `bun:"workflow_slug"`
	AgentName    *string   `bun:"agent_name"` // exactly one of both
	TrunkID      *string   `bun:"trunk_id"`   // that it comes in through; nil for the platform's
	CreatedAt    time.Time `bun:"created_at"`
}

// NumberDraft is a phone number to be.
type NumberDraft struct {
	Number       string
	WorkflowSlug *string
	AgentName    *string
	TrunkID      *string // a UUID in any of its spellings
}

// faults tells what is wrong with a draft by itself, besides what was found
// before, and brings the trunk's id into its canonical form.
func (d *NumberDraft) faults(found fault.Found) (faults []fault.Detail) {
	tell := func(field, message string) { faults = append(faults, fault.Detail{Field: field, Message: message}) }
	switch {
	case d.Number == "":
		tell("number", "is required")
	case !numberForm.MatchString(d.Number):
		tell("number", numberHint)
	}
	switch {
	case found.Covers("workflow_slug") || found.Covers("agent_name"): // one that cannot be read was given
	case d.WorkflowSlug == nil && d.AgentName == nil:
		tell("workflow_slug", "exactly one of workflow_slug and agent_name is required")
	case d.WorkflowSlug != nil && d.AgentName != nil:
		tell("agent_name", "must not stand beside workflow_slug")
	}
	if d.TrunkID != nil {
		if id, err := uuid.Parse(*d.TrunkID); err != nil || len(*d.TrunkID) != 36 {
			tell("trunk_id", "must be a UUID")
			d.TrunkID = nil
		} else {
			d.TrunkID = new(id.String())
		}
	}
	return faults
}

// absent tells what a draft names and the transaction's tenant does not have;
// platform says that it is to be on the platform's trunk.
func (d NumberDraft) absent(ctx context.Context, tx database.Tx, platform bool) (faults []fault.Detail, err error) {
	tell := func(field, format, name string) {
		faults = append(faults, fault.Detail{Field: field, Message: fmt.Sprintf(format, name)})
	}
	if d.WorkflowSlug != nil {
		_, err := workflow.Find(ctx, tx, *d.WorkflowSlug)
		if fault.Is(err, fault.NotFound) {
			tell("workflow_slug", "there is no workflow %s", *d.WorkflowSlug)
		} else if err != nil {
			return nil, err
		}
	}
	if d.AgentName != nil {
		_, err := agent.Find(ctx, tx, *d.AgentName)
		if fault.Is(err, fault.NotFound) {
			tell("agent_name", "there is no agent %s", *d.AgentName)
		} else if err != nil {
			return nil, err
		}
	}
	if d.TrunkID != nil {
		query := tx.NewSelect().Model((*Trunk)(nil)).Column("id").Where("tenant_id = ? AND id = ?", tx.TenantID(), *d.TrunkID)
		if tx.Postgres() {
			query.For("KEY SHARE") // it cannot be deleted before this is written
		}
		var id string
		err := query.Scan(ctx, &id)
		if database.NoRows(err) {
			tell("trunk_id", "there is no trunk %s", *d.TrunkID)
		} else if err != nil {
			return nil, fmt.Errorf("look for trunk: %w", err)
		}
	}
	if platform && numberForm.MatchString(d.Number) {
		assigned, err := tx.NewSelect().Model((*Assignment)(nil)).Where("number = ? AND tenant_id = ?", d.Number, tx.TenantID()).Exists(ctx)
		if err != nil {
			return nil, fmt.Errorf("look for the number's assignment: %w", err)
		}
		if !assigned {
			tell("trunk_id", "%s", "is required: the number is not one that the operator assigned to you on the platform's trunk")
		}
	}
	return faults, nil
}

// PhoneNumbers returns a page of numbers, the newest first, and how many there
// are in all.
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

// errOutside refuses numbers that nobody would answer.
var errOutside = fault.New(fault.Conflict, "phone numbers cannot be answered here: this installation uses an outside LiveKit (LIVEKIT_URL), and only the SIP gateway of the embedded media server answers calls that come in")

// CreatePhoneNumber makes a number, or tells all faults of the draft, or a
// conflict when the number is there already on the same trunk, or its calls
// could not be told from those of another tenant's. One without a trunk must be
// assigned to the tenant.
func (s Store) CreatePhoneNumber(ctx context.Context, d NumberDraft) (*PhoneNumber, error) {
	if s.registry.Outside {
		return nil, errOutside
	}
	found := fault.FoundIn(ctx)
	platform := d.TrunkID == nil && !found.Covers("trunk_id")
	faults := d.faults(found)
	n := &PhoneNumber{TenantID: s.scope.TenantID(), ID: uuid.Must(uuid.NewV7()).String(), Number: d.Number,
		WorkflowSlug: d.WorkflowSlug, AgentName: d.AgentName, TrunkID: d.TrunkID}
	err := s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		absent, err := d.absent(ctx, tx, platform)
		if err != nil {
			return err
		}
		if err := found.With(append(faults, absent...)); err != nil {
			return err
		}
		if err := tenant.Room(ctx, tx, tenant.PhoneNumbers, 1); err != nil {
			return err
		}
		if err := s.registry.claimNew(ctx, tx, n); err != nil {
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

// claimNew checks a number that is to be made. One on the platform's trunk is
// assigned to the tenant.
func (r Registry) claimNew(ctx context.Context, tx database.Tx, n *PhoneNumber) error {
	if err := takeNumbers(ctx, tx); err != nil || n.TrunkID == nil {
		return err
	}
	t, err := r.trunk(ctx, tx, *n.TrunkID)
	if err != nil {
		return err
	}
	return r.claim(ctx, tx, []string{n.Number}, nil, t)
}

// DeletePhoneNumber removes a number.
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
