package database

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// table is a table as the database's catalogue describes it.
type table struct {
	Name     string
	columns  []column // without generated ones
	identity string   // column that the database numbers; "" for none
}

type column struct {
	name string
	kind columnKind
}

// columnKind says how a value is written in the data that moves between databases.
type columnKind int

const (
	textColumn columnKind = iota // also uuid and JSON
	timeColumn
	bytesColumn
	boolColumn
	intColumn
	floatColumn
)

// kindOf returns the kind of a column by its declared type, of either database.
func kindOf(declared string) (columnKind, error) {
	switch strings.ToLower(declared) {
	case "text", "uuid", "json", "jsonb":
		return textColumn, nil
	case "timestamp", "timestamp with time zone":
		return timeColumn, nil
	case "blob", "bytea":
		return bytesColumn, nil
	case "boolean":
		return boolColumn, nil
	case "integer", "bigint", "smallint":
		return intColumn, nil
	case "real", "double precision":
		return floatColumn, nil
	}
	return 0, fmt.Errorf("columns of type %q cannot be moved between databases", declared)
}

// describe is the query for tables, columns, types, and whether the database numbers the column.
var describe = map[Kind]string{
	KindSQLite: `SELECT m.name, x.name, x.type, m.sql LIKE '%' || x.name || ' INTEGER PRIMARY KEY AUTOINCREMENT%'
		FROM sqlite_master m, pragma_table_xinfo(m.name) x WHERE m.type = 'table' AND x.hidden = 0 ORDER BY m.name, x.cid`,
	KindPostgres: `SELECT c.relname, a.attname, format_type(a.atttypid, NULL), a.attidentity <> ''
		FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
		ORDER BY c.relname, a.attnum`,
}

// references is the query for tables and those that their foreign keys refer to.
var references = map[Kind]string{
	KindSQLite: `SELECT m.name, f."table" FROM sqlite_master m, pragma_foreign_key_list(m.name) f WHERE m.type = 'table'`,
	KindPostgres: `SELECT c.conrelid::regclass::text, c.confrelid::regclass::text
		FROM pg_constraint c WHERE c.contype = 'f' AND c.connamespace = current_schema()::regnamespace`,
}

// tables returns Parley's tables with data that lasts, each after those that it refers to. Workers is not among them:
// it lists the processes that run.
func (db *DB) tables(ctx context.Context) ([]table, error) {
	own, err := ownTables(db.Kind())
	if err != nil {
		return nil, err
	}
	delete(own, "workers")
	rows, err := db.reader.QueryContext(ctx, describe[db.Kind()])
	if err != nil {
		return nil, fmt.Errorf("list tables: %w", err)
	}
	defer rows.Close()
	found := map[string]*table{}
	for rows.Next() {
		var name, columnName, declared string
		var numbered bool
		if err := rows.Scan(&name, &columnName, &declared, &numbered); err != nil {
			return nil, fmt.Errorf("list tables: %w", err)
		}
		if !own[name] {
			continue
		}
		kind, err := kindOf(declared)
		if err != nil {
			return nil, fmt.Errorf("table %s, column %s: %w", name, columnName, err)
		}
		if found[name] == nil {
			found[name] = &table{Name: name}
		}
		t := found[name]
		t.columns = append(t.columns, column{columnName, kind})
		if numbered {
			t.identity = columnName
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list tables: %w", err)
	}
	return db.ordered(ctx, found)
}

// ordered sorts tables so that each comes after those that its foreign keys refer to.
func (db *DB) ordered(ctx context.Context, found map[string]*table) ([]table, error) {
	rows, err := db.reader.QueryContext(ctx, references[db.Kind()])
	if err != nil {
		return nil, fmt.Errorf("list foreign keys: %w", err)
	}
	defer rows.Close()
	refersTo := map[string][]string{}
	for rows.Next() {
		var from, to string
		if err := rows.Scan(&from, &to); err != nil {
			return nil, fmt.Errorf("list foreign keys: %w", err)
		}
		if from != to && found[to] != nil {
			refersTo[from] = append(refersTo[from], to)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("list foreign keys: %w", err)
	}
	var sorted []table
	done := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		if done[name] {
			return
		}
		done[name] = true
		for _, other := range slices.Sorted(slices.Values(refersTo[name])) {
			add(other)
		}
		sorted = append(sorted, *found[name])
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		add(name)
	}
	return sorted, nil
}
