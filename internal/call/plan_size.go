package call

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/uptrace/bun"

	"parley/internal/agent"
	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/prompt"
)

const (
	// maxPlan bounds what a dispatch copies into the call's row, in bytes of JSON:
	// its workflow, agents, tools and prompts.
	maxPlan = 4 << 20
	// maxParts bounds how many agents, tools or prompts are looked for at once.
	maxParts = 2000
	// maxAbsent is how many of the parts that do not exist a dispatch reports.
	maxAbsent = 50
)

var errPlan = fault.New(fault.Conflict, "the agents, tools and prompts that the call can reach are too large: at most %d MiB together, and %d of a kind (limit call_plan)", maxPlan>>20, maxParts)

// room is how many bytes a plan may still grow by. The database counts what is
// about to be read, so that a plan that is too large costs no more than one that
// is not.
type room struct{ left int64 }

// Where the parts of a plan come from: the bytes of those rows, named by a
// column, that a tenant sees.
const (
	agentRows  = "SELECT COALESCE(SUM(octet_length(CAST(config AS text))), 0) FROM agents WHERE tenant_id = ? AND name IN (?)"
	toolRows   = "SELECT COALESCE(SUM(octet_length(CAST(config AS text))), 0) FROM tools WHERE tenant_id = ? AND name IN (?)"
	promptRows = "SELECT COALESCE(SUM(octet_length(CAST(content AS text)) + octet_length(CAST(metadata AS text))), 0) FROM prompts WHERE (tenant_id = ? OR tenant_id IS NULL) AND slug IN (?)"
)

// smallPlan is how many rows are read uncounted: each was a request's body
// once, of 1 MiB at most.
const smallPlan = 3

// take charges the rows of the names.
func (r *room) take(ctx context.Context, tx database.Tx, rows string, names []string) error {
	if len(names) > maxParts {
		return errPlan
	}
	if len(names) <= smallPlan && r.left == maxPlan || len(names) == 0 {
		return nil
	}
	var size int64
	if err := tx.NewRaw(rows, tx.TenantID(), bun.List(names)).Scan(ctx, &size); err != nil {
		return fmt.Errorf("measure the call's plan: %w", err)
	}
	if r.left -= size; r.left < 0 {
		return errPlan
	}
	return nil
}

func (p plan) findAgents(ctx context.Context, tx database.Tx, names []string) (map[string]*agent.Agent, error) {
	if err := p.room.take(ctx, tx, agentRows, names); err != nil {
		return nil, err
	}
	return agent.FindMany(ctx, tx, names)
}

// brief is the first maxAbsent of the items, and how many more there are.
func brief(absent []ErrorItem) []ErrorItem {
	more := len(absent) - maxAbsent
	if more <= 0 {
		return absent
	}
	rest := absent[maxAbsent]
	rest.Agent, rest.Message = nil, fmt.Sprintf("and %d more agents or tools do not exist or are not active", more)
	return append(absent[:maxAbsent:maxAbsent], rest)
}

// complete adds the prompts that the plan refers to, and encodes it.
func (p plan) complete(ctx context.Context, tx database.Tx) (encoded json.RawMessage, err error) {
	slugs := p.slugs()
	if err := p.room.take(ctx, tx, promptRows, slugs); err != nil {
		return nil, err
	}
	if p.Prompts, err = prompt.Find(ctx, tx, slugs); err != nil {
		return nil, err
	}
	if encoded, err = json.Marshal(p); err != nil {
		return nil, fmt.Errorf("encode the call's plan: %w", err)
	}
	if len(encoded) > maxPlan {
		return nil, errPlan
	}
	return encoded, nil
}
