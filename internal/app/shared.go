package app

import (
	"context"
	"log/slog"
	"sync"

	"go.opentelemetry.io/otel/trace"

	"parley/internal/auth"
	"parley/internal/config"
	"parley/internal/event"
	"parley/internal/redis"
	"parley/internal/tracing"
)

// connect opens Redis, if configured. If it does not respond at the start, that is a configuration error; later
// failures stop no request.
func (g *infrastructure) connect(ctx context.Context) error {
	if g.config.RedisURL == "" {
		return nil
	}
	var err error
	if g.redis, err = redis.Open(ctx, g.config.RedisURL); err != nil {
		return &config.Error{Variable: "REDIS_URL", Problem: err.Error()}
	}
	return nil
}

// relay connects this node's bus to other nodes, through Redis if configured, else through PostgreSQL; nil on
// SQLite alone.
func (g *infrastructure) relay() *event.Relay {
	switch channel := g.db.Channel(); {
	case g.redis != nil:
		return event.NewRelay(g.bus, redis.NewChannel(g.redis), g.log)
	case channel != nil:
		return event.NewRelay(g.bus, channel, g.log)
	}
	return nil
}

// startRelay runs the relay until the returned function is called.
func (g *infrastructure) startRelay() (stop func()) {
	r := g.relay()
	if r == nil {
		return func() {}
	}
	r.Received = func(topic event.Topic) { g.metrics.Announced(string(topic)) }
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { r.Run(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}

// startTraces starts the exporter of traces, if a collector is configured.
func (g *infrastructure) startTraces(ctx context.Context, version, role string) error {
	var err error
	g.traces, err = tracing.Start(ctx, tracing.Options{Endpoint: g.config.OTLPEndpoint, Role: role, Version: version, Log: g.log})
	if err != nil {
		return &config.Error{Variable: "OTEL_EXPORTER_OTLP_ENDPOINT", Problem: err.Error()}
	}
	g.log = slog.New(g.traces.Logs(g.log.Handler()))
	return nil
}

// tracer returns the tracer; nil without a collector.
func (g *infrastructure) tracer() trace.Tracer {
	if !g.traces.On() {
		return nil
	}
	return g.traces.Tracer()
}

// close exports the last traces and closes the connections.
func (g *infrastructure) close() {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownWait)
	defer cancel()
	if err := g.traces.Stop(ctx); err != nil {
		g.log.Warn("failed to flush traces", "error", err)
	}
	if g.db != nil {
		g.db.Close()
	}
	if g.redis != nil {
		_ = g.redis.Close() // no requests are in progress
	}
}

// redisHealth returns the health check of Redis; nil if not configured.
func (g *infrastructure) redisHealth() func(context.Context) error {
	if g.redis == nil {
		return nil
	}
	return func(ctx context.Context) error { return g.redis.Ping(ctx).Err() }
}

// newAuthority returns the auth service.
func newAuthority(g *infrastructure) (*auth.Service, error) {
	return auth.New(auth.Options{
		DB: g.db, Secret: []byte(g.secrets.JWT), KeySecrets: g.secrets.APIKeys, SessionRateLimit: g.config.SessionRateLimit, MaxKeyRateLimit: g.config.MaxKeyRateLimit, Limiter: g.limiter,
	})
}
