package analytics

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"parley/internal/audio"
	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/event"
)

// notes is an observer that records its calls.
type notes []string

func (n *notes) add(tenantID, what string) {
	if tenantID != acme {
		what += " of another tenant: " + tenantID
	}
	*n = append(*n, what)
}

func (n *notes) CallStatusChanged(tenantID, workflow, status, callType string) {
	n.add(tenantID, fmt.Sprintf("%s %s %s", workflow, status, callType))
}

func (n *notes) CallEnded(tenantID, workflow, status, callType string, duration time.Duration) {
	n.add(tenantID, fmt.Sprintf("%s %s %s lasted %s", workflow, status, callType, duration))
}

func (n *notes) PhoneCallAnswered(tenantID string, setup time.Duration) {
	n.add(tenantID, fmt.Sprintf("answered within a minute: %t", setup > 0 && setup < time.Minute))
}

func (n *notes) PhoneCallFailed(tenantID, reason string) {
	n.add(tenantID, "phone call failed: "+reason)
}

func (n *notes) ProviderResponded(tenantID, kind, name string, latency time.Duration) {
	n.add(tenantID, fmt.Sprintf("%s %s took %s", kind, name, latency))
}

func (n *notes) PhoneQuality(tenantID string, q audio.Quality) {
	n.add(tenantID, fmt.Sprintf("%d packets", q.Received.Packets))
}

var errRefused = errors.New("refused after all")

// TestObserverHearsOfCommits has every event of a call committed once and
// rolled back once.
func TestObserverHearsOfCommits(t *testing.T) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		databasetest.Tenant(t, db, acme, "acme")
		now := time.Now().UTC().Truncate(time.Microsecond)
		provider, ms := "openai", 250.0
		p := &past{id: uuid.NewString(), tenant: acme, workflow: 1, status: "completed", livemode: true, created: now.Add(-5 * time.Second), started: now, duration: 7,
			turns: []call.Turn{{LLMProvider: &provider, LLMMS: &ms, STTMS: &ms}}}
		if err := db.Tenant(acme).Write(t.Context(), p.write); err != nil {
			t.Fatal(err)
		}
		if err := db.Tenant(acme).Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
			_, err := tx.ExecContext(ctx, "UPDATE calls SET quality = ? WHERE id = ?", `{"received": {"packets": 250}}`, p.id)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		heard := &notes{}
		rollups := NewRollups(heard)
		happen := func(kind, status string, then error) {
			t.Helper()
			data, err := json.Marshal(map[string]any{"workflow_slug": workflowSlug(1), "status": status, "status_reason": "busy", "call_type": "sip"})
			if err != nil {
				t.Fatal(err)
			}
			err = db.Tenant(acme).Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
				return errors.Join(rollups.HandleEvent(ctx, tx, event.Event{TenantID: acme, CallID: p.id, Type: kind, Data: data}), then)
			})
			if !errors.Is(err, then) {
				t.Fatalf("%s: %v", kind, err)
			}
		}
		for _, then := range []error{errRefused, nil} {
			happen(event.CallStarted, "pending", then)
			happen(event.CallConnected, "active", then)
			happen(event.CallAgentChanged, "active", then)
			happen(event.CallCompleted, "completed", then)
			if then != nil && len(*heard) > 0 {
				t.Fatalf("heard of what was rolled back: %q", *heard)
			}
		}
		want := []string{"flow-01 pending sip", "flow-01 active sip", "answered within a minute: true",
			"flow-01 completed voip", "flow-01 completed voip lasted 7s", "250 packets", "llm openai took 250ms"}
		if diff := gocmp.Diff(want, slices.Clone([]string(*heard))); diff != "" {
			t.Error(diff)
		}
		got, err := New(db).Summary(t.Context(), Query{TenantID: acme})
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(bruteSummary([]*past{p}), got, close); diff != "" {
			t.Error(diff)
		}
		*heard = nil
		happen(event.CallFailed, "failed", errRefused)
		if len(*heard) > 0 {
			t.Errorf("heard of what was rolled back: %q", *heard)
		}
		happen(event.CallFailed, "failed", nil)
		if !slices.Contains(*heard, "phone call failed: busy") {
			t.Errorf("of a phone call that failed, heard %q", *heard)
		}
	})
}

// TestTenantsAreWalledOff looks for other tenants' rows without a condition:
// on PostgreSQL row-level security hides them, SQLite has no such wall.
func TestTenantsAreWalledOff(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		databasetest.Tenant(t, db, acme, "acme")
		databasetest.Tenant(t, db, other, "other")
		now := time.Now().UTC().Truncate(time.Microsecond)
		provider, ms := "openai", 250.0
		record(t, db, &past{id: uuid.NewString(), tenant: acme, workflow: 1, status: "failed", created: now, turns: []call.Turn{{LLMProvider: &provider, LLMMS: &ms}}})
		rows := func(scope database.Scope) (n [3]int) {
			t.Helper()
			if err := scope.Read(t.Context(), func(ctx context.Context, tx database.Tx) error {
				for i, table := range []string{"call_rollups", "workflow_rollups", "latency_rollups"} {
					if err := tx.NewRaw("SELECT COUNT(*) FROM "+table).Scan(ctx, &n[i]); err != nil {
						return err
					}
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			return n
		}
		all, hidden := [3]int{3, 3, 3}, [3]int{}
		if !db.Postgres() {
			hidden = all
		}
		if got := rows(db.Tenant(acme)); got != all {
			t.Errorf("the tenant sees %v rows, want %v", got, all)
		}
		if got := rows(db.System()); got != all {
			t.Errorf("the platform sees %v rows, want %v", got, all)
		}
		if got := rows(db.Tenant(other)); got != hidden {
			t.Errorf("another tenant sees %v rows, want %v", got, hidden)
		}
	})
}
