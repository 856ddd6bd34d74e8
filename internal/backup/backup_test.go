package backup_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/backup"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/recording"
)

const (
	tenantID = "00000000-0000-7000-8000-0000000000a1"
	callID   = "00000000-0000-7000-8000-0000000000c1"
)

// A backup has the rows of all tables and the recordings that they refer to, and no others; a damaged file is refused.
func TestBackup(t *testing.T) {
	db := databasetest.SQLite(t)
	databasetest.Tenant(t, db, tenantID, "acme")
	err := db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO installation (name, value) VALUES ('encryption_check', ?)`, []byte("sealed")); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO calls (id, tenant_id, status, direction, call_type, livemode, room_name, agent_history, metrics, created_at, duration_seconds, join_by, fence, end_asked, recordings)
			VALUES (?, ?, 'completed', 'inbound', 'voip', true, 'room', '[]', '{}', ?, 0, ?, 0, false, 2)`, callID, tenantID, tx.Now(), tx.Now())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, content := range map[string]string{recording.Name(tenantID, callID, 1): "OggS sound", recording.Name(tenantID, tenantID, 1): "of a later call"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var written bytes.Buffer
	m, err := backup.Write(t.Context(), &written, backup.Source{DB: db, RecordingDir: dir, Version: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	if m.Recordings != 1 || m.RecordingsElsewhere != 1 || m.RecordingBytes != 10 || m.Rows < 6 {
		t.Errorf("the manifest is %+v", m)
	}
	file := filepath.Join(t.TempDir(), "backup.zip")
	if err := os.WriteFile(file, written.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	a, err := backup.Open(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if value, err := a.Installation(t.Context(), "encryption_check"); string(value) != "sealed" || err != nil {
		t.Errorf("the encryption check is %q, %v", value, err)
	}
	to := databasetest.SQLite(t)
	if rows, err := to.Import(t.Context(), func(ctx context.Context, l *database.Loader) error { return a.Load(ctx, l) }); rows != m.Rows || err != nil {
		t.Errorf("%d rows were loaded, %v, want %d", rows, err, m.Rows)
	}
	restored := t.TempDir()
	if n, err := a.ExtractRecordings(t.Context(), restored); n != 1 || err != nil {
		t.Errorf("%d recordings were restored, %v", n, err)
	}
	if content, err := os.ReadFile(filepath.Join(restored, filepath.FromSlash(recording.Name(tenantID, callID, 1)))); string(content) != "OggS sound" || err != nil {
		t.Errorf("the recording is %q, %v", content, err)
	}

	for name, content := range map[string][]byte{
		"cut off":        written.Bytes()[:written.Len()-100],
		"another byte":   bytes.Replace(written.Bytes(), []byte("OggS sound"), []byte("OggS sounD"), 1),
		"not a ZIP file": []byte("SQLite format 3"),
	} {
		damaged := filepath.Join(t.TempDir(), "backup.zip")
		if err := os.WriteFile(damaged, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := backup.Open(t.Context(), damaged); err == nil || !strings.Contains(err.Error(), "is no complete backup") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := backup.Open(t.Context(), filepath.Join(dir, "none.zip")); err == nil || !strings.Contains(err.Error(), "there is no file") {
		t.Errorf("a missing file: %v", err)
	}
}
