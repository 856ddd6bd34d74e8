package app

import (
	"context"
	"fmt"

	"parley/internal/audit"
	"parley/internal/auth"
	"parley/internal/config"
	"parley/internal/database"
	"parley/internal/sip"
	"parley/internal/tenant"
)

// CreateTenant creates a tenant.
func CreateTenant(ctx context.Context, c config.Store, name string) (*NamedID, error) {
	return withDatabase(ctx, c, func(db *database.DB, _ config.Secrets) (*NamedID, error) {
		t, err := createTenant(ctx, db, name)
		if err != nil {
			return nil, err
		}
		return &NamedID{ID: t.ID, Name: t.Name}, nil
	})
}

// NamedID is a tenant, as the admin commands print it.
type NamedID struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// SetTenant changes the settings of the tenant with a name.
func SetTenant(ctx context.Context, c config.Store, name string, change tenant.Change) (*TenantSettings, error) {
	return withDatabase(ctx, c, func(db *database.DB, _ config.Secrets) (*TenantSettings, error) {
		t, err := setTenant(ctx, db, name, change)
		if err != nil {
			return nil, fmt.Errorf("tenant %s: %w", name, err)
		}
		set := &TenantSettings{NamedID: NamedID{ID: t.ID, Name: t.Name}, Redact: t.Redact, Listening: !t.ForbidListening, Timezone: t.Timezone, Limits: t.Limits, Budgets: t.Budgets,
			PhonePrefixes: t.Phone.Prefixes, PhoneRanges: t.Phone.Ranges, PhoneAtOnce: t.AtOnce, PhonePerMinute: t.PerMinute, PhonePerDay: t.PerDay}
		if t.RetentionDays > 0 {
			set.RetentionDays = &t.RetentionDays
		}
		return set, nil
	})
}

// AssignedNumber is an assigned number, as the admin commands print it.
type AssignedNumber struct {
	Number   string `json:"number"`
	TenantID string `json:"tenant_id"`
	Tenant   string `json:"tenant"` // its name
}

// AssignNumber assigns a number to the tenant with a name.
func AssignNumber(ctx context.Context, c config.Store, tenantName, number string) (*AssignedNumber, error) {
	return withDatabase(ctx, c, func(db *database.DB, _ config.Secrets) (*AssignedNumber, error) {
		t, err := tenant.Named(ctx, db, tenantName)
		if err != nil {
			return nil, fmt.Errorf("tenant %s: %w", tenantName, err)
		}
		if err := assignNumber(ctx, db, t.ID, number); err != nil {
			return nil, err
		}
		return &AssignedNumber{Number: number, TenantID: t.ID, Tenant: t.Name}, nil
	})
}

// ReleaseNumber removes the assignment of a number.
func ReleaseNumber(ctx context.Context, c config.Store, number string) (*AssignedNumber, error) {
	return withDatabase(ctx, c, func(db *database.DB, _ config.Secrets) (*AssignedNumber, error) {
		tenantID, err := releaseNumber(ctx, db, number)
		if err != nil {
			return nil, fmt.Errorf("number %s: %w", number, err)
		}
		t, err := tenant.Get(ctx, db, tenantID)
		if err != nil {
			return nil, fmt.Errorf("tenant %s: %w", tenantID, err)
		}
		return &AssignedNumber{Number: number, TenantID: t.ID, Tenant: t.Name}, nil
	})
}

// ListNumbers returns the assigned numbers, of all tenants or of the one with a name.
func ListNumbers(ctx context.Context, c config.Store, tenantName string) ([]AssignedNumber, error) {
	return withDatabase(ctx, c, func(db *database.DB, _ config.Secrets) ([]AssignedNumber, error) {
		tenantID := ""
		if tenantName != "" {
			t, err := tenant.Named(ctx, db, tenantName)
			if err != nil {
				return nil, fmt.Errorf("tenant %s: %w", tenantName, err)
			}
			tenantID = t.ID
		}
		assignments, err := sip.Assignments(ctx, db, tenantID)
		if err != nil {
			return nil, err
		}
		numbers := make([]AssignedNumber, 0, len(assignments))
		names := map[string]string{}
		for _, a := range assignments {
			if names[a.TenantID] == "" {
				t, err := tenant.Get(ctx, db, a.TenantID)
				if err != nil {
					return nil, fmt.Errorf("tenant %s: %w", a.TenantID, err)
				}
				names[a.TenantID] = t.Name
			}
			numbers = append(numbers, AssignedNumber{Number: a.Number, TenantID: a.TenantID, Tenant: names[a.TenantID]})
		}
		return numbers, nil
	})
}

// TenantSettings are a tenant's settings, as the admin commands print them.
type TenantSettings struct {
	NamedID
	RetentionDays *int `json:"retention_days"` // null: unlimited
	Redact        bool `json:"redact"`
	Listening     bool `json:"listening"`
	// Timezone is an IANA name; empty for UTC.
	Timezone string `json:"timezone"`
	// Limits are the values that differ from the defaults.
	Limits tenant.Limits `json:"limits"`
	// Budgets are what calls may cost, by period.
	Budgets tenant.Budgets `json:"budgets"`

	PhonePrefixes  []string `json:"phone_prefixes"`
	PhoneRanges    []string `json:"phone_ranges"`
	PhoneAtOnce    *int     `json:"phone_at_once"` // null: the platform's limit
	PhonePerMinute *int     `json:"phone_per_minute"`
	PhonePerDay    *int     `json:"phone_per_day"`
}

// MadeUser is a created user, as the admin commands print it.
type MadeUser struct {
	ID       string   `json:"id"`
	TenantID string   `json:"tenant_id"`
	Email    string   `json:"email"`
	Scopes   []string `json:"scopes"`
}

// CreateUser creates a user of the tenant with a name.
func CreateUser(ctx context.Context, c config.Store, tenantName, email, password string, scopes []string) (*MadeUser, error) {
	return withAuthority(ctx, c, tenantName, func(db *database.DB, authority *auth.Service, tenantID string) (*MadeUser, error) {
		u, err := createUser(ctx, db, authority, tenantID, email, password, scopes)
		if err != nil {
			return nil, err
		}
		return printedUser(u), nil
	})
}

// SetUser changes a user's password, which ends their sessions, or scopes.
func SetUser(ctx context.Context, c config.Store, email string, change auth.UserChange) (*MadeUser, error) {
	return changeUser(ctx, c, email, "user.update", given(change), func(ctx context.Context, authority *auth.Service) (*auth.User, error) {
		return authority.SetUser(ctx, email, change)
	})
}

// DeleteUser deletes a user and ends their sessions.
func DeleteUser(ctx context.Context, c config.Store, email string) (*MadeUser, error) {
	return changeUser(ctx, c, email, "user.delete", nil, func(ctx context.Context, authority *auth.Service) (*auth.User, error) {
		return authority.DeleteUser(ctx, email)
	})
}

func changeUser(ctx context.Context, c config.Store, email, action string, changes []string, change func(context.Context, *auth.Service) (*auth.User, error)) (*MadeUser, error) {
	return withDatabase(ctx, c, func(db *database.DB, secrets config.Secrets) (*MadeUser, error) {
		authority, err := newAdminAuthority(db, secrets)
		if err != nil {
			return nil, err
		}
		u, err := byOperator(ctx, db, action, func(ctx context.Context) (*auth.User, error) { return change(ctx, authority) }, func(u *auth.User) audit.Entry {
			return audit.Entry{TenantID: u.TenantID, ResourceID: u.ID, Changes: changes}
		})
		if err != nil {
			return nil, fmt.Errorf("user %s: %w", email, err)
		}
		return printedUser(u), nil
	})
}

func printedUser(u *auth.User) *MadeUser {
	return &MadeUser{ID: u.ID, TenantID: u.TenantID, Email: u.Email, Scopes: u.Scopes}
}

// MadeKey is a created API key, as the admin commands print it; the secret is shown only here.
type MadeKey struct {
	ID          string   `json:"id"`
	TenantID    string   `json:"tenant_id"`
	Name        string   `json:"name"`
	Environment string   `json:"environment"`
	Scopes      []string `json:"scopes"`
	RateLimit   int      `json:"rate_limit"`
	Key         string   `json:"key"`
}

// CreateKey creates an API key of the tenant with a name.
func CreateKey(ctx context.Context, c config.Store, tenantName string, d auth.KeyDraft) (*MadeKey, error) {
	return withAuthority(ctx, c, tenantName, func(db *database.DB, authority *auth.Service, tenantID string) (*MadeKey, error) {
		k, secret, err := createKey(ctx, db, authority, tenantID, d)
		if err != nil {
			return nil, err
		}
		return &MadeKey{ID: k.ID, TenantID: k.TenantID, Name: k.Name, Environment: k.Environment, Scopes: k.Scopes, RateLimit: k.RateLimit, Key: secret}, nil
	})
}

func withAuthority[T any](ctx context.Context, c config.Store, tenantName string, f func(db *database.DB, authority *auth.Service, tenantID string) (*T, error)) (*T, error) {
	return withDatabase(ctx, c, func(db *database.DB, secrets config.Secrets) (*T, error) {
		t, err := tenant.Named(ctx, db, tenantName)
		if err != nil {
			return nil, fmt.Errorf("tenant %s: %w", tenantName, err)
		}
		authority, err := newAdminAuthority(db, secrets)
		if err != nil {
			return nil, err
		}
		return f(db, authority, t.ID)
	})
}

func newAdminAuthority(db *database.DB, secrets config.Secrets) (*auth.Service, error) {
	return auth.New(auth.Options{DB: db, Secret: []byte(secrets.JWT), KeySecrets: secrets.APIKeys})
}

// withDatabase runs f on the migrated database of an installation.
func withDatabase[T any](ctx context.Context, c config.Store, f func(db *database.DB, secrets config.Secrets) (T, error)) (T, error) {
	var none T
	secrets, db, err := openInstallation(ctx, c)
	if err != nil {
		return none, err
	}
	defer db.Close()
	return f(db, secrets)
}
