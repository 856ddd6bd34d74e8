package database

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Kind is a kind of database.
type Kind string

// The kinds of databases, and the folders of their migrations.
const (
	KindSQLite   Kind = "sqlite"
	KindPostgres Kind = "postgres"
)

// Kind returns the database's kind.
func (db *DB) Kind() Kind {
	if db.Postgres() {
		return KindPostgres
	}
	return KindSQLite
}

// Migration is a migration that this version of Parley knows.
type Migration struct {
	Version int64  `json:"version"`
	Name    string `json:"name"`
}

// Migrations returns the migrations of a kind of database, by version.
func Migrations(kind Kind) ([]Migration, error) {
	files, err := migrations.ReadDir(path.Join("migrations", string(kind)))
	if err != nil {
		return nil, fmt.Errorf("list migrations: %w", err)
	}
	var known []Migration
	for _, file := range files {
		number, name, _ := strings.Cut(strings.TrimSuffix(file.Name(), ".sql"), "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("migration %s has no number: %w", file.Name(), err)
		}
		known = append(known, Migration{version, name})
	}
	return known, nil
}

// Applied returns the versions of the migrations that have been applied, in ascending order; none for a database
// without a schema. It changes nothing.
func (db *DB) Applied(ctx context.Context) ([]int64, error) {
	query := "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'goose_db_version'"
	if db.Postgres() {
		query = "SELECT count(*) FROM pg_class WHERE relname = 'goose_db_version' AND relkind = 'r' AND relnamespace = current_schema()::regnamespace"
	}
	var there int
	if err := db.reader.NewRaw(query).Scan(ctx, &there); err != nil {
		return nil, fmt.Errorf("read the version of the schema: %w", err)
	}
	var applied []int64
	if there == 0 {
		return applied, nil
	}
	if err := db.reader.NewRaw("SELECT DISTINCT version_id FROM goose_db_version WHERE version_id > 0 ORDER BY version_id").Scan(ctx, &applied); err != nil {
		return nil, fmt.Errorf("read the version of the schema: %w", err)
	}
	return applied, nil
}

// Pending returns the migrations that Migrate would apply. It changes nothing. A schema on which this version cannot
// work is an error.
func (db *DB) Pending(ctx context.Context) ([]Migration, error) {
	known, err := Migrations(db.Kind())
	if err != nil {
		return nil, err
	}
	applied, err := db.Applied(ctx)
	if err != nil {
		return nil, err
	}
	if len(applied) > 0 {
		if err := db.checkOldest(ctx, applied[len(applied)-1], known[len(known)-1].Version); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(known, func(m Migration) bool { return slices.Contains(applied, m.Version) }), nil
}

// MigrateLike brings an empty database to the schema of another one, of which the kind and the applied versions are
// given, so that rows of that one can be loaded before Migrate applies the rest to them.
func (db *DB) MigrateLike(ctx context.Context, kind Kind, applied []int64) error {
	known, err := Migrations(db.Kind())
	if err != nil {
		return err
	}
	theirs, err := Migrations(kind)
	if err != nil {
		return err
	}
	has := func(list []Migration, version int64) bool {
		return slices.ContainsFunc(list, func(m Migration) bool { return m.Version == version })
	}
	for _, version := range applied {
		if !has(theirs, version) {
			return fmt.Errorf("the data has schema %d, which this version of parley does not know: install the version that wrote it, or a newer one", version)
		}
	}
	provider, err := db.provider()
	if err != nil {
		return err
	}
	for _, m := range known {
		// A migration that the other kind of database does not have corrects what this kind alone had wrong.
		if !slices.Contains(applied, m.Version) && has(theirs, m.Version) {
			continue
		}
		if _, err := provider.ApplyVersion(ctx, m.Version, true); err != nil {
			return fmt.Errorf("migrate to %d: %w", m.Version, err)
		}
	}
	return nil
}

var createsTable = regexp.MustCompile(`(?m)^CREATE TABLE (\w+)`)

// ownTables returns the names of the tables that the migrations of a kind of database make.
func ownTables(kind Kind) (map[string]bool, error) {
	names := map[string]bool{}
	folder := path.Join("migrations", string(kind))
	files, err := migrations.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("list migrations: %w", err)
	}
	for _, file := range files {
		text, err := migrations.ReadFile(path.Join(folder, file.Name()))
		if err != nil {
			return nil, fmt.Errorf("read migration: %w", err)
		}
		for _, m := range createsTable.FindAllSubmatch(text, -1) {
			names[string(m[1])] = true
		}
	}
	return names, nil
}

// quoted returns an SQL identifier.
func quoted(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
