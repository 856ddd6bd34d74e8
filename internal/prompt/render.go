package prompt

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/template"
)

// Render returns a template's text with its references filled in: from the scope; from the user's context for a
// path outside its sources (name means user.name); by a variable's default. Paths without a value render empty and
// are returned, as are required variables without a value.
func (b Body) Render(language string, scope template.Scope) (used, text string, missing []string) {
	return newRenderer(scope).render(b, language)
}

// renderer renders templates with one scope. Data is copied once for all of them.
type renderer struct {
	budget *template.Budget // of all together
	scope  template.Scope   // with the user's context for paths outside its sources
	own    map[string]bool  // objects in scope that are copies, by path
}

func newRenderer(scope template.Scope) *renderer {
	r := &renderer{budget: template.NewBudget(template.MaxRendered), scope: template.Scope{}, own: map[string]bool{}}
	if user, ok := scope["user"].(map[string]any); ok {
		maps.Copy(r.scope, user)
	}
	maps.Copy(r.scope, scope)
	return r
}

func (r *renderer) render(b Body, language string) (used, text string, missing []string) {
	for _, v := range b.Variables {
		if value, found := r.scope.Lookup(v.Name); v.Default != nil && (!found || value == nil) {
			defer r.set(strings.Split(v.Name, "."), decoded(v.Default))()
		}
	}
	used, text = b.Text(language)
	text, missing = template.RenderWithin(r.budget, text, r.scope)
	for _, v := range b.Variables {
		if value, found := r.scope.Lookup(v.Name); v.Required && (!found || value == nil) && !slices.Contains(missing, v.Name) {
			missing = append(missing, v.Name)
		}
	}
	return used, text, missing
}

// set sets a value at a path of the scope and returns what undoes it. What is no object is not replaced by one.
func (r *renderer) set(path []string, value any) (undo func()) {
	object, at := map[string]any(r.scope), ""
	for n, name := range path[:len(path)-1] {
		at += "." + name
		inner, isObject := object[name].(map[string]any)
		switch {
		case object[name] == nil:
			return replace(object, name, nested(path[n+1:], value))
		case !isObject:
			return func() {}
		case !r.own[at]:
			inner = maps.Clone(inner)
			object[name], r.own[at] = inner, true
		}
		object = inner
	}
	return replace(object, path[len(path)-1], value)
}

// nested returns a value under a path of objects.
func nested(path []string, value any) any {
	for _, name := range slices.Backward(path) {
		value = map[string]any{name: value}
	}
	return value
}

// replace sets a field and returns what restores it.
func replace(object map[string]any, name string, value any) (undo func()) {
	before, had := object[name]
	object[name] = value
	return func() {
		if object[name] = before; !had {
			delete(object, name)
		}
	}
}

func decoded(text json.RawMessage) (value any) {
	value, _ = template.Decode(text) // it was checked when it was saved
	return value
}

// Language returns the language of a preview: the user's, or Fallback.
func Language(scope template.Scope) string {
	if value, _ := scope.Lookup("user.language"); value != nil {
		if language, ok := value.(string); ok {
			return language
		}
	}
	return Fallback
}

// Slugs lists the templates that texts refer to, each once, in order.
func Slugs(texts ...string) (slugs []string) {
	listed := map[string]bool{}
	for _, text := range texts {
		for _, path := range template.Paths(text) {
			rest, ok := strings.CutPrefix(path, "prompt.")
			if !ok {
				continue
			}
			if end := strings.IndexAny(rest, ".["); end >= 0 {
				rest = rest[:end]
			}
			if !listed[rest] {
				listed[rest] = true
				slugs = append(slugs, rest)
			}
		}
	}
	return slugs
}

// Value is a resolved template: its text as a template value, its metadata as fields.
type Value struct {
	text     string
	metadata map[string]json.RawMessage
}

// String returns the text.
func (v Value) String() string { return v.text }

// Field returns a value of the metadata.
func (v Value) Field(name string) (any, bool) {
	value, ok := v.metadata[name]
	if !ok {
		return nil, false
	}
	return decoded(value), true
}

// Bodies are templates by slug.
type Bodies map[string]Body

// Find returns the templates of the given slugs, as returned by Slugs: the tenant's own, or else the platform's
// default. Unknown slugs are left out.
func Find(ctx context.Context, tx database.Tx, slugs []string) (Bodies, error) {
	bodies := Bodies{}
	if len(slugs) == 0 {
		return bodies, nil
	}
	var found []*Template
	err := tx.NewSelect().Model(&found).Where("slug IN (?)", bun.List(slugs)).Where("tenant_id = ? OR tenant_id IS NULL", tx.TenantID()).
		OrderExpr("tenant_id IS NULL DESC, slug").Scan(ctx) // the tenant's own come last and replace the defaults
	if err != nil {
		return nil, fmt.Errorf("read prompts: %w", err)
	}
	for _, t := range found {
		bodies[t.Slug] = t.Body
	}
	return bodies, nil
}

// Directory looks up templates for other packages.
type Directory struct{}

// Existing returns those of the slugs that the transaction's tenant or the
// platform has a template for.
func (Directory) Existing(ctx context.Context, tx database.Tx, slugs []string) (map[string]bool, error) {
	found := map[string]bool{}
	if len(slugs) == 0 {
		return found, nil
	}
	var present []string
	err := tx.NewSelect().Model((*Template)(nil)).Column("slug").Where("slug IN (?)", bun.List(slugs)).Where("tenant_id = ? OR tenant_id IS NULL", tx.TenantID()).
		Scan(ctx, &present)
	if err != nil {
		return nil, fmt.Errorf("look for prompts: %w", err)
	}
	for _, slug := range present {
		found[slug] = true
	}
	return found, nil
}

// Resolve renders the templates of the given slugs, in the language that Text selects. The result is the value of
// "prompt" in a template.Scope; unknown slugs are left out. It also returns the paths without values. Rendered
// values are not rendered again, {{prompt.…}} included.
func (b Bodies) Resolve(slugs []string, language string, scope template.Scope) (values map[string]any, missing []string) {
	values = map[string]any{}
	r := newRenderer(scope)
	for _, slug := range slugs {
		body, ok := b[slug]
		if !ok {
			continue
		}
		_, text, absent := r.render(body, language)
		values[slug] = Value{text, body.Metadata}
		missing = append(missing, absent...)
	}
	return values, missing
}
