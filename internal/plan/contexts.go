package plan

import (
	"context"
	"maps"
	"slices"

	"parley/internal/agent"
	"parley/internal/database"
	"parley/internal/prompt"
	"parley/internal/template"
	"parley/internal/tool"
	"parley/internal/workflow"
)

const (
	// maxContexts limits the size of agents, tools and templates that are read for their use of the context, in bytes of all.
	maxContexts = 4 << 20
	// maxRows limits how many rows of a kind are read.
	maxRows = 2000
	// maxReads limits the references of an agent.
	maxReads = 500
)

// Contexts reads what agents do with the context of a call, for the validation of workflows.
type Contexts struct{}

// ContextUses returns what the agents, with their tools and the templates in their texts, read and set; nil if these are too large.
func (Contexts) ContextUses(ctx context.Context, tx database.Tx, names []string) (map[string]workflow.ContextUse, error) {
	left := int64(maxContexts)
	fits := func(rows Rows, names []string) (bool, error) {
		if len(names) > maxRows {
			return false, nil
		}
		size, err := rows.Size(ctx, tx, names)
		left -= size
		return left >= 0, err
	}
	if ok, err := fits(AgentRows, names); !ok || err != nil {
		return nil, err
	}
	agents, err := agent.FindMany(ctx, tx, names)
	if err != nil {
		return nil, err
	}
	named, texts := map[string]bool{}, map[string][]string{}
	for name, a := range agents {
		for _, of := range a.Config.Tools {
			named[of] = true
		}
		a.Config.Handoffs = nil // a workflow leads elsewhere
		if texts[name], err = a.Config.Texts(); err != nil {
			return nil, err
		}
	}
	if ok, err := fits(ToolRows, slices.Sorted(maps.Keys(named))); !ok || err != nil {
		return nil, err
	}
	tools, err := tool.FindMany(ctx, tx, slices.Sorted(maps.Keys(named)))
	if err != nil {
		return nil, err
	}
	slugs := prompt.Slugs(slices.Concat(slices.Collect(maps.Values(texts))...)...)
	if ok, err := fits(PromptRows, slugs); !ok || err != nil {
		return nil, err
	}
	bodies, err := prompt.Find(ctx, tx, slugs)
	if err != nil {
		return nil, err
	}
	uses := map[string]workflow.ContextUse{}
	for name, a := range agents {
		uses[name] = contextUse(name, a.Config.Tools, texts[name], tools, bodies)
	}
	return uses, nil
}

func contextUse(name string, toolNames, texts []string, tools map[string]*tool.Tool, bodies prompt.Bodies) (use workflow.ContextUse) {
	read := func(in string, paths []string) {
		for _, path := range workflow.ContextPaths(paths) {
			found := workflow.ContextRead{In: in, Path: path}
			if len(use.Reads) < maxReads && !slices.Contains(use.Reads, found) {
				use.Reads = append(use.Reads, found)
			}
		}
	}
	for _, text := range texts {
		read("the agent "+name, template.Undefaulted(text))
	}
	for _, slug := range prompt.Slugs(texts...) {
		body := bodies[slug]
		for _, language := range slices.Sorted(maps.Keys(body.Content)) {
			paths := template.Undefaulted(body.Content[language])
			read("the prompt template "+slug, slices.DeleteFunc(paths, body.HasDefault))
		}
	}
	for _, of := range toolNames {
		t := tools[of]
		if t == nil {
			continue
		}
		for _, text := range t.Config.Texts() {
			read("the tool "+of, template.Undefaulted(text))
		}
		use.Sets = append(use.Sets, t.Config.Sets()...)
	}
	return use
}
