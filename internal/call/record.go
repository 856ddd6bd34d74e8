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
	ToolCall  json.RawMessage `bun:"tool_call,type:jsonb,nullzero"` // {name, arguments, duration_ms?}
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

// Notes is what a session has to keep of a stretch of its conversation.
type Notes struct {
	// Number counts what a call's sessions write, from 1: what has been written
	// under a number is not written again. 0 is not counted.
	Number  int64
	Entries []TranscriptEntry
	Errors  []ErrorItem
	// Handoffs are the agents that took over, in order.
	Handoffs []Handoff
	// Incidents befell the connections of agent or caller.
	Incidents []Incident
	// Turns are kept and add to the call's metrics.
	Turns []Turn
	// Spent adds to the call's metrics, too.
	Spent []Spent
	// Context is what the conversation has come to know, for a session that
	// takes the call over; nil for no change. It is stored sealed.
	Context json.RawMessage
}

// Spent is tokens that a language model read and wrote for an agent in no turn
// of the caller: a greeting, a silence prompt, an answer that was prepared and
// thrown away.
type Spent struct {
	Agent  string
	Tokens int64
}

// Handoff is a change of the agent that speaks.
type Handoff struct{ Agent, Previous string }

// Apart are the notes one by one, all without a number.
func (n Notes) Apart() (parts []Notes) {
	for i := range n.Entries {
		parts = append(parts, Notes{Entries: n.Entries[i : i+1]})
	}
	for i := range n.Errors {
		parts = append(parts, Notes{Errors: n.Errors[i : i+1]})
	}
	for i := range n.Handoffs {
		parts = append(parts, Notes{Handoffs: n.Handoffs[i : i+1]})
	}
	for i := range n.Incidents {
		parts = append(parts, Notes{Incidents: n.Incidents[i : i+1]})
	}
	for i := range n.Turns {
		parts = append(parts, Notes{Turns: n.Turns[i : i+1]})
	}
	for i := range n.Spent {
		parts = append(parts, Notes{Spent: n.Spent[i : i+1]})
	}
	if n.Context != nil {
		parts = append(parts, Notes{Context: n.Context})
	}
	return parts
}

// Record keeps notes, in one transaction with the events they fire. It may be
// repeated when it is not known whether the database took them, if they have a
// number.
func (s *Service) Record(ctx context.Context, l Lease, n Notes) error {
	return s.hold(ctx, l, func(ctx context.Context, tx database.Tx, c *Call) error {
		if n.Number != 0 && n.Number <= c.Journalled {
			tx.AfterCommit(func() { s.bus.Publish(event.Calls, c.TenantID) }) // nobody heard of it
			return nil
		}
		if err := s.write(ctx, tx, c, n); err != nil {
			return fmt.Errorf("record conversation: %w", err)
		}
		return nil
	})
}

func (s *Service) write(ctx context.Context, tx database.Tx, c *Call, n Notes) error {
	n.clean()
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
	for _, t := range n.Spent {
		c.Metrics.spend(t)
	}
	if err := s.takeHandoffs(ctx, tx, c, n.Handoffs); err != nil {
		return err
	}
	columns := []string{"metrics", "agent_history", "current_agent"}
	if n.Number != 0 {
		c.Journalled = n.Number
		columns = append(columns, "journalled")
	}
	if n.Context != nil {
		c.Context = s.sealer.Seal(n.Context, keptPlace(c.ID, c.TenantID))
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
		e.ID, e.TenantID, e.CallID = 0, c.TenantID, c.ID // id 0: a retry inserts anew
		if e.Content != "" {                             // the call of a function is no message
			c.Metrics.Messages++
		}
	}
	_, err := tx.NewInsert().Model(&entries).Exec(ctx)
	return err
}

// writeErrors adds entries to the error log, and to the sums of it.
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
		c.Metrics.count(*t)
	}
	_, err := tx.NewInsert().Model(&turns).Exec(ctx)
	return err
}

// takeHandoffs brings the call up to date with the agents that took over, and
// tells of each but the first, which is no change.
func (s *Service) takeHandoffs(ctx context.Context, tx database.Tx, c *Call, handoffs []Handoff) error {
	for _, h := range handoffs {
		c.AgentHistory = append(c.AgentHistory, h.Agent)
		c.CurrentAgent = &h.Agent
		if h.Previous == "" {
			continue
		}
		c.Metrics.AgentHandoffs++
		if err := s.announce(ctx, tx, c, event.CallAgentChanged, map[string]any{"agent": h.Agent, "previous_agent": h.Previous}); err != nil {
			return err
		}
	}
	return nil
}

// Transcript returns what was said in a call, in the order in which it was
// written: the clocks of the workers that had the call may differ.
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

// AgentCount is how many different agents spoke in the call.
func (c *Call) AgentCount() int {
	names := slices.Clone(c.AgentHistory)
	slices.Sort(names)
	return len(slices.Compact(names))
}
