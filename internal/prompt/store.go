package prompt

import (
	"bytes"
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

// Usage returns the names of the records of a kind that refer to a template.
type Usage interface {
	UsingPrompt(ctx context.Context, tx database.Tx, slug string) ([]string, error)
}

// Registry looks up which active agents and which tools use a template; nil for none.
type Registry struct{ Agents, Tools Usage }

// In returns the store of a tenant's templates.
func (r Registry) In(scope database.Scope) Store { return Store{registry: r, scope: scope} }

// In returns the store of a tenant's templates without knowledge of their use.
func In(scope database.Scope) Store { return Registry{}.In(scope) }

// Store reads and writes a tenant's templates, and reads the platform's defaults. An unknown slug is not_found;
// changing a default is a conflict.
type Store struct {
	registry Registry
	scope    database.Scope
}

// Draft is a template to create.
type Draft struct {
	Slug string
	Body
}

// List returns a page of the templates that the tenant's agents see, its own
// and the defaults that it has not replaced, without their texts, the newest
// first, and their total. An empty category lists all.
func (s Store) List(ctx context.Context, limit, offset int64, category string) (page []Template, total int64, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		query := tx.NewSelect().Model(&page).ExcludeColumn("content", "variables", "metadata").
			Where("p.tenant_id = ? OR p.tenant_id IS NULL AND NOT EXISTS (SELECT 1 FROM prompts own WHERE own.tenant_id = ? AND own.slug = p.slug)", tx.TenantID(), tx.TenantID())
		if category != "" {
			query.Where("category = ?", category)
		}
		total, err = query.OrderExpr("created_at DESC, id DESC").Limit(limit).Offset(offset).ScanAndCount(ctx)
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list prompts: %w", err)
	}
	return page, total, nil
}

// Get returns the tenant's template, or the platform's default.
func (s Store) Get(ctx context.Context, slug string) (t *Template, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		t, err = find(ctx, tx, slug)
		return err
	})
	return t, err
}

func find(ctx context.Context, tx database.Tx, slug string) (*Template, error) {
	t := new(Template)
	err := tx.NewSelect().Model(t).Where("slug = ?", slug).Where("tenant_id = ? OR tenant_id IS NULL", tx.TenantID()).
		OrderExpr("tenant_id IS NULL").Limit(1).Scan(ctx)
	return t, found(err)
}

// findOwn returns the tenant's own template and locks it until the transaction ends. If only the platform's default
// exists, the error is a conflict that explains how to override it.
func findOwn(ctx context.Context, tx database.Tx, slug string) (*Template, error) {
	t, err := database.RecordToChange[Template](ctx, tx, "prompt", "slug", slug)
	if !fault.Is(err, fault.NotFound) {
		return t, err
	}
	if _, err := find(ctx, tx, slug); err != nil {
		return nil, err
	}
	return nil, fault.New(fault.Conflict, "%s is a template of the platform, which nobody can change or delete: create a template with the slug %s (POST /api/v1/prompts), and it takes its place for you", slug, slug)
}

func found(err error) error {
	switch {
	case database.NoRows(err):
		return fault.Missing("prompt")
	case err != nil:
		return fmt.Errorf("read prompt: %w", err)
	}
	return nil
}

// Create creates a template, or returns all errors of the draft, or a conflict when
// the tenant has one of that slug. It replaces a default.
func (s Store) Create(ctx context.Context, d Draft) (t *Template, err error) {
	d.tidy()
	i := validation{found: fault.FoundIn(ctx)}
	i.slug(d.Slug)
	i.body(d.Body)
	if err := i.found.With(i.Faults); err != nil {
		return nil, err
	}
	err = s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if err := tenant.Room(ctx, tx, tenant.Prompts, 1); err != nil {
			return err
		}
		t, err = insert(ctx, tx, d)
		return err
	})
	switch {
	case database.Duplicate(err):
		return nil, fault.New(fault.Conflict, "a prompt with the slug %s exists already", d.Slug)
	case err != nil:
		return nil, fmt.Errorf("create prompt: %w", err)
	}
	return t, nil
}

func insert(ctx context.Context, tx database.Tx, d Draft) (*Template, error) {
	tenantID := tx.TenantID()
	t := &Template{ID: uuid.Must(uuid.NewV7()).String(), TenantID: &tenantID, Slug: d.Slug, Body: d.Body, Version: 1, CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
	_, err := tx.NewInsert().Model(t).Exec(ctx)
	return t, err
}

// Update applies a JSON Merge Patch to a template; slug and what the server
// keeps do not count in it. The result must be valid as on creation. One that
// changes nothing makes no version.
func (s Store) Update(ctx context.Context, slug string, patch []byte) (t *Template, err error) {
	err = s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if t, err = findOwn(ctx, tx, slug); err != nil {
			return err
		}
		after, err := t.patched(patch)
		if err != nil {
			return err
		}
		i := validation{found: fault.FoundIn(ctx)}
		i.body(after)
		if err := i.found.With(i.Faults); err != nil {
			return err
		}
		if same, err := t.Body.same(after); err != nil || same {
			return err
		}
		return change(ctx, tx, t, after)
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// same reports whether two bodies are the same to those who read them.
func (b Body) same(other Body) (bool, error) {
	var texts [2][]byte
	for i, body := range []Body{b, other} {
		var err error
		if texts[i], err = json.Marshal(body); err != nil { // which compacts the metadata
			return false, fmt.Errorf("read prompt: %w", err)
		}
		if texts[i], err = mergepatch.Apply(texts[i], []byte("{}")); err != nil { // which sorts its names
			return false, fmt.Errorf("read prompt: %w", err)
		}
	}
	return bytes.Equal(texts[0], texts[1]), nil
}

func (b Body) patched(patch []byte) (after Body, err error) {
	after.Category = DefaultCategory
	if err := mergepatch.Onto(b, patch, &after); err != nil {
		return after, err
	}
	after.tidy()
	return after, nil
}

// Delete removes the tenant's template and its versions. A default of that slug is seen again. Without a default, a
// template that agents or tools use is a conflict that names them.
func (s Store) Delete(ctx context.Context, slug string) error {
	return s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		t, err := findOwn(ctx, tx, slug)
		if err != nil {
			return err
		}
		if err := s.checkUnused(ctx, tx, slug); err != nil {
			return err
		}
		if _, err := tx.NewDelete().Model(t).Where("tenant_id = ? AND id = ?", tx.TenantID(), t.ID).Exec(ctx); err != nil {
			return fmt.Errorf("delete prompt: %w", err)
		}
		return nil
	})
}

// checkUnused returns a conflict if the deletion of the tenant's template left references without a template.
func (s Store) checkUnused(ctx context.Context, tx database.Tx, slug string) error {
	replaced, err := tx.NewSelect().Model((*Template)(nil)).Where("slug = ? AND tenant_id IS NULL", slug).Exists(ctx)
	if err != nil {
		return fmt.Errorf("delete prompt: %w", err)
	}
	if replaced {
		return nil
	}
	for _, users := range []struct {
		kind  string
		usage Usage
	}{{"active agents", s.registry.Agents}, {"tools", s.registry.Tools}} {
		if users.usage == nil {
			continue
		}
		names, err := users.usage.UsingPrompt(ctx, tx, slug)
		if err != nil {
			return fmt.Errorf("delete prompt: %w", err)
		}
		if len(names) > 0 {
			return fault.New(fault.Conflict, "the prompt %s is used by the %s %s: take it out of them first", slug, users.kind, fault.Names(names))
		}
	}
	return nil
}

// exportPage is how many templates Export has in memory at once: each has been
// a request's body, of 1 MiB at most.
const exportPage = 20

// Export calls a function with each of the tenant's own templates, by slug, until it returns an error. Concurrent
// changes may or may not be included.
func (s Store) Export(ctx context.Context, take func(*Template) error) error {
	for last := ""; ; {
		var page []Template
		err := s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
			return tx.NewSelect().Model(&page).Where("tenant_id = ? AND slug > ?", tx.TenantID(), last).OrderExpr("slug").Limit(exportPage).Scan(ctx)
		})
		if err != nil {
			return fmt.Errorf("export prompts: %w", err)
		}
		for i := range page {
			if err := take(&page[i]); err != nil {
				return err
			}
		}
		if len(page) < exportPage {
			return nil
		}
		last = page[len(page)-1].Slug
	}
}

// existing returns those of the slugs that the tenant itself has.
func existing(ctx context.Context, tx database.Tx, slugs []string) (map[string]*Template, error) {
	var own []*Template
	query := tx.NewSelect().Model(&own).Where("tenant_id = ? AND slug IN (?)", tx.TenantID(), bun.List(slugs)).OrderExpr("slug")
	if tx.Postgres() {
		query.For("UPDATE")
	}
	if err := query.Scan(ctx); err != nil {
		return nil, fmt.Errorf("read prompts: %w", err)
	}
	bySlug := map[string]*Template{}
	for _, t := range own {
		bySlug[t.Slug] = t
	}
	return bySlug, nil
}
