package app

import (
	"context"

	"parley/internal/auth"
	"parley/internal/config"
	"parley/internal/redis"
)

// connect opens what nodes share besides the database: Redis, where one is
// configured. One that does not answer at the start is a wrong setting; one
// that goes away later stops no request.
func (g *ground) connect(ctx context.Context) error {
	if g.config.RedisURL == "" {
		return nil
	}
	var err error
	if g.redis, err = redis.Open(ctx, g.config.RedisURL); err != nil {
		return &config.Error{Variable: "REDIS_URL", Problem: err.Error()}
	}
	return nil
}

// close ends the connections.
func (g *ground) close() {
	if g.db != nil {
		g.db.Close()
	}
	if g.redis != nil {
		_ = g.redis.Close() // nothing of ours is under way any more
	}
}

// redisHealth checks the Redis that is configured; nil when there is none.
func (g *ground) redisHealth() func(context.Context) error {
	if g.redis == nil {
		return nil
	}
	return func(ctx context.Context) error { return g.redis.Ping(ctx).Err() }
}

// newAuthority makes what signs users in, knows API keys and counts requests.
func newAuthority(g *ground) (*auth.Service, error) {
	o := auth.Options{DB: g.db, Secret: []byte(g.secrets.JWT), KeySecrets: g.secrets.APIKeys, SessionRateLimit: g.config.SessionRateLimit}
	if g.redis != nil {
		var err error
		if o.Limiter, err = auth.NewRedisLimiter(g.redis, g.log); err != nil {
			return nil, err
		}
	}
	return auth.New(o)
}
