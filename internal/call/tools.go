package call

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"parley/internal/agent"
	"parley/internal/database"
	"parley/internal/tool"
)

// addTools adds the existing tools that agents name.
func (p planLoader) addTools(ctx context.Context, tx database.Tx, agents ...agent.Config) error {
	var names []string
	listed := map[string]bool{}
	for _, config := range agents {
		for _, name := range config.Tools {
			if _, known := p.Tools[name]; !known && !listed[name] {
				listed[name] = true
				names = append(names, name)
			}
		}
	}
	if err := p.budget.charge(ctx, tx, toolRows, names); err != nil {
		return err
	}
	found, err := tool.FindMany(ctx, tx, names)
	if err != nil {
		return err
	}
	for name, t := range found {
		definition := tool.Definition{Config: t.Config}
		if t.Description != nil {
			definition.Description = *t.Description
		}
		p.Tools[name] = definition
	}
	return nil
}

// absentTools reports the tools that agents name and that do not exist.
func (p planLoader) absentTools(tx database.Tx) (absent []ErrorItem) {
	for _, agentName := range slices.Sorted(maps.Keys(p.Agents)) {
		for _, name := range p.Agents[agentName].Tools {
			if _, exists := p.Tools[name]; !exists {
				absent = append(absent, ErrorItem{Service: "tool", Level: LevelWarning, Agent: &agentName, CreatedAt: tx.Now(),
					Message: fmt.Sprintf("the tool %s does not exist; it is not offered", name)})
			}
		}
	}
	return absent
}
