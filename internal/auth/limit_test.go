package auth_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"parley/internal/auth"
	"parley/internal/fault"
	"parley/internal/redis"
	"parley/internal/redis/redistest"
)

// eachLimiter runs f with a limiter in memory, in virtual time, and with one in
// Redis, which has its own clock: there, elapsed is how long ago f began.
func eachLimiter(t *testing.T, f func(t *testing.T, l auth.Limiter, elapsed func() time.Duration)) {
	t.Run("memory", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l, err := auth.NewMemoryLimiter()
			if err != nil {
				t.Fatal(err)
			}
			f(t, l, func() time.Duration { return 0 })
		})
	})
	t.Run("redis", func(t *testing.T) {
		l, _ := redisLimiter(t, redistest.Start(t), time.Minute, time.Now)
		began := time.Now()
		f(t, l, func() time.Duration { return time.Since(began) })
	})
}

// redisLimiter makes a limiter on a server, and returns what it logs.
func redisLimiter(t *testing.T, server *redistest.Server, timeout time.Duration, now func() time.Time) (auth.Limiter, *lines) {
	t.Helper()
	client := redisClient(t, server)
	log := &lines{}
	l, err := auth.NewRedisLimiterAt(client, slog.New(slog.NewTextHandler(log, nil)), timeout, now)
	if err != nil {
		t.Fatal(err)
	}
	return l, log
}

// redisClient is a client that waits for an answer for a minute.
func redisClient(t *testing.T, server *redistest.Server) *goredis.Client {
	t.Helper()
	options, err := redis.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	options.ReadTimeout, options.WriteTimeout, options.DialTimeout = time.Minute, time.Minute, time.Minute
	client := goredis.NewClient(options)
	t.Cleanup(func() { client.Close() })
	return client
}

// lines is a log that many write to.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *lines) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.buf.String(), text)
}

func TestLimiter(t *testing.T) {
	eachLimiter(t, func(t *testing.T, l auth.Limiter, elapsed func() time.Duration) {
		const interval = 12 * time.Second // of five a minute
		take := func(key string, count int) (a auth.Allowance, back int) {
			t.Helper()
			a, err := l.Take(t.Context(), key, 5, count)
			if err != nil || a.Limit != 5 {
				t.Fatalf("%+v, %v", a, err)
			}
			return a, int(elapsed() / interval)
		}
		for i := range 5 {
			a, back := take("k", 1)
			if a.Wait != 0 || a.Remaining < 4-i || a.Remaining > 4-i+back {
				t.Fatalf("request %d: %+v, %d came back meanwhile", i+1, a, back)
			}
			if want := time.Duration(i+1) * interval; a.Reset > want || a.Reset < want-elapsed() {
				t.Errorf("request %d: whole again in %v, want %v less %v at most", i+1, a.Reset, want, elapsed())
			}
		}
		fit := 0
		for range 3 { // what does not fit uses nothing
			a, back := take("k", 1)
			if a.Wait == 0 {
				if fit++; fit > back {
					t.Fatalf("one too many fits: %+v, %d came back meanwhile", a, back)
				}
			} else if a.Remaining != 0 || a.Wait > interval || a.Wait < interval-elapsed() || a.Reset <= a.Wait || a.Reset > time.Minute {
				t.Fatalf("one too many: %+v", a)
			}
		}
		if a, _ := take("other", 1); a.Remaining != 4 {
			t.Errorf("another key: %+v", a)
		}
		if a, _ := take("k", -2); a.Wait != 0 {
			t.Errorf("give back: %+v", a)
		}
		for i := range 2 {
			if a, _ := take("k", 1); a.Wait != 0 {
				t.Errorf("after two were given back, request %d: %+v", i+1, a)
			}
		}
		if a, back := take("k", 1); a.Wait == 0 && back == 0 {
			t.Errorf("after two were given back, request 3: %+v", a)
		}
		take("new", -1)
		if a, _ := take("new", 1); a.Remaining > 4 {
			t.Errorf("more was given back than used: %+v", a)
		}
	})
}

func TestLimiterLetsExactlyAsManyThroughAtOnce(t *testing.T) {
	eachLimiter(t, func(t *testing.T, l auth.Limiter, elapsed func() time.Duration) {
		for _, limit := range []int{1, 7, 60} {
			var through atomic.Int64
			var wait sync.WaitGroup
			began := elapsed()
			for range 4 * limit {
				wait.Go(func() {
					a, err := l.Take(context.Background(), fmt.Sprint(limit), limit, 1)
					if err != nil {
						t.Error(err)
					}
					if a.Wait == 0 {
						through.Add(1)
					}
				})
			}
			wait.Wait()
			dripped := int64((elapsed() - began) / (time.Minute / time.Duration(limit)))
			if n := through.Load(); n < int64(limit) || n > int64(limit)+dripped {
				t.Errorf("%d of %d went through, want %d", n, 4*limit, limit)
			}
		}
	})
}

func TestLimitComesBackWithTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, err := auth.NewMemoryLimiter()
		if err != nil {
			t.Fatal(err)
		}
		take := func() auth.Allowance {
			a, err := l.Take(t.Context(), "k", 5, 1)
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		for range 5 {
			take()
		}
		for range 3 {
			a := take()
			if a.Wait != 12*time.Second {
				t.Fatalf("wait %v, want 12 s", a.Wait)
			}
			time.Sleep(a.Wait)
			if a := take(); a.Wait != 0 || a.Remaining != 0 || a.Reset != time.Minute {
				t.Fatalf("after the wait: %+v", a)
			}
		}
		time.Sleep(time.Minute)
		if a := take(); a.Remaining != 4 {
			t.Errorf("after a minute: %+v", a)
		}
	})
}

func TestNodesShareALimitInRedis(t *testing.T) {
	server := redistest.Start(t)
	one, _ := redisLimiter(t, server, time.Minute, time.Now)
	two, _ := redisLimiter(t, server, time.Minute, time.Now)
	began := time.Now()
	var back int // requests that have returned since
	for i := range 4 {
		node := []auth.Limiter{one, two}[i%2]
		a, err := node.Take(t.Context(), "k", 4, 1)
		if back = int(time.Since(began) / (15 * time.Second)); err != nil || a.Remaining < 3-i || a.Remaining > 3-i+back {
			t.Fatalf("request %d: %+v, %v, %d came back meanwhile", i+1, a, err, back)
		}
	}
	a, err := two.Take(t.Context(), "k", 4, 1)
	if back = int(time.Since(began) / (15 * time.Second)); err != nil || a.Wait == 0 && back == 0 {
		t.Errorf("one too many: %+v, %v", a, err)
	}
}

func TestRedisForgetsWhatIsWhole(t *testing.T) {
	server := redistest.Start(t)
	l, _ := redisLimiter(t, server, time.Minute, time.Now)
	client := redisClient(t, server)
	for range 3 {
		if _, err := l.Take(t.Context(), "k", 30_000, 1); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		n, err := client.DBSize(t.Context()).Result()
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("a key that is whole again is still there")
		}
	}
}

// While Redis is unreachable, or hangs, requests continue: the node counts locally, with one log line.
func TestRedisAway(t *testing.T) {
	for name, leave := range map[string]func(*redistest.Server) (back func()){
		"stopped": func(s *redistest.Server) func() { s.Stop(); return s.Restart },
		"hanging": func(s *redistest.Server) func() { s.Pause(); return s.Resume },
	} {
		t.Run(name, func(t *testing.T) {
			server := redistest.Start(t)
			client := redisClient(t, server)
			if err := client.Ping(t.Context()).Err(); err != nil {
				t.Fatal(err)
			}
			asked := &scripts{}
			client.AddHook(asked)
			var log lines
			now := time.Now()
			l, err := auth.NewRedisLimiterAt(client, slog.New(slog.NewTextHandler(&log, nil)), auth.RedisTimeout, func() time.Time { return now })
			if err != nil {
				t.Fatal(err)
			}
			take := func(key string) auth.Allowance {
				t.Helper()
				a, err := l.Take(t.Context(), key, 50, 1)
				if err != nil {
					t.Fatal(err)
				}
				return a
			}
			back := leave(server)
			for range 50 {
				if a := take("k"); a.Wait != 0 {
					t.Fatalf("a request is refused: %+v", a)
				}
			}
			if a := take("k"); a.Wait == 0 {
				t.Error("without Redis there is no limit")
			}
			if n := asked.n.Load(); n != 1 {
				t.Errorf("%d of 51 requests at one moment asked Redis, want 1", n)
			}
			for now = now.Add(auth.RedisRetry); asked.n.Load() < 3; now = now.Add(auth.RedisRetry / 2) {
				take("k")
			}
			if n := log.count("level=WARN"); n != 1 {
				t.Errorf("%d warnings, want 1", n)
			}
			now = now.Add(time.Hour)
			take("k")
			if n := log.count("level=WARN"); n != 1 {
				t.Errorf("%d warnings after an hour, want 1", n)
			}
			back()
			away := now
			for deadline := time.Now().Add(time.Minute); log.count("reachable again") == 0; now = now.Add(auth.RedisRetry) {
				take(name)
				if time.Now().After(deadline) {
					t.Fatal("Redis is back, and not asked")
				}
			}
			if d := now.Sub(away); d < auth.RedisSettled {
				t.Errorf("the log reports after %v that Redis is reachable, want %v at least", d, auth.RedisSettled)
			}
		})
	}
}

// scripts counts the scripts that a client was asked to run.
type scripts struct{ n atomic.Int64 }

func (s *scripts) DialHook(next goredis.DialHook) goredis.DialHook { return next }

func (s *scripts) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return next
}

func (s *scripts) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, command goredis.Cmder) error {
		if command.Name() == "evalsha" {
			s.n.Add(1)
		}
		return next(ctx, command)
	}
}

// A request whose client has disconnected does not count as a failure of Redis.
func TestClientThatLeft(t *testing.T) {
	l, log := redisLimiter(t, redistest.Start(t), time.Minute, time.Now)
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := l.Take(gone, "k", 5, 1); err != nil {
		t.Error(err)
	}
	if log.count("Redis") != 0 {
		t.Error("Redis is taken to be unavailable")
	}
}

func TestAdmit(t *testing.T) {
	each(t, func(h *fixture) {
		ctx := h.t.Context()
		_, key, err := h.CreateKey(ctx, acme, auth.KeyDraft{Name: "k", Environment: auth.Live, RateLimit: 2})
		if err != nil {
			h.t.Fatal(err)
		}
		who, err := h.Authenticate(ctx, key)
		if err != nil {
			h.t.Fatal(err)
		}
		for i := range 2 {
			if a, err := h.Admit(ctx, who); err != nil || a.Limit != 2 || a.Remaining != 1-i {
				h.t.Fatalf("request %d: %+v, %v", i+1, a, err)
			}
		}
		a, err := h.Admit(ctx, who)
		h.refused(err, fault.RateLimitExceeded)
		var later *fault.Error
		if !errors.As(err, &later) || later.RetryAfter < time.Second || later.RetryAfter > 30*time.Second || a.Limit != 2 {
			h.t.Errorf("got %+v, %v", a, err)
		}
		session, err := h.VerifyAccessToken(h.login().AccessToken)
		if err != nil {
			h.t.Fatal(err)
		}
		if a, err := h.Admit(ctx, session); err != nil || a != (auth.Allowance{}) {
			h.t.Errorf("a session is limited: %+v, %v", a, err)
		}
	})
}

// However many invented accounts and addresses are counted, no count of an API key, a user or a tenant is forgotten; and
// invented accounts do not make the addresses that they come from forgotten.
func TestInventedKeysEvictNobody(t *testing.T) {
	l, err := auth.NewMemoryLimiter()
	if err != nil {
		t.Fatal(err)
	}
	take := func(key string) auth.Allowance {
		t.Helper()
		a, err := l.Take(t.Context(), key, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	known := []string{"key k1", "user u1", "tenant t1", "sign-ins from address 7"}
	for _, key := range known {
		take(key)
	}
	for n := range 60_000 {
		take(fmt.Sprintf("sign-ins of account %d", n))
		take(fmt.Sprintf("something new %d", n))
	}
	for _, key := range known {
		if a := take(key); a.Wait == 0 {
			t.Errorf("%s: its count is forgotten", key)
		}
	}
	for n := range 60_000 {
		take(fmt.Sprintf("sign-ins from address 1%d", n))
	}
	for _, key := range known[:3] {
		if a := take(key); a.Wait == 0 {
			t.Errorf("%s: its count is forgotten", key)
		}
	}
}
