package health_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/health"
)

func TestMonitor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		var broken, slow atomic.Bool
		m := health.New(slog.New(slog.NewTextHandler(&log, nil)),
			health.Check{Name: "database", Essential: true, Look: func(context.Context) error {
				if broken.Load() {
					return errors.New("read-only")
				}
				return nil
			}},
			health.Check{Name: "media", Look: func(ctx context.Context) error {
				if slow.Load() {
					<-ctx.Done()
				}
				return ctx.Err()
			}})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			m.Run(ctx)
			close(ended)
		}()
		failing := func(name string, want bool) {
			t.Helper()
			synctest.Wait()
			if got := m.Failing(name) != nil; got != want {
				t.Errorf("%s fails: %t", name, got)
			}
		}
		time.Sleep(time.Minute)
		failing("database", false)
		broken.Store(true)
		time.Sleep(time.Minute)
		failing("database", true)
		if s := m.States(); len(s) != 2 || !s[0].Essential || s[0].Err == nil || s[1].Err != nil {
			t.Errorf("states %+v", s)
		}
		broken.Store(false)
		time.Sleep(time.Minute)
		failing("database", false)

		slow.Store(true)
		time.Sleep(5 * time.Second) // at most two checks were too late
		failing("media", false)
		time.Sleep(time.Minute)
		failing("media", true)
		cancel()
		<-ended
		if n := strings.Count(log.String(), "\n"); n != 3 {
			t.Errorf("%d log lines, want 3:\n%s", n, log.String())
		}
	})
}
