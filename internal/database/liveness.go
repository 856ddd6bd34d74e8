package database

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// livenessInterval is the time between two checks of the other processes.
	livenessInterval = 500 * time.Millisecond
	// livenessLooks is how many consecutive checks must miss a process before it counts as dead, because a process
	// whose connection broke opens another one.
	livenessLooks = 4
	// livenessRetry is the wait before a broken connection is reopened.
	livenessRetry = 200 * time.Millisecond
)

// Liveness detects processes on one PostgreSQL database that die. Each holds an advisory lock on its connection,
// which ends with the process: the kernel closes it when the process is killed, and TCP keepalives detect a lost
// machine within 5 s. A slow or stopped process keeps its connection.
type Liveness struct{ config *pgx.ConnConfig }

// Liveness returns nil on SQLite, which has one process.
func (db *DB) Liveness() *Liveness {
	if db.channel == nil {
		return nil
	}
	return &Liveness{db.channel.config}
}

// Watch configures Liveness.
type Watch struct {
	Name   string          // of this process, locked while Run runs; "" to watch only
	Others func() []string // names of other processes
	// Died is called with the names of processes that have ended, however they ended. After an error it is called
	// again.
	Died func(ctx context.Context, names []string) error
	Log  *slog.Logger
}

// Run holds this process's lock and watches the others until ctx ends. A process counts as dead only if its lock
// was held and then free at livenessLooks consecutive checks on one connection, so that a restart of PostgreSQL
// kills no process.
func (l *Liveness) Run(ctx context.Context, w Watch) {
	for ctx.Err() == nil {
		if err := l.watch(ctx, w); err != nil && ctx.Err() == nil {
			w.Log.WarnContext(ctx, "failed to check the other processes", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(livenessRetry):
		}
	}
}

// livenessSettings keep the connection open and have PostgreSQL detect a lost machine: after 2 s without data three
// probes, one per second.
const livenessSettings = "SET idle_session_timeout = 0; SET tcp_keepalives_idle = 2; SET tcp_keepalives_interval = 1; SET tcp_keepalives_count = 3"

// lockOf returns the key of a process's lock.
const lockOf = "hashtextextended('parley process ' || %s, 0)"

func (l *Liveness) watch(ctx context.Context, w Watch) error {
	connecting, cancel := context.WithTimeout(ctx, channelTimeout)
	defer cancel()
	conn, err := pgx.ConnectConfig(connecting, l.config)
	if err != nil {
		return fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), channelTimeout)
		defer cancel()
		_ = conn.Close(closing)
	}()
	if _, err := conn.Exec(connecting, livenessSettings, pgx.QueryExecModeSimpleProtocol); err != nil {
		return fmt.Errorf("prepare the connection: %w", err)
	}
	if w.Name != "" {
		if _, err := conn.Exec(connecting, "SELECT pg_advisory_lock("+fmt.Sprintf(lockOf, "$1::text")+")", w.Name); err != nil {
			return fmt.Errorf("take this process's lock: %w", err)
		}
	}
	missed := map[string]int{} // consecutive checks that missed a known process
	ticker := time.NewTicker(livenessInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		if err := l.countMissing(ctx, conn, w, missed); err != nil {
			return err
		}
		var died []string
		for name, times := range missed {
			if times >= livenessLooks {
				died = append(died, name)
			}
		}
		if len(died) == 0 {
			continue
		}
		slices.Sort(died)
		if err := w.Died(ctx, died); err != nil {
			w.Log.ErrorContext(ctx, "failed to handle the death of processes", "error", err)
			continue
		}
		for _, name := range died {
			delete(missed, name)
		}
	}
}

// countMissing counts missing processes. It acquires a shared lock on each free key until the end of the statement.
func (l *Liveness) countMissing(ctx context.Context, conn *pgx.Conn, w Watch, missed map[string]int) error {
	limited, cancel := context.WithTimeout(ctx, channelTimeout)
	defer cancel()
	others := slices.DeleteFunc(slices.Clone(w.Others()), func(name string) bool { return name == w.Name })
	rows, err := conn.Query(limited, "SELECT name, pg_try_advisory_xact_lock_shared("+fmt.Sprintf(lockOf, "name")+") FROM unnest($1::text[]) AS name", others)
	if err != nil {
		return fmt.Errorf("look at the locks of other processes: %w", err)
	}
	present := map[string]bool{}
	var name string
	var free bool
	if _, err := pgx.ForEachRow(rows, []any{&name, &free}, func() error {
		present[name] = !free
		return nil
	}); err != nil {
		return fmt.Errorf("look at the locks of other processes: %w", err)
	}
	for name, there := range present {
		if there {
			missed[name] = 0
		} else if times, known := missed[name]; known {
			missed[name] = times + 1
		}
	}
	for name := range missed {
		if _, asked := present[name]; !asked { // it is no longer known
			delete(missed, name)
		}
	}
	return nil
}
