package app

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"parley/internal/audit"
	"parley/internal/auth"
	"parley/internal/config"
	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/retention"
	"parley/internal/tenant"
)

// ListedTenant is a tenant, as tenant list prints it.
type ListedTenant struct {
	NamedID
	CreatedAt time.Time `json:"created_at"`
}

// ListTenants returns all tenants by name.
func ListTenants(ctx context.Context, c config.Store) ([]ListedTenant, error) {
	return withDatabase(ctx, c, func(db *database.DB, _ config.Secrets) ([]ListedTenant, error) {
		all, err := tenant.List(ctx, db)
		if err != nil {
			return nil, err
		}
		listed := make([]ListedTenant, len(all))
		for i, t := range all {
			listed[i] = ListedTenant{NamedID{ID: t.ID, Name: t.Name}, t.CreatedAt}
		}
		return listed, nil
	})
}

// DeletedTenant is a deleted tenant, as the admin commands print it.
type DeletedTenant struct {
	NamedID
	Rows int64 `json:"rows"` // deleted ones, of all tables
	// RecordedCalls is how many of its calls have recordings.
	RecordedCalls int `json:"recorded_calls"`
}

// DeleteTenant deletes the tenant with a name, with all its data. Without confirmed it only returns what would be
// deleted, and deletes nothing.
func DeleteTenant(ctx context.Context, c config.Store, b config.Bucket, name string, confirmed bool) (*DeletedTenant, error) {
	if err := b.Check(); err != nil {
		return nil, err
	}
	return withDatabase(ctx, c, func(db *database.DB, _ config.Secrets) (*DeletedTenant, error) {
		d, err := deleteTenant(ctx, db, c, b, name, confirmed)
		if err != nil {
			return nil, fmt.Errorf("tenant %s: %w", name, err)
		}
		return &DeletedTenant{NamedID: NamedID{ID: d.ID, Name: d.Name}, Rows: d.Rows, RecordedCalls: len(d.Recordings)}, nil
	})
}

func deleteTenant(ctx context.Context, db *database.DB, c config.Store, b config.Bucket, name string, confirmed bool) (*tenant.Deleted, error) {
	if !confirmed {
		return tenant.Delete(ctx, db, name, false)
	}
	log := slog.New(slog.DiscardHandler)
	recordings, err := openRecordings(ctx, c.RecordingDir(), b, log)
	if err != nil {
		return nil, err
	}
	return retention.New(db, recordings, log).DeleteTenant(ctx, name)
}

// ListedUser is a user, as user list prints it.
type ListedUser struct {
	MadeUser
	Tenant    string    `json:"tenant"` // its name
	CreatedAt time.Time `json:"created_at"`
}

// ListUsers returns the users of the tenant with a name, or of all tenants with "".
func ListUsers(ctx context.Context, c config.Store, tenantName string) ([]ListedUser, error) {
	return withNames(ctx, c, tenantName, func(authority *auth.Service, tenantID string, names map[string]string) ([]ListedUser, error) {
		users, err := authority.AllUsers(ctx, tenantID)
		if err != nil {
			return nil, err
		}
		listed := make([]ListedUser, len(users))
		for i, u := range users {
			listed[i] = ListedUser{*printedUser(&u), names[u.TenantID], u.CreatedAt}
		}
		return listed, nil
	})
}

// ListedKey is an API key without its secret, as the admin commands print it.
type ListedKey struct {
	ID          string    `json:"id"`
	TenantID    string    `json:"tenant_id"`
	Tenant      string    `json:"tenant"` // its name
	Name        string    `json:"name"`
	Environment string    `json:"environment"`
	Prefix      string    `json:"prefix"`
	Scopes      []string  `json:"scopes"`
	RateLimit   int       `json:"rate_limit"`
	CreatedAt   time.Time `json:"created_at"`
}

func printedKey(k *auth.Key, tenantName string) *ListedKey {
	return &ListedKey{ID: k.ID, TenantID: k.TenantID, Tenant: tenantName, Name: k.Name, Environment: k.Environment, Prefix: k.Prefix,
		Scopes: k.Scopes, RateLimit: k.RateLimit, CreatedAt: k.CreatedAt}
}

// ListKeys returns the API keys of the tenant with a name, or of all tenants with "", without revoked ones.
func ListKeys(ctx context.Context, c config.Store, tenantName string) ([]ListedKey, error) {
	return withNames(ctx, c, tenantName, func(authority *auth.Service, tenantID string, names map[string]string) ([]ListedKey, error) {
		keys, err := authority.AllKeys(ctx, tenantID)
		if err != nil {
			return nil, err
		}
		listed := make([]ListedKey, len(keys))
		for i, k := range keys {
			listed[i] = *printedKey(&k, names[k.TenantID])
		}
		return listed, nil
	})
}

// RevokeKey permanently revokes the API key with an id.
func RevokeKey(ctx context.Context, c config.Store, id string) (*ListedKey, error) {
	return withDatabase(ctx, c, func(db *database.DB, secrets config.Secrets) (*ListedKey, error) {
		authority, err := newAdminAuthority(db, secrets)
		if err != nil {
			return nil, err
		}
		k, err := byOperator(ctx, db, "api_key.revoke",
			func(ctx context.Context) (*auth.Key, error) { return authority.RevokeKeyOf(ctx, id) },
			func(k *auth.Key) audit.Entry {
				return audit.Entry{TenantID: k.TenantID, ResourceID: k.ID, ResourceName: k.Name}
			})
		if err != nil {
			return nil, fmt.Errorf("key %s: %w", id, err)
		}
		t, err := tenant.Get(ctx, db, k.TenantID)
		if err != nil {
			return nil, err
		}
		return printedKey(k, t.Name), nil
	})
}

// withNames runs f with the id of the tenant with a name, "" for "", and the names of all tenants by id.
func withNames[T any](ctx context.Context, c config.Store, tenantName string, f func(authority *auth.Service, tenantID string, names map[string]string) (T, error)) (T, error) {
	return withDatabase(ctx, c, func(db *database.DB, secrets config.Secrets) (none T, err error) {
		authority, err := newAdminAuthority(db, secrets)
		if err != nil {
			return none, err
		}
		all, err := tenant.List(ctx, db)
		if err != nil {
			return none, err
		}
		names, tenantID := map[string]string{}, ""
		for _, t := range all {
			names[t.ID] = t.Name
			if t.Name == tenantName {
				tenantID = t.ID
			}
		}
		if tenantName != "" && tenantID == "" {
			return none, fmt.Errorf("tenant %s: %w", tenantName, fault.Missing("tenant"))
		}
		return f(authority, tenantID, names)
	})
}
