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

	"parley/internal/audio"
	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/event"
)

// Observer receives changes of calls after they are committed.
type Observer interface {
	// CallStatusChanged: a call has a new status. workflow is the slug, "" for a
	// call of a single agent.
	CallStatusChanged(tenantID, workflow, status, callType string)
	// CallEnded: an answered call ended.
	CallEnded(tenantID, workflow, status, callType string, duration time.Duration)
	// PhoneCallAnswered: a phone call was answered; setup is the time since its
	// dispatch.
	PhoneCallAnswered(tenantID string, setup time.Duration)
	// PhoneCallFailed: a phone call failed; reason is its status_reason.
	PhoneCallFailed(tenantID, reason string)
	// PhoneQuality: an answered phone call ended; q is the last measurement of its audio.
	PhoneQuality(tenantID string, q audio.Quality)
	// ProviderResponded: a provider's latency in a turn. kind is stt, llm or tts.
	ProviderResponded(tenantID, kind, name string, latency time.Duration)
}

// Rollups maintains the rollups. It implements event.Subscriber.
type Rollups struct{ observer Observer }

// NewRollups returns a Rollups; the observer may be nil.
func NewRollups(observer Observer) *Rollups { return &Rollups{observer} }

// HandleEvent adds a call to the rollups on its terminal event. It must be the last
// subscriber, because the rows it locks are shared by all calls of a tenant.
func (r *Rollups) HandleEvent(ctx context.Context, tx database.Tx, e event.Event) error {
	switch {
	case e.Type == event.CallStarted, e.Type == event.CallConnected:
		return r.observeStatus(ctx, tx, e)
	case !event.Terminal(e.Type):
		return nil
	}
	calls, err := call.CountedCalls{TenantID: e.TenantID}.ByID(ctx, tx, e.CallID)
	if err != nil {
		return err
	}
	for _, counted := range calls {
		c := newEnded(counted)
		if err := addCall(ctx, tx, e.TenantID, c); err != nil {
			return fmt.Errorf("add call to rollups: %w", err)
		}
		if r.observer != nil {
			tx.AfterCommit(func() { r.observeEnd(e.TenantID, c) })
		}
	}
	return r.observeFailure(tx, e)
}

// observeFailure notifies the observer of a phone call that failed.
func (r *Rollups) observeFailure(tx database.Tx, e event.Event) error {
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
		tx.AfterCommit(func() { r.observer.PhoneCallFailed(e.TenantID, data.Reason) })
	}
	return nil
}

// observeStatus notifies the observer of a call that started or was answered.
func (r *Rollups) observeStatus(ctx context.Context, tx database.Tx, e event.Event) error {
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
	tx.AfterCommit(func() { r.observer.CallStatusChanged(e.TenantID, data.Workflow, data.Status, data.CallType) })
	if e.Type != event.CallConnected || data.CallType != "sip" {
		return nil
	}
	dispatched, err := call.CountedCalls{TenantID: e.TenantID}.DispatchedAt(ctx, tx, e.CallID)
	if err != nil {
		return err
	}
	tx.AfterCommit(func() { r.observer.PhoneCallAnswered(e.TenantID, tx.Now().Sub(dispatched)) })
	return nil
}

// observeEnd notifies the observer of an ended call.
func (r *Rollups) observeEnd(tenantID string, c *ended) {
	var workflow string
	if c.WorkflowSlug != nil {
		workflow = *c.WorkflowSlug
	}
	r.observer.CallStatusChanged(tenantID, workflow, c.Status, c.CallType)
	if !c.StartedAt.IsZero() {
		r.observer.CallEnded(tenantID, workflow, c.Status, c.CallType, time.Duration(c.DurationSeconds)*time.Second)
	}
	if c.Quality != nil {
		r.observer.PhoneQuality(tenantID, *c.Quality)
	}
	for provider, measurements := range c.latencies {
		for _, ms := range measurements {
			if provider.name != "" {
				r.observer.ProviderResponded(tenantID, provider.kind, provider.name, time.Duration(ms*float64(time.Millisecond)))
			}
		}
	}
}

// counts holds the columns that the rollups of calls and of workflows share.
type counts struct {
	Completed       int64 `bun:"completed"`
	Failed          int64 `bun:"failed"`
	Disconnected    int64 `bun:"disconnected"`
	TimedOut        int64 `bun:"timed_out"`
	Answered        int64 `bun:"answered"` // became active
	DurationSeconds int64 `bun:"duration_seconds"`
}

var countColumns = []string{"completed", "failed", "disconnected", "timed_out", "answered", "duration_seconds"}

// ended returns the number of calls counted.
func (c *counts) ended() int64 { return c.Completed + c.Failed + c.Disconnected + c.TimedOut }

// add adds an ended call.
func (c *counts) add(e *ended) {
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

// usage holds the columns that only the rollups of calls have.
type usage struct {
	Tokens   int64   `bun:"tokens"`
	STTCount int64   `bun:"stt_count"`
	STTMS    float64 `bun:"stt_ms"`
	LLMCount int64   `bun:"llm_count"`
	LLMMS    float64 `bun:"llm_ms"`
	TTSCount int64   `bun:"tts_count"`
	TTSMS    float64 `bun:"tts_ms"`
}

var usageColumns = []string{"tokens", "stt_count", "stt_ms", "llm_count", "llm_ms", "tts_count", "tts_ms"}

// add adds an ended call.
func (u *usage) add(e *ended) {
	u.Tokens += e.tokens
	for provider, measurements := range e.latencies {
		n, sum := map[string]*int64{"stt": &u.STTCount, "llm": &u.LLMCount, "tts": &u.TTSCount}[provider.kind],
			map[string]*float64{"stt": &u.STTMS, "llm": &u.LLMMS, "tts": &u.TTSMS}[provider.kind]
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

// bucket holds the key columns that all rollups have.
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
	usage
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

// rows returns the rows that one call adds to each rollup, in the order in which
// all transactions lock them.
func rows(tenantID string, c *ended) (calls []callRow, workflows []workflowRow, latencies []latencyRow, err error) {
	var n counts
	n.add(c)
	var u usage
	u.add(c)
	used := slices.SortedFunc(maps.Keys(c.latencies), func(a, b series) int {
		return strings.Compare(a.kind+"/"+a.name, b.kind+"/"+b.name)
	})
	for _, span := range slices.Backward(spans) {
		b := bucket{tenantID, span, floor(c.CountedAt().Unix(), span), c.Livemode}
		calls = append(calls, callRow{bucket: b, counts: n, usage: u})
		if c.WorkflowID != nil && c.WorkflowSlug != nil {
			workflows = append(workflows, workflowRow{bucket: b, WorkflowID: *c.WorkflowID, WorkflowSlug: *c.WorkflowSlug, counts: n})
		}
		for _, provider := range used {
			if provider.name == "" {
				continue
			}
			measured := c.latencies[provider]
			s, err := sketchOf(measured)
			if err != nil {
				return nil, nil, nil, err
			}
			latencies = append(latencies, latencyRow{bucket: b, ProviderType: provider.kind, ProviderName: provider.name,
				Calls: 1, Measurements: int64(len(measured)), SumMS: total(measured), Sketch: s.encode()})
		}
	}
	return calls, workflows, latencies, nil
}

// addCall adds a call to the rollups of its minute, hour and day.
func addCall(ctx context.Context, tx database.Tx, tenantID string, c *ended) error {
	calls, workflows, latencies, err := rows(tenantID, c)
	if err != nil {
		return err
	}
	if err := add(ctx, tx.NewInsert().Model(&calls), "", slices.Concat(countColumns, usageColumns)); err != nil {
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

// add inserts rows; columns of existing keys are added up.
func add(ctx context.Context, insert *bun.InsertQuery, moreKey string, columns []string) error {
	insert = insert.On("CONFLICT (tenant_id, span, bucket" + moreKey + ", livemode) DO UPDATE")
	for _, column := range columns {
		insert = insert.Set("? = r.? + EXCLUDED.?", bun.Ident(column), bun.Ident(column), bun.Ident(column))
	}
	_, err := insert.Exec(ctx)
	return err
}

const latencyKey = "CONFLICT (tenant_id, span, bucket, provider_type, provider_name, livemode)"

// addLatencies adds rows to those of the same keys. SQL cannot merge sketches, so
// the rows are read, merged and written. This is safe from concurrent updates:
// addCall has locked the rows of call_rollups with the same tenant, span, bucket
// and livemode.
func addLatencies(ctx context.Context, tx database.Tx, added []latencyRow) error {
	condition, args := "", []any{added[0].TenantID, added[0].Livemode}
	for i, r := range added {
		if i > 0 {
			condition += " OR "
		}
		condition += "(span = ? AND bucket = ? AND provider_type = ? AND provider_name = ?)"
		args = append(args, r.Span, r.Bucket, r.ProviderType, r.ProviderName)
	}
	var buckets []latencyRow
	err := tx.NewRaw("SELECT * FROM latency_rollups WHERE tenant_id = ? AND livemode = ? AND ("+condition+")",
		args...).Scan(ctx, &buckets)
	if err != nil && !database.NoRows(err) {
		return err
	}
	for i := range added {
		r := &added[i]
		for _, k := range buckets {
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

// merge adds another row of the same key.
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
