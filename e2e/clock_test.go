package e2e

import (
	"database/sql"
	"net/url"
	"strings"
	"testing"

	"parley/client"
)

// stepClock gives a PostgreSQL database a clock that the returned function sets forward or back, by seconds: Parley reads the
// time by clock_timestamp alone, and this database finds another function of that name first.
func stepClock(t *testing.T, databaseURL string) (db *sql.DB, step func(seconds int)) {
	t.Helper()
	at, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	if db, err = sql.Open("pgx", databaseURL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	execute := func(statement string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), statement, args...); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	execute("CREATE TABLE clock_step (seconds integer NOT NULL)")
	execute("INSERT INTO clock_step VALUES (0)")
	execute(`CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
		AS 'SELECT pg_catalog.clock_timestamp() + (SELECT seconds FROM public.clock_step) * interval ''1 second'''`)
	execute("ALTER DATABASE " + strings.TrimPrefix(at.Path, "/") + " SET search_path = public, pg_catalog")
	db.SetMaxIdleConns(0) // connections from here on have it
	return db, func(seconds int) { execute("UPDATE clock_step SET seconds = seconds + $1", seconds) }
}

// The clock of PostgreSQL is set by an hour, forward and back, under a server and two workers. Conversations continue with their
// workers, a call that waits continues waiting, and calls are said to have lasted as long as they did.
func TestDatabaseClockIsSet(t *testing.T) {
	t.Parallel()
	s, env := apart(t)
	db, step := stepClock(t, env["DATABASE_URL"])
	s.Kill() // its connections know the clock before
	s = serve(t, s.Dir, map[string]string{"DATABASE_URL": env["DATABASE_URL"], "JWT_SECRET": env["JWT_SECRET"], "ENCRYPTION_KEY": env["ENCRYPTION_KEY"], "PARLEY_DEMO": "true", "PARLEY_RTC_PORT": s.RTCPort, "PARLEY_JOIN_TIMEOUT": "2m"}, "--without=worker")
	env["PARLEY_JOIN_TIMEOUT"] = "2m"
	first, second := worker(t, env), worker(t, env)
	logs := func() string { return s.Log.String() + first.Log.String() + second.Log.String() }

	for i, hours := range []int{1, -1} {
		d, caller := silentWith(t, s, "demo")
		entries(t, s, d.CallID, 1)
		waits := begin(t, s)
		awaitGauge(t, s, "call_leases", 2)
		step(hours * 3600)
		await(t, "a process has seen the jump", func() bool { return strings.Count(logs(), "the database's clock jumped") == i+1 })
		// A worker that wrongly took over or ended a call would have done so within three renewals of the leases.
		for range 3 {
			renewed(t, db, d.CallID)
		}
		if c, err := s.API.Calls.Get(t.Context(), waits.CallID); err != nil || c.Status != client.Pending {
			t.Errorf("clock set by %d h: the call that waits is %+v, %v", hours, c, err)
		}
		if _, err := s.API.Calls.End(t.Context(), waits.CallID); err != nil {
			t.Error(err)
		}
		caller.Leave()
		c := awaitEnd(t, s, d.CallID, client.Completed, "caller_hangup")
		if c.DurationSeconds < 5 || c.DurationSeconds > 600 {
			t.Errorf("clock set by %d h: the call is said to have lasted %d s", hours, c.DurationSeconds)
		}
		if lasted := c.EndedAt.Sub(*c.StartedAt); lasted.Seconds() < 5 || lasted.Seconds() > 600 {
			t.Errorf("clock set by %d h: the call went from %v to %v", hours, c.StartedAt, c.EndedAt)
		}
		moments, err := s.API.Calls.Timeline(t.Context(), d.CallID)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range moments {
			if m.Cause != "" {
				t.Errorf("clock set by %d h: %s (%s)", hours, m.Type, m.Cause)
			}
		}
	}
}

// renewed waits until the lease of a call is renewed once more.
func renewed(t *testing.T, db *sql.DB, id string) {
	t.Helper()
	lease := func() (until sql.NullTime) {
		tx, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback() }()
		if _, err := tx.ExecContext(t.Context(), "SET LOCAL parley.tenant = 'system'"); err != nil {
			t.Fatal(err)
		}
		if err := tx.QueryRowContext(t.Context(), "SELECT lease_until FROM calls WHERE id = $1", id).Scan(&until); err != nil {
			t.Fatal(err)
		}
		return until
	}
	before := lease()
	await(t, "the lease of "+id+" is renewed", func() bool {
		now := lease()
		if !now.Valid {
			t.Fatalf("call %s is over, or in the queue again", id)
		}
		return !now.Time.Equal(before.Time)
	})
}
