package tool

import (
	"context"
	"fmt"
	"slices"

	"parley/internal/database"
	"parley/internal/prompt"
)

// UsingPrompt returns the names of the tools of the transaction's tenant whose actions refer to a template of the prompt
// library.
func (Directory) UsingPrompt(ctx context.Context, tx database.Tx, slug string) (names []string, err error) {
	var candidates []Tool
	err = tx.NewSelect().Model(&candidates).Column("name", "config").Where("tenant_id = ?", tx.TenantID()).
		Where("CAST(config AS TEXT) LIKE ?", "%prompt."+slug+"%").OrderExpr("name").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for tools with a prompt: %w", err)
	}
	for _, t := range candidates {
		if slices.Contains(prompt.Slugs(t.Config.Texts()...), slug) {
			names = append(names, t.Name)
		}
	}
	return names, nil
}
