package tenant

import (
	"context"
	"fmt"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/template"
)

// timezone applies the change of a tenant's time zone; empty is UTC.
func (c Change) timezone(t *Tenant) error {
	if c.Timezone == nil {
		return nil
	}
	if *c.Timezone != "" {
		if _, err := template.Location(*c.Timezone); err != nil {
			return fault.Invalid([]fault.Detail{{Field: "timezone", Message: err.Error()}})
		}
	}
	t.Timezone = *c.Timezone
	return nil
}

// Timezone returns the time zone of the transaction's tenant; "" for UTC.
func Timezone(ctx context.Context, tx database.Tx) (name string, err error) {
	err = tx.NewRaw("SELECT COALESCE(timezone, '') FROM tenants WHERE id = ?", tx.TenantID()).Scan(ctx, &name)
	if err != nil {
		return "", fmt.Errorf("read the tenant's time zone: %w", err)
	}
	return name, nil
}
