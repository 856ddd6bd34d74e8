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
	// livenessInterval is the time between two looks at the other processes.
	livenessInterval = 500 * time.Millisecond
	// livenessLooks is how many looks in a row have to miss a process before it
	// is taken for dead: one whose connection broke opens another one meanwhile.
	livenessLooks = 4
	// livenessRetry is the wait before a broken connection is opened again.
	livenessRetry = 200 * time.Millisecond
)

// Liveness notifies the processes on one PostgreSQL database of those that die. Each
// holds an advisory lock for as long as its connection lasts, and the connection
// ends with the process: the kernel closes it at once when the process is killed,
// and PostgreSQL's keepalives notice within 5 s when the machine is gone. A
// process that is slow, or stopped, keeps its connection.
type Liveness struct{ config *pgx.ConnConfig }

// Liveness is nil on SQLite, where there is one process.
func (db *DB) Liveness() *Liveness {
	if db.channel == nil {
		return nil
	}
	return &Liveness{db.channel.config}
}

// Watch is what a process watches.
type Watch struct {
	Name   string          // of this process, held while Run runs; "" to watch only
	Others func() []string // names of processes that may be there
	// Died is called with the names of processes that were there and are gone. An
	// error has it called again. It does not say which of them left by themselves.
	Died func(ctx context.Context, names []string) error
	Log  *slog.Logger
}

// Run holds this process's lock and watches the others until ctx ends. A process
// counts as dead only if its lock was seen held, and then free at four looks in a
// row, on one and the same connection: a restart of PostgreSQL is nobody's death.
func (l *Liveness) Run(ctx context.Context, w Watch) {
	for ctx.Err() == nil {
		if err := l.watch(ctx, w); err != nil && ctx.Err() == nil {
			w.Log.WarnContext(ctx, "watch the other processes", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(livenessRetry):
		}
	}
}

// livenessSettings keep the connection, and have PostgreSQL notice a machine that
// is gone: 2 s without a word, then a probe a second, three of them.
const livenessSettings = "SET idle_session_timeout = 0; SET tcp_keepalives_idle = 2; SET tcp_keepalives_interval = 1; SET tcp_keepalives_count = 3"

// lockOf is the key of a process's lock.
const lockOf = "hashtextextended('parley process ' || %s, 0)"

func (l *Liveness) watch(ctx context.Context, w Watch) error {
	connecting, cancel := context.WithTimeout(ctx, channelWait)
	defer cancel()
	conn, err := pgx.ConnectConfig(connecting, l.config)
	if err != nil {
		return fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), channelWait)
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
	missed := map[string]int{} // looks in a row at which a process that was there was not
	ticker := time.NewTicker(livenessInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		if err := l.look(ctx, conn, w, missed); err != nil {
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
			w.Log.ErrorContext(ctx, "take note of processes that died", "error", err)
			continue
		}
		for _, name := range died {
			delete(missed, name)
		}
	}
}

// look counts who is missed. A shared lock is taken on each free key, and left at
// the statement's end.
func (l *Liveness) look(ctx context.Context, conn *pgx.Conn, w Watch, missed map[string]int) error {
	limited, cancel := context.WithTimeout(ctx, channelWait)
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
		if _, asked := present[name]; !asked { // it holds nothing any more
			delete(missed, name)
		}
	}
	return nil
}
