package call

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"parley/internal/database"
)

// The queue consists of the calls that no worker has claimed. Calls whose caller is present go first. Among these,
// the tenant with the fewest claimed calls goes first, so that one tenant's backlog does not delay the others;
// within a tenant the oldest call does.

// Claim claims up to most calls from the queue.
func (s *Service) Claim(ctx context.Context, worker string, most int) (claimed []*Call, err error) {
	err = s.queueScope().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if claimed, err = claimFirst(ctx, tx, worker, arrived, most); err != nil || len(claimed) == most {
			return err
		}
		others, err := claimFirst(ctx, tx, worker, queued, most-len(claimed))
		claimed = append(claimed, others...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("claim calls: %w", err)
	}
	return claimed, nil
}

// ClaimArrived is like Claim, restricted to calls whose caller is present.
func (s *Service) ClaimArrived(ctx context.Context, worker string, most int) (claimed []*Call, err error) {
	err = s.queueScope().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		claimed, err = claimFirst(ctx, tx, worker, arrived, most)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("claim calls with callers present: %w", err)
	}
	return claimed, nil
}

// queueScope returns the scope for queries of the queue. Sequential and bitmap scans are off so that PostgreSQL reads
// from the ends of the queue's indexes: its statistics lag behind, and with a backlog the planner would read and
// sort all of it. JIT is off because the resulting cost estimate would trigger it.
func (s *Service) queueScope() database.Scope {
	return s.db.System().With(queuePlanner...).With(storedPlans)
}

// storedPlans says that this node reads call_plans. When a node of the version before claims a call, PostgreSQL copies the plan into
// the call's row.
const storedPlans = "parley.stored_plans=on"

var queuePlanner = []string{"jit=off", "enable_seqscan=off", "enable_bitmapscan=off"}

// Conditions of waiting calls, as in the definitions of their indexes.
const (
	queued  = "status = 'pending' AND claimed_by IS NULL"
	arrived = queued + " AND arrived_at IS NOT NULL"
)

// queueOrder selects the first calls of the queue. It skips from one tenant to the next in the index and reads only
// each tenant's first calls, so that its cost does not depend on the length of the queue. Parameters: how many
// calls per tenant, and how many in all.
const queueOrder = `WITH RECURSIVE waiting (tenant_id) AS (
	SELECT (SELECT tenant_id FROM calls WHERE {queue} ORDER BY tenant_id, created_at, id LIMIT 1)
	UNION ALL
	SELECT (SELECT o.tenant_id FROM calls o WHERE {queue} AND o.tenant_id > w.tenant_id ORDER BY o.tenant_id, o.created_at, o.id LIMIT 1)
	FROM waiting w WHERE w.tenant_id IS NOT NULL
), tenants (tenant_id, held) AS MATERIALIZED (
	SELECT w.tenant_id, (SELECT COUNT(*) FROM calls h WHERE h.tenant_id = w.tenant_id AND h.claimed_by IS NOT NULL)
	FROM waiting w WHERE w.tenant_id IS NOT NULL
) SELECT id FROM (
	SELECT c.id, c.created_at, t.held + row_number() OVER (PARTITION BY t.tenant_id ORDER BY c.created_at, c.id) AS turn
	FROM tenants t {first}
) AS turns ORDER BY turn, created_at, id LIMIT ?`

// firstCalls selects a tenant's first calls.
const firstCalls = `SELECT o.id, o.created_at FROM calls o WHERE o.tenant_id = t.tenant_id AND {queue} AND NOT end_asked ORDER BY o.created_at, o.id LIMIT ?`

// claimOverlap is how many more calls than requested a claim considers on PostgreSQL: other workers may be claiming the
// first ones.
const claimOverlap = 32

// queueOrderOf returns the queueOrder query for a part of the queue.
func queueOrderOf(queue string, postgres bool) string {
	join := "JOIN calls c ON c.id IN (SELECT id FROM (" + firstCalls + "))"
	if postgres {
		join = "CROSS JOIN LATERAL (" + firstCalls + ") c"
	}
	return strings.ReplaceAll(strings.Replace(queueOrder, "{first}", join, 1), "{queue}", queue)
}

// expiredPending selects claimed calls that nobody has joined and whose lease has expired at a time.
const expiredPending = "ended_at IS NULL AND status = 'pending' AND claimed_by IS NOT NULL AND lease_until < ?"

// requeueCalls returns the selected calls to the queue. It returns their number.
func (s *Service) requeueCalls(ctx context.Context, tx database.Tx, which string, args ...any) (int64, error) {
	var requeued []*Call
	err := tx.NewRaw("UPDATE calls SET claimed_by = NULL, lease_until = NULL WHERE "+lockedIDs(tx, "SELECT id FROM calls WHERE "+which)+" RETURNING *", args...).Scan(ctx, &requeued)
	if err != nil && !database.NoRows(err) {
		return 0, err
	}
	for _, arrived := range []bool{false, true} {
		matches := func(c *Call) bool { return c.ArrivedAt.IsZero() != arrived }
		if i := slices.IndexFunc(requeued, matches); i >= 0 { // one notification per kind
			tx.AfterCommit(func() { s.notifyWorkers(requeued[i]) })
		}
	}
	return int64(len(requeued)), nil
}

// claimFirst claims up to most calls from the front of a part of the queue.
func claimFirst(ctx context.Context, tx database.Tx, worker, queue string, most int) ([]*Call, error) {
	considered := most
	if tx.Postgres() {
		considered += claimOverlap
	}
	var ids []string
	if err := tx.NewRaw(queueOrderOf(queue, tx.Postgres()), considered, considered).Scan(ctx, &ids); err != nil || len(ids) == 0 {
		return nil, err
	}
	if !tx.Postgres() { // SQLite has a single writer
		return claimSelected(ctx, tx, worker, "?", bun.List(ids))
	}
	return claimSelected(ctx, tx, worker, "SELECT id FROM calls WHERE id IN (?) AND "+queue+" AND NOT end_asked ORDER BY array_position(ARRAY[?]::uuid[], id) LIMIT ?",
		bun.List(ids), bun.List(ids), most)
}
