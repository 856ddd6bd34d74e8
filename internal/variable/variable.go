// Package variable stores a tenant's variables, {{vars.<name>}} in all templates, and its secrets, {{secrets.<name>}} in the requests of
// tools. Secrets are encrypted and never returned.
package variable

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/seal"
	"parley/internal/tenant"
)

// Limits of values.
const (
	MaxValue  = 4096 // characters
	MinSecret = 8    // characters: a shorter one cannot be told from ordinary words in what has to hide it
)

// NamePattern is the form of a name: a segment of a template's path.
const NamePattern = `^[a-zA-Z_][a-zA-Z0-9_]{0,63}$`

var nameForm = regexp.MustCompile(NamePattern)

// kind is what a row of the table holds.
type kind struct {
	name, title string
	limit       tenant.Limit
	least       int // characters of a value
}

var (
	variables = kind{"variable", "variable", tenant.Variables, 0}
	secrets   = kind{"secret", "secret", tenant.Secrets, MinSecret}
)

// Variable is a named text of a tenant. The value of a secret is never set.
type Variable struct {
	bun.BaseModel `bun:"table:variables,alias:v"`

	TenantID  string    `bun:"tenant_id,pk"`
	ID        string    `bun:"id"`
	Kind      string    `bun:"kind,pk"`
	Name      string    `bun:"name,pk"`
	Stored    []byte    `bun:"value"`
	Value     string    `bun:"-"`
	CreatedAt time.Time `bun:"created_at"`
	UpdatedAt time.Time `bun:"updated_at"`
}

func (v *Variable) place() seal.Place {
	return seal.Place{Table: "variables", Row: v.Name, Tenant: v.TenantID}
}

// Store keeps a tenant's variables, or its secrets. A name that does not exist, or belongs to another tenant, is not_found.
type Store struct {
	kind   kind
	scope  database.Scope
	sealer *seal.Sealer // of secrets; nil for variables
	users  []users
}

// users are records of one kind that may refer to a secret.
type users struct {
	kind  string
	usage Usage
}

// Usage returns the names of the records of one kind that refer to a secret.
type Usage interface {
	UsingSecret(ctx context.Context, tx database.Tx, secret string) ([]string, error)
}

// SecretRegistry provides what seals secrets, and what refers to them. With a nil Usage, no record of that kind does.
type SecretRegistry struct {
	Sealer        *seal.Sealer
	Agents, Tools Usage
}

// In returns the store of a tenant's secrets.
func (r SecretRegistry) In(scope database.Scope) Store {
	s := Secrets(scope, r.Sealer)
	for _, u := range []users{{"active agents", r.Agents}, {"tools", r.Tools}} {
		if u.usage != nil {
			s.users = append(s.users, u)
		}
	}
	return s
}

// Variables returns the store of a tenant's variables.
func Variables(scope database.Scope) Store { return Store{kind: variables, scope: scope} }

// Secrets returns the store of a tenant's secrets, for readers: it does not look up what refers to them.
func Secrets(scope database.Scope, sealer *seal.Sealer) Store {
	return Store{kind: secrets, scope: scope, sealer: sealer}
}

// List returns a page, by name, and how many there are in all.
func (s Store) List(ctx context.Context, limit, offset int64) (page []Variable, total int64, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		total, err = tx.NewSelect().Model(&page).Where("tenant_id = ? AND kind = ?", tx.TenantID(), s.kind.name).Order("name").Limit(limit).Offset(offset).ScanAndCount(ctx)
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list %ss: %w", s.kind.title, err)
	}
	for n := range page {
		s.show(&page[n])
	}
	return page, total, nil
}

// show sets the value of what is no secret.
func (s Store) show(v *Variable) {
	if s.sealer == nil {
		v.Value = string(v.Stored)
	}
	v.Stored = nil
}

// Get returns one of them.
func (s Store) Get(ctx context.Context, name string) (v *Variable, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		v, err = s.find(ctx, tx, name)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.show(v)
	return v, nil
}

func (s Store) find(ctx context.Context, tx database.Tx, name string) (*Variable, error) {
	v := new(Variable)
	err := tx.NewSelect().Model(v).Where("tenant_id = ? AND kind = ? AND name = ?", tx.TenantID(), s.kind.name, name).Scan(ctx)
	if database.NoRows(err) {
		return nil, fault.Missing(s.kind.title)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", s.kind.title, err)
	}
	return v, nil
}

// Create stores a value, or returns all faults of name and value, or a conflict if the name exists. A value of nil is missing.
func (s Store) Create(ctx context.Context, name string, value *string) (*Variable, error) {
	var faults []fault.Detail
	switch {
	case name == "":
		faults = append(faults, fault.Detail{Field: "name", Message: "is required"})
	case !nameForm.MatchString(name):
		faults = append(faults, fault.Detail{Field: "name", Message: "must be 1 to 64 letters, digits and underscores, the first no digit"})
	}
	if value == nil {
		faults = append(faults, fault.Detail{Field: "value", Message: "is required"})
	} else {
		faults = append(faults, s.faults(*value)...)
	}
	if err := fault.FoundIn(ctx).With(faults); err != nil {
		return nil, err
	}
	v := &Variable{TenantID: s.scope.TenantID(), ID: uuid.Must(uuid.NewV7()).String(), Kind: s.kind.name, Name: name}
	s.set(v, *value)
	err := s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if err := tenant.Room(ctx, tx, s.kind.limit, 1); err != nil {
			return err
		}
		v.CreatedAt, v.UpdatedAt = tx.Now(), tx.Now()
		_, err := tx.NewInsert().Model(v).Exec(ctx)
		return err
	})
	switch {
	case database.Duplicate(err):
		return nil, fault.New(fault.Conflict, "a %s named %s exists already", s.kind.title, name)
	case err != nil:
		return nil, fmt.Errorf("create %s: %w", s.kind.title, err)
	}
	s.show(v)
	return v, nil
}

func (s Store) faults(value string) (faults []fault.Detail) {
	switch length := utf8.RuneCountInString(value); {
	case length < s.kind.least:
		faults = append(faults, fault.Detail{Field: "value", Message: fmt.Sprintf("must have at least %d characters", s.kind.least)})
	case length > MaxValue:
		faults = append(faults, fault.Detail{Field: "value", Message: fmt.Sprintf("must have at most %d characters", MaxValue)})
	}
	if strings.ContainsRune(value, 0) {
		faults = append(faults, fault.Detail{Field: "value", Message: "must not hold the character NUL"})
	}
	return faults
}

func (s Store) set(v *Variable, value string) {
	if v.Stored = []byte(value); s.sealer != nil {
		v.Stored = s.sealer.Seal(v.Stored, v.place())
	}
}

// Update replaces a value.
func (s Store) Update(ctx context.Context, name, value string) (v *Variable, err error) {
	if err := fault.FoundIn(ctx).With(s.faults(value)); err != nil {
		return nil, err
	}
	err = s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if v, err = s.find(ctx, tx, name); err != nil {
			return err
		}
		database.SetChanged(ctx, v)
		s.set(v, value)
		v.UpdatedAt = tx.Now()
		if _, err := tx.NewUpdate().Model(v).Column("value", "updated_at").WherePK().Exec(ctx); err != nil {
			return fmt.Errorf("change %s: %w", s.kind.title, err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.show(v)
	return v, nil
}

// Delete removes one of them. If records refer to a secret, it returns a conflict that names them; what refers to a variable has no
// value from then on.
func (s Store) Delete(ctx context.Context, name string) error {
	return s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		v, err := s.find(ctx, tx, name)
		if err != nil {
			return err
		}
		if err := s.checkUnused(ctx, tx, name); err != nil {
			return err
		}
		database.SetChanged(ctx, v)
		if _, err := tx.NewDelete().Model(v).WherePK().Exec(ctx); err != nil {
			return fmt.Errorf("delete %s: %w", s.kind.title, err)
		}
		return nil
	})
}

func (s Store) checkUnused(ctx context.Context, tx database.Tx, name string) error {
	for _, u := range s.users {
		names, err := u.usage.UsingSecret(ctx, tx, name)
		if err != nil {
			return fmt.Errorf("delete %s: %w", s.kind.title, err)
		}
		if len(names) > 0 {
			return fault.New(fault.Conflict, "the secret %s is used by the %s %s: take it out of them first", name, u.kind, fault.Names(names))
		}
	}
	return nil
}
