package call

import (
	"context"
	"encoding/json"
	"fmt"

	"parley/internal/database"
	"parley/internal/seal"
	"parley/internal/tool"
)

// sealBatch is how many plans, of up to 4 MiB each, one transaction seals: SQLite's other writers wait for it.
const sealBatch = 10

// SealPlans seals the static header values of tools in plans that a version before has stored as they are, also in those of calls under
// way. A plan keeps its key.
func SealPlans(ctx context.Context, db *database.DB, sealer *seal.Sealer) error {
	for {
		n, err := sealStored(ctx, db, sealer)
		if err != nil {
			return fmt.Errorf("seal the headers of tools in plans: %w", err)
		}
		if n < sealBatch {
			return sealInline(ctx, db, sealer)
		}
	}
}

// sealStored seals a batch of call_plans, and returns its size.
func sealStored(ctx context.Context, db *database.DB, sealer *seal.Sealer) (n int, err error) {
	err = db.System().Queued(database.Housekeeping).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		var found []struct {
			Hash     []byte
			TenantID string
			Content  string
		}
		if err := tx.NewRaw("SELECT hash, tenant_id, content FROM call_plans WHERE NOT headers_sealed ORDER BY hash LIMIT ?", sealBatch).Scan(ctx, &found); err != nil && !database.NoRows(err) {
			return err
		}
		n = len(found)
		for _, row := range found {
			content, err := sealPlan(json.RawMessage(row.Content), row.TenantID, sealer)
			if err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, "UPDATE call_plans SET content = ?, headers_sealed = ? WHERE hash = ?", string(content), true, row.Hash); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

// sealInline seals the plans that nodes of the version before have written into open calls.
func sealInline(ctx context.Context, db *database.DB, sealer *seal.Sealer) error {
	err := db.System().Queued(database.Housekeeping).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		var found []struct{ ID, TenantID, Plan string }
		if err := tx.NewRaw("SELECT id, tenant_id, plan FROM calls WHERE ended_at IS NULL AND plan IS NOT NULL").Scan(ctx, &found); err != nil && !database.NoRows(err) {
			return err
		}
		for _, row := range found {
			content, err := sealPlan(json.RawMessage(row.Plan), row.TenantID, sealer)
			if err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, "UPDATE calls SET plan = ? WHERE id = ?", string(content), row.ID); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("seal the headers of tools in the plans of open calls: %w", err)
	}
	return nil
}

// sealPlan returns a stored plan, or stored prompts, with the static header values of its tools sealed. A plan that cannot be decoded
// stays.
func sealPlan(encoded json.RawMessage, tenantID string, sealer *seal.Sealer) (json.RawMessage, error) {
	parts, tools, ok := decodeTools(encoded)
	if !ok {
		return encoded, nil
	}
	for name, definition := range tools {
		definition.Config = definition.Config.SealHeaders(sealer, tenantID, name)
		tools[name] = definition
	}
	var err error
	if parts["tools"], err = json.Marshal(tools); err != nil {
		return nil, err
	}
	return json.Marshal(parts)
}

// decodeTools returns the parts of a stored plan, and its tools; ok reports that it has some and can be decoded.
func decodeTools(encoded json.RawMessage) (parts map[string]json.RawMessage, tools map[string]tool.Definition, ok bool) {
	ok = json.Unmarshal(encoded, &parts) == nil && parts["tools"] != nil && json.Unmarshal(parts["tools"], &tools) == nil
	return parts, tools, ok
}
