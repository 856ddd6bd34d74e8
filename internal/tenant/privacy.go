package tenant

import (
	"context"
	"fmt"
	"time"

	"parley/internal/database"
	"parley/internal/fault"
)

// MaxRetention is the longest retention, in days.
const MaxRetention = 36500

// Privacy is what a tenant wants to become of what its callers say.
type Privacy struct {
	// RetentionDays is how long what was said in a call is kept after its end;
	// 0 is for ever.
	RetentionDays int `bun:"retention_days,nullzero"`
	// Redact says that phone numbers, e-mail addresses and card numbers are
	// masked before they are written, and in webhooks.
	Redact bool `bun:"redact"`
}

// Change is what is to be set of a tenant's Privacy, Limits and Phone; what is nil
// stays.
type Change struct {
	RetentionDays *int
	Redact        *bool

	Limits map[Limit]*int64 // nil as a value sets the default

	PhonePrefixes, PhoneRanges               *[]string
	PhoneAtOnce, PhonePerMinute, PhonePerDay *int // below 0: the platform's limit again
}

// phone applies what is to be set of what a tenant may dial.
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

// Set changes the settings of the tenant of a name, and returns it. not_found
// when there is none.
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
		for name, value := range c.Limits {
			if value == nil {
				delete(t.Limits, name)
			} else {
				t.Limits[name] = *value
			}
		}
		if err := c.phone(&t.Phone); err != nil {
			return err
		}
		_, err := tx.NewUpdate().Model(t).Column("retention_days", "redact", "limits", "phone_prefixes", "phone_ranges", "phone_at_once", "phone_per_minute", "phone_per_day").WherePK().Exec(ctx)
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

// Due is a tenant that keeps what was said in calls for a time only.
type Due struct {
	ID     string
	Before time.Time // calls that ended before it are to be purged
}

// Retained returns the tenants that keep nothing for ever, and what of theirs
// is due now.
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

// Redacts tells whether the tenant of the transaction wants what is written
// masked.
func Redacts(ctx context.Context, tx database.Tx) (redacts bool, err error) {
	if err := tx.NewRaw("SELECT redact FROM tenants WHERE id = ?", tx.TenantID()).Scan(ctx, &redacts); err != nil {
		return false, fmt.Errorf("read the tenant's settings: %w", err)
	}
	return redacts, nil
}
