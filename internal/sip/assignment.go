package sip

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/fault"
)

// Assignment is a number of the platform's trunk that the operator gave to a
// tenant, which then may have it answered.
type Assignment struct {
	bun.BaseModel `bun:"table:number_assignments,alias:a"`

	Number    string    `bun:"number,pk"` // E.164
	TenantID  string    `bun:"tenant_id"`
	CreatedAt time.Time `bun:"created_at"`
}

// Assign gives a number of the platform's trunk to a tenant. Another tenant
// that had it has it answered no more; former is its id, "" for none.
func Assign(ctx context.Context, db *database.DB, tenantID, number string) (former string, err error) {
	if !numberForm.MatchString(number) {
		return "", fault.Invalid([]fault.Detail{{Field: "number", Message: numberHint}})
	}
	err = db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		err := tx.NewSelect().Model((*Assignment)(nil)).Column("tenant_id").Where("number = ? AND tenant_id <> ?", number, tenantID).Scan(ctx, &former)
		if err != nil && !database.NoRows(err) {
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
		return "", fmt.Errorf("assign number: %w", err)
	}
	return former, nil
}
