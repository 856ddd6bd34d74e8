package tenant

import (
	"context"
	"fmt"
	"time"

	"parley/internal/cost"
	"parley/internal/database"
	"parley/internal/fault"
)

// MaxRetention is the longest retention, in days.
const MaxRetention = 36500

// Privacy is a tenant's settings on the content of calls.
type Privacy struct {
	// RetentionDays is how long the content of a call is kept after its end; 0 for unlimited.
	RetentionDays int `bun:"retention_days,nullzero"`
	// Redact switches on redaction of phone numbers, e-mail addresses and card numbers in stored content and
	// webhooks.
	Redact bool `bun:"redact"`
	// ForbidListening forbids the tenant's users and keys to listen to calls, and to take them over.
	ForbidListening bool `bun:"forbid_listening"`
}

// Change is an update of a tenant's Privacy, Timezone, Limits, Budgets and Phone; nil fields are unchanged.
type Change struct {
	RetentionDays *int
	Redact        *bool
	Listening     *bool
	Timezone      *string

	Limits map[Limit]*int64 // a nil value sets the default

	Budgets map[Period]*cost.Money // a nil value removes the budget

	PhonePrefixes, PhoneRanges               *[]string
	PhoneAtOnce, PhonePerMinute, PhonePerDay *int // negative: the platform's limit
}

// phone applies the changes of Phone.
func (c Change) phone(p *Phone) error {
	if c.PhonePrefixes != nil {
		if why := CheckPrefixes(*c.PhonePrefixes); why != "" {
			return fault.Invalid([]fault.Detail{{Field: "phone_prefixes", Message: why}})
		}
		p.Prefixes = *c.PhonePrefixes
	}
	if c.PhoneRanges != nil {
		if why := CheckRanges(*c.PhoneRanges); why != "" {
			return fault.Invalid([]fault.Detail{{Field: "phone_ranges", Message: why}})
		}
		p.Ranges = *c.PhoneRanges
	}
	for _, limit := range []struct {
		set  *int
		kept **int
	}{{c.PhoneAtOnce, &p.AtOnce}, {c.PhonePerMinute, &p.PerMinute}, {c.PhonePerDay, &p.PerDay}} {
		if limit.set != nil {
			if *limit.kept = limit.set; *limit.set < 0 {
				*limit.kept = nil
			}
		}
	}
	return nil
}

// Set changes the settings of the tenant with a name, and returns it; not_found if it does not exist.
func Set(ctx context.Context, db *database.DB, name string, c Change) (*Tenant, error) {
	if d := c.RetentionDays; d != nil && (*d < 0 || *d > MaxRetention) {
		return nil, fault.Invalid([]fault.Detail{{Field: "retention_days", Message: fmt.Sprintf("must be 0, for ever, or 1 to %d days", MaxRetention)}})
	}
	if err := fault.Invalid(checkLimits(c.Limits)); err != nil {
		return nil, err
	}
	t := new(Tenant)
	err := db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		query := tx.NewSelect().Model(t).Where("name = ?", name)
		if tx.Postgres() {
			query = query.For("NO KEY UPDATE")
		}
		if err := query.Scan(ctx); err != nil {
			return err
		}
		if c.RetentionDays != nil {
			t.RetentionDays = *c.RetentionDays
		}
		if c.Redact != nil {
			t.Redact = *c.Redact
		}
		if c.Listening != nil {
			t.ForbidListening = !*c.Listening
		}
		for name, value := range c.Limits {
			if value == nil {
				delete(t.Limits, name)
			} else {
				t.Limits[name] = *value
			}
		}
		c.budgets(t)
		if err := c.timezone(t); err != nil {
			return err
		}
		if err := c.phone(&t.Phone); err != nil {
			return err
		}
		_, err := tx.NewUpdate().Model(t).Column("retention_days", "redact", "forbid_listening", "timezone", "limits", "budgets", "phone_prefixes", "phone_ranges", "phone_at_once", "phone_per_minute", "phone_per_day").WherePK().Exec(ctx)
		return err
	})
	switch {
	case database.NoRows(err):
		return nil, fault.Missing("tenant")
	case err != nil:
		return nil, fmt.Errorf("set tenant: %w", err)
	}
	return t, nil
}

// Due is a tenant with a limited retention.
type Due struct {
	ID     string
	Before time.Time // calls that ended before are to be purged
}

// Retained returns the tenants with a limited retention, and what is due.
func Retained(ctx context.Context, tx database.Tx) (due []Due, err error) {
	var tenants []Tenant
	if err := tx.NewSelect().Model(&tenants).Where("retention_days IS NOT NULL").OrderExpr("id").Scan(ctx); err != nil {
		return nil, fmt.Errorf("read tenants with a retention: %w", err)
	}
	for _, t := range tenants {
		due = append(due, Due{t.ID, tx.Now().Add(-time.Duration(t.RetentionDays) * 24 * time.Hour)})
	}
	return due, nil
}

// ForbidsListening reports whether the transaction's tenant forbids listening to calls.
func ForbidsListening(ctx context.Context, tx database.Tx) (forbids bool, err error) {
	if err := tx.NewRaw("SELECT forbid_listening FROM tenants WHERE id = ?", tx.TenantID()).Scan(ctx, &forbids); err != nil {
		return false, fmt.Errorf("read the tenant's settings: %w", err)
	}
	return forbids, nil
}

// Redacts reports whether the transaction's tenant has switched on redaction.
func Redacts(ctx context.Context, tx database.Tx) (redacts bool, err error) {
	if err := tx.NewRaw("SELECT redact FROM tenants WHERE id = ?", tx.TenantID()).Scan(ctx, &redacts); err != nil {
		return false, fmt.Errorf("read the tenant's settings: %w", err)
	}
	return redacts, nil
}
