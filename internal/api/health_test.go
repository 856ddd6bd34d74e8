package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"parley/internal/health"
)

type healthAnswer struct {
	Status    string
	Timestamp time.Time
	Version   string
	Database  string
	Failing   []string
	Checks    map[string]map[string]string
	Error     *struct{ Code string }
}

func (s *service) healthOf(path string, status int) (h healthAnswer) {
	s.t.Helper()
	s.want(s.do("", http.MethodGet, path, ""), status, &h)
	if time.Since(h.Timestamp).Abs() > time.Minute || h.Timestamp.Location() != time.UTC {
		s.t.Errorf("%s: timestamp %v", path, h.Timestamp)
	}
	if (h.Error != nil) != (status != http.StatusOK) || h.Error != nil && h.Error.Code != "service_unavailable" {
		s.t.Errorf("%s: status %d with error %v", path, status, h.Error)
	}
	return h
}

func TestHealth(t *testing.T) {
	var draining, redis error
	s := newService(t, func(d *Deps) { d.Ready = func() error { return draining } })
	if h := s.healthOf("/health/live", 200); h.Status != "alive" {
		t.Errorf("live: %+v", h)
	}
	if h := s.healthOf("/health/ready", 200); h.Status != "ready" || h.Database != "healthy" || h.Failing != nil {
		t.Errorf("ready: %+v", h)
	}
	h := s.healthOf("/health", 200)
	if got, _ := json.Marshal(h.Checks); h.Status != "healthy" || h.Version != "1.2.3" || string(got) != `{"database":{"status":"healthy"},"redis":{"mode":"embedded","status":"healthy"}}` {
		t.Errorf("health: %+v", h)
	}

	s.deps.Redis = func(context.Context) error { return redis }
	redis = errors.New("away")
	if h := s.healthOf("/health", 200); h.Status != "degraded" || h.Checks["redis"]["status"] != "unhealthy" {
		t.Errorf("without Redis: %+v", h)
	}
	draining = errors.New("stopping")
	if h := s.healthOf("/health/ready", 503); h.Status != "draining" || h.Database != "healthy" {
		t.Errorf("draining: %+v", h)
	}
	s.db.Close()
	if h := s.healthOf("/health/ready", 503); h.Status != "unhealthy" || h.Database != "unhealthy" {
		t.Errorf("without database: %+v", h)
	}
	if h := s.healthOf("/health", 503); h.Status != "unhealthy" || h.Checks["database"]["status"] != "unhealthy" {
		t.Errorf("without database: %+v", h)
	}
	if h := s.healthOf("/health/live", 200); h.Status != "alive" {
		t.Errorf("live without database: %+v", h)
	}
}

// failures are the states of things that fail.
type failures []health.State

func (f failures) States() []health.State { return f }

func TestHealthOfWhatTheProcessNeeds(t *testing.T) {
	broken := errors.New("broken")
	for name, essential := range map[string]bool{"database": true, "disk": true, "media": true, "workers": false, "phone": false} {
		states := failures{{Name: "database", Essential: true}, {Name: "disk", Essential: true}, {Name: "workers"}, {Name: "phone"}, {Name: "media", Essential: true}}
		for i := range states {
			if states[i].Name == name {
				states[i].Err = broken
			}
		}
		s := newService(t, func(d *Deps) { d.Health = states })
		ready, code, status := 200, 200, "degraded"
		if essential {
			ready, code, status = 503, 503, "unhealthy"
		}
		if h := s.healthOf("/health/ready", ready); essential != (h.Status == "unhealthy") || (h.Database == "unhealthy") != (name == "database") || !slices.Equal(h.Failing, []string{name}) {
			t.Errorf("%s: ready: %+v", name, h)
		}
		h := s.healthOf("/health", code)
		if h.Status != status {
			t.Errorf("%s: health: %+v", name, h)
		}
		for check, found := range h.Checks {
			if (found["status"] == "unhealthy") != (check == name) {
				t.Errorf("%s: the check %s is %s", name, check, found["status"])
			}
		}
	}
}
