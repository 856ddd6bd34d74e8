package call

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"parley/internal/agent"
	"parley/internal/database"
	"parley/internal/plan"
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
	if err := p.budget.charge(ctx, tx, plan.ToolRows, names); err != nil {
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

// addServerTools adds the tools of the agents' MCP servers, as they were when the agents were saved, each by a name that no other
// tool of the plan has.
func (p planLoader) addServerTools() {
	for _, agentName := range slices.Sorted(maps.Keys(p.Agents)) {
		config := p.Agents[agentName]
		names := slices.Clone(config.Tools)
		for _, server := range config.MCPServers {
			for _, t := range server.Offered() {
				definition := tool.Definition{Description: t.Description, Server: &tool.ServerTool{
					URL: server.URL, Headers: server.Headers, TimeoutMS: server.TimeoutMS, Name: t.Name, Parameters: t.Parameters,
				}}
				name := tool.FunctionName(t.Name, func(name string) bool {
					other, exists := p.Tools[name]
					return slices.Contains(names, name) || exists && !reflect.DeepEqual(other, definition)
				})
				p.Tools[name], names = definition, append(names, name)
			}
		}
		config.Tools, config.MCPServers = names, nil
		p.Agents[agentName] = config
	}
}
