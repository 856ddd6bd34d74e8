package cost

import (
	"context"
	"encoding/json"
	"fmt"

	"parley/internal/database"
)

// Store keeps a tenant's own prices.
type Store struct{ scope database.Scope }

// NewStore returns the store of a tenant.
func NewStore(scope database.Scope) Store { return Store{scope} }

// List returns the tenant's own prices.
func (s Store) List(ctx context.Context) (own []Price, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		own, err = Own(ctx, tx, tx.TenantID())
		return err
	})
	return own, err
}

// Replace sets the tenant's own prices. validation_error names each one that is not valid.
func (s Store) Replace(ctx context.Context, own []Price) error {
	if err := Check(own, Tenant); err != nil {
		return err
	}
	encoded, err := json.Marshal(own)
	if err != nil {
		return fmt.Errorf("encode prices: %w", err)
	}
	return s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		_, err := tx.NewUpdate().Table("tenants").Set("prices = ?", string(encoded)).Where("id = ?", tx.TenantID()).Exec(ctx)
		if err != nil {
			return fmt.Errorf("store prices: %w", err)
		}
		return nil
	})
}

// Own returns a tenant's own prices.
func Own(ctx context.Context, tx database.Tx, tenantID string) (own []Price, err error) {
	var stored *string
	if err := tx.NewRaw("SELECT CAST(prices AS TEXT) FROM tenants WHERE id = ?", tenantID).Scan(ctx, &stored); err != nil {
		return nil, fmt.Errorf("read the tenant's prices: %w", err)
	}
	if stored == nil {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(*stored), &own); err != nil {
		return nil, fmt.Errorf("read the tenant's prices: %w", err)
	}
	for n := range own {
		own[n].Source = Tenant
	}
	return own, nil
}
