package variable

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/seal"
	"parley/internal/template"
)

// Values returns all variables of the transaction's tenant, by name: the source vars of templates.
func Values(ctx context.Context, tx database.Tx) (map[string]any, error) {
	var rows []Variable
	if err := tx.NewSelect().Model(&rows).Where("tenant_id = ? AND kind = ?", tx.TenantID(), variables.name).Scan(ctx); err != nil {
		return nil, fmt.Errorf("read variables: %w", err)
	}
	values := make(map[string]any, len(rows))
	for _, v := range rows {
		values[v.Name] = string(v.Stored)
	}
	return values, nil
}

// Reference is a variable, or a secret, that a field names.
type Reference struct {
	Path, Name string
	Secret     bool
}

// References returns the variables that a field names by paths, and the secrets if it may name secrets.
func References(field string, paths []string, withSecrets bool) (named []Reference) {
	for _, name := range template.Below("vars", paths) {
		named = append(named, Reference{Path: field, Name: name})
	}
	if withSecrets {
		for _, name := range template.Below("secrets", paths) {
			named = append(named, Reference{Path: field, Name: name, Secret: true})
		}
	}
	return named
}

// WarnOfAbsent warns of references to what the transaction's tenant does not have.
func WarnOfAbsent(ctx context.Context, tx database.Tx, named []Reference, into *fault.Findings) error {
	if len(named) == 0 {
		return nil
	}
	haveVariables, err := existing(ctx, tx, variables)
	if err != nil {
		return err
	}
	haveSecrets, err := existing(ctx, tx, secrets)
	if err != nil {
		return err
	}
	for n, r := range named {
		switch {
		case slices.Contains(named[:n], r):
		case r.Secret && !haveSecrets[r.Name]:
			into.Warn(r.Path, "there is no secret %s: the request will not be sent", r.Name)
		case !r.Secret && !haveVariables[r.Name]:
			into.Warn(r.Path, "there is no variable %s", r.Name)
		}
	}
	return nil
}

func existing(ctx context.Context, tx database.Tx, of kind) (map[string]bool, error) {
	var names []string
	if err := tx.NewSelect().Model((*Variable)(nil)).Column("name").Where("tenant_id = ? AND kind = ?", tx.TenantID(), of.name).Scan(ctx, &names); err != nil {
		return nil, fmt.Errorf("look for %ss: %w", of.title, err)
	}
	known := make(map[string]bool, len(names))
	for _, name := range names {
		known[name] = true
	}
	return known, nil
}

// Reader reads a tenant's secrets when they are used. While the database is away it returns what it has read before. It is safe for
// concurrent use.
type Reader struct {
	store Store

	mu   sync.Mutex
	read map[string]string
}

// NewReader returns a reader of a tenant's secrets.
func NewReader(scope database.Scope, sealer *seal.Sealer) *Reader {
	return &Reader{store: Secrets(scope, sealer), read: map[string]string{}}
}

// Secret returns the value of a secret, and whether it exists. The error is worded for the tenant.
func (r *Reader) Secret(ctx context.Context, name string) (value string, exists bool, err error) {
	var v *Variable
	err = r.store.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		v, err = r.store.find(ctx, tx, name)
		return err
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	var f *fault.Error
	switch {
	case errors.As(err, &f) && f.Code == fault.NotFound:
		delete(r.read, name)
		return "", false, nil
	case err != nil:
		if value, exists = r.read[name]; exists {
			return value, true, nil
		}
		return "", false, fmt.Errorf("the secret %s cannot be read: the database is not available", name)
	}
	plain, err := r.store.sealer.Open(v.Stored, v.place())
	if err != nil {
		return "", false, fmt.Errorf("the secret %s was sealed with an encryption key that is gone: give it its value again", name)
	}
	r.read[name] = string(plain)
	return r.read[name], true, nil
}
