package tool

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/mergepatch"
	"parley/internal/seal"
	"parley/internal/tenant"
	"parley/internal/variable"
)

// Agents looks up which agents exist.
type Agents interface {
	Existing(ctx context.Context, tx database.Tx, names []string) (map[string]bool, error)
}

// Usage returns the names of the active agents that list a tool.
type Usage interface {
	UsingTool(ctx context.Context, tx database.Tx, tool string) ([]string, error)
}

// Registry provides what the validation of tools looks up, and what seals their static header values. With nil Usage no tool is in use.
type Registry struct {
	Agents Agents
	Usage  Usage
	Sealer *seal.Sealer
}

// In returns the store of a tenant's tools.
func (r Registry) In(scope database.Scope) Store { return Store{registry: r, scope: scope} }

// Store keeps a tenant's tools. A name that does not exist, or belongs to
// another tenant, is not_found.
type Store struct {
	registry Registry
	scope    database.Scope
}

// Draft is a tool to create.
type Draft struct {
	Name        string
	Description *string
	Config      *Config
}

// changeable is the document that an update patches.
type changeable struct {
	Description *string `json:"description"`
	Config      *Config `json:"config"`
}

// List returns a page of tools without their configuration, newest first,
// and how many there are in all.
func (s Store) List(ctx context.Context, limit, offset int64) (page []Tool, total int64, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		total, err = tx.NewSelect().Model(&page).ExcludeColumn("config").Where("tenant_id = ?", tx.TenantID()).
			OrderExpr("created_at DESC, id DESC").Limit(limit).Offset(offset).ScanAndCount(ctx)
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list tools: %w", err)
	}
	return page, total, nil
}

// Get returns a tool.
func (s Store) Get(ctx context.Context, name string) (t *Tool, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		t, err = database.Record[Tool](ctx, tx, "tool", "name", name)
		return err
	})
	return t, err
}

// Create creates a tool and returns it with warnings, or all faults of the draft, or a conflict if the name exists.
func (s Store) Create(ctx context.Context, d Draft) (*Tool, []string, error) {
	if d.Config != nil {
		d.Config.tidy()
	}
	var i validation
	i.tool(d.Name, d.Description, d.Config)
	if err := fault.FoundIn(ctx).With(i.Faults); err != nil {
		return nil, nil, err
	}
	t := &Tool{
		TenantID: s.scope.TenantID(), ID: uuid.Must(uuid.NewV7()).String(),
		Name: d.Name, Description: d.Description,
	}
	if err := s.seal(t, *d.Config); err != nil {
		return nil, nil, err
	}
	err := s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		t.CreatedAt, t.UpdatedAt = tx.Now(), tx.Now()
		if err := tenant.Room(ctx, tx, tenant.Tools, 1); err != nil {
			return err
		}
		if _, err := tx.NewInsert().Model(t).Exec(ctx); err != nil {
			return err
		}
		return s.warnOfAbsent(ctx, tx, &i)
	})
	switch {
	case database.Duplicate(err):
		return nil, nil, fault.New(fault.Conflict, "a tool named %s exists already", d.Name)
	case err != nil:
		return nil, nil, fmt.Errorf("create tool: %w", err)
	}
	return t, i.Warnings, nil
}

// Update applies a JSON Merge Patch to description and config; other fields of
// the patch do not count. The result must be valid as on creation.
func (s Store) Update(ctx context.Context, name string, patch []byte) (t *Tool, warnings []string, err error) {
	err = s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if t, err = findToChange(ctx, tx, name); err != nil {
			return err
		}
		after, err := t.patched(patch)
		if err != nil {
			return err
		}
		var i validation
		i.tool(t.Name, after.Description, after.Config)
		if err := fault.FoundIn(ctx).With(i.Faults); err != nil {
			return err
		}
		t.Description = after.Description
		if err := s.seal(t, *after.Config); err != nil {
			return err
		}
		if err := s.warnOfAbsent(ctx, tx, &i); err != nil {
			return err
		}
		warnings = i.Warnings
		t.UpdatedAt = tx.Now()
		if _, err := tx.NewUpdate().Model(t).Column("description", "config", "headers_sealed", "updated_at").WherePK().Exec(ctx); err != nil {
			return fmt.Errorf("change tool: %w", err)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return t, warnings, nil
}

// seal sets a tool's configuration to a valid one that a client has given, in place of the stored one.
func (s Store) seal(t *Tool, given Config) error {
	sealed, faults := given.sealNew(s.registry.Sealer, headerPlace(t.TenantID, t.Name), t.Config)
	if err := fault.Invalid(faults); err != nil {
		return err
	}
	if size := sealed.size(); size > maxStored {
		return fault.Invalid([]fault.Detail{{Field: "config", Message: fmt.Sprintf("has %d bytes with its sealed headers, at most %d are allowed (limit tool_config)", size, maxStored)}})
	}
	t.Config, t.HeadersSealed = sealed, true
	return nil
}

// patched returns what a patch leaves of a tool as clients see it.
func (t *Tool) patched(patch []byte) (after changeable, err error) {
	shown := t.Config.Masked()
	if err := mergepatch.Onto(changeable{t.Description, &shown}, patch, &after); err != nil {
		return after, err
	}
	if after.Config != nil {
		after.Config.tidy()
	}
	return after, nil
}

// tidy normalizes null and empty lists of optional values to absent ones.
func (c *Config) tidy() {
	if c.Parameters == nil {
		c.Parameters = []Parameter{}
	}
	if c.Actions == nil {
		c.Actions = []Action{}
	}
	for n := range c.Parameters {
		absent(&c.Parameters[n].Default)
	}
	tidy(c.Actions)
}

func tidy(actions []Action) {
	for n := range actions {
		absent(&actions[n].Body)
		absent(&actions[n].Value)
		tidy(actions[n].OnSuccess)
		tidy(actions[n].OnFailure)
	}
}

func absent(value *json.RawMessage) {
	if string(*value) == "null" {
		*value = nil
	}
}

// Delete removes a tool. If active agents list it, it returns a conflict that names them.
func (s Store) Delete(ctx context.Context, name string) error {
	return s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if _, err := findToChange(ctx, tx, name); err != nil {
			return err
		}
		if s.registry.Usage != nil {
			agents, err := s.registry.Usage.UsingTool(ctx, tx, name)
			if err != nil {
				return fmt.Errorf("delete tool: %w", err)
			}
			if len(agents) > 0 {
				return fault.New(fault.Conflict, "the tool %s is used by the active agents %s: take it out of them first", name, fault.Names(agents))
			}
		}
		return database.DeleteRecord[Tool](ctx, tx, "tool", "name", name)
	})
}

// warnOfAbsent warns of agents, variables and secrets that a tool names and that do not exist.
func (s Store) warnOfAbsent(ctx context.Context, tx database.Tx, i *validation) error {
	names := make([]string, len(i.targets))
	for n, t := range i.targets {
		names[n] = t.agent
	}
	agents, err := s.registry.Agents.Existing(ctx, tx, names)
	if err != nil {
		return fmt.Errorf("look for agents: %w", err)
	}
	for _, t := range i.targets {
		if !agents[t.agent] {
			i.Warn(t.path, "there is no agent %s", t.agent)
		}
	}
	return variable.WarnOfAbsent(ctx, tx, i.named, &i.Findings)
}

// findToChange locks the tool until the transaction ends.
func findToChange(ctx context.Context, tx database.Tx, name string) (*Tool, error) {
	return database.RecordToChange[Tool](ctx, tx, "tool", "name", name)
}

// FindMany returns the named tools of the transaction's tenant that exist, keyed by name.
func FindMany(ctx context.Context, tx database.Tx, names []string) (map[string]*Tool, error) {
	return database.Records(ctx, tx, "tool", "name", names, func(t *Tool) string { return t.Name })
}

// Directory looks up tools for other packages.
type Directory struct{}

// Existing returns those of the names that are tools of the transaction's
// tenant.
func (Directory) Existing(ctx context.Context, tx database.Tx, names []string) (map[string]bool, error) {
	existing := map[string]bool{}
	if len(names) == 0 {
		return existing, nil
	}
	var present []string
	err := tx.NewSelect().Model((*Tool)(nil)).Column("name").Where("tenant_id = ? AND name IN (?)", tx.TenantID(), bun.List(names)).Scan(ctx, &present)
	if err != nil {
		return nil, fmt.Errorf("look for tools: %w", err)
	}
	for _, name := range present {
		existing[name] = true
	}
	return existing, nil
}
