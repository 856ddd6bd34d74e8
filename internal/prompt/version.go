package prompt

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/inflight"
)

// Version is a current or earlier version of a template.
type Version struct {
	bun.BaseModel `bun:"table:prompt_versions,alias:v"`

	TenantID string `bun:"tenant_id,pk"`
	PromptID string `bun:"prompt_id,pk"`
	Version  int64  `bun:"version,pk"`
	Body
	CreatedAt time.Time `bun:"created_at"` // when this version was created
}

var versions = database.Versions[Version]{Kind: "prompt", Record: "prompt_id", Content: []string{"content", "variables", "metadata"}}

// present returns the version that a template has now.
func (t *Template) present(tenantID string) Version {
	return Version{TenantID: tenantID, PromptID: t.ID, Version: t.Version, Body: t.Body, CreatedAt: t.UpdatedAt}
}

// change sets a template's body; the previous body becomes an earlier version.
func change(ctx context.Context, tx database.Tx, t *Template, after Body) error {
	before := t.present(tx.TenantID())
	if err := versions.Keep(ctx, tx, t.ID, t.Version, &before); err != nil {
		return err
	}
	t.Body, t.UpdatedAt = after, tx.Now()
	t.Version++
	_, err := tx.NewUpdate().Model(t).Column("name", "description", "category", "content", "variables", "metadata", "version", "updated_at").
		Where("tenant_id = ? AND id = ?", tx.TenantID(), t.ID).Exec(ctx)
	if err != nil {
		return fmt.Errorf("change prompt %s: %w", t.ID, err)
	}
	return nil
}

// AfterScanRow counts a version that a request reads.
func (v *Version) AfterScanRow(ctx context.Context) error {
	size := metadataSize(v.Metadata)
	for _, text := range v.Content {
		size += len(text)
	}
	return inflight.Reserve(ctx, size)
}

// Versions lists a template's versions, the present one first, and how many
// there are in all.
func (s Store) Versions(ctx context.Context, slug string, limit, offset int64) (page []Version, total int64, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		t, err := find(ctx, tx, slug)
		if err != nil {
			return err
		}
		page, total, err = versions.List(ctx, tx, t.ID, t.present(tx.TenantID()), limit, offset) // a default has no earlier ones
		return err
	})
	return page, total, err
}

// Rollback sets the body of an earlier version as a new version.
func (s Store) Rollback(ctx context.Context, slug string, version int64) (t *Template, err error) {
	err = s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if t, err = findOwn(ctx, tx, slug); err != nil || t.Version == version {
			return err
		}
		earlier, err := versions.ToRestore(ctx, tx, t.ID, version)
		if err != nil {
			return err
		}
		return change(ctx, tx, t, earlier.Body)
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}
