package tool

import (
	"context"
	"fmt"

	"parley/internal/database"
	"parley/internal/seal"
)

// sealBatch is how many tools one transaction seals: SQLite's other writers wait for it.
const sealBatch = 50

// SealStored seals the static header values of tools that a version before has stored as they are.
func SealStored(ctx context.Context, db *database.DB, sealer *seal.Sealer) error {
	for {
		var found []Tool
		err := db.System().Queued(database.Housekeeping).Write(ctx, func(ctx context.Context, tx database.Tx) error {
			query := tx.NewSelect().Model(&found).Where("NOT headers_sealed").Limit(sealBatch)
			if tx.Postgres() {
				query.For("UPDATE")
			}
			if err := query.Scan(ctx); err != nil {
				return err
			}
			for n := range found {
				t := &found[n]
				t.Config, t.HeadersSealed = t.Config.SealHeaders(sealer, t.TenantID, t.Name), true
				if _, err := tx.NewUpdate().Model(t).Column("config", "headers_sealed").WherePK().Exec(ctx); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("seal the headers of tools: %w", err)
		}
		if len(found) < sealBatch {
			return nil
		}
	}
}
