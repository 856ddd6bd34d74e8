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

// leastFree is how much of the disk of the data folder must be free, in bytes.
const leastFree = 64 << 20

// startHealth watches what this process depends on until the returned function is called. server is nil where calls have
// none, and dialer where this process makes no phone calls.
func (g *ground) startHealth(server *mediaServer, dialer phones) (stop func()) {
	checks := []health.Check{
		{Name: "database", Essential: true, Look: g.checkDatabase},
		{Name: "disk", Essential: true, Look: func(context.Context) error { return checkDisk(g.config.DataDir, leastFree) }},
		{Name: "workers", Look: func(context.Context) error { return g.calls.Workforce() }},
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

// obstacle is why no call of a type can begin for now, whoever takes it; nil when there is nothing.
func (g *ground) obstacle(callType string) error {
	switch {
	case g.health == nil:
		return nil
	case g.health.Failing("media") != nil:
		return errMediaAway
	case callType == call.SIP && g.health.Failing("phone") != nil:
		return errPhoneAway
	}
	return nil
}

// checkDatabase writes a row: a database that only reads, or whose disk is full, cannot serve.
func (g *ground) checkDatabase(ctx context.Context) error {
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

// check asks the media server for a room that does not exist, which proves that it answers and takes the API key.
func (m *mediaServer) check(ctx context.Context) error {
	_, err := m.rooms.List(ctx, "health")
	return err
}

// These keep calls from being dispatched that no agent or phone could answer.
var (
	errMediaAway = errors.New("the media server is away")
	errPhoneAway = errors.New("the SIP gateway is away")
)
