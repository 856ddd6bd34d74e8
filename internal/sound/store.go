package sound

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"parley/internal/audio"
	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/inflight"
	"parley/internal/tenant"
)

// Usage returns the names of the active agents that play a sound.
type Usage interface {
	UsingSound(ctx context.Context, tx database.Tx, name string) ([]string, error)
}

// Registry provides what stores look up; with nil Agents no sound is used.
type Registry struct{ Agents Usage }

// In returns the store of a tenant's sounds.
func (r Registry) In(scope database.Scope) Store { return Store{registry: r, scope: scope} }

// In returns the store of a tenant's sounds without knowledge of their use.
func In(scope database.Scope) Store { return Registry{}.In(scope) }

// Store keeps a tenant's sounds. A name that does not exist, or belongs to another tenant, is not_found.
type Store struct {
	registry Registry
	scope    database.Scope
}

// List returns a page of sounds without their content, newest first, and how many there are in all.
func (s Store) List(ctx context.Context, limit, offset int64) (page []Sound, total int64, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		total, err = tx.NewSelect().Model(&page).Where("tenant_id = ?", tx.TenantID()).
			OrderExpr("created_at DESC, id DESC").Limit(limit).Offset(offset).ScanAndCount(ctx)
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list sounds: %w", err)
	}
	return page, total, nil
}

// Get returns a sound without its content.
func (s Store) Get(ctx context.Context, name string) (found *Sound, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		found, err = database.Record[Sound](ctx, tx, "sound", "name", name)
		return err
	})
	return found, err
}

// Content returns a sound and its content, which counts for the request of the context.
func (s Store) Content(ctx context.Context, name string) (*Sound, []byte, error) {
	found, err := s.Get(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	if err := inflight.Reserve(ctx, int(found.SizeBytes)); err != nil {
		return nil, nil, err
	}
	content, err := readContent(ctx, s.scope, found.ID)
	return found, content, err
}

// readContent returns the content of a sound by its id.
func readContent(ctx context.Context, scope database.Scope, id string) ([]byte, error) {
	var row stored
	err := scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		return tx.NewSelect().Model(&row).Column("content").Where("tenant_id = ? AND id = ?", tx.TenantID(), id).Scan(ctx)
	})
	switch {
	case database.NoRows(err): // deleted meanwhile
		return nil, fault.Missing("sound")
	case err != nil:
		return nil, fmt.Errorf("read a sound: %w", err)
	}
	return row.Content, nil
}

// Create converts and stores a file of at most MaxFile bytes, or returns what is wrong with it, or a conflict if the name exists. The
// conversion may take some seconds, and waits for those of other tenants.
func (s Store) Create(ctx context.Context, name string, file []byte) (*Sound, error) {
	if !nameForm.MatchString(name) {
		return nil, invalid("name", "must be 1 to 100 lowercase letters, digits, hyphens and underscores, the first a letter or digit")
	}
	if err := s.mayCreate(ctx, name); err != nil {
		return nil, err
	}
	content, lasts, err := conversions.convert(ctx, s.scope.TenantID(), file)
	if err != nil {
		return nil, describe(err)
	}
	row := &stored{Content: content, Sound: Sound{
		TenantID: s.scope.TenantID(), ID: uuid.Must(uuid.NewV7()).String(), Name: name, DurationMS: lasts.Milliseconds(), SizeBytes: int64(len(content)),
	}}
	err = s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		row.CreatedAt = tx.Now()
		if err := tenant.Room(ctx, tx, tenant.Sounds, 1); err != nil {
			return err
		}
		_, err := tx.NewInsert().Model(row).Exec(ctx)
		return err
	})
	switch {
	case database.Duplicate(err):
		return nil, exists(name)
	case err != nil:
		return nil, fmt.Errorf("create sound: %w", err)
	}
	return &row.Sound, nil
}

// mayCreate returns a conflict if a sound has the name already, or if the tenant has as many as it may, before a conversion.
func (s Store) mayCreate(ctx context.Context, name string) error {
	return s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		switch _, err := database.Record[Sound](ctx, tx, "sound", "name", name); {
		case err == nil:
			return exists(name)
		case !fault.Is(err, fault.NotFound):
			return err
		}
		return tenant.Room(ctx, tx, tenant.Sounds, 1)
	})
}

func exists(name string) error {
	return fault.New(fault.Conflict, "a sound named %s exists already", name)
}

// describe returns the error of a conversion as one of the request's body.
func describe(err error) error {
	switch {
	case errors.Is(err, audio.ErrTooLong):
		return invalid("body", "the sound lasts longer than %d minutes", MaxDuration/time.Minute)
	case errors.Is(err, errTooShort):
		return invalid("body", "the sound lasts less than a second")
	case errors.Is(err, audio.ErrFormat), errors.Is(err, errSilent):
		return invalid("body", "%s", err)
	}
	return fmt.Errorf("convert a sound: %w", err)
}

func invalid(field, format string, a ...any) error {
	return fault.Invalid([]fault.Detail{{Field: field, Message: fmt.Sprintf(format, a...)}})
}

// Delete removes a sound. If active agents play it, it returns a conflict that names them.
func (s Store) Delete(ctx context.Context, name string) error {
	return s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		found, err := database.RecordToChange[Sound](ctx, tx, "sound", "name", name)
		if err != nil {
			return err
		}
		if s.registry.Agents != nil {
			agents, err := s.registry.Agents.UsingSound(ctx, tx, name)
			if err != nil {
				return fmt.Errorf("delete sound: %w", err)
			}
			if len(agents) > 0 {
				return fault.New(fault.Conflict, "the sound %s is used by the active agents %s: take it out of them first", name, fault.Names(agents))
			}
		}
		if _, err := tx.NewDelete().Model(found).WherePK().Exec(ctx); err != nil {
			return fmt.Errorf("delete sound: %w", err)
		}
		return nil
	})
}

// Directory looks up sounds for other packages.
type Directory struct{}

// Existing returns those of the names that are sounds of the transaction's tenant. It requires a write transaction: on PostgreSQL it locks
// the sounds until the end.
func (Directory) Existing(ctx context.Context, tx database.Tx, names []string) (map[string]bool, error) {
	found := map[string]bool{}
	if len(names) == 0 {
		return found, nil
	}
	query := tx.NewSelect().Model((*Sound)(nil)).Column("name").OrderExpr("name").Where("tenant_id = ? AND name IN (?)", tx.TenantID(), bun.List(names))
	if tx.Postgres() {
		query.For("KEY SHARE")
	}
	var present []string
	if err := query.Scan(ctx, &present); err != nil {
		return nil, fmt.Errorf("look for sounds: %w", err)
	}
	for _, name := range present {
		found[name] = true
	}
	return found, nil
}
