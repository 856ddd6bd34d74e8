package tenant_test

import (
	"context"
	"strings"
	"testing"

	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/fault"
	"parley/internal/tenant"
)

func TestTenants(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		ctx := context.Background()
		made, err := tenant.Create(ctx, db, "Acme & Söhne")
		if err != nil {
			t.Fatal(err)
		}
		for how, find := range map[string]func() (*tenant.Tenant, error){
			"name": func() (*tenant.Tenant, error) { return tenant.Named(ctx, db, "Acme & Söhne") },
			"id":   func() (*tenant.Tenant, error) { return tenant.Get(ctx, db, made.ID) },
		} {
			found, err := find()
			if err != nil || found.ID != made.ID || found.Name != made.Name || !found.CreatedAt.Equal(made.CreatedAt) {
				t.Errorf("by %s: got %+v, %v, want %+v", how, found, err, made)
			}
		}
		if _, err := tenant.Create(ctx, db, "Acme & Söhne"); !fault.Is(err, fault.Conflict) {
			t.Errorf("a second one of the name: %v, want a conflict", err)
		}
		if _, err := tenant.Named(ctx, db, "acme"); !fault.Is(err, fault.NotFound) {
			t.Errorf("an unknown name: %v, want not found", err)
		}
		for _, name := range []string{"", " acme", "a\nb", "a\x00", "\xff", strings.Repeat("a", 256)} {
			if _, err := tenant.Create(ctx, db, name); !fault.Is(err, fault.Validation) {
				t.Errorf("name %q: %v, want a validation error", name, err)
			}
		}
	})
}
