package database

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// The write-ahead log is restarted even during continuous writes.
func TestWriteAheadLogStaysSmall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	synctest.Test(t, func(t *testing.T) {
		db, err := openSQLite(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		ctx, stop := context.WithCancel(t.Context())
		var done sync.WaitGroup
		const pages = 200
		done.Go(func() { checkpoint(ctx, db.reader, 20*time.Millisecond, pages) })
		exec := func(query string, args ...any) {
			t.Helper()
			if _, err := db.writer.ExecContext(t.Context(), query, args...); err != nil {
				t.Fatal(err)
			}
		}
		exec("CREATE TABLE heap (id INTEGER PRIMARY KEY, filling TEXT)")
		filling := strings.Repeat("x", 100_000)
		const total = 32 << 20
		for written := 0; written < total; written += len(filling) {
			exec("INSERT OR REPLACE INTO heap (id, filling) VALUES (?, ?)", written%10, filling)
			time.Sleep(time.Millisecond)
		}
		stop()
		done.Wait()
		log, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		if log.Size() > total/2 {
			t.Errorf("after %d bytes were written the log has %d", total, log.Size())
		}
		t.Logf("the log has %d bytes of %d", log.Size(), total)
	})
}

// A write waits for another connection's lock, as a command or a checkpoint holds one on a slow disk.
func TestWriteWaitsForALock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	db, err := openSQLite(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	other, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	lock, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(7*time.Second, func() { _ = lock.Rollback() })
	if _, err := db.writer.ExecContext(t.Context(), "CREATE TABLE heap (id INTEGER PRIMARY KEY)"); err != nil {
		t.Error(err)
	}
}
