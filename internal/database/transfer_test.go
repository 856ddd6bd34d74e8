package database_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/internal/database"
	"parley/internal/database/databasetest"
)

// rowsOf are the exported rows of a database, by table; JSON in texts is in one form.
type rowsOf struct {
	lastID map[string]int64
	rows   map[string][]string
	last   string
}

func exported(t *testing.T, db *database.DB) *rowsOf {
	t.Helper()
	w := &rowsOf{lastID: map[string]int64{}, rows: map[string][]string{}}
	if err := db.Export(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	for _, rows := range w.rows {
		slices.Sort(rows)
	}
	return w
}

func (w *rowsOf) Table(_ context.Context, data database.TableData) error {
	w.last = data.Name
	w.lastID[data.Name] = data.LastID
	w.rows[data.Name] = nil
	return nil
}

func (w *rowsOf) Row(_ context.Context, row []byte) error {
	var values []any
	if err := json.Unmarshal(row, &values); err != nil {
		return err
	}
	for i, v := range values {
		text, ok := v.(string)
		var content any
		if ok && strings.ContainsAny(text, "{[") && json.Unmarshal([]byte(text), &content) == nil {
			values[i] = content
		}
	}
	line, err := json.Marshal(values)
	w.rows[w.last] = append(w.rows[w.last], string(line))
	return err
}

// fill writes rows with every kind of value.
func fill(t *testing.T, db *database.DB) {
	t.Helper()
	databasetest.Tenant(t, db, acme, "acme")
	err := db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
		for _, statement := range []string{
			`INSERT INTO users (id, tenant_id, email, email_key, password_hash, scopes, created_at) VALUES ('` + other + `', ?tenant, 'Ada@example.com', 'ada@example.com', 'hash', '["*"]', ?now)`,
			`INSERT INTO refresh_tokens (hash, tenant_id, user_id, family_id, created_at, expires_at, used_at) VALUES (?bytes, ?tenant, '` + other + `', ?tenant, ?now, ?now, NULL)`,
			`INSERT INTO calls (id, tenant_id, status, direction, call_type, livemode, room_name, agent_history, metrics, created_at, duration_seconds, join_by, fence, end_asked)
				VALUES ('` + other + `', ?tenant, 'failed', 'inbound', 'voip', true, 'room', '[{"at": 1.5}]', '{}', ?now, 7, ?now, 0, false)`,
			`INSERT INTO transcript_entries (tenant_id, call_id, role, content, created_at) VALUES (?tenant, '` + other + `', 'user', ?text, ?now), (?tenant, '` + other + `', 'agent', 'deleted', ?now)`,
			`DELETE FROM transcript_entries WHERE content = 'deleted'`,
			`INSERT INTO events (id, tenant_id, call_id, type, livemode, data, created_at) VALUES ('evt_1', ?tenant, '` + other + `', 'call.started', true, '{"a": [1, null]}', ?now)`,
			`INSERT INTO audit_log (tenant_id, id, created_at, actor_type, action, resource_type, changes) VALUES (?tenant, 'aud_1', ?now, 'user', 'agent.update', 'agent', '[]')`,
			`INSERT INTO installation (name, value) VALUES ('encryption_check', ?bytes), ('empty', ?empty)`,
		} {
			statement = strings.NewReplacer("?tenant", "'"+acme+"'").Replace(statement)
			var args []any
			for _, mark := range strings.Fields(strings.NewReplacer("(", " ", ",", " ", ")", " ").Replace(statement)) {
				switch mark {
				case "?now":
					args = append(args, tx.Now())
				case "?bytes":
					args = append(args, []byte{0, 1, 0xff})
				case "?empty":
					args = append(args, []byte{})
				case "?text":
					args = append(args, `it's "ü" \n \u0041 ?`)
				}
			}
			statement = strings.NewReplacer("?now", "?", "?bytes", "?", "?empty", "?", "?text", "?").Replace(statement)
			if _, err := tx.ExecContext(ctx, statement, args...); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// All rows of a database arrive in another one of either kind, and its later sequence values do not collide.
func TestRowsMoveBetweenDatabases(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, from *database.DB) {
		fill(t, from)
		want := exported(t, from)
		if len(want.rows["transcript_entries"]) != 1 || want.lastID["transcript_entries"] != 2 {
			t.Fatalf("exported %v, last number %d", want.rows["transcript_entries"], want.lastID["transcript_entries"])
		}
		databasetest.Each(t, func(t *testing.T, to *database.DB) {
			{
				rows, err := to.Import(t.Context(), func(ctx context.Context, l *database.Loader) error { return from.Export(ctx, l) })
				if err != nil {
					t.Fatal(err)
				}
				if rows == 0 {
					t.Error("no rows are counted")
				}
				got := exported(t, to)
				for name, rows := range want.rows {
					if !reflect.DeepEqual(got.rows[name], rows) {
						t.Errorf("table %s:\n%v, want\n%v", name, got.rows[name], rows)
					}
				}
				if !reflect.DeepEqual(got.lastID, want.lastID) {
					t.Errorf("last numbers %v, want %v", got.lastID, want.lastID)
				}
			}
			var id int64
			err := to.Tenant(acme).Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
				return tx.NewRaw("INSERT INTO transcript_entries (tenant_id, call_id, role, content, created_at) VALUES (?, ?, 'user', 'later', ?) RETURNING id", acme, other, tx.Now()).Scan(ctx, &id)
			})
			if err != nil || id != 3 {
				t.Errorf("the next row has number %d, %v, want 3", id, err)
			}
		})
	})
}

// A database that has rows in its schema of another version, or of the other kind, gets the rest of the migrations after
// the rows.
func TestSchemaOfAnotherDatabase(t *testing.T) {
	lite, err := database.Migrations(database.KindSQLite)
	if err != nil {
		t.Fatal(err)
	}
	var applied []int64
	for _, m := range lite[:len(lite)-2] {
		applied = append(applied, m.Version)
	}
	db, err := database.Open(t.Context(), databasetest.EmptyPostgresURL(t), "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.MigrateLike(t.Context(), database.KindSQLite, []int64{1, 99999}); err == nil || !strings.Contains(err.Error(), "99999") {
		t.Errorf("data of an unknown schema: %v", err)
	}
	if err := db.MigrateLike(t.Context(), database.KindSQLite, applied); err != nil {
		t.Fatal(err)
	}
	pending, err := db.Pending(t.Context())
	if err != nil || !slices.Equal(pending, lite[len(lite)-2:]) {
		t.Errorf("pending %v, %v, want %v", pending, err, lite[len(lite)-2:])
	}
	if n, err := db.Migrate(t.Context()); n != 2 || err != nil {
		t.Errorf("%d migrations, %v", n, err)
	}
	if err := db.StartReplacement(t.Context()); err != nil {
		t.Fatal(err)
	}
	if applied, err := db.Applied(t.Context()); len(applied) > 0 || err != nil {
		t.Errorf("after the tables were dropped: %v, %v", applied, err)
	}
	if unfinished, err := db.InReplacement(t.Context()); !unfinished || err != nil {
		t.Errorf("after the tables were dropped it is in replacement: %v, %v", unfinished, err)
	}
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Errorf("migrate again: %v", err)
	}
	if err := db.FinishReplacement(t.Context()); err != nil {
		t.Error(err)
	}
	if unfinished, err := db.InReplacement(t.Context()); unfinished || err != nil {
		t.Errorf("after the replacement it is in replacement: %v, %v", unfinished, err)
	}
}
