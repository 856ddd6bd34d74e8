package attack

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/e2e/binary"
	"parley/internal/database/databasetest"
	"parley/internal/redis/redistest"
)

// slowed forwards connections to an address, with each answer of the far side so much later, and counts those that are open.
type slowed struct {
	address    string
	open, most atomic.Int64
}

func newSlowed(t *testing.T, network, to string, delay time.Duration) *slowed {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	p := &slowed{address: l.Addr().String()}
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			go p.forward(near, network, to, delay)
		}
	}()
	return p
}

func (p *slowed) forward(near net.Conn, network, to string, delay time.Duration) {
	defer near.Close()
	far, err := net.Dial(network, to)
	if err != nil {
		return
	}
	defer far.Close()
	p.most.Store(max(p.most.Load(), p.open.Add(1)))
	defer p.open.Add(-1)
	go func() {
		_, _ = io.Copy(far, near)
		_ = far.Close()
	}()
	buffer := make([]byte, 64<<10)
	for {
		n, err := far.Read(buffer)
		if err != nil {
			return
		}
		time.Sleep(delay)
		if _, err := near.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// attackAPI makes requests with a credential, so many at once with a pause after each, until the context ends. It counts those that are
// answered.
func attackAPI(ctx context.Context, s *binary.Server, credential, path string, atOnce int, pause time.Duration, answered *atomic.Int64) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: atOnce}}
	defer client.CloseIdleConnections()
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			for ctx.Err() == nil {
				r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+path, http.NoBody)
				if err != nil {
					return
				}
				r.Header.Set("X-API-Key", credential)
				if answer, err := client.Do(r); err == nil {
					_, _ = io.Copy(io.Discard, answer.Body)
					_ = answer.Body.Close()
					answered.Add(1)
				}
				time.Sleep(pause)
			}
		})
	}
	all.Wait()
}

// inventedKey is a well-formed API key that nobody has, as long as another one. The checksum is no secret.
func inventedKey(like string) string {
	invented := like[:len("svc_live_")] + strings.Repeat("a", len(like)-len("svc_live_")-8)
	return fmt.Sprintf("%s%08x", invented, crc32.ChecksumIEEE([]byte(invented)))
}

// Neither a tenant whose requests wait for a slow database, nor strangers with invented keys, use up the connections of PostgreSQL and
// Redis: others are answered, and the connections are few.
func TestFloodOfDatabaseConnections(t *testing.T) {
	const delay, atOnce = 20 * time.Millisecond, 400
	requests := size(10, 40)
	db, err := url.Parse(databasetest.PostgresURL(t))
	if err != nil {
		t.Fatal(err)
	}
	query := db.Query() // the cluster listens at a socket in a folder
	sockets, err := filepath.Glob(filepath.Join(query.Get("host"), ".s.PGSQL.*[0-9]"))
	if err != nil || len(sockets) != 1 {
		t.Fatalf("sockets of the cluster: %q, %v", sockets, err)
	}
	postgres := newSlowed(t, "unix", sockets[0], delay)
	query.Del("host")
	query.Set("sslmode", "disable")
	db.Host, db.RawQuery = postgres.address, query.Encode()
	redis := newSlowed(t, "tcp", strings.TrimPrefix(redistest.Start(t).URL, "redis://"), 0)
	s := start(t, map[string]string{"DATABASE_URL": db.String(), "REDIS_URL": "redis://" + redis.address, "JWT_SECRET": strings.Repeat("j", 32), "ENCRYPTION_KEY": strings.Repeat("k", 32),
		"PARLEY_LOG_LEVEL": "warn"}, "--without=worker,media,sip")
	tenant := func(name string) string {
		t.Helper()
		settings := []string{"DATABASE_URL=" + db.String(), "JWT_SECRET=" + strings.Repeat("j", 32), "ENCRYPTION_KEY=" + strings.Repeat("k", 32)}
		commandWith(t, s, settings, "", "tenant", "create", name)
		var made struct{ Key string }
		if err := json.Unmarshal(commandWith(t, s, settings, "", "key", "create", "--json", "--tenant", name, "--name", "attack", "--rate-limit", "100000", "--scopes", "*"), &made); err != nil {
			t.Fatal(err)
		}
		return made.Key
	}
	acme, other := tenant("acme"), tenant("other")
	slowest := func(what string) {
		t.Helper()
		var worst time.Duration
		for range requests {
			began := time.Now()
			if answer, text := send(t, s, other, http.MethodGet, "/api/v1/agents", ""); answer.StatusCode != http.StatusOK {
				t.Errorf("%s: another tenant gets %s %s", what, answer.Status, text)
			}
			worst = max(worst, time.Since(began))
		}
		t.Logf("%s: another tenant waits for %v at most; %d connections to PostgreSQL, %d to Redis", what, worst.Round(time.Millisecond), postgres.most.Load(), redis.most.Load())
	}
	slowest("quiet")
	postgres.most.Store(0) // the commands had their own
	for what, credential := range map[string]string{"a tenant's flood": acme, "a flood of invented keys": inventedKey(acme)} {
		ctx, cancel := context.WithCancel(t.Context())
		ended, answered := make(chan struct{}), new(atomic.Int64)
		go func() {
			attackAPI(ctx, s, credential, "/api/v1/calls?limit=1", atOnce, 0, answered)
			close(ended)
		}()
		await(t, "the flood has begun", func() bool { return answered.Load() > atOnce })
		before := answered.Load()
		slowest(what)
		each := (answered.Load() - before) / int64(requests)
		cancel()
		<-ended
		t.Logf("%s: %d requests of it are answered for each of another tenant", what, each)
		if each > atOnce/2 {
			t.Errorf("%s: another tenant's request waits for %d of it", what, each)
		}
	}
	// The pool has 16. A query whose client has left costs its connection, and another one that cancels it (pgx); a few listen.
	if n := postgres.most.Load(); n > 40 {
		t.Errorf("%d connections to PostgreSQL", n)
	}
}
