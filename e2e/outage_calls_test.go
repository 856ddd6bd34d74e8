package e2e

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley/client"
	"parley/internal/database/databasetest"
	"parley/internal/media"
)

// The media server is killed and does not come back: the call that was accepted meanwhile and the one that was going on end with that reason,
// in timeline and error log, although a worker is idle.
func TestCallsWithoutTheMediaServer(t *testing.T) {
	t.Parallel()
	server, env := apart(t)
	w := worker(t, env)
	talks, _ := silentWith(t, server, "demo")
	entries(t, server, talks.CallID, 1)
	s := serve(t, filepath.Join(t.TempDir(), "data"), map[string]string{ // has no media server, so that it cannot know
		"DATABASE_URL": env["DATABASE_URL"], "JWT_SECRET": env["JWT_SECRET"], "ENCRYPTION_KEY": env["ENCRYPTION_KEY"], "PARLEY_JOIN_TIMEOUT": "10s",
	}, "--without=media,worker")
	s.Key, s.API = server.Key, client.New(s.URL, server.Key)
	server.Kill()
	accepted := begin(t, s)
	awaitEnd(t, s, accepted.CallID, client.Failed, "connection_lost")
	explained(t, s, accepted.CallID, "the media server is not available")
	awaitEnd(t, s, talks.CallID, client.Disconnected, "connection_lost")
	explained(t, s, talks.CallID, "the media server is not available")
	if t.Failed() {
		t.Logf("log of the worker:\n%s", w.Log.String())
	}
}

// PostgreSQL is stopped for longer than calls may wait. The one whose caller came meanwhile fails with that reason, in timeline and error log.
// Those that no worker had claimed are claimed afterwards, and end for what happened to them, never with no_worker beside an idle worker.
func TestCallsWithoutTheDatabase(t *testing.T) {
	t.Parallel()
	cluster, network := databasetest.StartCluster(t), newCarrier(t)
	env := trunk(network.address, "DATABASE_URL", cluster.URL(t)+"&synchronous_commit=on", "JWT_SECRET", strings.Repeat("j", 32), "ENCRYPTION_KEY", strings.Repeat("k", 32),
		"PARLEY_DEMO", "true", "PARLEY_JOIN_TIMEOUT", "40s")
	s := serve(t, filepath.Join(t.TempDir(), "data"), env, "--without=worker")
	w := worker(t, beside(t, s, env))
	comes := begin(t, s)
	await(t, "the agent is in the room", func() bool { return strings.Contains(w.Log.String(), "agent joined the room") })
	signal := func(what syscall.Signal) {
		t.Helper()
		if err := syscall.Kill(w.PID(), what); err != nil {
			t.Fatal(err)
		}
	}
	signal(syscall.SIGSTOP)
	waits, rings := begin(t, s), ring(t, s, busyNumber)
	cluster.Stop(t)
	signal(syscall.SIGCONT)
	caller, err := joiner.Join(t.Context(), media.JoinOptions{URL: comes.URL, Token: comes.Token})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(caller.Leave)
	await(t, "the worker gives the call up whose caller came", func() bool { return strings.Contains(w.Log.String(), "the database was unavailable") })
	cluster.Restart(t)
	awaitReady(t, s)
	awaitEnd(t, s, comes.CallID, client.Failed, "worker_lost")
	explained(t, s, comes.CallID, "the database was unavailable")
	awaitEnd(t, s, rings, client.Failed, "busy")
	awaitEnd(t, s, waits.CallID, client.Timeout, "join_timeout")
	if t.Failed() {
		t.Logf("log of the worker:\n%s", w.Log.String())
	}
}
