package call

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/event"
)

// LiveCall is a call as a live stream shows it.
type LiveCall struct {
	ID              string    `bun:"id"`
	WorkflowSlug    *string   `bun:"workflow_slug"`
	UserID          *string   `bun:"user_id"`
	Status          string    `bun:"status"`
	StatusReason    *string   `bun:"status_reason"`
	CallType        string    `bun:"call_type"`
	Held            bool      `bun:"held"`
	CurrentAgent    *string   `bun:"current_agent"`
	CreatedAt       time.Time `bun:"created_at"`
	ArrivedAt       time.Time `bun:"arrived_at,nullzero"` // zero until the caller joined
	StartedAt       time.Time `bun:"started_at,nullzero"` // zero until the call was active
	EndedAt         time.Time `bun:"ended_at,nullzero"`   // zero until the call ended
	DurationSeconds int64     `bun:"duration_seconds"`    // of a call that ended
	Messages        int64     `bun:"messages"`            // transcript entries with text
	Handoffs        int       `bun:"handoffs"`
	Transfers       int       `bun:"transfers"` // steps of transfers to persons
}

const liveColumns = `id, workflow_slug, user_id, status, status_reason, call_type, held, current_agent, created_at, arrived_at, started_at, ended_at, duration_seconds,
	COALESCE(CAST(metrics->>'messages' AS bigint), 0) AS messages, COALESCE(CAST(metrics->>'agent_handoffs' AS bigint), 0) AS handoffs,
	COALESCE(CAST(metrics->>'transfers' AS bigint), 0) AS transfers`

// Ended reports whether the call has ended.
func (c *LiveCall) Ended() bool { return !c.EndedAt.IsZero() }

// ChangedAt returns the time at which the call entered its status.
func (c *LiveCall) ChangedAt() time.Time {
	switch {
	case c.Ended():
		return c.EndedAt
	case !c.StartedAt.IsZero():
		return c.StartedAt
	case c.Status == string(Connecting) && !c.ArrivedAt.IsZero():
		return c.ArrivedAt
	}
	return c.CreatedAt
}

// ActiveSeconds returns how many seconds the call had been active at a time.
func (c *LiveCall) ActiveSeconds(now time.Time) int64 {
	if c.Ended() || c.StartedAt.IsZero() {
		return c.DurationSeconds
	}
	return max(0, int64(now.Sub(c.StartedAt)/time.Second))
}

// LiveCalls selects calls of the transaction's tenant for live streams.
type LiveCalls struct {
	TestOnly bool // calls of test keys alone
}

// read reads the calls that a condition selects. On SQLite, index is the index to use, "" for any: without statistics it
// may choose one that selects most calls.
func (q LiveCalls) read(ctx context.Context, tx database.Tx, index, condition string, args ...any) (calls []*LiveCall, err error) {
	if index != "" && !tx.Postgres() {
		index = " INDEXED BY " + index
	} else {
		index = ""
	}
	where := " WHERE tenant_id = ?"
	if q.TestOnly {
		where += " AND NOT livemode"
	}
	if err := tx.NewRaw("SELECT "+liveColumns+" FROM calls"+index+where+" AND "+condition, append([]any{tx.TenantID()}, args...)...).Scan(ctx, &calls); err != nil {
		return nil, fmt.Errorf("read calls: %w", err)
	}
	return calls, nil
}

// Open returns the calls that have not ended, the newest first.
func (q LiveCalls) Open(ctx context.Context, tx database.Tx) ([]*LiveCall, error) {
	return q.read(ctx, tx, "calls_tenant_open", "ended_at IS NULL ORDER BY created_at DESC, id DESC")
}

// EndedSince returns up to limit calls that ended at a time or later, the latest first.
func (q LiveCalls) EndedSince(ctx context.Context, tx database.Tx, since time.Time, limit int) ([]*LiveCall, error) {
	return q.read(ctx, tx, "calls_ended", "ended_at IS NOT NULL AND ended_at >= ? ORDER BY ended_at DESC LIMIT ?", since, limit)
}

// ByID returns those of the calls that exist, in any order.
func (q LiveCalls) ByID(ctx context.Context, tx database.Tx, ids []string) ([]*LiveCall, error) {
	return q.read(ctx, tx, "", "id IN (?)", bun.List(ids))
}

// SpokenEntries returns the transcript entries with text of calls of the transaction's tenant, from an id on, in the order
// of their ids.
func SpokenEntries(ctx context.Context, tx database.Tx, callIDs []string, from int64) (entries []TranscriptEntry, err error) {
	if err := tx.NewRaw("SELECT id, call_id, role, content, dtmf, ignored, agent_name, created_at FROM transcript_entries WHERE tenant_id = ? AND call_id IN (?) AND id >= ? AND content <> '' ORDER BY id",
		tx.TenantID(), bun.List(callIDs), from).Scan(ctx, &entries); err != nil {
		return nil, fmt.Errorf("read transcripts: %w", err)
	}
	return entries, nil
}

// AgentChange is a handoff as its event holds it.
type AgentChange struct {
	CallID string
	Handoff
	At time.Time
}

// AgentChanges returns the handoffs of calls of the transaction's tenant, in order.
func AgentChanges(ctx context.Context, tx database.Tx, callIDs []string) ([]AgentChange, error) {
	var rows []struct {
		CallID    string
		Data      json.RawMessage
		CreatedAt time.Time
	}
	if err := tx.NewRaw("SELECT call_id, data, created_at FROM events WHERE tenant_id = ? AND call_id IN (?) AND type = ? ORDER BY created_at, id",
		tx.TenantID(), bun.List(callIDs), event.CallAgentChanged).Scan(ctx, &rows); err != nil {
		return nil, fmt.Errorf("read handoffs: %w", err)
	}
	changes := make([]AgentChange, len(rows))
	for i, r := range rows {
		var data struct {
			Agent    string
			Previous string `json:"previous_agent"`
		}
		_ = json.Unmarshal(r.Data, &data) // it is a handoff even without the names
		changes[i] = AgentChange{r.CallID, Handoff{Agent: data.Agent, Previous: data.Previous}, r.CreatedAt}
	}
	return changes, nil
}

// TransferChange is a step of a transfer to a person as its event holds it.
type TransferChange struct {
	CallID string
	TransferStep
	PageID        string    // of the person's page; "" for none
	PageExpiresAt time.Time // of the page's link
	At            time.Time
}

// TransferChanges returns the steps of transfers of calls of the transaction's tenant, in order.
func TransferChanges(ctx context.Context, tx database.Tx, callIDs []string) ([]TransferChange, error) {
	var rows []struct {
		CallID    string
		Type      string
		Data      json.RawMessage
		CreatedAt time.Time
	}
	if err := tx.NewRaw("SELECT call_id, type, data, created_at FROM events WHERE tenant_id = ? AND call_id IN (?) AND type IN (?) ORDER BY created_at, id",
		tx.TenantID(), bun.List(callIDs), bun.List(slices.Collect(maps.Values(transferEvents)))).Scan(ctx, &rows); err != nil {
		return nil, fmt.Errorf("read transfers: %w", err)
	}
	changes := make([]TransferChange, len(rows))
	for i, r := range rows {
		phase, _ := transferPhase(r.Type)
		step, err := readTransfer(phase, r.Data)
		if err != nil {
			return nil, err
		}
		var page struct {
			ID        string    `json:"page_id"`
			ExpiresAt time.Time `json:"page_expires_at"`
		}
		_ = json.Unmarshal(r.Data, &page) // it is a step even without a page
		changes[i] = TransferChange{r.CallID, *step, page.ID, page.ExpiresAt, r.CreatedAt}
	}
	return changes, nil
}
