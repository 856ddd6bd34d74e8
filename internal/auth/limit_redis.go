package auth

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// redisTimeout is how long a request waits for Redis.
	redisTimeout = 250 * time.Millisecond
	// redisRetry is how often Redis is tried while it is unreachable.
	redisRetry = time.Second
	// redisSettled is how long Redis must have responded before the log reports its recovery.
	redisSettled = 5 * time.Second
)

// redisRate is the generic cell rate algorithm in one step, by Redis's clock; a key is stored as the microsecond at
// which its limit is fully available again, and expires then. throttled's Redis store needs two steps with a race:
// with more than ten concurrent requests of a key some fail.
var redisRate = redis.NewScript(`
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local interval, limit, count = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local whole = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
local after = math.max(whole + count * interval, now)
local wait = math.max(after - limit * interval - now, 0)
if wait == 0 then
  whole = after
  local life = math.ceil((whole - now) / 1000)
  if life > 0 then
    redis.call('SET', KEYS[1], string.format('%.0f', whole), 'PX', life)
  else
    redis.call('DEL', KEYS[1])
  end
end
return {math.floor(limit - (whole - now) / interval), whole - now, wait}
`)

// redisLimiter counts in Redis, for all nodes, and in memory while Redis is unreachable.
type redisLimiter struct {
	client  redis.UniversalClient
	memory  Limiter
	log     *slog.Logger
	timeout time.Duration
	now     func() time.Time // clock of the retries and of the memory limiter

	mu     sync.Mutex
	away   bool
	next   time.Time // next attempt while it is unreachable
	warned bool      // a warning was logged and not resolved yet
	lostAt time.Time // last failure
}

// NewRedisLimiter returns a limiter shared by nodes. Requests never fail because of Redis: each node then counts
// for itself.
func NewRedisLimiter(client redis.UniversalClient, log *slog.Logger) (Limiter, error) {
	return newRedisLimiter(client, log, redisTimeout, time.Now)
}

func newRedisLimiter(client redis.UniversalClient, log *slog.Logger, timeout time.Duration, now func() time.Time) (Limiter, error) {
	memory, err := newMemoryLimiter(now)
	if err != nil {
		return nil, err
	}
	return &redisLimiter{client: client, memory: memory, log: log, timeout: timeout, now: now}, nil
}

func (l *redisLimiter) Take(ctx context.Context, key string, perMinute, count int) (Allowance, error) {
	if l.usesRedis() {
		a, err := l.countInRedis(ctx, key, perMinute, count)
		if err == nil {
			l.answered(ctx)
			return a, nil
		}
		if ctx.Err() == nil { // otherwise the client disconnected
			l.lost(ctx, err)
		}
	}
	return l.memory.Take(ctx, key, perMinute, count)
}

func (l *redisLimiter) countInRedis(ctx context.Context, key string, perMinute, count int) (Allowance, error) {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	interval := (time.Minute / time.Duration(perMinute)).Microseconds()
	got, err := redisRate.Run(ctx, l.client, []string{"parley:limit:" + key}, interval, perMinute, count).Int64Slice()
	if err != nil {
		return Allowance{}, err
	}
	if len(got) != 3 {
		return Allowance{}, fmt.Errorf("Redis answers %d numbers, want 3", len(got))
	}
	return Allowance{
		Limit: perMinute, Remaining: int(got[0]),
		Reset: time.Duration(got[1]) * time.Microsecond, Wait: time.Duration(got[2]) * time.Microsecond,
	}, nil
}

// usesRedis reports whether to use Redis.
func (l *redisLimiter) usesRedis() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.away {
		return true
	}
	now := l.now()
	if now.Before(l.next) {
		return false
	}
	l.next = now.Add(redisRetry)
	return true
}

func (l *redisLimiter) answered(ctx context.Context) {
	now := l.now()
	l.mu.Lock()
	l.away = false
	back := l.warned && now.Sub(l.lostAt) >= redisSettled
	if back {
		l.warned = false
	}
	l.mu.Unlock()
	if back {
		l.log.InfoContext(ctx, "Redis is reachable again")
	}
}

func (l *redisLimiter) lost(ctx context.Context, err error) {
	now := l.now()
	l.mu.Lock()
	l.away, l.next, l.lostAt = true, now.Add(redisRetry), now
	warn := !l.warned
	l.warned = true
	l.mu.Unlock()
	if warn {
		l.log.WarnContext(ctx, "Redis is unreachable; rate limits apply per process", "error", err)
	}
}
