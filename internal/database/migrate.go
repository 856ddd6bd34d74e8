package database

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

//go:embed migrations
var migrations embed.FS

// Migrate brings the schema up to date and returns the number of migrations applied. On PostgreSQL it holds an advisory lock, so
// that several nodes may start concurrently. A schema on which this version cannot work is an error.
func (db *DB) Migrate(ctx context.Context) (int, error) {
	provider, err := db.provider()
	if err != nil {
		return 0, err
	}
	if err := db.checkNewer(ctx, provider); err != nil {
		return 0, err
	}
	total := 0
	for try := 1; ; try++ {
		applied, err := provider.Up(ctx)
		var partial *goose.PartialError
		if errors.As(err, &partial) {
			applied = partial.Applied
		}
		total += len(applied)
		if err == nil {
			return total, nil
		}
		if !deadlocked(err) || try == migrationTries {
			return total, fmt.Errorf("migrate: %w", err)
		}
	}
}

// migrationTries is how often a migration is tried that another node's queries deadlock with. It has changed nothing then.
const migrationTries = 20

func deadlocked(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && refused.Code == "40P01"
}

// provider returns the migrations of the database's kind.
func (db *DB) provider() (*goose.Provider, error) {
	kind := goose.DialectSQLite3
	// Migrations that were written side by side may reach a database in
	// another order than their numbers'.
	options := []goose.ProviderOption{goose.WithAllowOutofOrder(true)}
	if db.Postgres() {
		kind = goose.DialectPostgres
		locker, err := lock.NewPostgresSessionLocker()
		if err != nil {
			return nil, fmt.Errorf("migrate: %w", err)
		}
		options = append(options, goose.WithSessionLocker(locker))
	}
	files, err := fs.Sub(migrations, "migrations/"+string(db.Kind()))
	if err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	provider, err := goose.NewProvider(kind, db.writer.DB, files, options...)
	if err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	return provider, nil
}

// checkNewer returns an error when a newer version has migrated the database
// beyond what this version can work on.
func (db *DB) checkNewer(ctx context.Context, provider *goose.Provider) error {
	schema, err := provider.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("read the version of the schema: %w", err)
	}
	sources := provider.ListSources()
	return db.checkOldest(ctx, schema, sources[len(sources)-1].Version)
}

// checkOldest returns an error when the schema requires nodes to know a
// migration after the last known one.
func (db *DB) checkOldest(ctx context.Context, schema, known int64) error {
	if schema <= known {
		return nil
	}
	var oldest []byte
	err := db.writer.DB.QueryRowContext(ctx, "SELECT value FROM installation WHERE name = 'oldest_schema'").Scan(&oldest)
	if NoRows(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the oldest schema that nodes must know: %w", err)
	}
	least, err := strconv.ParseInt(string(oldest), 10, 64)
	if err != nil {
		return fmt.Errorf("read the oldest schema that nodes must know: %w", err)
	}
	if least > known {
		return fmt.Errorf("the database was migrated by a newer version of parley (schema %d): this one knows schema %d and cannot work on it, install the newer version", schema, known)
	}
	return nil
}

// Duplicate reports whether err is the violation of a unique key.
func Duplicate(err error) bool {
	var lite *sqlite.Error
	if errors.As(err, &lite) {
		return lite.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || lite.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
	}
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == "23505"
}

// NoRows reports whether err says that a query found nothing.
func NoRows(err error) bool { return errors.Is(err, sql.ErrNoRows) }
