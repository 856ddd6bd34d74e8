package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"parley/internal/database/databasetest"
	"parley/internal/redis/redistest"
)

// probe asks for a server's health: the status code of readiness, and what /health says overall.
func (s *subject) probe() (ready int, overall string) {
	s.t.Helper()
	web := http.Client{Timeout: patience}
	url := s.server.Load().URL
	answer, err := web.Get(url + "/health/ready")
	if err != nil {
		s.t.Fatal(err)
	}
	answer.Body.Close()
	if ready = answer.StatusCode; ready != http.StatusOK && ready != http.StatusServiceUnavailable {
		s.t.Errorf("/health/ready answers %s", answer.Status)
	}
	answer, err = web.Get(url + "/health")
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	var health struct{ Status string }
	if err := json.NewDecoder(answer.Body).Decode(&health); err != nil {
		s.t.Fatal(err)
	}
	return ready, health.Status
}

// await waits until readiness and health are as wanted.
func (s *subject) await(ready int, overall string) {
	s.t.Helper()
	await(s.t, 50*time.Millisecond, fmt.Sprintf("ready: %d, health: %s", ready, overall), func() bool {
		gotReady, gotOverall := s.probe()
		return gotReady == ready && gotOverall == overall
	})
}

// more waits for a number of further changes.
func (s *subject) more(changes int64) {
	s.t.Helper()
	from := s.changes.Load()
	await(s.t, 5*time.Millisecond, fmt.Sprintf("%d state changes", changes), func() bool { return s.changes.Load() >= from+changes })
}

// durable is the URL of a new database of a cluster that will crash: what is committed in it survives, as it does by default,
// and not in clusters of tests.
func durable(t *testing.T, cluster *databasetest.Cluster) string {
	return cluster.URL(t) + "&synchronous_commit=on"
}

// PostgreSQL crashes and restarts while calls change: readiness reports both, and the server recovers by itself.
func TestDatabaseRestarts(t *testing.T) {
	t.Parallel()
	cluster := databasetest.StartCluster(t)
	s := put(t, map[string]string{"DATABASE_URL": durable(t, cluster)})
	s.fast()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	wait := s.load(ctx, 4)
	for range size(1, 10) {
		s.more(int64(size(20, 100)))
		cluster.Stop(t)
		s.await(http.StatusServiceUnavailable, "unhealthy")
		cluster.Restart(t)
		s.await(http.StatusOK, "healthy")
	}
	s.more(int64(size(20, 100)))
	cancel()
	wait()
	events, repeats := s.audit()
	t.Logf("%d state changes: %d events came, %d of them again", s.changes.Load(), events, repeats)
}

// Redis is killed and restarted while calls change: no request fails, and the server stays ready and reports that it is
// degraded.
func TestRedisRestarts(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	s := put(t, map[string]string{"REDIS_URL": server.URL})
	s.fast()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	wait := s.load(ctx, 4)
	for range size(1, 10) {
		s.more(int64(size(20, 100)))
		server.Stop()
		s.await(http.StatusOK, "degraded")
		s.more(int64(size(20, 100)))
		server.Restart()
		s.await(http.StatusOK, "healthy")
	}
	cancel()
	wait()
	events, repeats := s.audit()
	if n := s.errors.Load(); n > 0 || repeats > 0 {
		t.Errorf("%d requests failed, %d events came again", n, repeats)
	}
	t.Logf("%d state changes: %d events came", s.changes.Load(), events)
}
