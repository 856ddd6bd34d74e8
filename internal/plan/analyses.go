package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"parley/internal/agent"
	"parley/internal/analysis"
)

// Analyses are the analyses of a call with a plan.
type Analyses struct {
	Names []string
	LLM   *analysis.LLM // of the last agent that has one; nil for none
}

// DecodeAnalyses decodes from a stored plan the analyses of its workflow and of the named agents, in the order in which they held the
// call.
func DecodeAnalyses(encoded json.RawMessage, held []string) (a Analyses, err error) {
	if !bytes.Contains(encoded, []byte(`"analyses"`)) {
		return a, nil // most plans, which may be large
	}
	var p struct {
		Workflow *struct {
			Analyses []string `json:"analyses"`
		} `json:"workflow"`
		Agents map[string]struct {
			Analyses []string  `json:"analyses"`
			LLM      agent.LLM `json:"llm"`
		} `json:"agents"`
	}
	if err := json.Unmarshal(encoded, &p); err != nil {
		return Analyses{}, fmt.Errorf("decode the call's analyses: %w", err)
	}
	if p.Workflow != nil {
		a.add(p.Workflow.Analyses)
	}
	for _, name := range held {
		of := p.Agents[name]
		a.add(of.Analyses)
		if of.LLM.Provider != "" {
			a.LLM = &analysis.LLM{Provider: of.LLM.Provider, Model: of.LLM.Model}
		}
	}
	return a, nil
}

// HidesFromModels reports whether one of the named agents of a stored plan, or of stored prompts, keeps what the caller says from language models.
func HidesFromModels(encoded json.RawMessage, held []string) (bool, error) {
	if !bytes.Contains(encoded, []byte(`"before_model"`)) {
		return false, nil
	}
	var p Prompts
	if err := json.Unmarshal(encoded, &p); err != nil {
		return false, fmt.Errorf("decode the call's redaction: %w", err)
	}
	return slices.ContainsFunc(held, func(name string) bool { return p.Agents[name].Redaction.BeforeModel }), nil
}

func (a *Analyses) add(names []string) {
	for _, name := range names {
		if !slices.Contains(a.Names, name) {
			a.Names = append(a.Names, name)
		}
	}
}
