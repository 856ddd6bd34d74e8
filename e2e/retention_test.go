package e2e

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/client"
	"parley/internal/database"
)

// What was said in a call is gone after its tenant's retention, for those who ask the API; the call is still there.
func TestRetention(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	s := serve(t, dir, nil)
	started, err := s.API.Calls.TestAgent(t.Context(), client.TestAgent{AgentName: "demo", UserContext: map[string]any{"name": "Ada"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.API.Calls.End(t.Context(), started.CallID); err != nil {
		t.Fatal(err)
	}
	key, id := s.Key, started.CallID
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}

	db, err := database.Open(t.Context(), "", filepath.Join(dir, "parley.db"))
	if err != nil {
		t.Fatal(err)
	}
	var tenant string
	err = db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE calls SET ended_at = ?, recordings = 1, metadata = '{"name":"Ada"}' WHERE id = ?`, tx.Now().Add(-10*24*time.Hour), id); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO transcript_entries (tenant_id, call_id, role, content, created_at) SELECT tenant_id, id, 'user', 'I am Ada', ? FROM calls WHERE id = ?`, tx.Now(), id); err != nil {
			return err
		}
		return tx.NewRaw("SELECT name FROM tenants").Scan(ctx, &tenant)
	})
	db.Close()
	if err != nil {
		t.Fatal(err)
	}
	p, err := launch(map[string]string{"PARLEY_DATA_DIR": dir}, "tenant", "set", tenant, "--retention-days", "7")
	if err != nil {
		t.Fatal(err)
	}
	if code, err := p.Wait(t.Context()); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v: %s", code, err, p.Log.String())
	}

	s = serve(t, dir, nil)
	var gone string
	for deadline := time.Now().Add(30 * time.Second); !strings.Contains(gone, "retention"); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("half a minute after the start the recording's answer is %s", gone)
		}
		body, _ := fetch(t, s.URL+"/api/v1/calls/"+id+"/recording", key, "", http.StatusNotFound)
		gone = string(body)
	}
	if entries, err := s.API.Calls.Transcript(t.Context(), id); err != nil || len(entries) != 0 {
		t.Errorf("its transcript: %+v, %v", entries, err)
	}
	c, err := s.API.Calls.Get(t.Context(), id)
	if err != nil || c.ID != id || string(c.Metadata) != "null" {
		t.Errorf("the call is %+v, %v", c, err)
	}
}
