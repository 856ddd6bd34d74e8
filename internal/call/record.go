package call

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/event"
)

// TranscriptEntry is one entry of a call's transcript.
type TranscriptEntry struct {
	bun.BaseModel `bun:"table:transcript_entries,alias:t"`

	ID        int64           `bun:"id,pk,autoincrement"`
	TenantID  string          `bun:"tenant_id"`
	CallID    string          `bun:"call_id"`
	Role      string          `bun:"role"` // system, assistant, user
	Content   string          `bun:"content"`
	AgentName *string         `bun:"agent_name"`
	ToolCall  json.RawMessage `bun:"tool_call,type:jsonb,nullzero"` // {name, arguments, duration_ms?, answer?}
	CreatedAt time.Time       `bun:"created_at"`
}

// ErrorItem is an entry of the error log that tenants read.
type ErrorItem struct {
	bun.BaseModel `bun:"table:call_errors,alias:e"`

	ID        string          `bun:"id,pk"`
	TenantID  string          `bun:"tenant_id"`
	CallID    string          `bun:"call_id"`
	Service   string          `bun:"service"` // stt, llm, tts, workflow, tool, webhook
	Level     string          `bun:"level"`   // error: affected the call; warning: did not
	Message   string          `bun:"message"`
	Details   json.RawMessage `bun:"details,type:jsonb"`
	Agent     *string         `bun:"agent"`
	Livemode  bool            `bun:"livemode"` // the call's
	CreatedAt time.Time       `bun:"created_at"`
}

// The levels of the error log.
const (
	LevelError   = "error"
	LevelWarning = "warning"
)

// Records are what a session stores of a part of its conversation.
type Records struct {
	// Number numbers the writes of a call's sessions, from 1, so that a repeated write has no effect. 0 is
	// unnumbered.
	Number  int64
	Entries []TranscriptEntry
	Errors  []ErrorItem
	// Handoffs are the agents that started to speak, in order.
	Handoffs []Handoff
	// Incidents affected the connection of the agent or the caller.
	Incidents []Incident
	// Turns are stored and added to the call's metrics.
	Turns []Turn
	// ExtraTokens are added to the call's metrics.
	ExtraTokens []ExtraTokens
	// Context is the conversation's context, for a session that takes the call over; nil for no change. It is
	// stored encrypted.
	Context json.RawMessage
}

// ExtraTokens are input and output tokens that an agent's language model used outside any turn: for a greeting, a
// silence prompt, or a discarded preemptive generation.
type ExtraTokens struct {
	Agent  string
	Tokens int64
}

// Handoff is a change of the speaking agent.
type Handoff struct{ Agent, Previous string }

// Split returns the records one by one, unnumbered.
func (n Records) Split() (parts []Records) {
	for i := range n.Entries {
		parts = append(parts, Records{Entries: n.Entries[i : i+1]})
	}
	for i := range n.Errors {
		parts = append(parts, Records{Errors: n.Errors[i : i+1]})
	}
	for i := range n.Handoffs {
		parts = append(parts, Records{Handoffs: n.Handoffs[i : i+1]})
	}
	for i := range n.Incidents {
		parts = append(parts, Records{Incidents: n.Incidents[i : i+1]})
	}
	for i := range n.Turns {
		parts = append(parts, Records{Turns: n.Turns[i : i+1]})
	}
	for i := range n.ExtraTokens {
		parts = append(parts, Records{ExtraTokens: n.ExtraTokens[i : i+1]})
	}
	if n.Context != nil {
		parts = append(parts, Records{Context: n.Context})
	}
	return parts
}

// Record writes records and their events in one transaction. Numbered records may be written again when the result
// of a write is unknown.
func (s *Service) Record(ctx context.Context, l Lease, n Records) error {
	return s.withLease(ctx, l, func(ctx context.Context, tx database.Tx, c *Call) error {
		if n.Number != 0 && n.Number <= c.Journalled {
			tx.AfterCommit(func() { s.bus.Publish(event.Calls, c.TenantID) }) // no event notifies live streams otherwise
			return nil
		}
		if err := s.write(ctx, tx, c, n); err != nil {
			return fmt.Errorf("record conversation: %w", err)
		}
		return nil
	})
}

func (s *Service) write(ctx context.Context, tx database.Tx, c *Call, n Records) error {
	n.sanitize()
	if c.Redact {
		n.redact()
	}
	if err := writeEntries(ctx, tx, c, n.Entries); err != nil {
		return err
	}
	if err := writeErrors(ctx, tx, c, n.Errors); err != nil {
		return err
	}
	if err := s.writeIncidents(ctx, tx, c, n.Incidents); err != nil {
		return err
	}
	if err := writeTurns(ctx, tx, c, n.Turns); err != nil {
		return err
	}
	for _, t := range n.ExtraTokens {
		c.Metrics.addExtraTokens(t)
	}
	if err := s.applyHandoffs(ctx, tx, c, n.Handoffs); err != nil {
		return err
	}
	columns := []string{"metrics", "agent_history", "current_agent"}
	if n.Number != 0 {
		c.Journalled = n.Number
		columns = append(columns, "journalled")
	}
	if n.Context != nil {
		c.Context = s.sealer.Seal(n.Context, contextPlace(c.ID, c.TenantID))
		columns = append(columns, "context")
	}
	_, err := tx.NewUpdate().Model(c).Column(columns...).WherePK().Exec(ctx)
	if err != nil {
		return err
	}
	tx.AfterCommit(func() { s.bus.Publish(event.Calls, c.TenantID) })
	return nil
}

func writeEntries(ctx context.Context, tx database.Tx, c *Call, entries []TranscriptEntry) error {
	if len(entries) == 0 {
		return nil
	}
	for i := range entries {
		e := &entries[i]
		e.ID, e.TenantID, e.CallID = 0, c.TenantID, c.ID // id 0: a retry inserts a new row
		if e.Content != "" {                             // a tool call is not a message
			c.Metrics.Messages++
		}
	}
	_, err := tx.NewInsert().Model(&entries).Exec(ctx)
	return err
}

// writeErrors adds entries to the error log and its counts.
func writeErrors(ctx context.Context, tx database.Tx, c *Call, items []ErrorItem) error {
	if len(items) == 0 {
		return nil
	}
	for i := range items {
		e := &items[i]
		e.ID, e.TenantID, e.CallID, e.Livemode = uuid.Must(uuid.NewV7()).String(), c.TenantID, c.ID, c.Livemode
		if e.Details == nil {
			e.Details = json.RawMessage("{}")
		}
	}
	if _, err := tx.NewInsert().Model(&items).Exec(ctx); err != nil {
		return err
	}
	return countErrors(ctx, tx, items)
}

func writeTurns(ctx context.Context, tx database.Tx, c *Call, turns []Turn) error {
	if len(turns) == 0 {
		return nil
	}
	for i := range turns {
		t := &turns[i]
		t.ID, t.TenantID, t.CallID = 0, c.TenantID, c.ID
		c.Metrics.addTurn(*t)
	}
	_, err := tx.NewInsert().Model(&turns).Exec(ctx)
	return err
}

// applyHandoffs updates the call's agents and appends an event for each handoff except the first agent, which is no
// change.
func (s *Service) applyHandoffs(ctx context.Context, tx database.Tx, c *Call, handoffs []Handoff) error {
	for _, h := range handoffs {
		c.AgentHistory = append(c.AgentHistory, h.Agent)
		c.CurrentAgent = &h.Agent
		if h.Previous == "" {
			continue
		}
		c.Metrics.AgentHandoffs++
		if err := s.appendEvent(ctx, tx, c, event.CallAgentChanged, map[string]any{"agent": h.Agent, "previous_agent": h.Previous}); err != nil {
			return err
		}
	}
	return nil
}

// Transcript returns a call's transcript in the order of writing, because the clocks of successive workers may
// differ.
func (s *Service) Transcript(ctx context.Context, tenantID, id string) ([]TranscriptEntry, error) {
	entries := []TranscriptEntry{}
	err := s.db.Tenant(tenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		if _, err := get(ctx, tx, id); err != nil {
			return err
		}
		return tx.NewSelect().Model(&entries).Where("tenant_id = ? AND call_id = ?", tenantID, id).OrderExpr("id").Scan(ctx)
	})
	return entries, err
}

// AgentCount returns how many different agents spoke in the call.
func (c *Call) AgentCount() int {
	names := slices.Clone(c.AgentHistory)
	slices.Sort(names)
	return len(slices.Compact(names))
}
