package database

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"sync"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	_ "modernc.org/sqlite" // the driver named "sqlite"
)

// openSQLite opens one writer, whose transactions take the write lock at once,
// and four query-only readers. Several writers would answer each other with
// SQLITE_BUSY as soon as one reads before it writes.
func openSQLite(ctx context.Context, path string) (*DB, error) {
	// SQLite's own mode would let everybody read; -wal and -shm files get the
	// mode of this one.
	if file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600); err == nil {
		file.Close()
	} else {
		return nil, fmt.Errorf("open SQLite file %s: %w", path, err)
	}
	common := url.Values{"_timezone": {"UTC"}, "_pragma": {
		"journal_mode(WAL)", "synchronous(NORMAL)", "busy_timeout(5000)", "foreign_keys(1)",
		"cache_size(-16384)", "temp_store(MEMORY)",
	}}
	open := func(extra url.Values, connections int) (*bun.DB, error) {
		values := url.Values{}
		for k, v := range common {
			values[k] = append(values[k], v...)
		}
		for k, v := range extra {
			values[k] = append(values[k], v...)
		}
		pool, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+values.Encode())
		if err != nil {
			return nil, err
		}
		pool.SetMaxOpenConns(connections)
		pool.SetMaxIdleConns(connections)
		if err := pool.PingContext(ctx); err != nil {
			pool.Close()
			return nil, err
		}
		return bun.NewDB(pool, sqlitedialect.New()), nil
	}
	writer, err := open(url.Values{"_txlock": {"immediate"}}, 1)
	if err != nil {
		return nil, fmt.Errorf("open SQLite file %s: %w", path, err)
	}
	reader, err := open(url.Values{"_pragma": {"query_only(1)"}}, 4)
	if err != nil {
		writer.Close()
		return nil, fmt.Errorf("open SQLite file %s: %w", path, err)
	}
	return &DB{writer: writer, reader: reader, close: sync.OnceFunc(func() {
		reader.Close()
		writer.Close()
	})}, nil
}
