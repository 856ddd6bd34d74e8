package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	_ "modernc.org/sqlite" // the driver named "sqlite"
)

// openSQLite opens one writer, whose transactions acquire the write lock when they begin, and four query-only readers. Several
// writers would fail with SQLITE_BUSY whenever one reads before it writes.
func openSQLite(ctx context.Context, path string) (*DB, error) {
	// SQLite creates files readable by all; -wal and -shm files inherit this file's mode.
	if file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600); err == nil {
		file.Close()
	} else {
		return nil, fmt.Errorf("open SQLite file %s: %w", path, err)
	}
	common := url.Values{"_timezone": {"UTC"}, "_pragma": {
		"journal_mode(WAL)", "synchronous(NORMAL)", "foreign_keys(1)",
		"temp_store(MEMORY)",
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
		return bun.NewDB(pool, sqliteDialect{sqlitedialect.New()}, newerColumns), nil
	}
	var pools []*bun.DB
	closeAll := func() {
		for _, pool := range pools {
			pool.Close()
		}
	}
	// Caches are in KiB for each connection. What they miss is in the system's cache.
	for _, kind := range []struct {
		values      url.Values
		connections int
	}{
		// Checkpoints, with their fsyncs, run outside commits. The writer waits for a checkpoint that restarts the log
		// and for a command that writes; on a slow disk either may last seconds.
		{url.Values{"_txlock": {"immediate"}, "_pragma": {"wal_autocheckpoint(0)", "busy_timeout(60000)", "cache_size(-8192)",
			// Deleted data is overwritten.
			"secure_delete(1)"}}, 1},
		{url.Values{"_pragma": {"query_only(1)", "busy_timeout(5000)", "cache_size(-4096)"}}, 4},
		// A checkpoint that restarts or truncates the log waits for readers while it blocks the writer, hence briefly.
		{url.Values{"_pragma": {"busy_timeout(200)", "cache_size(-1024)"}}, 1},
	} {
		pool, err := open(kind.values, kind.connections)
		if err != nil {
			closeAll()
			return nil, fmt.Errorf("open SQLite file %s: %w", path, err)
		}
		pools = append(pools, pool)
	}
	checkpointing, stop := context.WithCancel(context.WithoutCancel(ctx))
	var done sync.WaitGroup
	done.Go(func() { checkpoint(checkpointing, pools[2], checkpointInterval, maxLog) })
	writes, reads := newFairQueue(pools[0].Stats().MaxOpenConnections), newFairQueue(pools[1].Stats().MaxOpenConnections)
	stats := func() []Pool {
		return []Pool{writes.count(sqlitePool("writer", pools[0].Stats())), reads.count(sqlitePool("reader", pools[1].Stats()))}
	}
	return &DB{writer: pools[0], reader: pools[1], writes: writes, reads: reads, pools: stats, scrub: func(ctx context.Context) error { return truncate(ctx, pools[2]) }, close: sync.OnceFunc(func() {
		stop()
		done.Wait()
		closeAll()
	})}, nil
}

const (
	// truncateTries is how often truncating the log is tried, a second apart.
	truncateTries = 30
	// checkpointInterval is how often the write-ahead log is checkpointed.
	checkpointInterval = time.Second
	// maxLog is the size of the log, in pages of 4 KiB, above which it is restarted, which briefly blocks the
	// writer.
	maxLog = 8192
)

// checkpoint checkpoints the write-ahead log. A passive checkpoint blocks neither readers nor the writer, but under
// continuous writes the log would grow without limit, so a large one is restarted, which blocks the writer only for
// the remainder.
func checkpoint(ctx context.Context, pool *bun.DB, every time.Duration, most int) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		var busy, log, done int
		err := pool.QueryRowContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)").Scan(&busy, &log, &done)
		if err == nil && log > most {
			_, _ = pool.ExecContext(ctx, "PRAGMA wal_checkpoint(RESTART)") // or at the next checkpoint
		}
	}
}

// truncate checkpoints the write-ahead log and truncates it when no reader needs it.
func truncate(ctx context.Context, pool *bun.DB) error {
	for range truncateTries {
		var busy, log, done int
		// Most of the work without blocking.
		err := pool.QueryRowContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)").Scan(&busy, &log, &done)
		if err == nil {
			err = pool.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &done)
		}
		if err != nil {
			return fmt.Errorf("empty SQLite's log: %w", err)
		}
		if busy == 0 {
			return nil
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return errors.New("SQLite's log is still being read, and may hold what was deleted until it is written anew")
}
