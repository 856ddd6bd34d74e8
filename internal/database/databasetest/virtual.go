package databasetest

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/database"
)

// EachVirtual is like Each, in virtual time: f runs in a synctest bubble, whose clock is also that of the database's transactions.
// The clock advances when all goroutines of f wait for time, for one another or for connections in memory; it does not while a
// query runs or anything waits for a socket.
func EachVirtual(t *testing.T, f func(t *testing.T, db *database.DB)) {
	t.Run("sqlite", func(t *testing.T) { SQLiteVirtual(t, f) })
	if !testing.Short() {
		t.Run("postgres", func(t *testing.T) {
			url := PostgresURL(t)
			synctest.Test(t, func(t *testing.T) { f(t, openVirtual(t, url, "")) })
		})
	}
}

// SQLiteVirtual runs f with a SQLite database in virtual time, see EachVirtual.
func SQLiteVirtual(t *testing.T, f func(t *testing.T, db *database.DB)) {
	path := SQLiteFile(t)
	synctest.Test(t, func(t *testing.T) { f(t, openVirtual(t, "", path)) })
}

func openVirtual(t *testing.T, url, path string) *database.DB {
	t.Helper()
	db := open(t, url, path)
	var mu sync.Mutex
	var last time.Time
	db.SetClock(func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		// As in real time, no two transactions have the same time.
		if last = last.Add(time.Microsecond); last.Before(time.Now()) {
			last = time.Now()
		}
		return last
	})
	return db
}
