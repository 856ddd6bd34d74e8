package app

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"

	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/health"
)

// leastFree is the minimum free space on the data folder's disk, in bytes.
const leastFree = 64 << 20

// startHealth monitors the dependencies of this process until the returned function is called. server is nil where
// calls have none, and dialer where this process makes no phone calls.
func (g *infrastructure) startHealth(server *mediaServer, dialer phones) (stop func()) {
	checks := []health.Check{
		{Name: "database", Essential: true, Look: g.checkDatabase},
		{Name: "disk", Essential: true, Look: func(context.Context) error { return checkDisk(g.config.DataDir, leastFree) }},
		{Name: "workers", Look: func(context.Context) error { return g.calls.CheckWorkers() }},
	}
	if server != nil {
		checks = append(checks, health.Check{Name: "media", Essential: true, Look: server.check})
	}
	if dialer != nil {
		checks = append(checks, health.Check{Name: "phone", Look: dialer.Check})
	}
	g.health = health.New(g.log, checks...)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { g.health.Run(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}

// obstacle returns why no call of a type can start at present on any worker; nil for none.
func (g *infrastructure) obstacle(callType string) error {
	switch {
	case g.stopping != nil && g.stopping() != nil && (g.config.DatabaseURL == "" || g.calls.Load().Slots == 0):
		return errStopping
	case g.health == nil:
		return nil
	case g.health.Failing("media") != nil:
		return errMediaAway
	case g.config.DatabaseURL == "" && g.health.Failing("disk") != nil: // what is left is for the calls that are going on
		return errDiskFull
	case callType == call.SIP && g.health.Failing("phone") != nil:
		return errPhoneAway
	}
	return nil
}

// checkDatabase writes a row, because a read-only database, or one with a full disk, cannot serve.
func (g *infrastructure) checkDatabase(ctx context.Context) error {
	return g.db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO installation (name, value) VALUES ('write_check', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", []byte(tx.Now().Format(time.RFC3339)))
		return err
	})
}

// checkDisk returns an error when less than least bytes are free.
func checkDisk(folder string, least uint64) error {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(folder, &disk); err != nil {
		return fmt.Errorf("look at the disk of PARLEY_DATA_DIR: %w", err)
	}
	if free := disk.Bavail * uint64(disk.Bsize); free < least {
		return fmt.Errorf("the disk of PARLEY_DATA_DIR is full: %d MB are free, want at least %d", free>>20, least>>20)
	}
	return nil
}

// check requests a room that does not exist, which verifies the connection and the API key.
func (m *mediaServer) check(ctx context.Context) error {
	_, err := m.rooms.List(ctx, "health")
	return err
}

// Reasons for rejecting dispatches.
var (
	errMediaAway = errors.New("the media server is unavailable")
	errStopping  = errors.New("the server is stopping, and no other one takes calls")
	errDiskFull  = errors.New("the disk is full")
	errPhoneAway = errors.New("the SIP gateway is unavailable")
)
