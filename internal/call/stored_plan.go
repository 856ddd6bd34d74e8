package call

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/tenant"
)

// Plans, and the prompts that are kept of them, are stored once for their content: the calls of a tenant that are dispatched with the
// same configuration refer to the same row of call_plans. A row to which no call refers is deleted, by the purge of its last
// call or by a background job.

// planHash returns the key of a tenant's plan. Tenants share no rows.
func planHash(tenantID string, encoded []byte) []byte {
	sum := sha256.New()
	sum.Write([]byte(tenantID + "\n"))
	sum.Write(encoded)
	return sum.Sum(nil)
}

// storePlan stores a call's plan unless it is stored, and returns how many bytes were added. On PostgreSQL it locks the row until the
// transaction ends, so that the row is not deleted before the call refers to it.
func storePlan(ctx context.Context, tx database.Tx, c *Call) (added int64, err error) {
	find := "SELECT 1 FROM call_plans WHERE hash = ?"
	if tx.Postgres() {
		find += " FOR KEY SHARE"
	}
	for {
		var one int
		if err := tx.NewRaw(find, c.PlanHash).Scan(ctx, &one); err == nil {
			return 0, nil
		} else if !database.NoRows(err) {
			return 0, fmt.Errorf("find the call's plan: %w", err)
		}
		result, err := tx.ExecContext(ctx, "INSERT INTO call_plans (hash, tenant_id, size, content, headers_sealed) VALUES (?, ?, ?, ?, ?) ON CONFLICT (hash) DO NOTHING",
			c.PlanHash, c.TenantID, len(c.Plan), string(c.Plan), true)
		if err != nil {
			return 0, fmt.Errorf("store the call's plan: %w", err)
		}
		inserted, err := result.RowsAffected()
		if err != nil {
			return 0, fmt.Errorf("store the call's plan: %w", err)
		}
		if inserted == 1 {
			return int64(len(c.Plan)), nil
		} // another transaction inserted it meanwhile
	}
}

// readPlans sets the plans of calls that the database has returned.
func readPlans(ctx context.Context, tx database.Tx, calls ...*Call) error {
	var hashes [][]byte
	for _, c := range calls {
		c.Plan = c.InlinePlan
		if c.Plan == nil && c.PlanHash != nil {
			hashes = append(hashes, c.PlanHash)
		}
	}
	if len(hashes) == 0 {
		return nil
	}
	var found []struct {
		Hash    []byte
		Content string
	}
	if err := tx.NewRaw("SELECT hash, content FROM call_plans WHERE hash IN (?)", bun.List(hashes)).Scan(ctx, &found); err != nil && !database.NoRows(err) {
		return fmt.Errorf("read the plans of calls: %w", err)
	}
	plans := map[string]json.RawMessage{}
	for _, p := range found {
		plans[string(p.Hash)] = json.RawMessage(p.Content)
	}
	for _, c := range calls {
		if c.Plan == nil {
			c.Plan = plans[string(c.PlanHash)]
		}
	}
	return nil
}

// unusedBatch is how many plans, of up to 4 MiB each, one transaction deletes: SQLite's other writers wait for it.
const unusedBatch = 10

// unused is the condition of plans to which no call refers.
const unused = "NOT EXISTS (SELECT 1 FROM calls WHERE calls.plan_hash = call_plans.hash)"

// deletePlans deletes those of the given plans to which no call refers, and returns how many bytes each tenant has less.
func deletePlans(ctx context.Context, tx database.Tx, hashes [][]byte) (freed map[string]int64, err error) {
	if len(hashes) == 0 {
		return nil, nil
	}
	if tx.Postgres() { // waits for dispatches that are about to refer to them, of which the next statement knows
		if _, err := tx.ExecContext(ctx, "SELECT 1 FROM call_plans WHERE hash IN (?) ORDER BY hash FOR UPDATE", bun.List(hashes)); err != nil {
			return nil, fmt.Errorf("lock unused plans: %w", err)
		}
	}
	var deleted []struct {
		TenantID string
		Size     int64
	}
	err = tx.NewRaw("DELETE FROM call_plans WHERE hash IN (?) AND "+unused+" RETURNING tenant_id, size", bun.List(hashes)).Scan(ctx, &deleted)
	if err != nil && !database.NoRows(err) {
		return nil, fmt.Errorf("delete unused plans: %w", err)
	}
	freed = map[string]int64{}
	for _, d := range deleted {
		freed[d.TenantID] += d.Size
	}
	return freed, nil
}

// deleteUnusedPlans deletes all plans to which no call refers.
func (s *Service) deleteUnusedPlans(ctx context.Context) error {
	for {
		var hashes [][]byte
		err := s.db.System().Queued(database.Housekeeping).Write(ctx, func(ctx context.Context, tx database.Tx) error {
			if err := tx.NewRaw("SELECT hash FROM call_plans WHERE "+unused+" LIMIT ?", unusedBatch).Scan(ctx, &hashes); err != nil && !database.NoRows(err) {
				return fmt.Errorf("find unused plans: %w", err)
			}
			freed, err := deletePlans(ctx, tx, hashes)
			if err != nil {
				return err
			}
			return tenant.AddStored(ctx, tx, negated(freed))
		})
		if err != nil || len(hashes) < unusedBatch {
			return err
		}
	}
}

func negated(bytes map[string]int64) map[string]int64 {
	for id, n := range bytes {
		bytes[id] = -n
	}
	return bytes
}
