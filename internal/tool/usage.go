package tool

import (
	"context"
	"fmt"
	"slices"

	"parley/internal/database"
	"parley/internal/prompt"
	"parley/internal/template"
)

// UsingPrompt returns the names of the tools of the transaction's tenant whose actions refer to a template of the prompt
// library.
func (Directory) UsingPrompt(ctx context.Context, tx database.Tx, slug string) ([]string, error) {
	return using(ctx, tx, "prompt."+slug, func(c Config) bool { return slices.Contains(prompt.Slugs(c.Texts()...), slug) })
}

// UsingSecret returns the names of the tools of the transaction's tenant whose requests refer to a secret.
func (Directory) UsingSecret(ctx context.Context, tx database.Tx, secret string) ([]string, error) {
	return using(ctx, tx, "secrets."+secret, func(c Config) bool {
		return slices.ContainsFunc(c.Texts(), func(text string) bool {
			return slices.Contains(template.Below("secrets", template.Paths(text)), secret)
		})
	})
}

// using returns the names of the tools whose stored configuration contains a text, and which refer to it.
func using(ctx context.Context, tx database.Tx, text string, refers func(Config) bool) (names []string, err error) {
	var candidates []Tool
	err = tx.NewSelect().Model(&candidates).Column("name", "config").Where("tenant_id = ?", tx.TenantID()).
		Where("CAST(config AS TEXT) LIKE ?", "%"+text+"%").OrderExpr("name").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for tools with %s: %w", text, err)
	}
	for _, t := range candidates {
		if refers(t.Config) {
			names = append(names, t.Name)
		}
	}
	return names, nil
}
