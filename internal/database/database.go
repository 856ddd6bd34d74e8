// Package database opens Parley's storage, SQLite or PostgreSQL, and runs transactions bound to a tenant.
//
// SQL is written once for both databases and reached only through a Scope: DB.Tenant for the data of one tenant,
// DB.System for the platform (claiming calls, delivering webhooks, signing in). Neither database stores NUL
// characters in texts: a query with one fails before it runs; packages that receive text from outside remove them.
// On PostgreSQL the scope also sets row-level security, which enforces isolation besides the tenant condition in
// every query.
package database

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect"

	"parley/internal/fault"
)

// DB is an open database.
type DB struct {
	writer *bun.DB // SQLite: one connection; PostgreSQL: the pool
	reader *bun.DB // SQLite: four query-only connections; PostgreSQL: the pool
	// The turns of tenants at both; the same on PostgreSQL.
	writes, reads *fairQueue
	close         func()
	scrub         func(ctx context.Context) error // SQLite
	pools         func() []Pool

	channel *Channel // nil on SQLite
	clock   func() time.Time
	keeper  *Keeper // nil if the clock is not kept
}

// Open opens the PostgreSQL database at url, or the SQLite file at path when url is empty. It does not migrate.
func Open(ctx context.Context, url, path string) (*DB, error) {
	switch {
	case url == "":
		return openSQLite(ctx, path)
	case strings.HasPrefix(url, "postgres://"), strings.HasPrefix(url, "postgresql://"):
		return openPostgres(ctx, url)
	default:
		return nil, fmt.Errorf("DATABASE_URL: want postgres://…, or nothing for SQLite in the data folder")
	}
}

// newerColumns lets SELECT * return columns that this version does not know, because a newer node may have migrated
// the schema.
var newerColumns = bun.WithDiscardUnknownColumns()

// Postgres reports whether the database is PostgreSQL.
func (db *DB) Postgres() bool { return db.writer.Dialect().Name() == dialect.PG }

// Channel returns the channel between nodes; nil on SQLite, which has one node.
func (db *DB) Channel() *Channel { return db.channel }

// SetClock replaces the database's clock in transactions, for tests in virtual time. Call it before the first
// transaction.
func (db *DB) SetClock(now func() time.Time) { db.clock = now }

// Ping returns an error unless the database responds.
func (db *DB) Ping(ctx context.Context) error {
	var one int
	return db.reader.NewSelect().ColumnExpr("1").Scan(ctx, &one)
}

// Close closes all connections. It is idempotent.
func (db *DB) Close() { db.close() }

// Scrub removes deleted data from SQLite's files: it checkpoints the write-ahead log, which still contains it, and
// truncates the log. It waits for readers. On PostgreSQL it does nothing.
func (db *DB) Scrub(ctx context.Context) error {
	if db.scrub == nil {
		return nil
	}
	return db.scrub(ctx)
}

// Tenant returns the scope of one tenant's data.
func (db *DB) Tenant(id string) Scope { return Scope{db: db, tenant: id} }

// System returns the scope of the platform, across tenants.
func (db *DB) System() Scope { return Scope{db: db} }

// Scope runs transactions for one tenant or for the platform.
type Scope struct {
	db       *DB
	tenant   string // "" is the platform
	queue    string // whose turn a transaction takes; "" for the tenant's
	settings string // PostgreSQL: more of the first statement of a transaction
}

// With returns the scope with additional PostgreSQL settings for its transactions, such as jit=off. SQLite ignores
// them.
func (s Scope) With(settings ...string) Scope {
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		s.settings += fmt.Sprintf(", set_config('%s', '%s', true)", name, value)
	}
	return s
}

// Housekeeping is the group of the platform's transactions that nothing waits for, such as deleting what is old.
const Housekeeping = "housekeeping"

// Queued returns the scope with transactions that take their turns for a connection as those of a tenant do, or of another group of
// requests: for what the platform does for a request of theirs.
func (s Scope) Queued(group string) Scope {
	s.queue = group
	return s
}

// TenantID returns the scope's tenant, or "" for the platform.
func (s Scope) TenantID() string { return s.tenant }

// Tx is a transaction of a scope.
type Tx struct {
	bun.Tx
	scope   Scope
	reading reading
	commit  *[]func()
}

// Now returns the database's time at the start of the transaction, in UTC with microseconds. Leases and durations
// use it, so that nodes' clocks may differ.
func (tx Tx) Now() time.Time { return tx.reading.at }

// TenantID returns the transaction's tenant, or "" for the platform.
func (tx Tx) TenantID() string { return tx.scope.tenant }

// Postgres reports whether the transaction runs on PostgreSQL.
func (tx Tx) Postgres() bool { return tx.scope.db.Postgres() }

// Prepared runs a PostgreSQL query as a statement that each connection prepares once, with arguments $1, $2 and so
// on, and scans its rows as bun does. bun's own queries contain their arguments and are parsed and planned each
// time.
func (tx Tx) Prepared(ctx context.Context, dest any, query string, args ...any) error {
	rows, err := tx.Tx.Tx.QueryContext(ctx, query, append([]any{pgx.QueryExecModeCacheStatement}, args...)...) //nolint:rowserrcheck // ScanRows does
	if err != nil {
		return err
	}
	return tx.scope.db.writer.ScanRows(ctx, rows, dest)
}

// AsSystem runs f with the platform's view, for rules across tenants. What f reads of other tenants must not be
// returned to the transaction's tenant.
func (tx Tx) AsSystem(ctx context.Context, f func(ctx context.Context, tx Tx) error) error {
	system := tx
	system.scope.tenant = ""
	if !tx.Postgres() || tx.TenantID() == "" {
		return f(ctx, system)
	}
	see := func(scope string) error {
		if _, err := tx.ExecContext(ctx, "SELECT set_config('parley.tenant', ?, true)", scope); err != nil {
			return fmt.Errorf("change the transaction's view: %w", err)
		}
		return nil
	}
	if err := see("system"); err != nil {
		return err
	}
	err := f(ctx, system)
	if back := see(tx.TenantID()); err == nil {
		err = back
	}
	return err
}

// AfterCommit registers f to be called after the commit, in order; it is not called if the transaction fails.
func (tx Tx) AfterCommit(f func()) { *tx.commit = append(*tx.commit, f) }

// Write runs f in a read-write transaction. An error of f rolls it back and is returned unchanged; so do errors
// found in the request earlier (fault.Found), because f saw the request without the invalid values.
func (s Scope) Write(ctx context.Context, f func(ctx context.Context, tx Tx) error) error {
	if h := holdOf(ctx); h != nil {
		return h.write(ctx, s, f)
	}
	ctx, release, err := s.db.writes.acquire(ctx, cmp.Or(s.queue, s.tenant))
	if err != nil {
		return err
	}
	defer release() // before what follows the commit, unless f panics
	var committed []func()
	err = s.db.writer.RunInTx(ctx, nil, func(ctx context.Context, btx bun.Tx) error {
		tx, err := s.begin(ctx, btx)
		if err != nil {
			return err
		}
		tx.commit = &committed
		if err := f(ctx, tx); err != nil {
			return err
		}
		return fault.FoundIn(ctx).With(nil)
	})
	release()
	if err != nil {
		return err
	}
	for _, announce := range committed {
		announce()
	}
	return nil
}

// readLimit is 20 s.
const readLimit = ", set_config('statement_timeout', '20s', true)"

// Read runs f in a read-only transaction with a single snapshot for all its queries. On SQLite it uses the
// query-only readers and never waits for the writer.
func (s Scope) Read(ctx context.Context, f func(ctx context.Context, tx Tx) error) error {
	if h := holdOf(ctx); h != nil && h.tx != nil {
		if h.scope.db == s.db && h.scope.tenant == s.tenant {
			return f(ctx, *h.tx)
		}
		if err := h.end(); err != nil { // releases the held connection first
			return err
		}
	}
	var options *sql.TxOptions
	if s.db.Postgres() {
		options = &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead}
		if s.tenant != "" {
			s.settings += readLimit
		}
	}
	ctx, release, err := s.db.reads.acquire(ctx, cmp.Or(s.queue, s.tenant))
	if err != nil {
		return err
	}
	defer release()
	return s.db.reader.RunInTx(ctx, options, func(ctx context.Context, btx bun.Tx) error {
		tx, err := s.begin(ctx, btx)
		if err != nil {
			return err
		}
		return f(ctx, tx)
	})
}

// begin sets the scope of row-level security and reads the database's time, in one round trip.
func (s Scope) begin(ctx context.Context, btx bun.Tx) (Tx, error) {
	tx := Tx{Tx: btx, scope: s}
	if !s.db.Postgres() {
		var err error
		tx.reading, err = s.db.read(ctx, tx)
		return tx, err
	}
	scope := s.tenant
	if scope == "" {
		scope = "system"
	}
	statement := "SELECT clock_timestamp() FROM (SELECT set_config('parley.tenant', $1, true)" + s.settings + ") settings"
	// Not through bun, which would inline the argument: this statement is prepared once per connection.
	var err error
	if tx.reading, err = s.db.readClock(ctx, tx, statement, pgx.QueryExecModeCacheStatement, scope); err != nil {
		return tx, fmt.Errorf("begin transaction: %w", err)
	}
	return tx, nil
}

// read reads the database's clock.
func (db *DB) read(ctx context.Context, tx Tx) (reading, error) {
	if !db.Postgres() {
		now := time.Now()
		return reading{at: db.time(now), asked: now, answered: now}, nil
	}
	r, err := db.readClock(ctx, tx, "SELECT clock_timestamp()", pgx.QueryExecModeCacheStatement)
	if err != nil {
		return r, fmt.Errorf("read the database's clock: %w", err)
	}
	return r, nil
}

// readClock reads PostgreSQL's clock: clock_timestamp(), because now() is that of BEGIN, which may have waited for a
// connection.
func (db *DB) readClock(ctx context.Context, tx Tx, statement string, args ...any) (r reading, err error) {
	r.asked = time.Now()
	err = tx.Tx.Tx.QueryRowContext(ctx, statement, args...).Scan(&r.at)
	r.at, r.answered = db.time(r.at), time.Now()
	return r, err
}

// time returns a transaction's time, of the database or of SetClock.
func (db *DB) time(now time.Time) time.Time {
	if db.clock != nil {
		now = db.clock()
	}
	return now.UTC().Truncate(time.Microsecond)
}
