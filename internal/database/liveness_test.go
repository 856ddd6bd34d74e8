package database_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"parley/internal/database"
	"parley/internal/database/databasetest"
)

// A watched process whose connection ends is reported as dead, after it was recorded; one that never held its lock is not.
func TestLivenessReportsDeadProcesses(t *testing.T) {
	t.Parallel()
	url := databasetest.PostgresURL(t)
	open := func() *database.Liveness {
		db, err := database.Open(t.Context(), url, "")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(db.Close)
		return db.Liveness()
	}
	var running sync.WaitGroup
	t.Cleanup(running.Wait)
	hold := func(name string) (die func()) {
		ctx, cancel := context.WithCancel(t.Context())
		l := open()
		running.Go(func() {
			l.Run(ctx, database.Watch{Name: name, Others: func() []string { return nil }, Log: slog.New(slog.DiscardHandler)})
		})
		return cancel
	}
	kill := hold("killed")
	hold("stays")
	died, looks := make(chan []string, 8), make(chan struct{}, 1000)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	watcher, refused := open(), false
	running.Go(func() {
		watcher.Run(ctx, database.Watch{Name: "watcher", Log: slog.New(slog.DiscardHandler),
			Others: func() []string { looks <- struct{}{}; return []string{"killed", "stays", "never", "watcher"} },
			Died: func(_ context.Context, names []string) error {
				if !refused {
					refused = true
					return errors.New("the database refuses")
				}
				died <- names
				return nil
			}})
	})
	for range 4 {
		<-looks
	}
	kill()
	select {
	case names := <-died:
		if !slices.Equal(names, []string{"killed"}) {
			t.Errorf("died: %q", names)
		}
	case <-time.After(time.Minute):
		t.Fatal("nobody was told to have died")
	}
	for range 6 {
		<-looks
	}
	if len(died) != 0 {
		t.Errorf("died again: %q", <-died)
	}
}

func TestLivenessOnSQLite(t *testing.T) {
	t.Parallel()
	db, err := database.Open(t.Context(), "", t.TempDir()+"/parley.db")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if db.Liveness() != nil {
		t.Error("SQLite has no other processes to watch")
	}
}
