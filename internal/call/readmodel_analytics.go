package call

import (
	"context"
	"fmt"
	"time"

	"parley/internal/audio"
	"parley/internal/database"
)

// CountedCall is a call as analytics count it.
type CountedCall struct {
	ID              string    `bun:"id"`
	WorkflowID      *string   `bun:"workflow_id"`
	WorkflowSlug    *string   `bun:"workflow_slug"`
	Status          string    `bun:"status"`
	CallType        string    `bun:"call_type"`
	Livemode        bool      `bun:"livemode"`
	CreatedAt       time.Time `bun:"created_at"`
	StartedAt       time.Time `bun:"started_at,nullzero"` // zero for a call that was never active
	DurationSeconds int64     `bun:"duration_seconds"`
	Metrics         Metrics   `bun:"metrics,type:jsonb"`
	// Quality is the quality of a phone call's audio; nil for other calls, and if it is not known.
	Quality *audio.Quality `bun:"quality,type:jsonb,nullzero"`

	// Turns have their providers, measurements and tokens alone.
	Turns []Turn `bun:"-"`
}

// CountedAt returns the time that the call counts for: of its becoming active, or else of its dispatch.
func (c *CountedCall) CountedAt() time.Time {
	if c.StartedAt.IsZero() {
		return c.CreatedAt
	}
	return c.StartedAt
}

// OtherTokens returns the language model's tokens that no turn has.
func (c *CountedCall) OtherTokens() (n int64) {
	for _, tokens := range c.Metrics.OtherTokens {
		n += tokens
	}
	return n
}

const countedColumns = "id, workflow_id, workflow_slug, status, call_type, livemode, created_at, started_at, duration_seconds, metrics, quality"

// CountedCalls selects calls of a tenant for analytics.
type CountedCalls struct {
	TenantID string
	Livemode *bool // nil for both
}

func (q CountedCalls) where(condition string, args ...any) (string, []any) {
	where, all := "tenant_id = ?", []any{q.TenantID}
	if q.Livemode != nil {
		where, all = where+" AND livemode = ?", append(all, *q.Livemode)
	}
	return where + " AND " + condition, append(all, args...)
}

// ByID returns a call that has ended, none when there is no such call.
func (q CountedCalls) ByID(ctx context.Context, tx database.Tx, id string) ([]*CountedCall, error) {
	return q.read(ctx, tx, "id = ?", id)
}

// EndedBetween returns the ended calls that count for a time from one moment until before another.
func (q CountedCalls) EndedBetween(ctx context.Context, tx database.Tx, from, to time.Time) ([]*CountedCall, error) {
	return q.read(ctx, tx, "listed_at >= ? AND listed_at < ? AND ended_at IS NOT NULL", from.UTC(), to.UTC())
}

func (q CountedCalls) read(ctx context.Context, tx database.Tx, condition string, args ...any) (calls []*CountedCall, err error) {
	condition, args = q.where(condition, args...)
	if err := tx.NewRaw("SELECT "+countedColumns+" FROM calls WHERE "+condition, args...).Scan(ctx, &calls); err != nil && !database.NoRows(err) {
		return nil, fmt.Errorf("read ended calls: %w", err)
	}
	if len(calls) == 0 {
		return nil, nil
	}
	var turns []Turn
	if err := tx.NewRaw(`SELECT call_id, stt_provider, llm_provider, tts_provider, stt_ms, llm_ms, tts_ms, input_tokens, output_tokens
		FROM call_turns WHERE tenant_id = ? AND call_id IN (SELECT id FROM calls WHERE `+condition+`)`,
		append([]any{q.TenantID}, args...)...).Scan(ctx, &turns); err != nil && !database.NoRows(err) {
		return nil, fmt.Errorf("read turns of ended calls: %w", err)
	}
	byID := make(map[string]*CountedCall, len(calls))
	for _, c := range calls {
		byID[c.ID] = c
	}
	for _, t := range turns {
		if c := byID[t.CallID]; c != nil {
			c.Turns = append(c.Turns, t)
		}
	}
	return calls, nil
}

// Open returns the calls that have not ended, without their turns. They are few, and have their own index, which
// SQLite has to be given; a condition on their time would lead PostgreSQL to the index of all calls.
func (q CountedCalls) Open(ctx context.Context, tx database.Tx) (calls []*CountedCall, err error) {
	index := ""
	if !tx.Postgres() {
		index = " INDEXED BY calls_tenant_open"
	}
	condition, args := q.where("ended_at IS NULL")
	if err := tx.NewRaw("SELECT workflow_id, workflow_slug, created_at, started_at FROM calls"+index+" WHERE "+condition, args...).Scan(ctx, &calls); err != nil && !database.NoRows(err) {
		return nil, fmt.Errorf("read open calls: %w", err)
	}
	return calls, nil
}

// DispatchedAt returns the time of a call's dispatch.
func (q CountedCalls) DispatchedAt(ctx context.Context, tx database.Tx, id string) (at time.Time, err error) {
	condition, args := q.where("id = ?", id)
	if err := tx.NewRaw("SELECT created_at FROM calls WHERE "+condition, args...).Scan(ctx, &at); err != nil {
		return at, fmt.Errorf("read dispatch of call: %w", err)
	}
	return at, nil
}
