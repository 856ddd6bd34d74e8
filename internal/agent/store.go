package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/mergepatch"
	"parley/internal/tenant"
	"parley/internal/variable"
)

// Tools looks up tools.
type Tools interface {
	Existing(ctx context.Context, tx database.Tx, names []string) (map[string]bool, error)
}

// Prompts looks up templates of the prompt library, including the platform's.
type Prompts interface {
	Existing(ctx context.Context, tx database.Tx, slugs []string) (map[string]bool, error)
}

// Analyses looks up analyses.
type Analyses interface {
	Existing(ctx context.Context, tx database.Tx, names []string) (map[string]bool, error)
}

// Sounds looks up sounds, and keeps those that it finds until the end of the transaction.
type Sounds interface {
	Existing(ctx context.Context, tx database.Tx, names []string) (map[string]bool, error)
	// Bundled returns the names of the sounds that every tenant has for the background.
	Bundled() []string
}

// Usage returns the slugs of the active workflows that have a node with an agent.
type Usage interface {
	WorkflowsUsing(ctx context.Context, tx database.Tx, agentName string) ([]string, error)
}

// Registry provides what the validation of agents looks up. With nil Tools no tool exists; with nil Prompts missing
// templates are not reported.
type Registry struct {
	Providers Providers
	Tools     Tools
	Prompts   Prompts
	Analyses  Analyses // nil: missing analyses are not reported
	Sounds    Sounds   // nil: missing sounds are not reported
	Usage     Usage
	// ToolServers lists the tools of MCP servers when an agent is saved; nil lists none.
	ToolServers ToolServers
	// Turn validates the settings of turn detection, with fields relative to config.turn; nil accepts any object.
	Turn func(settings json.RawMessage) []fault.Detail
}

// In returns the store of a tenant's agents.
func (r Registry) In(scope database.Scope) Store { return Store{registry: r, scope: scope} }

// Store keeps a tenant's agents. A name that does not exist, or belongs to
// another tenant, is not_found.
type Store struct {
	registry Registry
	scope    database.Scope
}

// Draft is an agent to create.
type Draft struct {
	Name        string  `json:"name"`
	DisplayName *string `json:"display_name"`
	Config      Config  `json:"config"`
}

// changeable is the document that an update patches.
type changeable struct {
	DisplayName *string `json:"display_name"`
	Config      Config  `json:"config"`
}

// List returns a page of agents without their configuration, newest first,
// and how many there are in all. A nil active lists both.
func (s Store) List(ctx context.Context, limit, offset int64, active *bool) (page []Agent, total int64, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		query := tx.NewSelect().Model(&page).ExcludeColumn("config").Where("tenant_id = ?", tx.TenantID())
		if active != nil {
			query.Where("is_active = ?", *active)
		}
		total, err = query.OrderExpr("created_at DESC, id DESC").Limit(limit).Offset(offset).ScanAndCount(ctx)
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list agents: %w", err)
	}
	return page, total, nil
}

// Get returns an agent.
func (s Store) Get(ctx context.Context, name string) (a *Agent, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		a, err = Find(ctx, tx, name)
		return err
	})
	return a, err
}

// Create creates an active agent and returns it with warnings, or all faults of the draft, or a conflict if the name exists.
func (s Store) Create(ctx context.Context, d Draft) (*Agent, []string, error) {
	if string(d.Config.Turn) == "null" {
		d.Config.Turn = nil // null means absent, as in a patch
	}
	i := s.inspection(ctx)
	i.names(d.Name, d.DisplayName)
	i.config(d.Config)
	if err := i.found.With(i.Faults); err != nil {
		return nil, nil, err
	}
	d.Config.MCPServers = i.withTools(d.Config.MCPServers, s.listServers(ctx, d.Config.MCPServers, nil))
	a := &Agent{
		TenantID: s.scope.TenantID(), ID: uuid.Must(uuid.NewV7()).String(),
		Name: d.Name, DisplayName: d.DisplayName, Config: d.Config, IsActive: true,
	}
	err := s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		a.CreatedAt, a.UpdatedAt = tx.Now(), tx.Now()
		if err := s.requireSounds(ctx, tx, a.Config); err != nil {
			return err
		}
		if err := tenant.Room(ctx, tx, tenant.Agents, 1); err != nil {
			return err
		}
		if _, err := tx.NewInsert().Model(a).Exec(ctx); err != nil {
			return err
		}
		return s.warnOfAbsent(ctx, tx, &i, a.Config)
	})
	switch {
	case database.Duplicate(err):
		return nil, nil, fault.New(fault.Conflict, "an agent named %s exists already", d.Name)
	case err != nil:
		return nil, nil, fmt.Errorf("create agent: %w", err)
	}
	return a, i.Warnings, nil
}

// Prepare returns a configuration that is used without being stored, with the tools of its MCP servers, or its errors.
func (s Store) Prepare(ctx context.Context, c Config) (Config, error) {
	i := s.inspection(ctx)
	i.config(c)
	if err := i.found.With(i.Faults); err != nil {
		return c, err
	}
	if len(c.sounds()) > 0 {
		if err := s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error { return s.requireSounds(ctx, tx, c) }); err != nil {
			return c, err
		}
	}
	c.MCPServers = i.withTools(c.MCPServers, s.listServers(ctx, c.MCPServers, nil))
	return c, nil
}

func (s Store) inspection(ctx context.Context) validation {
	return validation{providers: s.registry.Providers, turn: s.registry.Turn, found: fault.FoundIn(ctx)}
}

// Update applies a JSON Merge Patch to display_name and config; other fields
// of the patch do not count. The result must be valid as on creation.
func (s Store) Update(ctx context.Context, name string, patch []byte) (a *Agent, warnings []string, err error) {
	listed, err := s.listPatched(ctx, name, patch)
	if err != nil {
		return nil, nil, err
	}
	err = s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if a, err = findToChange(ctx, tx, name); err != nil {
			return err
		}
		if err := a.apply(patch); err != nil {
			return err
		}
		i := s.inspection(ctx)
		i.names(a.Name, a.DisplayName)
		i.config(a.Config)
		if err := i.found.With(i.Faults); err != nil {
			return err
		}
		if err := s.requireSounds(ctx, tx, a.Config); err != nil {
			return err
		}
		a.Config.MCPServers = i.withTools(a.Config.MCPServers, listed)
		if err := s.warnOfAbsent(ctx, tx, &i, a.Config); err != nil {
			return err
		}
		warnings = i.Warnings
		return change(ctx, tx, a)
	})
	if err != nil {
		return nil, nil, err
	}
	return a, warnings, nil
}

// listPatched lists the tools of the MCP servers that an agent has with a patch, if the result is valid.
func (s Store) listPatched(ctx context.Context, name string, patch []byte) (map[string]listing, error) {
	a, err := s.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	stored := a.Config.MCPServers
	if a.apply(patch) != nil || len(a.Config.MCPServers) == 0 {
		return nil, nil //nolint:nilerr // the update reports what is wrong
	}
	i := s.inspection(ctx)
	if i.config(a.Config); len(i.Faults) > 0 {
		return nil, nil
	}
	return s.listServers(ctx, a.Config.MCPServers, stored), nil
}

func (a *Agent) apply(patch []byte) error {
	var c changeable
	if err := mergepatch.Onto(changeable{a.DisplayName, a.Config}, patch, &c); err != nil {
		return err
	}
	a.DisplayName, a.Config = c.DisplayName, c.Config
	return nil
}

// Activate and Deactivate set whether new calls may use the agent.
func (s Store) Activate(ctx context.Context, name string) (*Agent, error) {
	return s.setActive(ctx, name, true)
}

// Deactivate: see Activate.
func (s Store) Deactivate(ctx context.Context, name string) (*Agent, error) {
	return s.setActive(ctx, name, false)
}

func (s Store) setActive(ctx context.Context, name string, active bool) (a *Agent, err error) {
	err = s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if a, err = findToChange(ctx, tx, name); err != nil {
			return err
		}
		if a.IsActive == active {
			return nil
		}
		a.IsActive = active
		return change(ctx, tx, a)
	})
	if err != nil {
		return nil, err
	}
	return a, nil
}

// Delete deletes an agent. If it is active and used by active workflows, it returns a conflict that names them.
func (s Store) Delete(ctx context.Context, name string) error {
	return s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		a, err := findToChange(ctx, tx, name)
		if err != nil {
			return err
		}
		if a.IsActive {
			slugs, err := s.registry.Usage.WorkflowsUsing(ctx, tx, name)
			if err != nil {
				return fmt.Errorf("delete agent: %w", err)
			}
			if len(slugs) > 0 {
				return fault.New(fault.Conflict, "the agent %s is used by the active workflows %s: deactivate it first, or take it out of them", name, fault.Names(slugs))
			}
		}
		if _, err := tx.NewDelete().Model(a).WherePK().Exec(ctx); err != nil {
			return fmt.Errorf("delete agent: %w", err)
		}
		return nil
	})
}

// requireSounds returns errors for sounds of an agent that do not exist. The others cannot be deleted until the transaction ends.
func (s Store) requireSounds(ctx context.Context, tx database.Tx, c Config) error {
	named := c.sounds()
	if s.registry.Sounds == nil || len(named) == 0 {
		return nil
	}
	names := make([]string, len(named))
	for n, use := range named {
		names[n] = use.name
	}
	exist, err := s.registry.Sounds.Existing(ctx, tx, names)
	if err != nil {
		return err
	}
	bundled := s.registry.Sounds.Bundled()
	var absent []fault.Detail
	for _, use := range named {
		switch {
		case exist[use.name] || use.background && slices.Contains(bundled, use.name):
		case use.background:
			absent = append(absent, fault.Detail{Field: use.path, Message: fmt.Sprintf("there is no sound %s; bundled are %s", use.name, strings.Join(bundled, ", "))})
		default:
			absent = append(absent, fault.Detail{Field: use.path, Message: "there is no sound " + use.name})
		}
	}
	if len(absent) > 0 {
		return fault.Invalid(absent)
	}
	return nil
}

// warnOfAbsent warns of tools, agents and templates that a configuration names
// and that do not exist.
func (s Store) warnOfAbsent(ctx context.Context, tx database.Tx, i *validation, c Config) error {
	tools := map[string]bool{}
	if s.registry.Tools != nil && len(c.Tools) > 0 {
		var err error
		if tools, err = s.registry.Tools.Existing(ctx, tx, c.Tools); err != nil {
			return fmt.Errorf("look for tools: %w", err)
		}
	}
	for n, tool := range c.Tools {
		if !tools[tool] {
			i.Warn(fmt.Sprintf("config.tools[%d]", n), "there is no tool %s", tool)
		}
	}
	targets := make([]string, len(c.Handoffs))
	for n, h := range c.Handoffs {
		targets[n] = h.TargetAgent
	}
	agents, err := existing(ctx, tx, targets, false)
	if err != nil {
		return err
	}
	for n, target := range targets {
		if !agents[target] {
			i.Warn(fmt.Sprintf("config.handoffs[%d].target_agent", n), "there is no agent %s", target)
		}
	}
	if err := s.warnOfAbsentPrompts(ctx, tx, i); err != nil {
		return err
	}
	if err := s.warnOfAbsentAnalyses(ctx, tx, i, c.Analyses); err != nil {
		return err
	}
	return variable.WarnOfAbsent(ctx, tx, i.variables, &i.Findings)
}

func (s Store) warnOfAbsentAnalyses(ctx context.Context, tx database.Tx, i *validation, names []string) error {
	if s.registry.Analyses == nil {
		return nil
	}
	exist, err := s.registry.Analyses.Existing(ctx, tx, names)
	if err != nil {
		return err
	}
	for n, name := range names {
		if !exist[name] {
			i.Warn(fmt.Sprintf("config.analyses[%d]", n), "there is no analysis %s", name)
		}
	}
	return nil
}

func (s Store) warnOfAbsentPrompts(ctx context.Context, tx database.Tx, i *validation) error {
	if s.registry.Prompts == nil || len(i.prompts) == 0 {
		return nil
	}
	slugs := make([]string, len(i.prompts))
	for n, p := range i.prompts {
		slugs[n] = p.name
	}
	exist, err := s.registry.Prompts.Existing(ctx, tx, slugs)
	if err != nil {
		return fmt.Errorf("look for prompts: %w", err)
	}
	for n, p := range i.prompts {
		if !exist[p.name] && !slices.Contains(i.prompts[:n], p) {
			i.Warn(p.path, "there is no prompt template %s", p.name)
		}
	}
	return nil
}

// Find returns an agent of the transaction's tenant.
func Find(ctx context.Context, tx database.Tx, name string) (*Agent, error) {
	return database.Record[Agent](ctx, tx, "agent", "name", name)
}

// findToChange keeps others from changing the agent until the transaction
// ends.
func findToChange(ctx context.Context, tx database.Tx, name string) (*Agent, error) {
	return database.RecordToChange[Agent](ctx, tx, "agent", "name", name)
}

// FindMany returns the named agents of the transaction's tenant that exist, keyed by name.
func FindMany(ctx context.Context, tx database.Tx, names []string) (map[string]*Agent, error) {
	return database.Records(ctx, tx, "agent", "name", names, func(a *Agent) string { return a.Name })
}

// Directory looks up agents for other packages.
type Directory struct{}

// Existing returns which of the names are agents of the transaction's tenant. It requires a write transaction: on
// PostgreSQL it locks the agents until the end.
func (Directory) Existing(ctx context.Context, tx database.Tx, names []string) (map[string]bool, error) {
	return existing(ctx, tx, names, true)
}

func existing(ctx context.Context, tx database.Tx, names []string, hold bool) (map[string]bool, error) {
	found := map[string]bool{}
	if len(names) == 0 {
		return found, nil
	}
	wanted := map[string]bool{}
	for _, name := range names {
		wanted[name] = true
	}
	// In order, to avoid deadlocks.
	query := tx.NewSelect().Model((*Agent)(nil)).Column("name").OrderExpr("name").
		Where("tenant_id = ? AND name IN (?)", tx.TenantID(), bun.List(slices.Sorted(maps.Keys(wanted))))
	if hold && tx.Postgres() {
		query.For("KEY SHARE")
	}
	var present []string
	if err := query.Scan(ctx, &present); err != nil {
		return nil, fmt.Errorf("look for agents: %w", err)
	}
	for _, name := range present {
		found[name] = true
	}
	return found, nil
}

func change(ctx context.Context, tx database.Tx, a *Agent) error {
	a.UpdatedAt = tx.Now()
	_, err := tx.NewUpdate().Model(a).Column("display_name", "config", "is_active", "updated_at").WherePK().Exec(ctx)
	if err != nil {
		return fmt.Errorf("change agent: %w", err)
	}
	return nil
}
