package call

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"parley/internal/database"
)

// The queue is the calls that no worker has claimed. Those whose caller is
// there go first; among equals the tenant with the fewest calls in workers'
// hands does, so that nobody's calls wait behind all of somebody else's; of one
// tenant the oldest.

// Claim takes up to most calls from the queue.
func (s *Service) Claim(ctx context.Context, worker string, most int) (claimed []*Call, err error) {
	err = s.queue().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if claimed, err = next(ctx, tx, worker, arrived, most); err != nil || len(claimed) == most {
			return err
		}
		others, err := next(ctx, tx, worker, queued, most-len(claimed))
		claimed = append(claimed, others...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("claim calls: %w", err)
	}
	return claimed, nil
}

// ClaimArrived is Claim, of calls whose caller is there.
func (s *Service) ClaimArrived(ctx context.Context, worker string, most int) (claimed []*Call, err error) {
	err = s.queue().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		claimed, err = next(ctx, tx, worker, arrived, most)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("claim calls whose callers are there: %w", err)
	}
	return claimed, nil
}

// queue is the scope that the queue's questions are asked in. PostgreSQL is to
// answer them from the ends of the queue's indexes: its statistics are always
// old, and the planner, who takes a backlog for a few rows, would read and sort
// all of it. A plan that is left no choice looks so costly that it would be
// compiled.
func (s *Service) queue() database.Scope { return s.db.System().With(queueing...) }

var queueing = []string{"jit=off", "enable_seqscan=off", "enable_bitmapscan=off"}

// What is in the queue, as its indexes have it.
const (
	queued  = "status = 'pending' AND claimed_by IS NULL"
	arrived = queued + " AND arrived_at IS NOT NULL"
)

// turns lists the first calls in the queue. It leaps from one tenant to the
// next in the index, and looks at each one's first calls only, so that it
// costs the same however many wait. It takes how many calls of a tenant are of
// interest, and how many in all.
const turns = `WITH RECURSIVE waiting (tenant_id) AS (
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

// first are a tenant's first calls.
const first = `SELECT o.id, o.created_at FROM calls o WHERE o.tenant_id = t.tenant_id AND {queue} AND NOT end_asked ORDER BY o.created_at, o.id LIMIT ?`

// overlap is how many calls more than it wants a worker considers on
// PostgreSQL: others may be taking the first ones at this moment.
const overlap = 32

// turnsIn lists the first calls in a part of the queue.
func turnsIn(queue string, postgres bool) string {
	join := "JOIN calls c ON c.id IN (SELECT id FROM (" + first + "))"
	if postgres {
		join = "CROSS JOIN LATERAL (" + first + ") c"
	}
	return strings.ReplaceAll(strings.Replace(turns, "{first}", join, 1), "{queue}", queue)
}

// stranded are calls that nobody has joined and whose worker let their leases
// lapse, by a time.
const stranded = "ended_at IS NULL AND status = 'pending' AND claimed_by IS NOT NULL AND lease_until < ?"

// giveBack puts calls that a condition chooses, and that nobody has joined, back
// into the queue, and returns how many.
func (s *Service) giveBack(ctx context.Context, tx database.Tx, which string, args ...any) (int64, error) {
	var back []*Call
	err := tx.NewRaw("UPDATE calls SET claimed_by = NULL, lease_until = NULL WHERE "+chosen(tx, "SELECT id FROM calls WHERE "+which)+" RETURNING *", args...).Scan(ctx, &back)
	if err != nil && !database.NoRows(err) {
		return 0, err
	}
	for _, there := range []bool{false, true} {
		is := func(c *Call) bool { return c.ArrivedAt.IsZero() != there }
		if i := slices.IndexFunc(back, is); i >= 0 { // all of a kind are told of at once
			tx.AfterCommit(func() { s.wakeWorkers(back[i]) })
		}
	}
	return int64(len(back)), nil
}

// next claims the first calls of a part of the queue.
func next(ctx context.Context, tx database.Tx, worker, queue string, most int) ([]*Call, error) {
	considered := most
	if tx.Postgres() {
		considered += overlap
	}
	var ids []string
	if err := tx.NewRaw(turnsIn(queue, tx.Postgres()), considered, considered).Scan(ctx, &ids); err != nil || len(ids) == 0 {
		return nil, err
	}
	if !tx.Postgres() { // which has one writer
		return claim(ctx, tx, worker, "?", bun.List(ids))
	}
	return claim(ctx, tx, worker, "SELECT id FROM calls WHERE id IN (?) AND "+queue+" AND NOT end_asked ORDER BY array_position(ARRAY[?]::uuid[], id) LIMIT ?",
		bun.List(ids), bun.List(ids), most)
}
