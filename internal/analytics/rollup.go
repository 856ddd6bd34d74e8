package analytics

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/event"
)

// Observer receives calls once what happened to them is committed.
type Observer interface {
	// CallReached: a call came to a status. workflow is the slug, "" for a
	// call of one agent.
	CallReached(tenantID, workflow, status, callType string)
	// CallLasted: an answered call ended.
	CallLasted(tenantID, workflow, status, callType string, duration time.Duration)
	// PhoneAnswered: a phone call was answered, so long after its dispatch.
	PhoneAnswered(tenantID string, setup time.Duration)
	// PhoneFailed: a phone call came to nothing, for a reason.
	PhoneFailed(tenantID, reason string)
	// ProviderTook: a provider answered in a turn. kind is stt, llm or tts.
	ProviderTook(tenantID, kind, name string, latency time.Duration)
}

// Rollups keeps the sums. It implements event.Subscriber.
type Rollups struct{ observer Observer }

// NewRollups returns the rollups; the observer may be nil.
func NewRollups(observer Observer) *Rollups { return &Rollups{observer} }

// HandleEvent adds a call to the sums when the event tells of its end. It comes last
// among the subscribers of a log, for the rows that it locks are shared by all
// calls of a tenant.
func (r *Rollups) HandleEvent(ctx context.Context, tx database.Tx, e event.Event) error {
	switch {
	case e.Type == event.CallStarted, e.Type == event.CallConnected:
		return r.reached(ctx, tx, e)
	case !event.Terminal(e.Type):
		return nil
	}
	calls, err := call.CountedCalls{TenantID: e.TenantID}.ByID(ctx, tx, e.CallID)
	if err != nil {
		return err
	}
	for _, counted := range calls {
		c := newEnded(counted)
		if err := keep(ctx, tx, e.TenantID, c); err != nil {
			return fmt.Errorf("add call to rollups: %w", err)
		}
		if r.observer != nil {
			tx.AfterCommit(func() { r.over(e.TenantID, c) })
		}
	}
	return r.failed(tx, e)
}

// failed tells the observer of a phone call that came to nothing.
func (r *Rollups) failed(tx database.Tx, e event.Event) error {
	if r.observer == nil || e.Type != event.CallFailed {
		return nil
	}
	var data struct {
		CallType string `json:"call_type"`
		Reason   string `json:"status_reason"`
	}
	if err := json.Unmarshal(e.Data, &data); err != nil {
		return fmt.Errorf("read event %s: %w", e.Type, err)
	}
	if data.CallType == "sip" {
		tx.AfterCommit(func() { r.observer.PhoneFailed(e.TenantID, data.Reason) })
	}
	return nil
}

// reached tells the observer of a call that began or was answered.
func (r *Rollups) reached(ctx context.Context, tx database.Tx, e event.Event) error {
	if r.observer == nil {
		return nil
	}
	var data struct {
		Workflow string `json:"workflow_slug"`
		Status   string `json:"status"`
		CallType string `json:"call_type"`
	}
	if err := json.Unmarshal(e.Data, &data); err != nil {
		return fmt.Errorf("read event %s: %w", e.Type, err)
	}
	tx.AfterCommit(func() { r.observer.CallReached(e.TenantID, data.Workflow, data.Status, data.CallType) })
	if e.Type != event.CallConnected || data.CallType != "sip" {
		return nil
	}
	dispatched, err := call.CountedCalls{TenantID: e.TenantID}.DispatchedAt(ctx, tx, e.CallID)
	if err != nil {
		return err
	}
	tx.AfterCommit(func() { r.observer.PhoneAnswered(e.TenantID, tx.Now().Sub(dispatched)) })
	return nil
}

// over tells the observer of an ended call.
func (r *Rollups) over(tenantID string, c *ended) {
	var workflow string
	if c.WorkflowSlug != nil {
		workflow = *c.WorkflowSlug
	}
	r.observer.CallReached(tenantID, workflow, c.Status, c.CallType)
	if !c.StartedAt.IsZero() {
		r.observer.CallLasted(tenantID, workflow, c.Status, c.CallType, time.Duration(c.DurationSeconds)*time.Second)
	}
	for of, measurements := range c.latencies {
		for _, ms := range measurements {
			if of.name != "" {
				r.observer.ProviderTook(tenantID, of.kind, of.name, time.Duration(ms*float64(time.Millisecond)))
			}
		}
	}
}

// counts are the sums that rollups of all calls and of workflows share.
type counts struct {
	Completed       int64 `bun:"completed"`
	Failed          int64 `bun:"failed"`
	Disconnected    int64 `bun:"disconnected"`
	TimedOut        int64 `bun:"timed_out"`
	Answered        int64 `bun:"answered"` // became active
	DurationSeconds int64 `bun:"duration_seconds"`
}

var countColumns = []string{"completed", "failed", "disconnected", "timed_out", "answered", "duration_seconds"}

// ended is how many calls are counted.
func (c *counts) ended() int64 { return c.Completed + c.Failed + c.Disconnected + c.TimedOut }

// count adds an ended call.
func (c *counts) count(e *ended) {
	switch e.Status {
	case "completed":
		c.Completed++
	case "failed":
		c.Failed++
	case "disconnected":
		c.Disconnected++
	case "timeout":
		c.TimedOut++
	}
	if !e.StartedAt.IsZero() {
		c.Answered++
	}
	c.DurationSeconds += e.DurationSeconds
}

// work is the sums that only rollups of all calls have.
type work struct {
	Tokens   int64   `bun:"tokens"`
	STTCount int64   `bun:"stt_count"`
	STTMS    float64 `bun:"stt_ms"`
	LLMCount int64   `bun:"llm_count"`
	LLMMS    float64 `bun:"llm_ms"`
	TTSCount int64   `bun:"tts_count"`
	TTSMS    float64 `bun:"tts_ms"`
}

var workColumns = []string{"tokens", "stt_count", "stt_ms", "llm_count", "llm_ms", "tts_count", "tts_ms"}

// count adds an ended call.
func (w *work) count(e *ended) {
	w.Tokens += e.tokens
	for of, measurements := range e.latencies {
		n, sum := map[string]*int64{"stt": &w.STTCount, "llm": &w.LLMCount, "tts": &w.TTSCount}[of.kind],
			map[string]*float64{"stt": &w.STTMS, "llm": &w.LLMMS, "tts": &w.TTSMS}[of.kind]
		*n += int64(len(measurements))
		*sum += total(measurements)
	}
}

func total(measurements []float64) (sum float64) {
	for _, ms := range measurements {
		sum += ms
	}
	return sum
}

// bucket is the part of a key that all rollups have.
type bucket struct {
	TenantID string `bun:"tenant_id"`
	Span     int64  `bun:"span"`
	Bucket   int64  `bun:"bucket"`
	Livemode bool   `bun:"livemode"`
}

type callRow struct {
	bun.BaseModel `bun:"table:call_rollups,alias:r"`
	bucket
	counts
	work
}

type workflowRow struct {
	bun.BaseModel `bun:"table:workflow_rollups,alias:r"`
	bucket
	WorkflowID   string `bun:"workflow_id"`
	WorkflowSlug string `bun:"workflow_slug"`
	counts
}

type latencyRow struct {
	bun.BaseModel `bun:"table:latency_rollups,alias:r"`
	bucket
	ProviderType string  `bun:"provider_type"`
	ProviderName string  `bun:"provider_name"`
	Calls        int64   `bun:"calls"`
	Measurements int64   `bun:"measurements"`
	SumMS        float64 `bun:"sum_ms"`
	Sketch       []byte  `bun:"sketch"`
}

// rows are what one call adds to each rollup, in the order in which every
// transaction locks them.
func rows(tenantID string, c *ended) (calls []callRow, workflows []workflowRow, latencies []latencyRow, err error) {
	var n counts
	n.count(c)
	var w work
	w.count(c)
	used := slices.SortedFunc(maps.Keys(c.latencies), func(a, b series) int {
		return strings.Compare(a.kind+"/"+a.name, b.kind+"/"+b.name)
	})
	for _, span := range slices.Backward(spans) {
		b := bucket{tenantID, span, floor(c.CountedAt().Unix(), span), c.Livemode}
		calls = append(calls, callRow{bucket: b, counts: n, work: w})
		if c.WorkflowID != nil && c.WorkflowSlug != nil {
			workflows = append(workflows, workflowRow{bucket: b, WorkflowID: *c.WorkflowID, WorkflowSlug: *c.WorkflowSlug, counts: n})
		}
		for _, of := range used {
			if of.name == "" {
				continue
			}
			measured := c.latencies[of]
			s, err := sketchOf(measured)
			if err != nil {
				return nil, nil, nil, err
			}
			latencies = append(latencies, latencyRow{bucket: b, ProviderType: of.kind, ProviderName: of.name,
				Calls: 1, Measurements: int64(len(measured)), SumMS: total(measured), Sketch: s.encode()})
		}
	}
	return calls, workflows, latencies, nil
}

// keep adds a call to the rollups of its minute, hour and day.
func keep(ctx context.Context, tx database.Tx, tenantID string, c *ended) error {
	calls, workflows, latencies, err := rows(tenantID, c)
	if err != nil {
		return err
	}
	if err := add(ctx, tx.NewInsert().Model(&calls), "", slices.Concat(countColumns, workColumns)); err != nil {
		return err
	}
	if len(workflows) > 0 {
		if err := add(ctx, tx.NewInsert().Model(&workflows), ", workflow_id", countColumns); err != nil {
			return err
		}
	}
	if len(latencies) == 0 {
		return nil
	}
	return addLatencies(ctx, tx, latencies)
}

// add inserts rows, or adds their columns to the rows of the same keys.
func add(ctx context.Context, insert *bun.InsertQuery, moreKey string, columns []string) error {
	insert = insert.On("CONFLICT (tenant_id, span, bucket" + moreKey + ", livemode) DO UPDATE")
	for _, column := range columns {
		insert = insert.Set("? = r.? + EXCLUDED.?", bun.Ident(column), bun.Ident(column), bun.Ident(column))
	}
	_, err := insert.Exec(ctx)
	return err
}

const latencyKey = "CONFLICT (tenant_id, span, bucket, provider_type, provider_name, livemode)"

// addLatencies adds rows to those of the same keys. A sketch can only be
// merged here, so the rows are read and written whole. No other transaction
// does so meanwhile: keep has written, and so locked, the rows of call_rollups
// that have the same tenant, span, bucket and livemode.
func addLatencies(ctx context.Context, tx database.Tx, added []latencyRow) error {
	condition, args := "", []any{added[0].TenantID, added[0].Livemode}
	for i, r := range added {
		if i > 0 {
			condition += " OR "
		}
		condition += "(span = ? AND bucket = ? AND provider_type = ? AND provider_name = ?)"
		args = append(args, r.Span, r.Bucket, r.ProviderType, r.ProviderName)
	}
	var kept []latencyRow
	err := tx.NewRaw("SELECT * FROM latency_rollups WHERE tenant_id = ? AND livemode = ? AND ("+condition+")",
		args...).Scan(ctx, &kept)
	if err != nil && !database.NoRows(err) {
		return err
	}
	for i := range added {
		r := &added[i]
		for _, k := range kept {
			if k.Span == r.Span && k.ProviderType == r.ProviderType && k.ProviderName == r.ProviderName {
				if err := r.merge(k); err != nil {
					return err
				}
			}
		}
	}
	insert := tx.NewInsert().Model(&added).On(latencyKey + " DO UPDATE")
	for _, column := range []string{"calls", "measurements", "sum_ms", "sketch"} {
		insert = insert.Set("? = EXCLUDED.?", bun.Ident(column), bun.Ident(column))
	}
	_, err = insert.Exec(ctx)
	return err
}

// merge adds what another row of the same key holds.
func (r *latencyRow) merge(other latencyRow) error {
	s, err := newSketch()
	if err != nil {
		return err
	}
	for _, encoded := range [][]byte{other.Sketch, r.Sketch} {
		if err := s.merge(encoded); err != nil {
			return err
		}
	}
	r.Calls, r.Measurements, r.SumMS, r.Sketch = r.Calls+other.Calls, r.Measurements+other.Measurements, r.SumMS+other.SumMS, s.encode()
	return nil
}
