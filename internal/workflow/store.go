package workflow

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/tenant"
	"parley/internal/variable"
)

// Agents looks up agents, and locks them until the transaction ends.
type Agents interface {
	Existing(ctx context.Context, tx database.Tx, names []string) (map[string]bool, error)
}

// Analyses looks up analyses.
type Analyses interface {
	Existing(ctx context.Context, tx database.Tx, names []string) (map[string]bool, error)
}

// Registry provides what the validation of workflows looks up.
type Registry struct {
	Agents   Agents
	Analyses Analyses // nil: missing analyses are not reported
	Contexts Contexts // nil: keys that nothing sets are not reported
}

// In returns the store of a tenant's workflows.
func (r Registry) In(scope database.Scope) Store { return Store{registry: r, scope: scope} }

// Store keeps a tenant's workflows. A slug that does not exist, or belongs to
// another tenant, is not_found.
type Store struct {
	registry Registry
	scope    database.Scope
}

// Draft is a workflow to create.
type Draft struct {
	Slug        string  `json:"slug"`
	Name        string  `json:"name"`
	Description *string `json:"description"`
	Config      Config  `json:"config"`
}

// List returns a page of workflows without their configuration, the newest
// first, and their total. A nil active lists both.
func (s Store) List(ctx context.Context, limit, offset int64, active *bool) (page []Workflow, total int64, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		query := tx.NewSelect().Model(&page).ExcludeColumn("config").Where("tenant_id = ?", tx.TenantID())
		if active != nil {
			query.Where("is_active = ?", *active)
		}
		total, err = query.OrderExpr("created_at DESC, id DESC").Limit(limit).Offset(offset).ScanAndCount(ctx)
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list workflows: %w", err)
	}
	return page, total, nil
}

// Get returns a workflow.
func (s Store) Get(ctx context.Context, slug string) (w *Workflow, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		w, err = Find(ctx, tx, slug)
		return err
	})
	return w, err
}

// Create makes an active workflow and returns it with warnings, or all faults of
// the draft, or a conflict when the slug is taken.
func (s Store) Create(ctx context.Context, d Draft) (w *Workflow, warnings []string, err error) {
	w = &Workflow{
		TenantID: s.scope.TenantID(), ID: uuid.Must(uuid.NewV7()).String(),
		Slug: d.Slug, Name: d.Name, Description: d.Description, Config: d.Config, IsActive: true,
	}
	err = s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if warnings, err = s.check(ctx, tx, w); err != nil {
			return err
		}
		w.CreatedAt, w.UpdatedAt = tx.Now(), tx.Now()
		if err := tenant.Room(ctx, tx, tenant.Workflows, 1); err != nil {
			return err
		}
		if _, err := tx.NewInsert().Model(w).Exec(ctx); err != nil {
			return fmt.Errorf("create workflow: %w", err)
		}
		return keepAgents(ctx, tx, w)
	})
	switch {
	case database.Duplicate(err):
		return nil, nil, fault.New(fault.Conflict, "a workflow with the slug %s exists already", d.Slug)
	case err != nil:
		return nil, nil, err
	}
	return w, warnings, nil
}

// Update sets the given fields of a JSON object: name, description and, under config, nodes, connections,
// shared_context and analyses; null removes. The result must be valid.
func (s Store) Update(ctx context.Context, slug string, changes []byte) (w *Workflow, warnings []string, err error) {
	err = s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if w, err = findToChange(ctx, tx, slug); err != nil {
			return err
		}
		if err := w.apply(changes); err != nil {
			return err
		}
		if warnings, err = s.check(ctx, tx, w); err != nil {
			return err
		}
		if err := change(ctx, tx, w); err != nil {
			return err
		}
		return keepAgents(ctx, tx, w)
	})
	if err != nil {
		return nil, nil, err
	}
	return w, warnings, nil
}

// apply sets the given fields and collects those of a wrong type.
func (w *Workflow) apply(changes []byte) error {
	var given struct{ Name, Description, Config json.RawMessage }
	if trimmed := bytes.TrimSpace(changes); len(trimmed) == 0 || trimmed[0] != '{' || json.Unmarshal(changes, &given) != nil {
		return fault.Invalid([]fault.Detail{{Field: "body", Message: "must be a JSON object"}})
	}
	var i validation
	set(&i, "name", given.Name, &w.Name)
	set(&i, "description", given.Description, &w.Description)
	if string(given.Config) == "null" {
		w.Config = Config{}
		given.Config = nil
	}
	var config struct {
		Nodes, Connections json.RawMessage
		SharedContext      json.RawMessage `json:"shared_context"`
		CallHook           json.RawMessage `json:"call_hook"`
		Analyses           json.RawMessage
	}
	set(&i, "config", given.Config, &config)
	set(&i, "config.nodes", config.Nodes, &w.Config.Nodes)
	set(&i, "config.connections", config.Connections, &w.Config.Connections)
	set(&i, "config.shared_context", config.SharedContext, &w.Config.SharedContext)
	set(&i, "config.call_hook", config.CallHook, &w.Config.CallHook)
	set(&i, "config.analyses", config.Analyses, &w.Config.Analyses)
	return fault.Invalid(i.Faults)
}

// set replaces a field by a given value; null is its zero value.
func set[T any](i *validation, path string, given json.RawMessage, field *T) {
	if given == nil {
		return
	}
	var value T
	if err := json.Unmarshal(given, &value); err != nil {
		i.Fault(path, "is of the wrong type")
		return
	}
	*field = value
}

// check applies all rules, and returns all errors, or the warnings.
func (s Store) check(ctx context.Context, tx database.Tx, w *Workflow) (warnings []string, err error) {
	i := validation{found: fault.FoundIn(ctx)}
	i.texts(w.Slug, w.Name, w.Description)
	i.config(w.Config)
	if len(w.Config.Nodes) <= MaxNodes {
		exists, err := s.registry.Agents.Existing(ctx, tx, w.Config.agents())
		if err != nil {
			return nil, err
		}
		i.agents(w.Config, exists)
	}
	if s.registry.Analyses != nil && len(w.Config.Analyses) <= MaxAnalyses {
		exists, err := s.registry.Analyses.Existing(ctx, tx, w.Config.Analyses)
		if err != nil {
			return nil, err
		}
		for n, name := range w.Config.Analyses {
			if !exists[name] {
				i.Warn(fmt.Sprintf("config.analyses[%d]", n), "there is no analysis %s", name)
			}
		}
	}
	if s.registry.Contexts != nil && len(i.Faults) == 0 {
		uses, err := s.registry.Contexts.ContextUses(ctx, tx, w.Config.agents())
		if err != nil {
			return nil, err
		}
		if uses != nil {
			i.context(w.Config, uses)
		}
	}
	if err := variable.WarnOfAbsent(ctx, tx, i.named, &i.Findings); err != nil {
		return nil, err
	}
	return i.Warnings, i.found.With(i.Faults)
}

// agents returns the agents of the nodes, without duplicates and invalid names.
func (c Config) agents() []string {
	names := map[string]bool{}
	for _, node := range c.Nodes {
		if slugForm.MatchString(node.AgentName) {
			names[node.AgentName] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// Activate and Deactivate set whether new calls may use the workflow.
func (s Store) Activate(ctx context.Context, slug string) (*Workflow, error) {
	return s.setActive(ctx, slug, true)
}

// Deactivate: see Activate.
func (s Store) Deactivate(ctx context.Context, slug string) (*Workflow, error) {
	return s.setActive(ctx, slug, false)
}

func (s Store) setActive(ctx context.Context, slug string, active bool) (w *Workflow, err error) {
	err = s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if w, err = findToChange(ctx, tx, slug); err != nil {
			return err
		}
		if w.IsActive == active {
			return nil
		}
		w.IsActive = active
		return change(ctx, tx, w)
	})
	if err != nil {
		return nil, err
	}
	return w, nil
}

// Delete deletes a workflow. Calls in progress continue, and its name is kept with their statistics.
func (s Store) Delete(ctx context.Context, slug string) error {
	return s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO deleted_workflows (tenant_id, id, name) SELECT tenant_id, id, name FROM workflows WHERE tenant_id = ? AND slug = ?", tx.TenantID(), slug)
		if err != nil {
			return fmt.Errorf("keep the name of workflow %s: %w", slug, err)
		}
		return database.DeleteRecord[Workflow](ctx, tx, "workflow", "slug", slug)
	})
}

// Find returns a workflow of the transaction's tenant.
func Find(ctx context.Context, tx database.Tx, slug string) (*Workflow, error) {
	return database.Record[Workflow](ctx, tx, "workflow", "slug", slug)
}

// findToChange keeps others from changing the workflow until the transaction
// ends.
func findToChange(ctx context.Context, tx database.Tx, slug string) (*Workflow, error) {
	return database.RecordToChange[Workflow](ctx, tx, "workflow", "slug", slug)
}

func change(ctx context.Context, tx database.Tx, w *Workflow) error {
	w.UpdatedAt = tx.Now()
	_, err := tx.NewUpdate().Model(w).Column("name", "description", "config", "is_active", "updated_at").WherePK().Exec(ctx)
	if err != nil {
		return fmt.Errorf("change workflow: %w", err)
	}
	return nil
}
