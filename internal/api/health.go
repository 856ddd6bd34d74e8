package api

import (
	"context"
	"net/http"
	"time"

	"parley/internal/auth"
	"parley/internal/fault"
)

// healthTimeout bounds each check: a health answer that hangs is of no use.
const healthTimeout = 2 * time.Second

type aliveBody struct {
	Status    string `json:"status" enum:"alive"`
	Timestamp Time   `json:"timestamp"`
}

type readyBody struct {
	Status    string `json:"status" enum:"ready,draining,unhealthy"`
	Timestamp Time   `json:"timestamp"`
	Database  string `json:"database" enum:"healthy,unhealthy"`
	// Error makes a 503 an error like any other, beside what it reports.
	Error *problemBody `json:"error,omitempty"`
}

type checkBody struct {
	Status string `json:"status" enum:"healthy,unhealthy"`
	Mode   string `json:"mode,omitempty" doc:"embedded: no Redis is set up, and none is needed."`
}

type healthBody struct {
	Status    string `json:"status" enum:"healthy,degraded,unhealthy"`
	Timestamp Time   `json:"timestamp"`
	Version   string `json:"version"`
	Checks    struct {
		Database checkBody `json:"database"`
		Redis    checkBody `json:"redis"`
	} `json:"checks"`
	Error *problemBody `json:"error,omitempty"`
}

// reported is an answer whose status tells how things are.
type reported[T any] struct {
	Status int
	Body   T
}

const (
	healthy   = "healthy"
	degraded  = "degraded"
	unhealthy = "unhealthy"
)

func (s *Server) registerHealth() {
	register(s, operation{
		ID: "health-live", Method: http.MethodGet, Path: "/health/live", Tag: "Health", Public: true,
		Summary:     "Whether the process runs",
		Description: "Looks at nothing else: a failure means that the process is to be started again.",
	}, func(context.Context, auth.Principal, *struct{}) (*answer[aliveBody], error) {
		return &answer[aliveBody]{aliveBody{Status: "alive", Timestamp: Time(time.Now())}}, nil
	})
	register(s, operation{
		ID: "health-ready", Method: http.MethodGet, Path: "/health/ready", Tag: "Health", Public: true,
		Summary:     "Whether the process takes requests",
		Description: "503 while the process drains before it stops, or while its database is away.",
		Errors:      []fault.Code{fault.ServiceUnavailable},
	}, s.ready)
	register(s, operation{
		ID: "health", Method: http.MethodGet, Path: "/health", Tag: "Health", Public: true,
		Summary:     "How the process and what it depends on are",
		Description: "`degraded` while Redis is away, `unhealthy` and 503 while the database is.",
		Errors:      []fault.Code{fault.ServiceUnavailable},
	}, s.health)
}

func (s *Server) ready(ctx context.Context, _ auth.Principal, _ *struct{}) (*reported[readyBody], error) {
	out := &reported[readyBody]{http.StatusOK, readyBody{Status: "ready", Timestamp: Time(time.Now()), Database: s.database(ctx)}}
	refuse := func(status, message string) {
		out.Status, out.Body.Status = http.StatusServiceUnavailable, status
		out.Body.Error = &problemBody{Code: fault.ServiceUnavailable, Message: message}
	}
	switch {
	case out.Body.Database != healthy:
		refuse(unhealthy, "the database is away")
	case s.deps.Ready != nil && s.deps.Ready() != nil:
		refuse("draining", "this process takes no new work")
	}
	return out, nil
}

func (s *Server) health(ctx context.Context, _ auth.Principal, _ *struct{}) (*reported[healthBody], error) {
	out := &reported[healthBody]{http.StatusOK, healthBody{Status: healthy, Timestamp: Time(time.Now()), Version: s.deps.Version}}
	out.Body.Checks.Redis = s.redis(ctx)
	if out.Body.Checks.Redis.Status != healthy {
		out.Body.Status = degraded
	}
	out.Body.Checks.Database.Status = s.database(ctx)
	if out.Body.Checks.Database.Status != healthy {
		out.Status, out.Body.Status = http.StatusServiceUnavailable, unhealthy
		out.Body.Error = &problemBody{Code: fault.ServiceUnavailable, Message: "the database is away"}
	}
	return out, nil
}

func (s *Server) database(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	if s.deps.DB.Ping(ctx) != nil {
		return unhealthy
	}
	return healthy
}

func (s *Server) redis(ctx context.Context) checkBody {
	if s.deps.Redis == nil {
		return checkBody{Status: healthy, Mode: "embedded"}
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	if s.deps.Redis(ctx) != nil {
		return checkBody{Status: unhealthy}
	}
	return checkBody{Status: healthy}
}
