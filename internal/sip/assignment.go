package sip

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/fault"
)

// Assignment is a number that the operator assigned to a tenant. The tenant may create it on the platform's trunk,
// and on its own trunks whatever address its calls come from.
type Assignment struct {
	bun.BaseModel `bun:"table:number_assignments,alias:a"`

	Number    string    `bun:"number,pk"` // E.164
	TenantID  string    `bun:"tenant_id"`
	CreatedAt time.Time `bun:"created_at"`
}

// Assign assigns a number to a tenant. Other tenants stop receiving its calls where these are matched by address,
// and their phone numbers of it on the platform's trunk are deleted. former lists those tenants if the assignment
// is new.
func Assign(ctx context.Context, db *database.DB, tenantID, number string) (former []string, err error) {
	if !numberForm.MatchString(number) {
		return nil, fault.Invalid([]fault.Detail{{Field: "number", Message: numberHint}})
	}
	err = db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if err := lockNumbers(ctx, tx); err != nil {
			return err
		}
		if former, err = formerHolders(ctx, tx, tenantID, number); err != nil {
			return err
		}
		if _, err := tx.NewDelete().Model((*PhoneNumber)(nil)).Where("number = ? AND trunk_id IS NULL AND tenant_id <> ?", number, tenantID).Exec(ctx); err != nil {
			return err
		}
		a := &Assignment{Number: number, TenantID: tenantID, CreatedAt: tx.Now()}
		_, err = tx.NewInsert().Model(a).On("CONFLICT (number) DO UPDATE").Set("tenant_id = EXCLUDED.tenant_id, created_at = EXCLUDED.created_at").Exec(ctx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("assign number: %w", err)
	}
	return former, nil
}

// Release deletes the assignment of a number, and its tenant's phone number of it on the platform's trunk. It
// returns the tenant that had it; not_found when the number is not assigned.
func Release(ctx context.Context, db *database.DB, number string) (tenantID string, err error) {
	err = db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if err := lockNumbers(ctx, tx); err != nil {
			return err
		}
		err := tx.NewDelete().Model((*Assignment)(nil)).Where("number = ?", number).Returning("tenant_id").Scan(ctx, &tenantID)
		if database.NoRows(err) {
			return fault.Missing("assignment")
		}
		if err != nil {
			return err
		}
		_, err = tx.NewDelete().Model((*PhoneNumber)(nil)).Where("number = ? AND trunk_id IS NULL", number).Exec(ctx)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("release number: %w", err)
	}
	return tenantID, nil
}

// Assignments returns the assigned numbers in order, of all tenants or of one.
func Assignments(ctx context.Context, db *database.DB, tenantID string) (assignments []Assignment, err error) {
	err = db.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		query := tx.NewSelect().Model(&assignments).Order("number")
		if tenantID != "" {
			query.Where("tenant_id = ?", tenantID)
		}
		return query.Scan(ctx)
	})
	if err != nil {
		return nil, fmt.Errorf("list assigned numbers: %w", err)
	}
	return assignments, nil
}

// formerHolders returns the other tenants that lose a number by its assignment: the tenant it was assigned to, or
// else those that have it on trunks with allowed addresses.
func formerHolders(ctx context.Context, tx database.Tx, tenantID, number string) (former []string, err error) {
	var holder string
	err = tx.NewSelect().Model((*Assignment)(nil)).Column("tenant_id").Where("number = ?", number).Scan(ctx, &holder)
	switch {
	case database.NoRows(err):
		err = tx.NewSelect().Model((*PhoneNumber)(nil)).Distinct().Column("n.tenant_id").
			Join("JOIN sip_trunks AS t ON t.tenant_id = n.tenant_id AND t.id = n.trunk_id").
			Where("n.number = ? AND n.tenant_id <> ? AND CAST(t.allowed_addresses AS text) <> '[]'", number, tenantID).Scan(ctx, &former)
		return former, err
	case err != nil || holder == tenantID:
		return nil, err
	}
	return []string{holder}, nil
}
