package app

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/call"
	"parley/internal/health"
)

// With SQLite on a full disk no call is accepted; with PostgreSQL, whose disk is another one, calls are.
func TestFullDiskIsAnObstacle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := health.New(slog.New(slog.DiscardHandler), health.Check{Name: "disk", Look: func(context.Context) error { return errors.New("full") }})
		go full.Run(t.Context())
		time.Sleep(10 * time.Second)
		g := &infrastructure{health: full}
		if g.obstacle(call.VoIP) == nil {
			t.Error("a call is accepted that SQLite cannot store")
		}
		g.config.DatabaseURL = "postgres://db.example.com/parley"
		if err := g.obstacle(call.VoIP); err != nil {
			t.Errorf("PostgreSQL: %v", err)
		}
	})
}

// While no phone call can be dialled, phone calls alone are rejected.
func TestObstacle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var away atomic.Pointer[error]
		check := func(name string) health.Check {
			return health.Check{Name: name, Look: func(context.Context) error {
				if err := away.Load(); err != nil && name == "phone" {
					return *err
				}
				return nil
			}}
		}
		g := &infrastructure{health: health.New(slog.New(slog.DiscardHandler), check("media"), check("phone"))}
		go g.health.Run(t.Context())
		for _, want := range []error{nil, errors.New("no answer"), nil} {
			away.Store(&want)
			time.Sleep(10 * time.Second)
			if got := g.obstacle(call.SIP); (got != nil) != (want != nil) {
				t.Errorf("phone calls while %v: %v", want, got)
			}
			if got := g.obstacle(call.VoIP); got != nil {
				t.Errorf("web calls while %v: %v", want, got)
			}
		}
	})
}

func TestCheckDisk(t *testing.T) {
	folder := t.TempDir()
	if err := checkDisk(folder, 1); err != nil {
		t.Error(err)
	}
	if err := checkDisk(folder, math.MaxUint64); err == nil || !strings.Contains(err.Error(), "PARLEY_DATA_DIR is full") {
		t.Errorf("a full disk: %v", err)
	}
	if err := checkDisk(folder+"/none", 1); err == nil {
		t.Error("a folder that does not exist is healthy")
	}
}
