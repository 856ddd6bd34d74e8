package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"parley/internal/agent"
	"parley/internal/prompt"
)

// Prompts are the system prompts of agents and the templates that they refer to, not rendered, and what is kept from models. They are encoded as a
// plan is, so that both can be decoded as Prompts.
type Prompts struct {
	Agents    map[string]AgentPrompts `json:"agents"`            // keyed by name
	Templates map[string]Texts        `json:"prompts,omitempty"` // keyed by slug
}

// AgentPrompts are an agent's prompts.
type AgentPrompts struct {
	Prompt struct {
		System string `json:"system"`
	} `json:"prompt"`
	Redaction agent.Redaction `json:"redaction,omitzero"` // for analyses
}

// Texts are the texts of a template.
type Texts struct {
	Content map[string]string `json:"content"` // language code → text
}

// DecodePrompts decodes the prompts of the named agents from a stored plan, or from stored prompts. Agents that are not
// in it are left out.
func DecodePrompts(encoded json.RawMessage, names []string) (p Prompts, err error) {
	if err := json.Unmarshal(encoded, &p); err != nil {
		return Prompts{}, fmt.Errorf("decode the call's prompts: %w", err)
	}
	maps.DeleteFunc(p.Agents, func(name string, _ AgentPrompts) bool { return !slices.Contains(names, name) })
	var texts []string
	for _, a := range p.Agents {
		texts = append(texts, a.Prompt.System)
	}
	slugs := prompt.Slugs(texts...)
	maps.DeleteFunc(p.Templates, func(slug string, _ Texts) bool { return !slices.Contains(slugs, slug) })
	return p, nil
}
