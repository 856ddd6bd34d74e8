package plan

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"parley/internal/database"
)

// Rows are rows of a kind that plans are made of.
type Rows string

// The kinds, with the queries for the size in bytes of the named rows that a tenant can see.
const (
	AgentRows  Rows = "SELECT COALESCE(SUM(octet_length(CAST(config AS text))), 0) FROM agents WHERE tenant_id = ? AND name IN (?)"
	ToolRows   Rows = "SELECT COALESCE(SUM(octet_length(CAST(config AS text))), 0) FROM tools WHERE tenant_id = ? AND name IN (?)"
	PromptRows Rows = "SELECT COALESCE(SUM(octet_length(CAST(content AS text)) + octet_length(CAST(metadata AS text))), 0) FROM prompts WHERE (tenant_id = ? OR tenant_id IS NULL) AND slug IN (?)"
)

// Size returns the size of the named rows in bytes, which the database sums before any is read.
func (r Rows) Size(ctx context.Context, tx database.Tx, names []string) (size int64, err error) {
	if len(names) == 0 {
		return 0, nil
	}
	if err := tx.NewRaw(string(r), tx.TenantID(), bun.List(names)).Scan(ctx, &size); err != nil {
		return 0, fmt.Errorf("measure a plan: %w", err)
	}
	return size, nil
}
