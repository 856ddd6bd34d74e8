package audit_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"parley/internal/audit"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/tenant"
)

const (
	acme  = "0193a6f0-0000-7000-8000-00000000000a"
	other = "0193a6f0-0000-7000-8000-00000000000b"
)

func entry(tenantID, action string) audit.Entry {
	return audit.Entry{TenantID: tenantID, ActorType: audit.User, ActorID: "u1", Action: action, ResourceType: "agent", ResourceID: "1", ResourceName: "front-desk"}
}

func one(tenantID, action string) []audit.Entry { return []audit.Entry{entry(tenantID, action)} }

func list(t *testing.T, db *database.DB, tenantID string, q audit.Query) (actions []string) {
	t.Helper()
	q.Limit = 100
	entries, total, err := audit.List(t.Context(), db, tenantID, q)
	if err != nil {
		t.Fatal(err)
	}
	if total != len(entries) {
		t.Errorf("total %d of %d entries", total, len(entries))
	}
	for _, e := range entries {
		actions = append(actions, e.Action)
	}
	return actions
}

func want(t *testing.T, got []string, actions ...string) {
	t.Helper()
	if len(got) != len(actions) {
		t.Fatalf("%v, want %v", got, actions)
	}
	for i := range got {
		if got[i] != actions[i] {
			t.Fatalf("%v, want %v", got, actions)
		}
	}
}

// An operation's entry is there with its change, and not without it.
func TestEntryIsWrittenWithTheChange(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		databasetest.Tenant(t, db, acme, "acme")
		ctx := t.Context()
		announced := 0
		rename := func(ctx context.Context, name string) error {
			return db.Tenant(acme).Write(ctx, func(ctx context.Context, tx database.Tx) error {
				tx.AfterCommit(func() { announced++ })
				_, err := tx.ExecContext(ctx, "UPDATE tenants SET name = ? WHERE id = ?", name, acme)
				return err
			})
		}
		name := func() string {
			found, err := tenant.Get(ctx, db, acme)
			if err != nil {
				t.Fatal(err)
			}
			return found.Name
		}
		err := audit.Record(ctx, db, func(ctx context.Context) ([]audit.Entry, error) {
			if err := rename(ctx, "first"); err != nil {
				return nil, err
			}
			if announced != 0 {
				t.Error("announced before the entry was written")
			}
			if found, err := tenant.Get(ctx, db, acme); err != nil || found.Name != "first" {
				t.Errorf("the operation does not read what it wrote: %v %v", found, err)
			}
			return one(acme, "tenant.first"), nil
		})
		if err != nil || name() != "first" || announced != 1 {
			t.Fatalf("%v, name %s, announced %d times", err, name(), announced)
		}
		broken := errors.New("broken")
		err = audit.Record(ctx, db, func(ctx context.Context) ([]audit.Entry, error) {
			if err := rename(ctx, "second"); err != nil {
				return nil, err
			}
			return nil, broken
		})
		if !errors.Is(err, broken) || name() != "first" || announced != 1 {
			t.Fatalf("%v, name %s, announced %d times", err, name(), announced)
		}
		// The entry of a tenant that does not exist cannot be written: the change is undone.
		err = audit.Record(ctx, db, func(ctx context.Context) ([]audit.Entry, error) {
			return one(other, "tenant.third"), rename(ctx, "third")
		})
		if err == nil || name() != "first" {
			t.Fatalf("%v, name %s", err, name())
		}
		// Several transactions: each is committed, and the entry is in the last.
		err = audit.Record(ctx, db, func(ctx context.Context) ([]audit.Entry, error) {
			return one(acme, "tenant.fifth"), errors.Join(rename(ctx, "fourth"), rename(ctx, "fifth"))
		})
		if err != nil || name() != "fifth" {
			t.Fatalf("%v, name %s", err, name())
		}
		// An operation that writes nothing has an entry, too.
		if err := audit.Record(ctx, db, func(context.Context) ([]audit.Entry, error) { return one(acme, "tenant.none"), nil }); err != nil {
			t.Fatal(err)
		}
		want(t, list(t, db, acme, audit.Query{}), "tenant.none", "tenant.fifth", "tenant.first")
	})
}

func TestFilters(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		databasetest.Tenant(t, db, acme, "acme")
		databasetest.Tenant(t, db, other, "other")
		operator := entry(acme, "tenant.set")
		operator.ActorType, operator.ActorID, operator.ResourceType, operator.ResourceID, operator.ResourceName = audit.Operator, "", "tenant", acme, "acme"
		key := entry(acme, "agent.delete")
		key.ActorType, key.ActorID, key.ResourceID = audit.APIKey, "k1", "2"
		for _, e := range []audit.Entry{entry(acme, "agent.update"), key, operator, entry(other, "agent.create")} {
			if err := audit.Write(t.Context(), db, e); err != nil {
				t.Fatal(err)
			}
		}
		want(t, list(t, db, acme, audit.Query{}), "tenant.set", "agent.delete", "agent.update")
		want(t, list(t, db, acme, audit.Query{Actor: "u1"}), "agent.update")
		want(t, list(t, db, acme, audit.Query{Actor: "operator"}), "tenant.set")
		want(t, list(t, db, acme, audit.Query{Action: "agent.delete"}), "agent.delete")
		want(t, list(t, db, acme, audit.Query{ResourceType: "agent"}), "agent.delete", "agent.update")
		want(t, list(t, db, acme, audit.Query{ResourceType: "agent", Resource: "1"}), "agent.update")
		want(t, list(t, db, acme, audit.Query{Resource: "front-desk"}), "agent.delete", "agent.update")
		entries, total, err := audit.List(t.Context(), db, acme, audit.Query{Limit: 1, Offset: 1})
		if err != nil || total != 3 || len(entries) != 1 || entries[0].Action != "agent.delete" {
			t.Fatalf("%v %d %v", entries, total, err)
		}
		at := entries[0].CreatedAt
		want(t, list(t, db, acme, audit.Query{From: at}), "tenant.set", "agent.delete")
		want(t, list(t, db, acme, audit.Query{To: at}), "agent.update")
	})
}

// Nobody changes or deletes an entry by SQL of the application's; retention does once it is over.
func TestEntriesAreAppendOnly(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		databasetest.Tenant(t, db, acme, "acme")
		now := time.Now()
		db.SetClock(func() time.Time { return now })
		if err := audit.Write(t.Context(), db, entry(acme, "agent.old")); err != nil {
			t.Fatal(err)
		}
		now = now.Add(48 * time.Hour)
		if err := audit.Write(t.Context(), db, entry(acme, "agent.young")); err != nil {
			t.Fatal(err)
		}
		attacks := []string{"UPDATE audit_log SET actor_id = 'somebody'", "DELETE FROM audit_log", "DELETE FROM audit_log WHERE action = 'agent.old'",
			"INSERT INTO audit_log SELECT * FROM audit_log ON CONFLICT (tenant_id, id) DO UPDATE SET action = 'x'"}
		if db.Postgres() {
			attacks = append(attacks, "TRUNCATE audit_log")
		} else {
			attacks = append(attacks, "REPLACE INTO audit_log SELECT tenant_id, id, created_at, actor_type, actor_id, 'x', resource_type, resource_id, resource_name, changes, client_address, request_id FROM audit_log")
		}
		for _, attack := range attacks {
			for _, scope := range []database.Scope{db.Tenant(acme), db.System()} {
				err := scope.Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
					_, err := tx.ExecContext(ctx, attack)
					return err
				})
				if err == nil {
					t.Errorf("%s succeeds", attack)
				}
			}
		}
		want(t, list(t, db, acme, audit.Query{}), "agent.young", "agent.old")
		if n, err := audit.Prune(t.Context(), db, 72*time.Hour); n != 0 || err != nil {
			t.Fatal(n, err)
		}
		if n, err := audit.Prune(t.Context(), db, 24*time.Hour); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		want(t, list(t, db, acme, audit.Query{}), "agent.young")
	})
}
