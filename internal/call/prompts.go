package call

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"parley/internal/database"
	"parley/internal/inflight"
	"parley/internal/plan"
)

// AgentPrompt is the system prompt of an agent as it was when the call was dispatched.
type AgentPrompt struct {
	Agent  string
	System string // with template references
}

// PromptTexts is a prompt template that an agent's system prompt refers to, as it was when the call was dispatched.
type PromptTexts struct {
	Slug    string
	Content map[string]string // language code → text
}

// Prompts returns the system prompts of the agents that have held the call, in the order of the first time, and the
// templates that they refer to. Both are empty for a call that no agent has held, or that ended before prompts were kept,
// or whose content was purged. Errors: not_found.
func (s *Service) Prompts(ctx context.Context, tenantID, id string) (agents []AgentPrompt, templates []PromptTexts, err error) {
	err = s.db.Tenant(tenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		c, err := get(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := readPlans(ctx, tx, c); err != nil || c.Plan == nil {
			return err
		}
		if err := inflight.Reserve(ctx, len(c.Plan)); err != nil {
			return err
		}
		p, err := plan.DecodePrompts(c.Plan, c.AgentHistory)
		if err != nil {
			return err
		}
		for _, name := range c.AgentHistory {
			held, known := p.Agents[name]
			if known && !slices.ContainsFunc(agents, func(a AgentPrompt) bool { return a.Agent == name }) {
				agents = append(agents, AgentPrompt{name, held.Prompt.System})
			}
		}
		for slug, body := range p.Templates {
			templates = append(templates, PromptTexts{slug, body.Content})
		}
		slices.SortFunc(templates, func(a, b PromptTexts) int { return cmp.Compare(a.Slug, b.Slug) })
		return nil
	})
	return agents, templates, err
}

// keepPrompts replaces the plan of a call that ends, which has been read, by the prompts of its agents, and returns how many bytes that
// added.
func (c *Call) keepPrompts(ctx context.Context, tx database.Tx) (added int64, err error) {
	var kept json.RawMessage
	if len(c.AgentHistory) > 0 {
		kept = c.promptsToKeep()
	}
	c.Plan, c.PlanHash, c.InlinePlan = kept, nil, nil
	if kept == nil {
		return 0, nil
	}
	c.PlanHash = planHash(c.TenantID, kept)
	return storePlan(ctx, tx, c)
}

// promptsToKeep returns what is stored of the plan when the call has ended: the prompts of its agents; nil for none, or
// if the plan cannot be decoded, which must not keep the call from ending.
func (c *Call) promptsToKeep() json.RawMessage {
	if c.Plan == nil {
		return nil
	}
	p, err := plan.DecodePrompts(c.Plan, c.AgentHistory)
	if err != nil {
		return nil
	}
	encoded, err := json.Marshal(p)
	if err != nil {
		return nil
	}
	return encoded
}
