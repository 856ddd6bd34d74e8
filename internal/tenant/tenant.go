// Package tenant stores the tenants of a platform. All other stored data belongs to one of them.
package tenant

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/fault"
)

const maxName = 255 // characters

// Tenant is an organisation with its own agents, calls and users.
type Tenant struct {
	bun.BaseModel `bun:"table:tenants,alias:t"`

	ID        string    `bun:"id,pk"`
	Name      string    `bun:"name"` // unique on the platform
	CreatedAt time.Time `bun:"created_at"`

	Privacy
	// Timezone is the IANA name of the time zone of now and today in agents without their own; "" for UTC.
	Timezone string `bun:"timezone,nullzero"`
	// Limits are the values that differ from the defaults.
	Limits Limits `bun:"limits,type:jsonb"`
	Phone
	Budgets Budgets `bun:"budgets,type:jsonb"`
}

// Create creates a tenant, or returns a conflict if the name exists.
func Create(ctx context.Context, db *database.DB, name string) (*Tenant, error) {
	if !utf8.ValidString(name) || strings.TrimSpace(name) != name || name == "" ||
		utf8.RuneCountInString(name) > maxName || strings.ContainsFunc(name, unicode.IsControl) {
		return nil, fault.Invalid([]fault.Detail{{Field: "name", Message: fmt.Sprintf("must have 1 to %d printable characters, without space around them", maxName)}})
	}
	t := &Tenant{ID: uuid.Must(uuid.NewV7()).String(), Name: name, Limits: Limits{}, Budgets: Budgets{}, Phone: Phone{Prefixes: []string{}, Ranges: []string{}}}
	err := db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		t.CreatedAt = tx.Now()
		_, err := tx.NewInsert().Model(t).Exec(ctx)
		return err
	})
	switch {
	case database.Duplicate(err):
		return nil, fault.New(fault.Conflict, "a tenant named %q exists already", name)
	case err != nil:
		return nil, fmt.Errorf("create tenant: %w", err)
	}
	return t, nil
}

// Named returns the tenant with a name, or not_found.
func Named(ctx context.Context, db *database.DB, name string) (*Tenant, error) {
	return find(ctx, db.System(), "name = ?", name)
}

// Get returns a tenant by id, or not_found.
func Get(ctx context.Context, db *database.DB, id string) (*Tenant, error) {
	return find(ctx, db.Tenant(id), "id = ?", id)
}

func find(ctx context.Context, scope database.Scope, condition, value string) (*Tenant, error) {
	t := new(Tenant)
	err := scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		return tx.NewSelect().Model(t).Where(condition, value).Scan(ctx)
	})
	switch {
	case database.NoRows(err):
		return nil, fault.Missing("tenant")
	case err != nil:
		return nil, fmt.Errorf("find tenant: %w", err)
	}
	return t, nil
}

// Any reports whether there is any tenant.
func Any(ctx context.Context, db *database.DB) (any bool, err error) {
	err = db.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		return tx.NewRaw("SELECT EXISTS (SELECT 1 FROM tenants)").Scan(ctx, &any)
	})
	if err != nil {
		return false, fmt.Errorf("look for tenants: %w", err)
	}
	return any, nil
}
