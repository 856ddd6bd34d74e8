package analysis

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/mergepatch"
	"parley/internal/tenant"
)

// Usage returns the names of the active records of a kind to which an analysis is attached.
type Usage interface {
	UsingAnalysis(ctx context.Context, tx database.Tx, name string) ([]string, error)
}

// Registry provides what the validation of analyses looks up; with nil Agents or Workflows none is used there.
type Registry struct {
	Providers         Providers
	StatusReasons     []string // values of status_reason of calls that have ended
	Agents, Workflows Usage
}

// In returns the store of a tenant's analyses.
func (r Registry) In(scope database.Scope) Store { return Store{registry: r, scope: scope} }

// Store keeps a tenant's analyses. A name that does not exist, or belongs to another tenant, is not_found.
type Store struct {
	registry Registry
	scope    database.Scope
}

// Draft is an analysis to create.
type Draft struct {
	Name string
	Config
}

// List returns a page of analyses, newest first, and how many there are in all.
func (s Store) List(ctx context.Context, limit, offset int64) (page []Analysis, total int64, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		total, err = tx.NewSelect().Model(&page).ExcludeColumn("config").Where("tenant_id = ?", tx.TenantID()).
			OrderExpr("created_at DESC, id DESC").Limit(limit).Offset(offset).ScanAndCount(ctx)
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list analyses: %w", err)
	}
	return page, total, nil
}

// Get returns an analysis.
func (s Store) Get(ctx context.Context, name string) (a *Analysis, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		a, err = Find(ctx, tx, name)
		return err
	})
	return a, err
}

// Find returns an analysis of the transaction's tenant.
func Find(ctx context.Context, tx database.Tx, name string) (*Analysis, error) {
	return database.Record[Analysis](ctx, tx, "analysis", "name", name)
}

// Create creates an analysis and returns it with warnings, or all faults of the draft, or a conflict if the name exists.
func (s Store) Create(ctx context.Context, d Draft) (*Analysis, []string, error) {
	d.tidy()
	i := s.validation(ctx)
	i.name(d.Name)
	i.config(d.Config)
	if err := i.found.With(i.Faults); err != nil {
		return nil, nil, err
	}
	a := &Analysis{TenantID: s.scope.TenantID(), ID: uuid.Must(uuid.NewV7()).String(), Name: d.Name, Config: d.Config, Version: 1}
	err := s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		a.CreatedAt, a.UpdatedAt = tx.Now(), tx.Now()
		if err := tenant.Room(ctx, tx, tenant.Analyses, 1); err != nil {
			return err
		}
		_, err := tx.NewInsert().Model(a).Exec(ctx)
		return err
	})
	switch {
	case database.Duplicate(err):
		return nil, nil, fault.New(fault.Conflict, "an analysis named %s exists already", d.Name)
	case err != nil:
		return nil, nil, fmt.Errorf("create analysis: %w", err)
	}
	return a, i.Warnings, nil
}

func (s Store) validation(ctx context.Context) validation {
	return validation{providers: s.registry.Providers, reasons: s.registry.StatusReasons, found: fault.FoundIn(ctx)}
}

// Update applies a JSON Merge Patch to an analysis; its name and what the server keeps do not count in it. A schema in the patch replaces
// the whole schema. The result must be valid as on creation, and is a new version unless nothing changes.
func (s Store) Update(ctx context.Context, name string, patch []byte) (a *Analysis, warnings []string, err error) {
	err = s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if a, err = findToChange(ctx, tx, name); err != nil {
			return err
		}
		after, err := a.Config.patched(patch)
		if err != nil {
			return err
		}
		i := s.validation(ctx)
		i.config(after)
		if err := i.found.With(i.Faults); err != nil {
			return err
		}
		warnings = i.Warnings
		return change(ctx, tx, a, after)
	})
	if err != nil {
		return nil, nil, err
	}
	return a, warnings, nil
}

// patched returns what a patch leaves of a configuration.
func (c Config) patched(patch []byte) (after Config, err error) {
	var replaced struct {
		Schema json.RawMessage `json:"schema"`
	}
	if json.Unmarshal(patch, &replaced) == nil && replaced.Schema != nil {
		c.Schema = nil // to merge schemas would keep properties that the patch leaves out
	}
	err = mergepatch.Onto(c, patch, &after)
	after.tidy()
	return after, err
}

// tidy normalizes null to absent.
func (c *Config) tidy() {
	if string(c.Schema) == "null" {
		c.Schema = nil
	}
}

// Delete removes an analysis, with its versions. One that is attached to active agents or workflows is a conflict, which names them.
func (s Store) Delete(ctx context.Context, name string) error {
	return s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		a, err := findToChange(ctx, tx, name)
		if err != nil {
			return err
		}
		if err := s.checkUnused(ctx, tx, name); err != nil {
			return err
		}
		if _, err := tx.NewDelete().Model(a).WherePK().Exec(ctx); err != nil {
			return fmt.Errorf("delete analysis: %w", err)
		}
		return nil
	})
}

func (s Store) checkUnused(ctx context.Context, tx database.Tx, name string) error {
	for _, users := range []struct {
		kind  string
		usage Usage
	}{{"agents", s.registry.Agents}, {"workflows", s.registry.Workflows}} {
		if users.usage == nil {
			continue
		}
		names, err := users.usage.UsingAnalysis(ctx, tx, name)
		if err != nil {
			return fmt.Errorf("delete analysis: %w", err)
		}
		if len(names) > 0 {
			return fault.New(fault.Conflict, "the analysis %s is used by the active %s %s: take it out of them first", name, users.kind, fault.Names(names))
		}
	}
	return nil
}

// findToChange locks the analysis until the transaction ends.
func findToChange(ctx context.Context, tx database.Tx, name string) (*Analysis, error) {
	return database.RecordToChange[Analysis](ctx, tx, "analysis", "name", name)
}

// Directory looks up analyses for other packages.
type Directory struct{}

// Existing returns those of the names that are analyses of the transaction's tenant.
func (Directory) Existing(ctx context.Context, tx database.Tx, names []string) (map[string]bool, error) {
	return existing(ctx, tx, tx.TenantID(), names)
}

func existing(ctx context.Context, tx database.Tx, tenantID string, names []string) (map[string]bool, error) {
	existing := map[string]bool{}
	if len(names) == 0 {
		return existing, nil
	}
	var present []string
	err := tx.NewSelect().Model((*Analysis)(nil)).Column("name").Where("tenant_id = ? AND name IN (?)", tenantID, bun.List(names)).Scan(ctx, &present)
	if err != nil {
		return nil, fmt.Errorf("look for analyses: %w", err)
	}
	for _, name := range present {
		existing[name] = true
	}
	return existing, nil
}
