package analytics

import (
	"context"
	"fmt"
	"time"

	"parley/internal/database"
)

// series is what latencies are told apart by.
type series struct {
	kind string // stt, llm, tts
	name string // the provider's
}

// kinds lists the kinds of providers in the order of a turn.
var kinds = []string{"stt", "llm", "tts"}

// ended is a call that is over, with what rollups count of it.
type ended struct {
	ID              string    `bun:"id"`
	WorkflowID      *string   `bun:"workflow_id"`
	WorkflowSlug    *string   `bun:"workflow_slug"`
	Status          string    `bun:"status"`
	CallType        string    `bun:"call_type"`
	Livemode        bool      `bun:"livemode"`
	CreatedAt       time.Time `bun:"created_at"`
	StartedAt       time.Time `bun:"started_at,nullzero"`
	DurationSeconds int64     `bun:"duration_seconds"`
	Metrics         struct {
		OtherTokens map[string]int64 `json:"other_tokens"` // those that no turn has, by agent
	} `bun:"metrics,type:jsonb"`

	tokens    int64
	latencies map[series][]float64 // milliseconds; the name is empty when it is not known
}

// moment is the time that a call counts for, in the table listed_at.
func (e *ended) moment() time.Time {
	if e.StartedAt.IsZero() {
		return e.CreatedAt
	}
	return e.StartedAt
}

const endedColumns = "id, workflow_id, workflow_slug, status, call_type, livemode, created_at, started_at, duration_seconds, metrics"

// turn is the part of a turn that counts.
type turn struct {
	CallID       string   `bun:"call_id"`
	STTProvider  *string  `bun:"stt_provider"`
	LLMProvider  *string  `bun:"llm_provider"`
	TTSProvider  *string  `bun:"tts_provider"`
	STTMS        *float64 `bun:"stt_ms"`
	LLMMS        *float64 `bun:"llm_ms"`
	TTSMS        *float64 `bun:"tts_ms"`
	InputTokens  *int64   `bun:"input_tokens"`
	OutputTokens *int64   `bun:"output_tokens"`
}

func (e *ended) add(t turn) {
	for _, tokens := range []*int64{t.InputTokens, t.OutputTokens} {
		if tokens != nil {
			e.tokens += *tokens
		}
	}
	for _, m := range []struct {
		kind     string
		provider *string
		ms       *float64
	}{{"stt", t.STTProvider, t.STTMS}, {"llm", t.LLMProvider, t.LLMMS}, {"tts", t.TTSProvider, t.TTSMS}} {
		if m.ms == nil {
			continue
		}
		of := series{kind: m.kind}
		if m.provider != nil {
			of.name = *m.provider
		}
		if e.latencies == nil {
			e.latencies = map[series][]float64{}
		}
		e.latencies[of] = append(e.latencies[of], *m.ms)
	}
}

// readEnded reads the calls that a condition on the table calls selects.
func readEnded(ctx context.Context, tx database.Tx, condition string, args ...any) ([]*ended, error) {
	var calls []*ended
	if err := tx.NewRaw("SELECT "+endedColumns+" FROM calls WHERE "+condition, args...).Scan(ctx, &calls); err != nil && !database.NoRows(err) {
		return nil, fmt.Errorf("read ended calls: %w", err)
	}
	if len(calls) == 0 {
		return nil, nil
	}
	var turns []turn
	if err := tx.NewRaw(`SELECT call_id, stt_provider, llm_provider, tts_provider, stt_ms, llm_ms, tts_ms, input_tokens, output_tokens
		FROM call_turns WHERE tenant_id = ? AND call_id IN (SELECT id FROM calls WHERE `+condition+`)`,
		append([]any{args[0]}, args...)...).Scan(ctx, &turns); err != nil && !database.NoRows(err) {
		return nil, fmt.Errorf("read turns of ended calls: %w", err)
	}
	byID := make(map[string]*ended, len(calls))
	for _, c := range calls {
		byID[c.ID] = c
		for _, tokens := range c.Metrics.OtherTokens {
			c.tokens += tokens
		}
	}
	for _, t := range turns {
		if c := byID[t.CallID]; c != nil {
			c.add(t)
		}
	}
	return calls, nil
}

// edge reads the calls that are over of stretches of less than a minute.
func (q Query) edge(ctx context.Context, tx database.Tx, edges []Range) (calls []*ended, err error) {
	for _, e := range edges {
		condition := "tenant_id = ? AND listed_at >= ? AND listed_at < ? AND ended_at IS NOT NULL"
		args := []any{q.TenantID, e.From.UTC(), e.To.UTC()}
		if q.Livemode != nil {
			condition += " AND livemode = ?"
			args = append(args, *q.Livemode)
		}
		found, err := readEnded(ctx, tx, condition, args...)
		if err != nil {
			return nil, err
		}
		calls = append(calls, found...)
	}
	return calls, nil
}

// open is a call that is not over.
type open struct {
	WorkflowID   *string   `bun:"workflow_id"`
	WorkflowSlug *string   `bun:"workflow_slug"`
	CreatedAt    time.Time `bun:"created_at"`
	StartedAt    time.Time `bun:"started_at,nullzero"`
}

func (o *open) moment() time.Time {
	if o.StartedAt.IsZero() {
		return o.CreatedAt
	}
	return o.StartedAt
}

// open reads the tenant's calls that are not over and in the range. They are
// few, and have an index of their own: SQLite has to be told, and a condition
// on their moment would lead PostgreSQL to the index of all calls.
func (q Query) open(ctx context.Context, tx database.Tx) ([]open, error) {
	index := ""
	if !tx.Postgres() {
		index = " INDEXED BY calls_tenant_open"
	}
	query := "SELECT workflow_id, workflow_slug, created_at, started_at FROM calls" + index + " WHERE tenant_id = ? AND ended_at IS NULL"
	args := []any{q.TenantID}
	if q.Livemode != nil {
		query += " AND livemode = ?"
		args = append(args, *q.Livemode)
	}
	var all []open
	if err := tx.NewRaw(query, args...).Scan(ctx, &all); err != nil && !database.NoRows(err) {
		return nil, fmt.Errorf("read open calls: %w", err)
	}
	within := all[:0]
	for _, o := range all {
		if q.now || q.holds(o.moment()) {
			within = append(within, o)
		}
	}
	return within, nil
}
