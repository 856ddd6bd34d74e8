// Package database opens Parley's storage, SQLite or PostgreSQL, and hands out
// transactions bound to a tenant.
//
// A domain's SQL is written once for both databases and reached only through a
// Scope: DB.Tenant for the work of one tenant, DB.System for what belongs to
// the platform (claiming calls, delivering webhooks, signing in). Neither
// database holds a text with a NUL: a query that is given one fails, before
// anything of it is run. Text from outside is cleaned by who takes it in. On
// PostgreSQL the scope is also told to row-level security, the second wall
// behind every query's own tenant condition.
package database

import (
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
	close  func()
	scrub  func(ctx context.Context) error // SQLite
	pools  func() []Pool

	channel *Channel // nil on SQLite
	clock   func() time.Time
	keeper  *Keeper // nil where nobody keeps the clock
}

// Open opens the database of a URL, postgres://…, or the SQLite file at path
// when url is empty. It does not migrate.
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

// newerColumns lets queries for all columns return some that this version does
// not know: nodes of a newer version may have added them.
var newerColumns = bun.WithDiscardUnknownColumns()

// Postgres reports whether the database is PostgreSQL.
func (db *DB) Postgres() bool { return db.writer.Dialect().Name() == dialect.PG }

// Channel is what nodes tell each other through; nil on SQLite, which has one
// node.
func (db *DB) Channel() *Channel { return db.channel }

// SetClock makes transactions take their time from now instead of from the
// database's clock, for tests in virtual time. It comes before the first
// transaction.
func (db *DB) SetClock(now func() time.Time) { db.clock = now }

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error {
	var one int
	return db.reader.NewSelect().ColumnExpr("1").Scan(ctx, &one)
}

// Close closes all connections. It may be called twice.
func (db *DB) Close() { db.close() }

// Scrub sees to it that what was deleted is in no file of SQLite's any more: it
// carries the write-ahead log, which still holds what was there before, into
// the database file and empties it. It waits for transactions that read. On
// PostgreSQL, whose files are its own affair, it does nothing.
func (db *DB) Scrub(ctx context.Context) error {
	if db.scrub == nil {
		return nil
	}
	return db.scrub(ctx)
}

// Tenant is the scope of one tenant's data.
func (db *DB) Tenant(id string) Scope { return Scope{db: db, tenant: id} }

// System is the scope of the platform's own work, across tenants.
func (db *DB) System() Scope { return Scope{db: db} }

// Scope reads and writes on behalf of one tenant, or of the platform.
type Scope struct {
	db       *DB
	tenant   string // "" is the platform
	settings string // PostgreSQL: more of the first statement of a transaction
}

// With is the scope with more settings of PostgreSQL for its transactions, such
// as jit=off. SQLite has none.
func (s Scope) With(settings ...string) Scope {
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		s.settings += fmt.Sprintf(", set_config('%s', '%s', true)", name, value)
	}
	return s
}

// TenantID is the scope's tenant, or "" for the platform.
func (s Scope) TenantID() string { return s.tenant }

// Tx is a transaction of a scope.
type Tx struct {
	bun.Tx
	scope   Scope
	reading reading
	commit  *[]func()
}

// Now is the database's time at the start of the transaction, in UTC with
// microseconds. Leases and durations use it, so that the clocks of nodes may
// differ.
func (tx Tx) Now() time.Time { return tx.reading.at }

// TenantID is the transaction's tenant, or "" for the platform.
func (tx Tx) TenantID() string { return tx.scope.tenant }

// Postgres reports whether the transaction runs on PostgreSQL.
func (tx Tx) Postgres() bool { return tx.scope.db.Postgres() }

// Prepared runs a query of PostgreSQL's that each connection prepares once and
// keeps, with $1, $2 and so on for its arguments, and scans its rows as bun does.
// bun's own have their arguments in the text, and are parsed and planned anew
// each time.
func (tx Tx) Prepared(ctx context.Context, dest any, query string, args ...any) error {
	rows, err := tx.Tx.Tx.QueryContext(ctx, query, append([]any{pgx.QueryExecModeCacheStatement}, args...)...) //nolint:rowserrcheck // ScanRows does
	if err != nil {
		return err
	}
	return tx.scope.db.writer.ScanRows(ctx, rows, dest)
}

// AsSystem runs f with the view of the platform: for rules that hold across
// tenants. What f learns of others must not be told to the transaction's tenant.
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

// AfterCommit has f called once the transaction is committed, in order; it is
// not called when the transaction fails.
func (tx Tx) AfterCommit(f func()) { *tx.commit = append(*tx.commit, f) }

// Write runs f in a transaction that may change data. An error of f rolls it
// back and is returned as it is; so do faults that were found in the request
// before, for f saw it without the faulty values.
func (s Scope) Write(ctx context.Context, f func(ctx context.Context, tx Tx) error) error {
	if h := holdOf(ctx); h != nil {
		return h.write(ctx, s, f)
	}
	var committed []func()
	err := s.db.writer.RunInTx(ctx, nil, func(ctx context.Context, btx bun.Tx) error {
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

// Read runs f in a transaction that only reads, and that sees the data of one
// moment in all its queries. On SQLite it uses the query-only readers and never
// waits for the writer.
func (s Scope) Read(ctx context.Context, f func(ctx context.Context, tx Tx) error) error {
	if h := holdOf(ctx); h != nil && h.tx != nil {
		if h.scope.db == s.db && h.scope.tenant == s.tenant {
			return f(ctx, *h.tx)
		}
		if err := h.end(); err != nil { // not two connections at once
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
	return s.db.reader.RunInTx(ctx, options, func(ctx context.Context, btx bun.Tx) error {
		tx, err := s.begin(ctx, btx)
		if err != nil {
			return err
		}
		return f(ctx, tx)
	})
}

// begin tells row-level security whose transaction this is and takes the
// database's time, in one round trip.
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
	// Not through bun, which would write the scope into the text: this one is
	// prepared once on each connection.
	var err error
	if tx.reading, err = s.db.ask(ctx, tx, statement, pgx.QueryExecModeCacheStatement, scope); err != nil {
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
	r, err := db.ask(ctx, tx, "SELECT clock_timestamp()", pgx.QueryExecModeCacheStatement)
	if err != nil {
		return r, fmt.Errorf("read the database's clock: %w", err)
	}
	return r, nil
}

// ask reads PostgreSQL's clock with a statement. It is clock_timestamp, for now()
// would be that of BEGIN, which may have waited for a connection's turn.
func (db *DB) ask(ctx context.Context, tx Tx, statement string, args ...any) (r reading, err error) {
	r.asked = time.Now()
	err = tx.Tx.Tx.QueryRowContext(ctx, statement, args...).Scan(&r.at)
	r.at, r.answered = db.time(r.at), time.Now()
	return r, err
}

// time is a transaction's time, that of the database or of SetClock.
func (db *DB) time(now time.Time) time.Time {
	if db.clock != nil {
		now = db.clock()
	}
	return now.UTC().Truncate(time.Microsecond)
}
