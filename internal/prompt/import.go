package prompt

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/tenant"
)

// Imported is the result of an import.
type Imported struct {
	Created, Updated int
	Errors           []fault.Detail // of the templates that were left out
}

// Import creates and replaces templates by slug, in one transaction. An error rejects all of them; with partial
// only the invalid ones are skipped, unless they cannot be parsed.
func (s Store) Import(ctx context.Context, drafts []Draft, partial bool) (done Imported, err error) {
	if len(drafts) > MaxImport {
		return done, fault.Invalid([]fault.Detail{{Field: "templates", Message: fmt.Sprintf("must have at most %d items", MaxImport)}})
	}
	found := fault.FoundIn(ctx)
	var sound []Draft
	var slugs []string
	for n, d := range drafts {
		d.tidy()
		i := validation{Findings: fault.Findings{At: fmt.Sprintf("templates[%d].", n)}, found: found}
		i.slug(d.Slug)
		i.body(d.Body)
		if slices.Contains(slugs, d.Slug) {
			i.Fault("slug", "is given twice")
		}
		if len(i.Faults) > 0 {
			done.Errors = append(done.Errors, i.Faults[:min(len(i.Faults), fault.MaxDetails+1-len(done.Errors))]...)
			continue
		}
		sound, slugs = append(sound, d), append(slugs, d.Slug)
	}
	if !partial || len(found) > 0 {
		if err := found.With(done.Errors); err != nil {
			return done, err
		}
	}
	if len(done.Errors) > fault.MaxDetails {
		done.Errors[fault.MaxDetails] = fault.Detail{Field: "templates", Message: fmt.Sprintf("more errors follow: the first %d are listed", fault.MaxDetails)}
	}
	if len(sound) == 0 {
		return done, nil
	}
	// In order, to avoid deadlocks between imports.
	slices.SortFunc(sound, func(a, b Draft) int { return cmp.Compare(a.Slug, b.Slug) })
	err = s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		own, err := existing(ctx, tx, slugs)
		if err != nil {
			return err
		}
		if added := len(sound) - len(own); added > 0 {
			if err := tenant.Room(ctx, tx, tenant.Prompts, added); err != nil {
				return err
			}
		}
		for _, d := range sound {
			t, exists := own[d.Slug]
			if !exists {
				if _, err := insert(ctx, tx, d); err != nil {
					return err
				}
				done.Created++
				continue
			}
			if !reflect.DeepEqual(t.Body, d.Body) {
				if err := change(ctx, tx, t, d.Body); err != nil {
					return err
				}
			}
			done.Updated++
		}
		return nil
	})
	switch {
	case database.Duplicate(err):
		return Imported{}, fault.New(fault.Conflict, "one of the prompts was created by another request at the same time")
	case err != nil:
		return Imported{}, fmt.Errorf("import prompts: %w", err)
	}
	return done, nil
}
