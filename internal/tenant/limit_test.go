package tenant_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/fault"
	"parley/internal/tenant"
)

func TestLimits(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		made, err := tenant.Create(ctx, db, "Acme")
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			set  map[tenant.Limit]*int64
			want tenant.Limits
		}{
			{nil, tenant.Limits{}},
			{map[tenant.Limit]*int64{tenant.Agents: new(int64(3)), tenant.Streams: new(int64(0))}, tenant.Limits{tenant.Agents: 3, tenant.Streams: 0}},
			{map[tenant.Limit]*int64{tenant.Agents: nil, tenant.WaitingCalls: new(int64(7))}, tenant.Limits{tenant.Streams: 0, tenant.WaitingCalls: 7}},
		} {
			set, err := tenant.Set(ctx, db, "Acme", tenant.Change{Limits: step.set})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(step.want, set.Limits); diff != "" {
				t.Errorf("set (-want +got):\n%s", diff)
			}
		}
		for _, wrong := range []map[tenant.Limit]*int64{{"agent": new(int64(3))}, {tenant.Agents: new(int64(-1))}, {tenant.Agents: new(int64(tenant.MaxLimit + 1))}} {
			if _, err := tenant.Set(ctx, db, "Acme", tenant.Change{Limits: wrong}); !fault.Is(err, fault.Validation) {
				t.Errorf("%v: %v", wrong, err)
			}
		}
		of, err := tenant.NewLimitCache(db, tenant.Limits{tenant.WaitingCalls: 100, tenant.ActiveCalls: 200}).ForTenant(ctx, made.ID)
		if diff := cmp.Diff(tenant.Limits{tenant.Streams: 0, tenant.WaitingCalls: 7, tenant.ActiveCalls: 200}, of); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}

// A node applies changed limits of a tenant within seconds.
func TestLimitsFollowChanges(t *testing.T) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		made, err := tenant.Create(t.Context(), db, "Acme")
		if err != nil {
			t.Fatal(err)
		}
		cache := tenant.NewLimitCache(db, tenant.Limits{tenant.Streams: 100})
		want := func(n int64) {
			t.Helper()
			if of, err := cache.ForTenant(t.Context(), made.ID); err != nil || of[tenant.Streams] != n {
				t.Errorf("%v, %v; want %d", of, err, n)
			}
		}
		want(100)
		if _, err := tenant.Set(t.Context(), db, "Acme", tenant.Change{Limits: map[tenant.Limit]*int64{tenant.Streams: new(int64(5))}}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		want(5)
	})
}

// Each tenant can create its own number of records, also concurrently.
func TestRoom(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		made, err := tenant.Create(ctx, db, "Acme")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tenant.Set(ctx, db, "Acme", tenant.Change{Limits: map[tenant.Limit]*int64{tenant.Prompts: new(int64(5))}}); err != nil {
			t.Fatal(err)
		}
		other, err := tenant.Create(ctx, db, "Globex")
		if err != nil {
			t.Fatal(err)
		}
		add := func(id string, n, adding int) error {
			return db.Tenant(id).Write(ctx, func(ctx context.Context, tx database.Tx) error {
				if err := tenant.Room(ctx, tx, tenant.Prompts, adding); err != nil {
					return err
				}
				for i := range adding {
					_, err := tx.ExecContext(ctx, "INSERT INTO prompts (id, tenant_id, slug, name, category, content, variables, metadata, version, created_at, updated_at) VALUES (?, ?, ?, 'n', 'instruction', '{}', '[]', '{}', 1, ?, ?)",
						fmt.Sprintf("0193a6f1-%s-7000-8000-%06d%06d", id[len(id)-4:], n, i), id, fmt.Sprintf("p%d-%d", n, i), tx.Now(), tx.Now())
					if err != nil {
						return err
					}
				}
				return nil
			})
		}
		var wait sync.WaitGroup
		var added atomic.Int64
		for n := range 12 {
			wait.Go(func() {
				switch err := add(made.ID, n, 1); {
				case err == nil:
					added.Add(1)
				case !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "(limit prompts)"):
					t.Error(err)
				}
			})
		}
		wait.Wait()
		if n := added.Load(); n != 5 {
			t.Errorf("%d records, want 5", n)
		}
		if err := add(other.ID, 1, 6); err != nil {
			t.Errorf("another tenant: %v", err)
		}
	})
}

// Every limit of records can be asked.
func TestRoomOfAllRecords(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		made, err := tenant.Create(t.Context(), db, "Acme")
		if err != nil {
			t.Fatal(err)
		}
		for _, limit := range []tenant.Limit{tenant.Agents, tenant.Workflows, tenant.Tools, tenant.Prompts, tenant.APIKeys, tenant.PhoneNumbers, tenant.Trunks, tenant.ProviderKeys, tenant.Variables, tenant.Secrets, tenant.PublicTokens, tenant.Webhooks, tenant.Users} {
			for adding, room := range map[int]bool{1: true, 10_001: false} {
				err := db.Tenant(made.ID).Write(t.Context(), func(ctx context.Context, tx database.Tx) error { return tenant.Room(ctx, tx, limit, adding) })
				if (err == nil) != room || err != nil && !fault.Is(err, fault.Conflict) {
					t.Errorf("%d %s: %v", adding, limit, err)
				}
			}
		}
	})
}
