package sound

import (
	"bytes"
	"context"
	"runtime"
	"testing"
	"time"

	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/fault"
)

const (
	acme   = "0193a6f0-0000-7000-8000-000000000001"
	globex = "0193a6f0-0000-7000-8000-000000000002"
)

// users are the agents that play sounds, by the sound.
type users map[string][]string

func (u users) UsingSound(_ context.Context, _ database.Tx, name string) ([]string, error) {
	return u[name], nil
}

// Sounds belong to a tenant, have one name each, and are not deleted while agents play them.
func TestStore(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		databasetest.Tenant(t, db, acme, "acme")
		databasetest.Tenant(t, db, globex, "globex")
		sounds, others := Registry{users{"busy": {"desk", "sales"}}}.In(db.Tenant(acme)), In(db.Tenant(globex))
		file := wav(t, 1000, 8000, 2*time.Second, 1)
		for _, name := range []string{"waiting", "busy"} {
			made, err := sounds.Create(t.Context(), name, file)
			if err != nil || made.Name != name || made.DurationMS != 2000 || made.SizeBytes < 1000 || made.CreatedAt.IsZero() {
				t.Fatalf("%+v, %v", made, err)
			}
		}
		for _, name := range []string{"", "Waiting", "a b"} {
			if _, err := sounds.Create(t.Context(), name, file); !fault.Is(err, fault.Validation) {
				t.Errorf("%q: %v", name, err)
			}
		}
		if _, err := sounds.Create(t.Context(), "broken", file[:100]); !fault.Is(err, fault.Validation) {
			t.Errorf("a file that is cut off: %v", err)
		}
		if _, err := sounds.Create(t.Context(), "busy", file); !fault.Is(err, fault.Conflict) {
			t.Errorf("a name that is taken: %v", err)
		}
		page, total, err := sounds.List(t.Context(), 1, 0)
		if err != nil || total != 2 || len(page) != 1 || page[0].Name != "busy" {
			t.Errorf("%+v of %d, %v", page, total, err)
		}
		made, content, err := sounds.Content(t.Context(), "waiting")
		if err != nil || int64(len(content)) != made.SizeBytes || !bytes.HasPrefix(content, []byte("OggS")) {
			t.Errorf("%+v, %d bytes, %v", made, len(content), err)
		}
		for name, err := range map[string]error{
			"get":     func() error { _, err := others.Get(t.Context(), "waiting"); return err }(),
			"content": func() error { _, _, err := others.Content(t.Context(), "waiting"); return err }(),
			"delete":  others.Delete(t.Context(), "waiting"),
			"play":    func() error { _, err := NewLibrary(db).Loop(t.Context(), globex, "waiting"); return err }(),
		} {
			if !fault.Is(err, fault.NotFound) {
				t.Errorf("%s by another tenant: %v", name, err)
			}
		}
		if err := sounds.Delete(t.Context(), "busy"); !fault.Is(err, fault.Conflict) || err.Error() != "the sound busy is used by the active agents desk, sales: take it out of them first" {
			t.Error(err)
		}
		if err := sounds.Delete(t.Context(), "waiting"); err != nil {
			t.Error(err)
		}
		if _, err := sounds.Get(t.Context(), "waiting"); !fault.Is(err, fault.NotFound) {
			t.Error(err)
		}
	})
}

// Calls that play a sound at the same time share it, and nothing is kept without calls.
func TestLibraryShares(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		databasetest.Tenant(t, db, acme, "acme")
		if _, err := In(db.Tenant(acme)).Create(t.Context(), "waiting", wav(t, 1000, 8000, 2*time.Second, 1)); err != nil {
			t.Fatal(err)
		}
		l := NewLibrary(db)
		first, err := l.Loop(t.Context(), acme, "waiting")
		if err != nil {
			t.Fatal(err)
		}
		if again, err := l.Loop(t.Context(), acme, "waiting"); again != first || err != nil {
			t.Errorf("another loop, %v", err)
		}
		runtime.KeepAlive(first)
		for deadline := time.Now().Add(10 * time.Second); ; {
			runtime.GC()
			l.mu.Lock()
			left := len(l.loops)
			l.mu.Unlock()
			if left == 0 {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("%d loops are kept", left)
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
}
