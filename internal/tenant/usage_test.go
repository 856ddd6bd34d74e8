package tenant_test

import (
	"context"
	"testing"

	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/tenant"
)

func TestUsage(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		ctx := t.Context()
		made, err := tenant.Create(ctx, db, "Acme")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tenant.Set(ctx, db, "Acme", tenant.Change{Limits: map[tenant.Limit]*int64{tenant.Prompts: new(int64(3)), tenant.ActiveCalls: new(int64(7))}}); err != nil {
			t.Fatal(err)
		}
		uses := map[tenant.Limit]tenant.Use{}
		err = db.Tenant(made.ID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
			_, err := tx.ExecContext(ctx, "INSERT INTO prompts (id, tenant_id, slug, name, category, content, variables, metadata, version, created_at, updated_at) VALUES ('0193a6f1-0000-7000-8000-000000000001', ?, 'p', 'n', 'instruction', '{}', '[]', '{}', 1, ?, ?)",
				made.ID, tx.Now(), tx.Now())
			if err != nil {
				return err
			}
			found, err := tenant.Usage(ctx, tx, tenant.Limits{tenant.ActiveCalls: 200, tenant.Streams: 100})
			for _, use := range found {
				uses[use.Name] = use
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(uses) != len(tenant.LimitNames) {
			t.Errorf("%d limits, want %d", len(uses), len(tenant.LimitNames))
		}
		for _, c := range []struct {
			name        tenant.Limit
			limit, used *int64
		}{
			{tenant.Prompts, new(int64(3)), new(int64(1))},
			{tenant.Agents, new(int64(5_000)), new(int64(0))},
			{tenant.ActiveCalls, new(int64(7)), new(int64(0))},
			{tenant.WaitingCalls, nil, new(int64(0))},
			{tenant.Streams, new(int64(100)), nil},
		} {
			if got := uses[c.name]; !same(got.Limit, c.limit) || !same(got.Used, c.used) {
				t.Errorf("%s: limit %v, used %v", c.name, got.Limit, got.Used)
			}
		}
	})
}

func same(a, b *int64) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}
