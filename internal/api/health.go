package api

import (
	"context"
	"net/http"
	"slices"
	"time"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/fault"
	"parley/internal/health"
)

// healthTimeout bounds each check: a health answer that hangs is of no use.
const healthTimeout = 2 * time.Second

type aliveBody struct {
	Status    string    `json:"status" enum:"alive"`
	Timestamp wire.Time `json:"timestamp"`
}

type readyBody struct {
	Status    string    `json:"status" enum:"ready,draining,unhealthy"`
	Timestamp wire.Time `json:"timestamp"`
	Database  string    `json:"database" enum:"healthy,unhealthy"`
	Failing   []string  `json:"failing,omitempty" enum:"database,disk,workers,media,phone" doc:"Failing checks of GET /health. With workers or phone alone the process is ready: it serves all requests but new calls, or new phone calls."`
	// Error makes a 503 an error like any other, beside what it reports.
	Error *wire.ProblemBody `json:"error,omitempty"`
}

type checkBody struct {
	Status string `json:"status" enum:"healthy,unhealthy"`
	Mode   string `json:"mode,omitempty" doc:"embedded: no Redis is configured; a single node needs none."`
}

// Health is what watches the things that this process depends on.
type Health interface {
	States() []health.State
}

type healthBody struct {
	Status    string    `json:"status" enum:"healthy,degraded,unhealthy"`
	Timestamp wire.Time `json:"timestamp"`
	Version   string    `json:"version"`
	Checks    struct {
		Database checkBody  `json:"database"`
		Redis    checkBody  `json:"redis"`
		Media    *checkBody `json:"media,omitempty" doc:"Media server: unhealthy when it does not respond or rejects the API key."`
		Disk     *checkBody `json:"disk,omitempty" doc:"Disk of the data folder: unhealthy when it is nearly full."`
		Workers  *checkBody `json:"workers,omitempty" doc:"Workers: unhealthy when none has been registered for 30 seconds."`
		Phone    *checkBody `json:"phone,omitempty" doc:"SIP gateway of this process: unhealthy when it does not respond. Without one, those of other processes: unhealthy when none of them has been registered for 15 seconds."`
	} `json:"checks"`
	Error *wire.ProblemBody `json:"error,omitempty"`
}

// reported is a response whose status reports the health.
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
	wire.Register(s.router, wire.Operation{
		ID: "health-live", Method: http.MethodGet, Path: "/health/live", Tag: "Health", Public: true,
		Summary:     "Check liveness",
		Description: "Checks only that the process responds: restart it when this fails.",
	}, func(context.Context, auth.Principal, *struct{}) (*wire.Answer[aliveBody], error) {
		return wire.NewAnswer(alive()), nil
	})
	wire.Register(s.router, wire.Operation{
		ID: "health-ready", Method: http.MethodGet, Path: "/health/ready", Tag: "Health", Public: true,
		Summary:     "Check readiness",
		Description: "Returns 503 while the process drains before it stops, while its database is unreachable or read-only, while its media server is unreachable or rejects the API key, and while its disk is full.",
		Errors:      []fault.Code{fault.ServiceUnavailable},
	}, s.ready)
	wire.Register(s.router, wire.Operation{
		ID: "health", Method: http.MethodGet, Path: "/health", Tag: "Health", Public: true,
		Summary:     "Get the health of the process and its dependencies",
		Description: "Returns `unhealthy` and 503 while the database, the media server or the disk fails; `degraded` while Redis is unreachable, no worker is registered or phone calls cannot be made. The database is checked during the request, the others every 2 seconds.",
		Errors:      []fault.Code{fault.ServiceUnavailable},
	}, s.health)
}

func alive() aliveBody { return aliveBody{Status: "alive", Timestamp: wire.Time(time.Now())} }

func (s *Server) ready(ctx context.Context, _ auth.Principal, _ *struct{}) (*reported[readyBody], error) {
	out := &reported[readyBody]{http.StatusOK, readyBody{Status: "ready", Timestamp: wire.Time(time.Now()), Database: healthy}}
	refuse := func(status, message string) {
		out.Status, out.Body.Status = http.StatusServiceUnavailable, status
		out.Body.Error = &wire.ProblemBody{Code: fault.ServiceUnavailable, Message: message}
	}
	for _, failing := range slices.Backward(s.failing(ctx)) { // the first counts
		if failing.Name == "database" {
			out.Body.Database = unhealthy
		}
		out.Body.Failing = slices.Insert(out.Body.Failing, 0, failing.Name)
		if failing.Essential {
			refuse(unhealthy, troubles[failing.Name])
		}
	}
	if out.Body.Error == nil && s.deps.Ready != nil && s.deps.Ready() != nil {
		refuse("draining", "this process takes no new work")
	}
	return out, nil
}

func (s *Server) health(ctx context.Context, _ auth.Principal, _ *struct{}) (*reported[healthBody], error) {
	out := &reported[healthBody]{http.StatusOK, healthBody{Status: healthy, Timestamp: wire.Time(time.Now()), Version: s.deps.Version}}
	checks := &out.Body.Checks
	checks.Database.Status = healthy
	named := map[string]*checkBody{"database": &checks.Database}
	if s.deps.Health != nil {
		for _, state := range s.deps.Health.States() {
			if named[state.Name] == nil {
				named[state.Name] = &checkBody{Status: healthy}
			}
		}
	}
	checks.Media, checks.Disk, checks.Workers, checks.Phone = named["media"], named["disk"], named["workers"], named["phone"]
	checks.Redis = s.redis(ctx)
	if checks.Redis.Status != healthy {
		out.Body.Status = degraded
	}
	for _, failing := range slices.Backward(s.failing(ctx)) {
		named[failing.Name].Status = unhealthy
		if !failing.Essential {
			if out.Body.Error == nil {
				out.Body.Status = degraded
			}
			continue
		}
		out.Status, out.Body.Status = http.StatusServiceUnavailable, unhealthy
		out.Body.Error = &wire.ProblemBody{Code: fault.ServiceUnavailable, Message: troubles[failing.Name]}
	}
	return out, nil
}

// troubles say for clients what fails; the log has the reason.
var troubles = map[string]string{
	"database": "the database is unavailable, or cannot be written",
	"disk":     "the disk is full",
	"media":    "the media server is unavailable, or refuses the API key",
}

// failing returns what does not work, the database first: it is asked now, and
// was written a moment ago.
func (s *Server) failing(ctx context.Context) (failing []health.State) {
	if s.deps.Health != nil {
		for _, state := range s.deps.Health.States() {
			if state.Err != nil {
				failing = append(failing, state)
			}
		}
	}
	if len(failing) > 0 && failing[0].Name == "database" {
		return failing
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	if err := s.deps.DB.Ping(ctx); err != nil {
		return slices.Insert(failing, 0, health.State{Name: "database", Essential: true, Err: err})
	}
	return failing
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
