package retention_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/audit"
	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/fault"
	"parley/internal/recording"
	"parley/internal/retention"
	"parley/internal/tenant"
)

// A deleted tenant leaves no row in any table, and no recording. Another tenant keeps all.
func TestDeleteTenant(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		h := newFixture(t, db)
		ctx := t.Context()
		ended, others := h.ended(acme, "Ada", day), h.ended(other, "Bea", day)
		for _, id := range []string{acme, other} {
			h.must(audit.Write(ctx, db, audit.Entry{TenantID: id, ActorType: audit.Operator, Action: "agent.update", ResourceType: "agent"}))
		}
		purger := retention.New(db, h.shelf, slog.New(slog.DiscardHandler))
		name := h.nameOf(acme)

		running, _, err := h.calls.Dispatch(ctx, call.Request{TenantID: acme, AgentName: "desk", CallType: call.VoIP})
		h.must(err)
		if _, err := purger.DeleteTenant(ctx, name); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "1 of its calls have not ended") {
			t.Fatalf("with an open call: %v", err)
		}
		h.exec("UPDATE calls SET ended_at = ? WHERE id = ?", time.Now().UTC(), running.ID)
		if d, err := tenant.Delete(ctx, db, name, false); err != nil || d.Rows != 0 || len(d.Recordings) != 1 {
			t.Fatalf("not confirmed: %+v, %v", d, err)
		}
		h.has(ended, "Ada", all)

		deleted, err := purger.DeleteTenant(ctx, name)
		if err != nil || deleted.ID != acme || deleted.Rows < 10 {
			t.Fatalf("deleted %+v, %v", deleted, err)
		}
		if diff := cmp.Diff([]string(nil), h.rowsOf(acme)); diff != "" {
			t.Errorf("tables with rows of it (-want +got):\n%s", diff)
		}
		h.has(ended, "Ada", nil)
		h.has(others, "Bea", all)
		entries, total, err := audit.List(ctx, db, other, audit.Query{Limit: 10})
		if err != nil || total != 1 {
			t.Errorf("the other's audit log: %v, %v", entries, err)
		}
		err = db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
			_, err := tx.ExecContext(ctx, "DELETE FROM audit_log")
			return err
		})
		if err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("the other's audit log can be deleted: %v", err)
		}
		if _, err := purger.DeleteTenant(ctx, name); !fault.Is(err, fault.NotFound) {
			t.Errorf("a second time: %v", err)
		}
	})
}

// Recordings that a deleted tenant has in the folder of another machine are deleted there.
func TestSweepAfterDeletedTenant(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		h := newFixture(t, db)
		ended := h.ended(acme, "Ada", day)
		_, err := retention.New(db, recording.NewStore(t.TempDir(), nil, slog.New(slog.DiscardHandler)), slog.New(slog.DiscardHandler)).DeleteTenant(t.Context(), h.nameOf(acme))
		h.must(err)
		h.has(ended, "Ada", []string{"recording"})
		h.must(h.purge())
		h.has(ended, "Ada", nil)
	})
}

func (h *fixture) nameOf(tenantID string) string {
	h.Helper()
	t, err := tenant.Get(h.Context(), h.db, tenantID)
	h.must(err)
	return t.Name
}

// rowsOf returns the tables that have rows of a tenant.
func (h *fixture) rowsOf(tenantID string) (tables []string) {
	h.Helper()
	h.must(h.db.Export(h.Context(), &tenantRows{tenantID: tenantID, found: &tables}))
	return tables
}

// tenantRows notes the tables with rows that contain a tenant's id.
type tenantRows struct {
	tenantID string
	table    string
	found    *[]string
}

func (w *tenantRows) Table(_ context.Context, t database.TableData) error {
	w.table = t.Name
	return nil
}

func (w *tenantRows) Row(_ context.Context, row []byte) error {
	if strings.Contains(string(row), w.tenantID) {
		*w.found = append(*w.found, w.table)
	}
	return nil
}
