package analysis

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/inflight"
)

// Status is the status of the analysis of a call.
//
//	pending → done
//	        → skipped
//	        → failed
type Status string

// The statuses.
const (
	Pending Status = "pending" // waits, runs under a lease, or is tried again later
	Done    Status = "done"
	Skipped Status = "skipped" // the call does not meet the conditions
	Failed  Status = "failed"
)

// Writes is the group of the transactions of analyses, see database.Scope.Queued. They come by the dozen, such as when many answers arrive
// at once, and calls of the same tenant do not wait for all of them.
const Writes = "analyses"

// Reasons of skipped and failed analyses.
const (
	TooShort      = "min_duration"
	TooFewTurns   = "min_turns"
	OtherReason   = "status_reason"
	OtherAnswerer = "answered_by"
	NoTranscript  = "no_transcript"
	Deleted       = "analysis_deleted"
	NoModel       = "no_language_model"
	InvalidAnswer = "invalid_answer"
	ProviderError = "provider_error"
	WorkerLost    = "worker_lost" // each process that tried was killed
)

// Reasons lists all reasons.
var Reasons = []string{TooShort, TooFewTurns, OtherReason, OtherAnswerer, NoTranscript, Deleted, NoModel, InvalidAnswer, ProviderError, WorkerLost}

// OfCall is the analysis of a call: the job, and then its result.
type OfCall struct {
	bun.BaseModel `bun:"table:call_analyses,alias:r"`

	TenantID string            `bun:"tenant_id"`
	ID       string            `bun:"id,pk"`
	CallID   string            `bun:"call_id"`
	Name     string            `bun:"name"`    // of the analysis
	Version  int64             `bun:"version"` // of the analysis with which it ran; 0 before
	Status   Status            `bun:"status"`
	Reason   *string           `bun:"reason"` // of skipped and failed ones, and of the last attempt of a pending one
	LLM      *LLM              `bun:"llm,type:jsonb,nullzero"`
	Data     json.RawMessage   `bun:"data,type:jsonb,nullzero"`
	Criteria []CriterionAnswer `bun:"criteria,type:jsonb,nullzero"`
	Livemode bool              `bun:"livemode"` // the call's
	Attempts int               `bun:"attempts"`
	// DueAt is when a pending one is due, or its lease ends; zero when it is finished.
	DueAt      time.Time `bun:"due_at,nullzero"`
	LeasedBy   *string   `bun:"leased_by"`
	CreatedAt  time.Time `bun:"created_at"`
	FinishedAt time.Time `bun:"finished_at,nullzero"`
	Cost       int64     `bun:"cost"`   // known cost of all attempts, in 10^-12 of the price list's currency
	RunID      *string   `bun:"run_id"` // of the run that it is, or was, part of; nil for none
	// Previous is the finished result that a pending one of a run replaces; nil for none.
	Previous *Previous `bun:"previous,type:jsonb,nullzero"`
}

// Previous is a result that is kept until there is a new one.
type Previous struct {
	Version    int64             `json:"version"`
	Status     Status            `json:"status"`
	Reason     *string           `json:"reason,omitempty"`
	LLM        *LLM              `json:"llm,omitempty"`
	Data       json.RawMessage   `json:"data,omitempty"`
	Criteria   []CriterionAnswer `json:"criteria,omitempty"`
	FinishedAt time.Time         `json:"finished_at"`
	Size       int64             `json:"size"` // see OfCall.Size
}

// Renew makes a finished result pending again, as part of a run.
func (r *OfCall) Renew(run *Run, model *LLM, now time.Time) {
	r.Previous = &Previous{r.Version, r.Status, r.Reason, r.LLM, r.Data, r.Criteria, r.FinishedAt, r.Size()}
	r.Status, r.Reason, r.LLM, r.Data, r.Criteria, r.FinishedAt = Pending, nil, model, nil, nil, time.Time{}
	r.Attempts, r.DueAt, r.RunID, r.Cost = 0, now, &run.ID, 0
}

// restore returns to the result before the run. reason is why there is no new one; nil if it has not begun.
func (r *OfCall) restore(reason *string) {
	p := r.Previous
	r.Version, r.Status, r.Reason, r.LLM, r.Data, r.Criteria, r.FinishedAt = p.Version, p.Status, p.Reason, p.LLM, p.Data, p.Criteria, p.FinishedAt
	if reason != nil {
		r.Reason = reason
	}
	r.Previous, r.DueAt, r.LeasedBy = nil, time.Time{}, nil
}

// resultColumns are those that a result changes.
var resultColumns = []string{"version", "status", "reason", "llm", "data", "criteria", "due_at", "leased_by", "finished_at", "previous"}

// AfterScanRow counts a result that a request reads.
func (r *OfCall) AfterScanRow(ctx context.Context) error {
	return inflight.Reserve(ctx, int(r.Size()))
}

// Summary is a result as events have it.
type Summary struct {
	Name     string            `json:"name"`
	Version  int64             `json:"version"`
	Status   Status            `json:"status"`
	Reason   *string           `json:"reason"`
	Data     json.RawMessage   `json:"data"`
	Criteria []CriterionAnswer `json:"criteria"`
}

// Summary returns the result without the job.
func (r *OfCall) Summary() Summary {
	return Summary{r.Name, r.Version, r.Status, r.Reason, r.Data, append([]CriterionAnswer{}, r.Criteria...)}
}

// Size returns the size of the result, in bytes.
func (r *OfCall) Size() int64 {
	size := len(r.Data)
	for _, c := range r.Criteria {
		size += len(c.Name) + len(c.Rationale) + 8*len(c.Evidence)
	}
	return int64(size)
}

// Order is what a call that ends is to be analysed with.
type Order struct {
	TenantID string
	CallID   string
	Livemode bool
	Names    []string // of analyses; those that do not exist are left out
	LLM      *LLM     // of the call's agent; nil for none
}

// Enqueue writes the pending analyses of a call, and returns how many there are. One that the call has
// already stays as it is.
func Enqueue(ctx context.Context, tx database.Tx, o Order) (n int, err error) {
	known, err := existing(ctx, tx, o.TenantID, o.Names)
	if err != nil || len(known) == 0 {
		return 0, err
	}
	var rows []OfCall
	for _, name := range o.Names {
		if known[name] {
			rows = append(rows, OfCall{TenantID: o.TenantID, ID: tx.NewID("can_"), CallID: o.CallID, Name: name, Status: Pending, LLM: o.LLM, Livemode: o.Livemode,
				DueAt: tx.Now(), CreatedAt: tx.Now()})
		}
	}
	if _, err := tx.NewInsert().Model(&rows).On("CONFLICT (tenant_id, call_id, name) DO NOTHING").Exec(ctx); err != nil {
		return 0, fmt.Errorf("enqueue the analyses of a call: %w", err)
	}
	return len(rows), nil
}

// Lease is how long a claim lasts unless it is renewed.
const Lease = 15 * time.Second

// Room is what a process may claim.
type Room struct {
	Most      int            // in all
	PerTenant int            // at the same time, of a tenant
	Held      map[string]int // how many the process runs already, by tenant
}

// turns selects the first due analyses, by turns of the tenants: of those with the fewest that the process runs first, and of a tenant those
// that have waited longest. It skips from one tenant to the next in the index and reads only each tenant's first ones, so that its cost does
// not depend on the length of the queue.
const turns = `WITH RECURSIVE waiting (tenant_id) AS (
	SELECT (SELECT tenant_id FROM call_analyses WHERE due_at IS NOT NULL ORDER BY tenant_id, due_at, id LIMIT 1)
	UNION ALL
	SELECT (SELECT o.tenant_id FROM call_analyses o WHERE o.due_at IS NOT NULL AND o.tenant_id > w.tenant_id ORDER BY o.tenant_id, o.due_at, o.id LIMIT 1)
	FROM waiting w WHERE w.tenant_id IS NOT NULL
), held (tenant_id, n) AS (?), tenants (tenant_id, held) AS (
	SELECT w.tenant_id, COALESCE((SELECT h.n FROM held h WHERE h.tenant_id = w.tenant_id), 0) FROM waiting w WHERE w.tenant_id IS NOT NULL
) SELECT id FROM (
	SELECT c.id, c.due_at, t.held + row_number() OVER (PARTITION BY t.tenant_id ORDER BY c.due_at, c.id) AS turn FROM tenants t ?
) AS turns WHERE turn <= ? ORDER BY turn, due_at, id LIMIT ?`

// firstDue selects a tenant's first due analyses.
const firstDue = `SELECT o.id, o.due_at FROM call_analyses o WHERE o.tenant_id = t.tenant_id AND o.due_at <= ? ORDER BY o.due_at, o.id LIMIT ?`

// Planner has the settings of PostgreSQL's planner for Claim: its statistics lag behind, and it would sort a backlog.
var Planner = []string{"jit=off", "enable_seqscan=off", "enable_bitmapscan=off"}

// Claim leases due analyses to a holder. tx is a transaction of the system.
func Claim(ctx context.Context, tx database.Tx, holder string, room Room) (claimed []OfCall, err error) {
	join, lock, tenant := "JOIN call_analyses c ON c.id IN (SELECT id FROM ("+firstDue+"))", "", "?"
	if tx.Postgres() {
		join, lock, tenant = "CROSS JOIN LATERAL ("+firstDue+") c", " FOR UPDATE SKIP LOCKED", "CAST(? AS uuid)"
	}
	held := "SELECT " + strings.Replace(tenant, "?", "NULL", 1) + ", 0"
	var running []any
	for id, n := range room.Held {
		held += " UNION ALL SELECT " + tenant + ", ?"
		running = append(running, id, n)
	}
	var due []string
	err = tx.NewRaw(turns, bun.SafeQuery(held, running...), bun.SafeQuery(join, tx.Now(), room.PerTenant), room.PerTenant, room.Most).Scan(ctx, &due)
	if err != nil && !database.NoRows(err) {
		return nil, fmt.Errorf("find due analyses: %w", err)
	}
	if len(due) == 0 {
		return nil, nil
	}
	err = tx.NewRaw("UPDATE call_analyses SET leased_by = ?, due_at = ?, attempts = attempts + 1 WHERE id IN (SELECT id FROM call_analyses WHERE id IN (?) AND due_at <= ?"+lock+") RETURNING *",
		holder, tx.Now().Add(Lease), bun.List(due), tx.Now()).Scan(ctx, &claimed)
	if err != nil && !database.NoRows(err) {
		return nil, fmt.Errorf("claim analyses: %w", err)
	}
	return claimed, nil
}

// Renew extends a holder's leases.
func Renew(ctx context.Context, tx database.Tx, holder string, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, "UPDATE call_analyses SET due_at = ? WHERE id IN (?) AND leased_by = ?", tx.Now().Add(Lease), bun.List(ids), holder)
	if err != nil {
		return fmt.Errorf("renew leases of analyses: %w", err)
	}
	return nil
}

// Release returns a holder's analyses to the queue as if they had not been claimed.
func Release(ctx context.Context, tx database.Tx, holder string) error {
	_, err := tx.ExecContext(ctx, "UPDATE call_analyses SET due_at = ?, leased_by = NULL, attempts = attempts - 1 WHERE leased_by = ?", tx.Now(), holder)
	if err != nil {
		return fmt.Errorf("release analyses: %w", err)
	}
	return nil
}

// ReleaseHolders returns the analyses of holders that are known to have stopped to the queue, and returns their number. An attempt that was
// interrupted counts, so that an analysis that ends its process is not run for ever.
func ReleaseHolders(ctx context.Context, tx database.Tx, gone func(holder string) bool) (int64, error) {
	var holders []string
	if err := tx.NewRaw("SELECT DISTINCT leased_by FROM call_analyses WHERE leased_by IS NOT NULL").Scan(ctx, &holders); err != nil && !database.NoRows(err) {
		return 0, fmt.Errorf("find holders of analyses: %w", err)
	}
	holders = slices.DeleteFunc(holders, func(holder string) bool { return !gone(holder) })
	if len(holders) == 0 {
		return 0, nil
	}
	result, err := tx.ExecContext(ctx, "UPDATE call_analyses SET due_at = ?, leased_by = NULL WHERE leased_by IN (?)", tx.Now(), bun.List(holders))
	if err != nil {
		return 0, fmt.Errorf("release analyses of processes that are gone: %w", err)
	}
	return result.RowsAffected()
}

// Finish writes the result of an analysis, and reports whether it did: it does not if the holder has lost the lease, or the call's
// content was deleted. A result with the status Pending is due again after wait. The call, whose origin is of, must be locked in tx.
func Finish(ctx context.Context, tx database.Tx, holder string, r *OfCall, of Origin, wait time.Duration) (written bool, err error) {
	r.LeasedBy = nil
	switch {
	case r.Status == Pending:
		r.DueAt, r.FinishedAt = tx.Now().Add(wait), time.Time{}
	case r.keepsPrevious():
		r.restore(r.Reason)
	default:
		r.DueAt, r.FinishedAt, r.Previous = time.Time{}, tx.Now(), nil
	}
	result, err := tx.NewUpdate().Model(r).Column(resultColumns...).
		Where("id = ? AND leased_by = ?", r.ID, holder).Exec(ctx)
	if err != nil {
		return false, fmt.Errorf("write the result of an analysis: %w", err)
	}
	if n, err := result.RowsAffected(); err != nil || n != 1 || r.Status == Pending {
		return n == 1, err
	}
	return true, r.storeValues(ctx, tx, of)
}

// keepsPrevious reports whether a result is none, so that the valid one before the run stays.
func (r *OfCall) keepsPrevious() bool {
	return r.Previous != nil && r.Previous.Status == Done && (r.Status == Failed || r.Status == Skipped && *r.Reason == Deleted)
}

// AddCost adds to the known cost of an analysis.
func AddCost(ctx context.Context, tx database.Tx, id string, more int64) error {
	if _, err := tx.ExecContext(ctx, "UPDATE call_analyses SET cost = cost + ? WHERE id = ?", more, id); err != nil {
		return fmt.Errorf("add to the cost of an analysis: %w", err)
	}
	return nil
}

// Results returns the analyses of a call of the transaction's tenant, by name.
func Results(ctx context.Context, tx database.Tx, callID string) (results []OfCall, err error) {
	err = tx.NewSelect().Model(&results).Where("tenant_id = ? AND call_id = ?", tx.TenantID(), callID).OrderExpr("name").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the analyses of a call: %w", err)
	}
	return results, nil
}

// Purge deletes the analyses of calls of the transaction's tenant, with their values.
func Purge(ctx context.Context, tx database.Tx, callIDs []string) error {
	for _, table := range []string{"call_analyses", "analysis_values"} {
		if _, err := tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE tenant_id = ? AND call_id IN (?)", tx.TenantID(), bun.List(callIDs)); err != nil {
			return fmt.Errorf("purge analyses: %w", err)
		}
	}
	return nil
}
