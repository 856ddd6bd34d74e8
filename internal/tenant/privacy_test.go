package tenant_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/fault"
	"parley/internal/tenant"
)

func TestPrivacy(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		made, err := tenant.Create(ctx, db, "Acme")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tenant.Create(ctx, db, "Globex"); err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			change tenant.Change
			want   tenant.Privacy
		}{
			{tenant.Change{}, tenant.Privacy{}},
			{tenant.Change{RetentionDays: new(30)}, tenant.Privacy{RetentionDays: 30}},
			{tenant.Change{Redact: new(true)}, tenant.Privacy{RetentionDays: 30, Redact: true}},
			{tenant.Change{}, tenant.Privacy{RetentionDays: 30, Redact: true}},
			{tenant.Change{RetentionDays: new(0), Redact: new(false)}, tenant.Privacy{}},
		} {
			set, err := tenant.Set(ctx, db, "Acme", step.change)
			if err != nil {
				t.Fatal(err)
			}
			found, err := tenant.Named(ctx, db, "Acme")
			if err != nil || set.Privacy != step.want || found.Privacy != step.want {
				t.Errorf("set %+v, found %+v, %v; want %+v", set.Privacy, found.Privacy, err, step.want)
			}
		}
		other, err := tenant.Named(ctx, db, "Globex")
		if err != nil || other.Privacy != (tenant.Privacy{}) {
			t.Errorf("another tenant has %+v, %v", other.Privacy, err)
		}
		if _, err := tenant.Set(ctx, db, "nobody", tenant.Change{Redact: new(true)}); !fault.Is(err, fault.NotFound) {
			t.Errorf("an unknown tenant: %v", err)
		}
		for _, days := range []int{-1, tenant.MaxRetention + 1} {
			if _, err := tenant.Set(ctx, db, "Acme", tenant.Change{RetentionDays: &days}); !fault.Is(err, fault.Validation) {
				t.Errorf("%d days: %v", days, err)
			}
		}

		for timezone, valid := range map[string]bool{"Europe/Berlin": true, "Berlin": false, "": true} {
			set, err := tenant.Set(ctx, db, "Acme", tenant.Change{Timezone: &timezone})
			if valid && (err != nil || set.Timezone != timezone) || !valid && !fault.Is(err, fault.Validation) {
				t.Errorf("the time zone %q: %+v, %v", timezone, set, err)
			}
		}

		const day = 24 * time.Hour
		// due checks that the tenant's calls that ended so long ago are, or with 0 none.
		due := func(want time.Duration) {
			t.Helper()
			err := db.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
				due, err := tenant.Retained(ctx, tx)
				if err != nil {
					return err
				}
				var wanted []tenant.Due
				if want > 0 {
					wanted = []tenant.Due{{ID: made.ID, Before: tx.Now().Add(-want)}}
				}
				if diff := cmp.Diff(wanted, due, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("due (-want +got):\n%s", diff)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		days := func(n int) {
			t.Helper()
			if _, err := tenant.Set(ctx, db, "Acme", tenant.Change{RetentionDays: &n}); err != nil {
				t.Fatal(err)
			}
		}
		due(0)
		days(10)
		due(10 * day)
		days(7)
		due(7 * day)
		days(0)
		due(0)
	})
}
