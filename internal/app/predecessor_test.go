package app

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/event"
	"parley/internal/webhook"
)

func TestProcessNames(t *testing.T) {
	host, pid, ok := parseProcess(processName())
	if !ok || host != hostname() || pid != os.Getpid() {
		t.Errorf("this process's name says %q, %d, %t", host, pid, ok)
	}
	if host, pid, ok := parseProcess("voice-7.example-42-ABCDEFGH"); !ok || host != "voice-7.example" || pid != 42 {
		t.Errorf("%q, %d, %t", host, pid, ok)
	}
	for _, other := range []string{"", "w1", "voice-ABCDEFGH", "voice-0-ABCDEFGH", "voice-x-ABCDEFGH"} {
		if _, _, ok := parseProcess(other); ok {
			t.Errorf("%q is taken for a process's name", other)
		}
	}
}

func TestProcessesThatAreGone(t *testing.T) {
	if !alive(os.Getpid()) || !alive(1) {
		t.Error("a process that runs is taken for gone")
	}
	child := exec.Command("true")
	if err := child.Run(); err != nil {
		t.Fatal(err)
	}
	if alive(child.Process.Pid) {
		t.Error("a process that is gone is taken for one that runs")
	}
}

// A process that has ended counts as gone before its parent has waited for it.
func TestZombieIsGone(t *testing.T) {
	child := exec.Command("sleep", "600")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if !alive(child.Process.Pid) {
		t.Error("a process that runs is taken for gone")
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); alive(child.Process.Pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Error("a process that was killed and not waited for is taken for one that runs")
			break
		}
	}
	_ = child.Wait() // killed
}

// The deliveries that a killed process had in flight are pending when the next one starts; those of other processes are
// unaffected.
func TestReleasePredecessor(t *testing.T) {
	child := exec.Command("true")
	if err := child.Run(); err != nil {
		t.Fatal(err)
	}
	db, err := database.Open(t.Context(), "", filepath.Join(t.TempDir(), "parley.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	const tenant = "0193a6f0-0000-7000-8000-000000000001"
	databasetest.Tenant(t, db, tenant, "acme")
	names := map[string]string{
		"killed":  fmt.Sprintf("%s-%d-ABCDEFGH", hostname(), child.Process.Pid),
		"alive":   fmt.Sprintf("%s-%d-ABCDEFGH", hostname(), os.Getppid()),
		"distant": fmt.Sprintf("x%s-%d-ABCDEFGH", hostname(), child.Process.Pid),
	}
	err = db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO events (id, tenant_id, type, livemode, data, created_at) VALUES ('evt_1', ?, 'call.test', true, '{}', ?)", tenant, tx.Now())
		for id, name := range names {
			if err == nil {
				_, err = tx.ExecContext(ctx, `INSERT INTO webhook_deliveries (id, tenant_id, event_id, event_type, status, attempts, max_attempts, due_at, leased_by, created_at)
					VALUES (?, ?, 'evt_1', 'call.test', 'in_flight', 0, 5, ?, ?, ?)`, id, tenant, tx.Now().Add(15*time.Second), name, tx.Now())
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	bus := event.NewBus()
	g := &infrastructure{log: slog.New(slog.DiscardHandler), db: db, bus: bus, queue: webhook.NewQueue(db, bus)}
	g.calls = call.NewService(db, event.NewLog(bus), bus, nil, call.Options{})
	if err := g.releasePredecessor(t.Context()); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]webhook.Status{"killed": webhook.Pending, "alive": webhook.InFlight, "distant": webhook.InFlight} {
		if d, _, err := g.queue.Delivery(t.Context(), tenant, id); err != nil || d.Status != want {
			t.Errorf("what the process %q had is %s, %v; want %s", id, d.Status, err, want)
		}
	}
}
