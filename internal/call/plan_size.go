package call

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"parley/internal/agent"
	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/plan"
	"parley/internal/prompt"
	"parley/internal/tenant"
	"parley/internal/variable"
)

const (
	// maxPlan limits what a dispatch stores for the call (workflow, agents, tools, prompts), in bytes of
	// JSON.
	maxPlan = 4 << 20
	// maxParts limits how many agents, tools or prompts one query looks up.
	maxParts = 2000
	// maxAbsent limits how many missing agents and tools a dispatch reports.
	maxAbsent = 50
)

var errPlan = fault.New(fault.Conflict, "the agents, tools and prompts that the call can reach are too large: at most %d MiB together, and %d of a kind (limit call_plan)", maxPlan>>20, maxParts)

// sizeBudget is how many bytes a plan may still grow by. Sizes are summed by the database before rows are read, so
// that rejecting a large plan is cheap.
type sizeBudget struct{ left int64 }

// smallPlan is how many rows are read without measuring them first: each row is at most 1 MiB, the limit of a
// request body.
const smallPlan = 3

// charge subtracts the size of the named rows from the budget.
func (r *sizeBudget) charge(ctx context.Context, tx database.Tx, rows plan.Rows, names []string) error {
	if len(names) > maxParts {
		return errPlan
	}
	if len(names) <= smallPlan && r.left == maxPlan || len(names) == 0 {
		return nil
	}
	size, err := rows.Size(ctx, tx, names)
	if err != nil {
		return err
	}
	if r.left -= size; r.left < 0 {
		return errPlan
	}
	return nil
}

func (p planLoader) findAgents(ctx context.Context, tx database.Tx, names []string) (map[string]*agent.Agent, error) {
	if err := p.budget.charge(ctx, tx, plan.AgentRows, names); err != nil {
		return nil, err
	}
	return agent.FindMany(ctx, tx, names)
}

// truncate returns the first maxAbsent items, and an item that counts the rest.
func truncate(absent []ErrorItem) []ErrorItem {
	more := len(absent) - maxAbsent
	if more <= 0 {
		return absent
	}
	rest := absent[maxAbsent]
	rest.Agent, rest.Message = nil, fmt.Sprintf("and %d more agents or tools do not exist or are not active", more)
	return append(absent[:maxAbsent:maxAbsent], rest)
}

// encode adds the prompts, and the variables and the time zone if anything refers to them, and returns the plan as JSON.
func (p planLoader) encode(ctx context.Context, tx database.Tx) (encoded json.RawMessage, err error) {
	slugs := p.promptSlugs()
	if err := p.budget.charge(ctx, tx, plan.PromptRows, slugs); err != nil {
		return nil, err
	}
	if p.Prompts, err = prompt.Find(ctx, tx, slugs); err != nil {
		return nil, err
	}
	if encoded, err = json.Marshal(p.Plan); err != nil {
		return nil, fmt.Errorf("encode the call's plan: %w", err)
	}
	if encoded, err = p.encodeSettings(ctx, tx, encoded); err != nil {
		return nil, err
	}
	if len(encoded) > maxPlan {
		return nil, errPlan
	}
	return encoded, nil
}

// encodeSettings returns the plan with the tenant's variables and time zone as JSON, as far as the plan without them refers to them.
func (p planLoader) encodeSettings(ctx context.Context, tx database.Tx, without json.RawMessage) (encoded json.RawMessage, err error) {
	names := func(source string) bool {
		return bytes.Contains(without, []byte(source)) || strings.Contains(p.greeting, source)
	}
	if names("vars") {
		if p.Vars, err = variable.Values(ctx, tx); err != nil {
			return nil, err
		}
	}
	if names("now") || names("today") {
		if p.Timezone, err = tenant.Timezone(ctx, tx); err != nil {
			return nil, err
		}
	}
	if p.Vars == nil && p.Timezone == "" {
		return without, nil
	}
	if encoded, err = json.Marshal(p.Plan); err != nil {
		return nil, fmt.Errorf("encode the call's plan: %w", err)
	}
	return encoded, nil
}
