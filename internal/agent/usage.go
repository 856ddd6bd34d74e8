package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"parley/internal/database"
	"parley/internal/mcpclient"
	"parley/internal/prompt"
)

// UsingTool returns the names of the active agents of the transaction's tenant that list a tool.
func (Directory) UsingTool(ctx context.Context, tx database.Tx, tool string) ([]string, error) {
	return agentsWith(ctx, tx, "tools", tool)
}

// UsingAnalysis returns the names of the active agents of the transaction's tenant to which an analysis is attached.
func (Directory) UsingAnalysis(ctx context.Context, tx database.Tx, analysis string) ([]string, error) {
	return agentsWith(ctx, tx, "analyses", analysis)
}

// UsingSound returns the names of the active agents of the transaction's tenant that play a sound.
func (Directory) UsingSound(ctx context.Context, tx database.Tx, sound string) ([]string, error) {
	return using(ctx, tx, `"`+sound+`"`, func(c Config) (bool, error) {
		return slices.ContainsFunc(c.sounds(), func(use soundUse) bool { return use.name == sound }), nil
	})
}

// soundUse is a sound that a configuration names.
type soundUse struct {
	path, name string
	background bool // a bundled one may be named, too
}

// sounds returns the sounds that a configuration names.
func (c Config) sounds() (list []soundUse) {
	if c.HoldSound != "" {
		list = append(list, soundUse{"config.hold_sound", c.HoldSound, false})
	}
	if c.Ambience != nil {
		list = append(list, soundUse{"config.ambience.sound", c.Ambience.Sound, true})
	}
	if c.ThinkingSound != nil {
		list = append(list, soundUse{"config.thinking_sound.sound", c.ThinkingSound.Sound, true})
	}
	return list
}

// agentsWith returns the names of the active agents that have a name in a list of their configuration.
func agentsWith(ctx context.Context, tx database.Tx, list, name string) (names []string, err error) {
	lists := "EXISTS (SELECT 1 FROM json_each(config, '$." + list + "') WHERE value = ?)"
	if tx.Postgres() {
		lists = "config -> '" + list + "' @> to_jsonb(?::text)"
	}
	err = tx.NewSelect().Model((*Agent)(nil)).Column("name").Where("tenant_id = ? AND is_active", tx.TenantID()).Where(lists, name).
		OrderExpr("name").Scan(ctx, &names)
	if err != nil {
		return nil, fmt.Errorf("look for agents with %s in %s: %w", name, list, err)
	}
	return names, nil
}

// UsingPrompt returns the names of the active agents of the transaction's tenant whose texts refer to a template of the
// prompt library.
func (Directory) UsingPrompt(ctx context.Context, tx database.Tx, slug string) ([]string, error) {
	return using(ctx, tx, "prompt."+slug, func(c Config) (bool, error) {
		texts, err := c.Texts()
		return slices.Contains(prompt.Slugs(texts...), slug), err
	})
}

// UsingSecret returns the names of the active agents of the transaction's tenant that send a secret to an MCP server.
func (Directory) UsingSecret(ctx context.Context, tx database.Tx, secret string) ([]string, error) {
	return using(ctx, tx, "secrets."+secret, func(c Config) (bool, error) {
		return slices.ContainsFunc(c.MCPServers, func(s mcpclient.ToolServer) bool { return slices.Contains(s.Secrets(), secret) }), nil
	})
}

// using returns the names of the active agents whose stored configuration contains a text, and which refer to it.
func using(ctx context.Context, tx database.Tx, text string, refers func(Config) (bool, error)) (names []string, err error) {
	var candidates []Agent
	err = tx.NewSelect().Model(&candidates).Column("name", "config").Where("tenant_id = ? AND is_active", tx.TenantID()).
		Where("CAST(config AS TEXT) LIKE ?", "%"+text+"%").OrderExpr("name").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("look for agents with %s: %w", text, err)
	}
	for _, a := range candidates {
		found, err := refers(a.Config)
		if err != nil {
			return nil, err
		}
		if found {
			names = append(names, a.Name)
		}
	}
	return names, nil
}

// Texts returns all texts of a configuration.
func (c Config) Texts() (texts []string, err error) {
	encoded, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("read an agent's configuration: %w", err)
	}
	var tree any
	if err := json.Unmarshal(encoded, &tree); err != nil {
		return nil, fmt.Errorf("read an agent's configuration: %w", err)
	}
	var walk func(any)
	walk = func(node any) {
		switch node := node.(type) {
		case string:
			texts = append(texts, node)
		case []any:
			for _, item := range node {
				walk(item)
			}
		case map[string]any:
			for _, item := range node {
				walk(item)
			}
		}
	}
	walk(tree)
	return texts, nil
}
