package database_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/database/databasetest"
)

// JSON is read as it was written, whatever it contains, except for what PostgreSQL does not store.
func TestJSONColumns(t *testing.T) {
	type paper struct {
		bun.BaseModel `bun:"table:papers"`
		ID            int             `bun:"id,pk"`
		Text          json.RawMessage `bun:"text,type:jsonb"`
	}
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		for i, c := range []struct{ written, read string }{
			{`{"a":"\\u0000","b":["\\\\u0000","it's","''","?","\"'\\"]}`, ""},
			{`["\u0000","a\u0000b","\\\u0000","\u00000"]`, `["\ufffd","a\ufffdb","\\\ufffd","\ufffd0"]`},
			{"[\"caf\xe9\",\"caf\xc3\xa9\"]", `["caf\ufffd","café"]`},
		} {
			if c.read == "" {
				c.read = c.written
			}
			var read paper
			if err := db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
				if i == 0 {
					if _, err := tx.ExecContext(ctx, "CREATE TABLE papers (id INTEGER PRIMARY KEY, text "+map[bool]string{true: "jsonb", false: "TEXT"}[tx.Postgres()]+")"); err != nil {
						return err
					}
				}
				if _, err := tx.NewInsert().Model(&paper{ID: i, Text: json.RawMessage(c.written)}).Exec(ctx); err != nil {
					return err
				}
				return tx.NewSelect().Model(&read).Where("id = ?", i).Scan(ctx)
			}); err != nil {
				t.Errorf("%s: %v", c.written, err)
				continue
			}
			var got, want any
			if err := json.Unmarshal(read.Text, &got); err != nil {
				t.Errorf("%s: %v", read.Text, err)
			}
			if err := json.Unmarshal([]byte(c.read), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("want (-), got (+):\n%s", diff)
			}
		}
	})
}

// PermanentCode is the code of what the database cannot store or read; there is none while it is unreachable.
func TestPermanentCode(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		try := func(statement string, args ...any) string {
			return database.PermanentCode(db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
				_, err := tx.ExecContext(ctx, statement, args...)
				return err
			}))
		}
		insert := "INSERT INTO tenants (id, name, created_at) VALUES (?, ?, CURRENT_TIMESTAMP)"
		for _, name := range []any{"a\x00b", nil} {
			if try(insert, "0193a6f0-0000-7000-8000-000000000001", name) == "" {
				t.Errorf("the name %q is not refused", name)
			}
		}
		if code := try(insert, "0193a6f0-0000-7000-8000-000000000001", "acme"); code != "" {
			t.Errorf("a good name is refused: %s", code)
		}
		db.Close()
		if code := try(insert, "0193a6f0-0000-7000-8000-000000000002", "other"); code != "" {
			t.Errorf("a closed database refuses: %s", code)
		}
	})
}
