package call

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"parley/internal/audio"
	"parley/internal/cost"
	"parley/internal/database"
	"parley/internal/dialogue"
	"parley/internal/event"
	"parley/internal/inflight"
)

// TranscriptEntry is one entry of a call's transcript.
type TranscriptEntry struct {
	bun.BaseModel `bun:"table:transcript_entries,alias:t"`

	ID        int64           `bun:"id,pk,autoincrement"`
	TenantID  string          `bun:"tenant_id"`
	CallID    string          `bun:"call_id"`
	Role      string          `bun:"role"` // system, assistant, user
	Content   string          `bun:"content"`
	DTMF      bool            `bun:"dtmf"`    // Content is keys that the caller pressed on the phone
	Ignored   bool            `bun:"ignored"` // said over the agent without effect; the model has not seen it
	AgentName *string         `bun:"agent_name"`
	ToolCall  json.RawMessage `bun:"tool_call,type:jsonb,nullzero"` // {name, arguments, duration_ms?, answer?, phase?}
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

// Records are parts of a conversation that a session stores in one transaction.
type Records struct {
	// Number numbers the writes of a call's sessions, from 1, so that a repeated write has no effect. 0 is
	// unnumbered.
	Number  int64
	Entries []TranscriptEntry
	Errors  []ErrorItem
	// Handoffs are the changes of the current agent, in order.
	Handoffs []Handoff
	// Routing are decisions of the workflow or of handoffs, in order.
	Routing []RoutingDecision
	// Languages are the changes of the language that the agent speaks, in order.
	Languages []LanguageChange
	// Answers are decisions on who answered the call, in order.
	Answers []Answer
	// Transfers are steps of transfers to persons, in order.
	Transfers []TransferStep
	// Controls are the outcomes of the tenant's requests.
	Controls []ControlOutcome
	// Incidents affected the connection of the agent or the caller.
	Incidents []Incident
	// Turns are stored and added to the call's metrics.
	Turns []Turn
	// ExtraTokens are added to the call's metrics.
	ExtraTokens []ExtraTokens
	// Usage is added to the call's metrics: what was used outside any turn.
	Usage []cost.Usage
	// Talk is added to the call's metrics; nil for nothing.
	Talk *dialogue.Talk
	// Quality replaces the call's; nil for no change.
	Quality *audio.Quality
	// Snapshot is the state of the conversation besides its transcript, for a worker that takes over the call; nil for no change. It is
	// stored encrypted.
	Snapshot json.RawMessage
}

// ExtraTokens are input and output tokens that an agent's language model used outside any turn: for a greeting, a
// silence prompt, or a discarded preemptive generation.
type ExtraTokens struct {
	Agent  string
	Tokens int64
}

// Handoff is a change of the speaking agent.
type Handoff struct{ Agent, Previous string }

// LanguageChange is a change of the language that the agent speaks, because the caller does. Previous may be "".
type LanguageChange struct{ Language, Previous string }

// addTalk returns a call's sums with those of the records.
func (r Records) addTalk(sum *dialogue.Talk) *dialogue.Talk {
	if sum == nil || r.Talk == nil {
		return cmp.Or(sum, r.Talk)
	}
	both := sum.Add(*r.Talk)
	return &both
}

// Split returns the records one by one, unnumbered.
func (r Records) Split() (parts []Records) {
	for i := range r.Entries {
		parts = append(parts, Records{Entries: r.Entries[i : i+1]})
	}
	for i := range r.Errors {
		parts = append(parts, Records{Errors: r.Errors[i : i+1]})
	}
	for i := range r.Handoffs {
		parts = append(parts, Records{Handoffs: r.Handoffs[i : i+1]})
	}
	for i := range r.Routing {
		parts = append(parts, Records{Routing: r.Routing[i : i+1]})
	}
	for i := range r.Languages {
		parts = append(parts, Records{Languages: r.Languages[i : i+1]})
	}
	for i := range r.Answers {
		parts = append(parts, Records{Answers: r.Answers[i : i+1]})
	}
	for i := range r.Transfers {
		parts = append(parts, Records{Transfers: r.Transfers[i : i+1]})
	}
	for i := range r.Controls {
		parts = append(parts, Records{Controls: r.Controls[i : i+1]})
	}
	for i := range r.Incidents {
		parts = append(parts, Records{Incidents: r.Incidents[i : i+1]})
	}
	for i := range r.Turns {
		parts = append(parts, Records{Turns: r.Turns[i : i+1]})
	}
	for i := range r.ExtraTokens {
		parts = append(parts, Records{ExtraTokens: r.ExtraTokens[i : i+1]})
	}
	for i := range r.Usage {
		parts = append(parts, Records{Usage: r.Usage[i : i+1]})
	}
	if r.Talk != nil {
		parts = append(parts, Records{Talk: r.Talk})
	}
	if r.Quality != nil {
		parts = append(parts, Records{Quality: r.Quality})
	}
	if r.Snapshot != nil {
		parts = append(parts, Records{Snapshot: r.Snapshot})
	}
	return parts
}

// Record writes records and their events in one transaction. Numbered records may be written again when the result
// of a write is unknown.
func (s *Service) Record(ctx context.Context, l Lease, r Records) error {
	return s.withLease(ctx, l, func(ctx context.Context, tx database.Tx, c *Call) error {
		if r.Number != 0 && r.Number <= c.Journalled {
			tx.AfterCommit(func() { s.bus.Publish(event.Calls, c.TenantID) }) // no event notifies live streams otherwise
			return nil
		}
		if err := s.writeRecords(ctx, tx, c, r); err != nil {
			return fmt.Errorf("record conversation: %w", err)
		}
		return nil
	})
}

func (s *Service) writeRecords(ctx context.Context, tx database.Tx, c *Call, r Records) (err error) {
	storedBefore := c.StoredBytes
	r.sanitize()
	if c.Redact {
		r.redact()
	}
	if err := writeEntries(ctx, tx, c, r.Entries); err != nil {
		return err
	}
	if err := writeErrors(ctx, tx, c, r.Errors); err != nil {
		return err
	}
	if r.Incidents, err = s.applyHolds(ctx, tx, c, r.Incidents); err != nil {
		return err
	}
	if err := s.writeIncidents(ctx, tx, c, r.Incidents); err != nil {
		return err
	}
	if err := writeTurns(ctx, tx, c, r.Turns); err != nil {
		return err
	}
	if err := writeRouting(ctx, tx, c, r.Routing); err != nil {
		return err
	}
	for _, t := range r.ExtraTokens {
		c.Metrics.addExtraTokens(t)
	}
	c.Metrics.Usage = cost.Add(c.Metrics.Usage, r.Usage...)
	c.Metrics.Talk = r.addTalk(c.Metrics.Talk)
	if err := s.applyHandoffs(ctx, tx, c, r.Handoffs); err != nil {
		return err
	}
	if err := s.applyLanguages(ctx, tx, c, r.Languages); err != nil {
		return err
	}
	if err := s.applyAnswers(ctx, tx, c, r.Answers); err != nil {
		return err
	}
	if err := s.applyTransfers(ctx, tx, c, r.Transfers); err != nil {
		return err
	}
	if err := writeControls(ctx, tx, c, r.Controls); err != nil {
		return err
	}
	c.StoredBytes += entryBytes(r.Entries) + errorBytes(r.Errors) + routingBytes(r.Routing) + rowBytes*int64(len(r.Turns)+len(r.Incidents)) + c.eventBytes()*int64(len(r.Handoffs)+len(r.Languages)+2*len(r.Answers)+2*len(r.Transfers))
	columns := []string{"metrics", "agent_history", "current_agent", "held", "stored_bytes"}
	if r.Number != 0 {
		c.Journalled = r.Number
		columns = append(columns, "journalled")
	}
	if len(r.Answers) > 0 {
		columns = append(columns, "answered_by")
	}
	if r.Quality != nil {
		c.Quality = r.Quality
		columns = append(columns, "quality")
	}
	if r.Snapshot != nil {
		before := int64(len(c.Snapshot))
		c.Snapshot = s.sealer.Seal(r.Snapshot, snapshotPlace(c.ID, c.TenantID))
		c.StoredBytes = max(0, c.StoredBytes+int64(len(c.Snapshot))-before)
		columns = append(columns, "context")
	}
	s.countStored(tx, c, storedBefore)
	_, err = tx.NewUpdate().Model(c).Column(columns...).WherePK().Exec(ctx)
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

// applyLanguages appends an event for each change of the language.
func (s *Service) applyLanguages(ctx context.Context, tx database.Tx, c *Call, changes []LanguageChange) error {
	for _, change := range changes {
		data := map[string]any{"language": change.Language, "previous_language": change.Previous}
		if err := s.appendEvent(ctx, tx, c, event.CallLanguageChanged, data); err != nil {
			return err
		}
	}
	return nil
}

// AfterScanRow counts an entry that a request reads.
func (e *TranscriptEntry) AfterScanRow(ctx context.Context) error {
	return inflight.Reserve(ctx, len(e.Content)+len(e.ToolCall))
}

// AfterScanRow counts an error that a request reads.
func (e *ErrorItem) AfterScanRow(ctx context.Context) error {
	return inflight.Reserve(ctx, len(e.Message)+len(e.Details))
}

// Transcript returns a call's transcript in the order of writing, because the clocks of successive workers may
// differ.
func (s *Service) Transcript(ctx context.Context, tenantID, id string) ([]TranscriptEntry, error) {
	entries := []TranscriptEntry{}
	err := s.db.Tenant(tenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		if err := exists(ctx, tx, id); err != nil {
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
