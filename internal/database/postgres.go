package database

import (
	"context"
	"errors"
	"fmt"
	"net"
	neturl "net/url"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

// poolSize is how many connections a process may have besides the channel's, unless pool_max_conns in the URL says
// otherwise. The driver's default, one per core and at least four, is too few for queries that wait for the disk.
const poolSize = 16

// openPostgres opens a pool; the URL may contain pgxpool's parameters, such as pool_max_conns.
func openPostgres(ctx context.Context, url string) (*DB, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		// The driver's own words may repeat the URL, and with it the password.
		return nil, fmt.Errorf("DATABASE_URL: not a valid PostgreSQL address")
	}
	if u, err := neturl.Parse(url); err == nil && !u.Query().Has("pool_max_conns") {
		config.MaxConns = max(config.MaxConns, poolSize)
	}
	config.ConnConfig.RuntimeParams["timezone"] = "UTC"
	// Queries are short. Row-level security hides selectivity from the planner, and starting parallel workers costs
	// 60 ms.
	config.ConnConfig.RuntimeParams["max_parallel_workers_per_gather"] = "0"
	// bun inlines arguments, so statements do not repeat; preparing them would only add a round trip.
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	config.ConnConfig.ConnectTimeout = connectTimeout
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open PostgreSQL: %w", err)
	}
	if err := awaitPostgres(ctx, pool.Ping); err != nil {
		pool.Close()
		return nil, fmt.Errorf("DATABASE_URL: PostgreSQL at %s:%d does not answer: %w", config.ConnConfig.Host, config.ConnConfig.Port, err)
	}
	sqlDB := stdlib.OpenDBFromPool(pool)
	sqlDB.SetMaxIdleConns(0) // pgxpool keeps idle connections
	db := bun.NewDB(sqlDB, postgresDialect{pgdialect.New()}, newerColumns)
	turns := newFairQueue(int(config.MaxConns))
	return &DB{writer: db, reader: db, writes: turns, reads: turns, channel: newChannel(config.ConnConfig), pools: func() []Pool { return []Pool{turns.count(postgresPool(pool))} }, close: sync.OnceFunc(func() {
		sqlDB.Close()
		pool.Close()
	})}, nil
}

const (
	// connectTimeout bounds an attempt to connect.
	connectTimeout = 5 * time.Second
	// startTimeout bounds the attempts at the start, while PostgreSQL is starting or slow.
	startTimeout = 30 * time.Second
	// startPause is the time between two of them.
	startPause = 250 * time.Millisecond
)

// awaitPostgres pings until PostgreSQL responds. While it is starting or too slow, it is tried again for
// startTimeout; any other error, such as a refused connection or a wrong password, is returned immediately.
func awaitPostgres(ctx context.Context, ping func(context.Context) error) error {
	for began := time.Now(); ; {
		err := ping(ctx)
		if err == nil || !isStarting(err) || time.Since(began) >= startTimeout {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(startPause):
		}
	}
}

// isStarting reports whether the reason of a failed connection is temporary: a timeout, or 57P03,
// cannot_connect_now.
func isStarting(err error) bool {
	var refused *pgconn.PgError
	var network net.Error
	return errors.As(err, &refused) && refused.Code == "57P03" || errors.Is(err, context.DeadlineExceeded) || errors.As(err, &network) && network.Timeout()
}

// Named returns the URL with an application name, by which OtherConnections distinguishes connections.
func Named(url, name string) string {
	u, err := neturl.Parse(url)
	if err != nil {
		return url // Open reports it
	}
	query := u.Query()
	query.Set("application_name", name)
	u.RawQuery = query.Encode()
	return u.String()
}

// OtherConnections returns how many connections to the database the same role has under other application names. A
// connection that is just closing counts for a moment.
func (db *DB) OtherConnections(ctx context.Context, name string) (n int, err error) {
	err = db.reader.NewRaw(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND usename = current_user
		AND backend_type = 'client backend' AND application_name <> ?`, name).Scan(ctx, &n)
	if err != nil {
		return 0, fmt.Errorf("count the connections: %w", err)
	}
	return n, nil
}

// BypassesRowSecurity reports whether PostgreSQL's row-level security does not apply to the connection's role: a
// superuser, or one with BYPASSRLS. It is false on SQLite.
func (db *DB) BypassesRowSecurity(ctx context.Context) (bypasses bool, role string, err error) {
	if !db.Postgres() {
		return false, "", nil
	}
	err = db.reader.NewRaw("SELECT rolsuper OR rolbypassrls, rolname FROM pg_roles WHERE rolname = current_user").Scan(ctx, &bypasses, &role)
	if err != nil {
		return false, "", fmt.Errorf("read the role's attributes: %w", err)
	}
	return bypasses, role, nil
}
