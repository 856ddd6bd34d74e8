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

	"parley/internal/auth"
	"parley/internal/fault"
	"parley/internal/redis"
	"parley/internal/redis/redistest"
)

// eachLimiter runs f with a limiter in memory and with one in Redis.
func eachLimiter(t *testing.T, f func(t *testing.T, l auth.Limiter)) {
	t.Run("memory", func(t *testing.T) {
		l, err := auth.NewMemoryLimiter()
		if err != nil {
			t.Fatal(err)
		}
		f(t, l)
	})
	t.Run("redis", func(t *testing.T) {
		l, _ := redisLimiter(t, redistest.Start(t))
		f(t, l)
	})
}

// redisLimiter makes a limiter on a server, and gives what it logs.
func redisLimiter(t *testing.T, server *redistest.Server) (auth.Limiter, *lines) {
	t.Helper()
	client, err := redis.Open(t.Context(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	log := &lines{}
	l, err := auth.NewRedisLimiter(client, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	return l, log
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
	eachLimiter(t, func(t *testing.T, l auth.Limiter) {
		ctx := t.Context()
		for i := range 5 {
			a, err := l.Take(ctx, "k", 5, 1)
			if err != nil || a.Wait != 0 || a.Limit != 5 || a.Remaining != 4-i {
				t.Fatalf("request %d: %+v, %v", i+1, a, err)
			}
			if want := time.Duration(i+1) * 12 * time.Second; a.Reset > want || a.Reset < want-5*time.Second {
				t.Errorf("request %d: whole again in %v, want %v", i+1, a.Reset, want)
			}
		}
		for range 3 { // what does not fit uses nothing
			a, err := l.Take(ctx, "k", 5, 1)
			if err != nil || a.Remaining != 0 || a.Wait <= 7*time.Second || a.Wait > 12*time.Second || a.Reset <= a.Wait || a.Reset > time.Minute {
				t.Fatalf("one too many: %+v, %v", a, err)
			}
		}
		if a, err := l.Take(ctx, "other", 5, 1); err != nil || a.Remaining != 4 {
			t.Errorf("another key: %+v, %v", a, err)
		}
		if a, err := l.Take(ctx, "k", 5, -2); err != nil || a.Wait != 0 {
			t.Errorf("give back: %+v, %v", a, err)
		}
		for i, fits := range []bool{true, true, false} {
			if a, err := l.Take(ctx, "k", 5, 1); err != nil || (a.Wait == 0) != fits {
				t.Errorf("after two were given back, request %d: %+v, %v", i+1, a, err)
			}
		}
		if _, err := l.Take(ctx, "new", 5, -1); err != nil {
			t.Error(err)
		}
		if a, err := l.Take(ctx, "new", 5, 1); err != nil || a.Remaining > 4 {
			t.Errorf("more was given back than used: %+v, %v", a, err)
		}
	})
}

func TestLimiterLetsExactlyAsManyThroughAtOnce(t *testing.T) {
	eachLimiter(t, func(t *testing.T, l auth.Limiter) {
		for _, limit := range []int{1, 7, 60} {
			var through atomic.Int64
			var wait sync.WaitGroup
			began := time.Now()
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
			dripped := int64(time.Since(began) / (time.Minute / time.Duration(limit)))
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
	one, _ := redisLimiter(t, server)
	two, _ := redisLimiter(t, server)
	for i := range 4 {
		node := []auth.Limiter{one, two}[i%2]
		if a, err := node.Take(t.Context(), "k", 4, 1); err != nil || a.Remaining != 3-i {
			t.Fatalf("request %d: %+v, %v", i+1, a, err)
		}
	}
	if a, err := two.Take(t.Context(), "k", 4, 1); err != nil || a.Wait == 0 {
		t.Errorf("one too many: %+v, %v", a, err)
	}
}

func TestRedisForgetsWhatIsWhole(t *testing.T) {
	server := redistest.Start(t)
	l, _ := redisLimiter(t, server)
	client, err := redis.Open(t.Context(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for range 3 {
		if _, err := l.Take(t.Context(), "k", 30_000, 1); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
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

// A Redis that is gone, or hangs, stops nobody: the node counts for itself,
// and says so once.
func TestRedisAway(t *testing.T) {
	for name, leave := range map[string]func(*redistest.Server) (back func()){
		"stopped": func(s *redistest.Server) func() { s.Stop(); return s.Restart },
		"hanging": func(s *redistest.Server) func() { s.Pause(); return s.Resume },
	} {
		t.Run(name, func(t *testing.T) {
			server := redistest.Start(t)
			l, log := redisLimiter(t, server)
			take := func(key string) auth.Allowance {
				t.Helper()
				a, err := l.Take(t.Context(), key, 50, 1)
				if err != nil {
					t.Fatal(err)
				}
				return a
			}
			take("k")
			back := leave(server)
			began := time.Now()
			for range 50 {
				if a := take("k"); a.Wait != 0 {
					t.Fatalf("a request is refused: %+v", a)
				}
			}
			if took := time.Since(began); took > 3*time.Second {
				t.Errorf("50 requests took %v: each waits for Redis", took)
			}
			if a := take("k"); a.Wait == 0 && time.Since(began) < time.Second {
				t.Error("without Redis there is no limit")
			}
			if n := log.count("level=WARN"); n != 1 {
				t.Errorf("%d warnings, want 1", n)
			}
			back()
			for deadline := time.Now().Add(10 * time.Second); log.count("answers again") == 0; time.Sleep(20 * time.Millisecond) {
				take(name)
				if time.Now().After(deadline) {
					t.Fatal("Redis is back, and not asked")
				}
			}
		})
	}
}

// A request whose client has left says nothing of Redis.
func TestClientThatLeft(t *testing.T) {
	l, log := redisLimiter(t, redistest.Start(t))
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := l.Take(gone, "k", 5, 1); err != nil {
		t.Error(err)
	}
	if log.count("Redis") != 0 {
		t.Error("Redis is taken to be away")
	}
}

func TestAdmit(t *testing.T) {
	each(t, func(h *house) {
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
