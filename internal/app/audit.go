package app

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"unicode"

	"parley/internal/audit"
	"parley/internal/auth"
	"parley/internal/database"
	"parley/internal/sip"
	"parley/internal/tenant"
)

// byOperator runs an operation of the operator and writes it to the audit log in the same transaction. entry sets
// tenant and resource; without a tenant nothing is written.
func byOperator[T any](ctx context.Context, db *database.DB, action string, operation func(ctx context.Context) (T, error), entry func(T) audit.Entry) (made T, err error) {
	err = audit.Record(ctx, db, func(ctx context.Context) ([]audit.Entry, error) {
		if made, err = operation(ctx); err != nil {
			return nil, err
		}
		return []audit.Entry{operatorEntry(action, entry(made))}, nil
	})
	if err != nil {
		var none T
		return none, err
	}
	return made, nil
}

// operatorEntry completes an entry of the operator about an action.
func operatorEntry(action string, e audit.Entry) audit.Entry {
	e.ActorType, e.Action = audit.Operator, action
	e.ResourceType, _, _ = strings.Cut(action, ".")
	return e
}

// createTenant makes a tenant on behalf of the operator.
func createTenant(ctx context.Context, db *database.DB, name string) (*tenant.Tenant, error) {
	return byOperator(ctx, db, "tenant.create", func(ctx context.Context) (*tenant.Tenant, error) { return tenant.Create(ctx, db, name) },
		func(t *tenant.Tenant) audit.Entry {
			return audit.Entry{TenantID: t.ID, ResourceID: t.ID, ResourceName: t.Name}
		})
}

// setTenant changes a tenant on behalf of the operator.
func setTenant(ctx context.Context, db *database.DB, name string, change tenant.Change) (*tenant.Tenant, error) {
	return byOperator(ctx, db, "tenant.update", func(ctx context.Context) (*tenant.Tenant, error) { return tenant.Set(ctx, db, name, change) },
		func(t *tenant.Tenant) audit.Entry {
			changes := given(change)
			if len(changes) == 0 { // the settings were only read
				return audit.Entry{}
			}
			return audit.Entry{TenantID: t.ID, ResourceID: t.ID, ResourceName: t.Name, Changes: changes}
		})
}

// createUser makes a user on behalf of the operator.
func createUser(ctx context.Context, db *database.DB, authority *auth.Service, tenantID, email, password string, scopes []string) (*auth.User, error) {
	return byOperator(ctx, db, "user.create", func(ctx context.Context) (*auth.User, error) {
		return authority.CreateUser(ctx, tenantID, email, password, scopes)
	}, func(u *auth.User) audit.Entry { return audit.Entry{TenantID: u.TenantID, ResourceID: u.ID} })
}

// createKey makes an API key on behalf of the operator.
func createKey(ctx context.Context, db *database.DB, authority *auth.Service, tenantID string, d auth.KeyDraft) (k *auth.Key, secret string, err error) {
	k, err = byOperator(ctx, db, "api_key.create", func(ctx context.Context) (k *auth.Key, err error) {
		k, secret, err = authority.CreateKey(ctx, tenantID, d)
		return k, err
	}, func(k *auth.Key) audit.Entry {
		return audit.Entry{TenantID: k.TenantID, ResourceID: k.ID, ResourceName: k.Name}
	})
	return k, secret, err
}

// assignNumber assigns a number on behalf of the operator. The tenants that lose it have entries, too.
func assignNumber(ctx context.Context, db *database.DB, tenantID, number string) error {
	return audit.Record(ctx, db, func(ctx context.Context) ([]audit.Entry, error) {
		former, err := sip.Assign(ctx, db, tenantID, number)
		if err != nil {
			return nil, err
		}
		entries := []audit.Entry{operatorEntry("phone_number.assign", audit.Entry{TenantID: tenantID, ResourceName: number})}
		for _, loser := range former {
			entries = append(entries, operatorEntry("phone_number.unassign", audit.Entry{TenantID: loser, ResourceName: number}))
		}
		return entries, nil
	})
}

// releaseNumber releases a number on behalf of the operator and returns the tenant that had it.
func releaseNumber(ctx context.Context, db *database.DB, number string) (tenantID string, err error) {
	return byOperator(ctx, db, "phone_number.unassign", func(ctx context.Context) (string, error) { return sip.Release(ctx, db, number) },
		func(tenantID string) audit.Entry { return audit.Entry{TenantID: tenantID, ResourceName: number} })
}

// recordForAll writes an operation of the operator on the whole database to the audit logs of all tenants.
func recordForAll(ctx context.Context, db *database.DB, action string) error {
	var tenants []string
	err := db.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		return tx.NewSelect().Table("tenants").Column("id").Scan(ctx, &tenants)
	})
	if err != nil {
		return fmt.Errorf("list tenants: %w", err)
	}
	for _, id := range tenants {
		if err := audit.Write(ctx, db, operatorEntry(action, audit.Entry{TenantID: id, ResourceName: "database"})); err != nil {
			return err
		}
	}
	return nil
}

// given returns the fields that a change of a tenant or user sets, by their API names.
func given(change any) (names []string) {
	value := reflect.ValueOf(change)
	for i := range value.NumField() {
		if field := value.Field(i); field.IsZero() || field.Kind() == reflect.Map && field.Len() == 0 {
			continue
		}
		var name strings.Builder
		for n, c := range value.Type().Field(i).Name {
			if unicode.IsUpper(c) && n > 0 {
				name.WriteByte('_')
			}
			name.WriteRune(unicode.ToLower(c))
		}
		names = append(names, name.String())
	}
	return names
}
