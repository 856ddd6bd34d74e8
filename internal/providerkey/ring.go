package providerkey

import (
	"context"
	"fmt"

	"parley/internal/database"
)

// Ring is the keys that a tenant uses: for each provider the default one, or else the newest. They are decrypted on
// use.
type Ring struct {
	registry Registry
	keys     map[[2]string]*Key // by type and name
}

// Ring reads the tenant's keys.
func (s Store) Ring(ctx context.Context) (*Ring, error) {
	ring := &Ring{registry: s.registry, keys: map[[2]string]*Key{}}
	var keys []Key
	err := s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		const preference = "row_number() OVER (PARTITION BY provider_type, provider_name ORDER BY is_default DESC, created_at DESC, id DESC) AS preference"
		return tx.NewSelect().Model(&keys).
			ModelTableExpr("(SELECT *, "+preference+" FROM provider_keys WHERE tenant_id = ?) AS k", tx.TenantID()).
			Where("preference = 1").Scan(ctx)
	})
	if err != nil {
		return nil, fmt.Errorf("read provider keys: %w", err)
	}
	for i := range keys {
		ring.keys[[2]string{keys[i].ProviderType, keys[i].ProviderName}] = &keys[i]
	}
	return ring, nil
}

// Opened is a decrypted key.
type Opened struct {
	APIKey  string // "" where the server wants none
	BaseURL string // where the key is sent; "" for the provider's own address
}

// Key decrypts the key for a provider; nil if the tenant has none. The error is worded for the tenant, and wraps
// seal.ErrOpen if the encryption key is missing.
func (r *Ring) Key(kind, name string) (*Opened, error) {
	k := r.keys[[2]string{kind, name}]
	if k == nil {
		return nil, nil
	}
	plain, err := r.registry.Sealer.Open(k.Sealed, k.place())
	if err != nil {
		return nil, fmt.Errorf("the tenant's own key %s cannot be used, delete it and keep it anew: %w", k.ID, err)
	}
	return &Opened{string(plain), k.BaseURL}, nil
}

// Held returns the providers, by type and name, for which the transaction's tenant has keys.
func Held(ctx context.Context, tx database.Tx) (map[[2]string]bool, error) {
	var rows []struct{ ProviderType, ProviderName string }
	err := tx.NewSelect().Model((*Key)(nil)).Distinct().Column("provider_type", "provider_name").
		Where("tenant_id = ?", tx.TenantID()).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("read provider keys: %w", err)
	}
	held := make(map[[2]string]bool, len(rows))
	for _, row := range rows {
		held[[2]string{row.ProviderType, row.ProviderName}] = true
	}
	return held, nil
}
